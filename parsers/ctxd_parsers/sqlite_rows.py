"""Rows of another program's SQLite database, read so that its owner never notices.

Opened read-only (`mode=ro`, never `immutable`: the file is live), by short transactions of a few
rows with a short wait for locks, selecting only the columns a parser declared. The file is never
copied; a large one is walked by key.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from ctxd_parsers.limits import SQLITE_BUSY_SECONDS, SQLITE_PAGE_ROWS
from ctxd_parsers.parser import Record, Table


class BusyError(OSError):
    """The database is locked by its owner: to be tried again later, not an empty store."""


def read(path: Path, tables: tuple[Table, ...], since: int | None = None) -> Iterator[Record]:
    """The rows of the declared tables that exist; with `since`, those changed after it.

    Raise BusyError when the owner holds a lock for longer than `limits.SQLITE_BUSY_SECONDS`, and
    OSError when the file is no readable database.
    """
    try:
        with closing(_connect(path)) as connection:
            for table in tables:
                yield from _rows(connection, table, since)
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise BusyError(f"{path} is in use by its owner") from error
        raise OSError(f"{path} cannot be read as a database: {error}") from error
    except sqlite3.DatabaseError as error:
        raise OSError(f"{path} is not a database: {error}") from error


def _connect(path: Path) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, timeout=SQLITE_BUSY_SECONDS, isolation_level=None)
    connection.text_factory = bytes
    connection.execute("PRAGMA query_only = ON")
    return connection


def _rows(connection: sqlite3.Connection, table: Table, since: int | None) -> Iterator[Record]:
    columns = _columns(connection, table)
    if columns is None:
        return
    last = -1
    newer = since is not None and table.changed is not None
    condition = f'AND "{table.changed}" > ?' if newer else ""
    query = (
        f'SELECT rowid, {columns}, "{table.value}" FROM "{table.name}" '  # noqa: S608 - names are a parser's own constants
        f"WHERE rowid > ? {condition} ORDER BY rowid LIMIT {SQLITE_PAGE_ROWS}"
    )
    while page := connection.execute(query, (last, since) if newer else (last,)).fetchall():
        for row in page:
            last = row[0]
            key = (table.name, *(_text(cell) for cell in row[1:-1]))
            yield Record(_bytes(row[-1]), key=key)


def _columns(connection: sqlite3.Connection, table: Table) -> str | None:
    """The key columns as a list for SELECT; None when the table or one of them does not exist."""
    found = {
        row[0].decode() if isinstance(row[0], bytes) else row[0]
        for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table.name,))
    }
    if not found >= {*table.key, table.value}:
        return None
    return ", ".join(f'"{name}"' for name in table.key)


def _text(cell: object) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)


def _bytes(cell: object) -> bytes:
    return cell if isinstance(cell, bytes) else _text(cell).encode()
