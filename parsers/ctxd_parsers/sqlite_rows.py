"""Rows of another program's SQLite database, read so that its owner never notices.

Opened read-only (`mode=ro`, never `immutable`: the file is live), with a short wait for locks,
selecting only the columns a parser declared. The file is never copied. A table is walked by row id,
a page of ids and then one row in a transaction: its owner can write in between, and only one row is
ever held in memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from ctxd_parsers.limits import SQLITE_BUSY_SECONDS, SQLITE_PAGE_ROWS
from ctxd_parsers.parser import Record, Table

_LOW_BITS = 0xFFFF_FFFF
"""What is summed of a `changed` value, so that the sum of nanosecond times stays an integer."""


class BusyError(OSError):
    """The database is locked by its owner: to be tried again later, not an empty store."""


def read(path: Path, tables: tuple[Table, ...], since: int | None = None) -> Iterator[Record]:
    """The rows of the declared tables that exist; with `since`, those changed after it.

    Raise BusyError when the owner holds a lock for longer than `limits.SQLITE_BUSY_SECONDS`, and
    OSError when the file is no readable database.
    """
    with _opened(path) as connection:
        for table in tables:
            for _, record in _rows(connection, table, since, -1):
                yield record


def rows(
    path: Path, table: Table, since: int | None, after: int
) -> Generator[tuple[int, Record], None, None]:
    """Like `read`, for one table, behind the row of id `after`; each record with its row's id."""
    with _opened(path) as connection:
        yield from _rows(connection, table, since, after)


def extent(path: Path, table: Table) -> tuple[int, int] | None:
    """The highest value of a table's `changed` column, and a sum over it that any row written or
    deleted changes; None when the table or the column is not there. Raise like `read`.

    Row ids are not summed where all rows are read: the last one tells it, without a walk through
    a table of gigabytes.
    """
    highest, total = -1, 0
    with _opened(path) as connection:
        if table.changed is None or _columns(connection, table) is None:
            return None
        if _goes_by_rows(table):
            last = connection.execute(f'SELECT max(rowid) FROM "{table.name}"').fetchone()[0]  # noqa: S608 - names are a parser's own constants
            return (-1 if last is None else last), 0
        for page in _pages(connection, table, -1):
            for _, changed in page:
                if isinstance(changed, int):
                    highest, total = max(highest, changed), total + (changed & _LOW_BITS)
    return highest, total


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(_connect(path)) as connection:
            yield connection
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


def _rows(
    connection: sqlite3.Connection, table: Table, since: int | None, after: int
) -> Iterator[tuple[int, Record]]:
    columns = _columns(connection, table)
    if columns is None:
        return
    if since is not None and _goes_by_rows(table):
        after = max(after, since)
    query = f'SELECT {columns}, "{table.value}" FROM "{table.name}" WHERE rowid = ?'  # noqa: S608 - names are a parser's own constants
    for page in _pages(connection, table, after):
        for row, changed in page:
            if since is not None and isinstance(changed, int) and changed <= since:
                continue
            cells = connection.execute(query, (row,)).fetchone()
            if cells is not None and cells[-1] is not None:
                key = (table.title, *(_text(cell) for cell in cells[:-1]))
                yield row, Record(_bytes(cells[-1]), key=key)


def _pages(
    connection: sqlite3.Connection, table: Table, after: int
) -> Iterator[list[tuple[int, object]]]:
    """Row ids in rising order, each with its `changed` value, a page a transaction."""
    changed = "NULL" if table.changed is None else f'"{table.changed}"'
    query = f'SELECT rowid, {changed} FROM "{table.name}" WHERE rowid > ?'  # noqa: S608 - names are a parser's own constants
    if table.prefixes:
        yield from _prefixed(connection, table, query.replace(" rowid >", " +rowid >"), after)
        return
    query = f"{query} ORDER BY rowid LIMIT {SQLITE_PAGE_ROWS}"
    while page := connection.execute(query, (after,)).fetchall():
        yield page
        after = page[-1][0]


def _prefixed(
    connection: sqlite3.Connection, table: Table, query: str, after: int
) -> Iterator[list[tuple[int, object]]]:
    """The same for rows with certain keys: all ids at once, as the index of the key has them (the
    `+` keeps SQLite from walking the whole table in the order of its rows instead)."""
    found: list[tuple[int, object]] = []
    for prefix in table.prefixes:
        bounds = (prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1))
        ranged = f'{query} AND "{table.key[0]}" >= ? AND "{table.key[0]}" < ?'
        found += connection.execute(ranged, (after, *bounds)).fetchall()
    found.sort()
    for start in range(0, len(found), SQLITE_PAGE_ROWS):
        yield found[start : start + SQLITE_PAGE_ROWS]


def _columns(connection: sqlite3.Connection, table: Table) -> str | None:
    """The key columns and those beside as a list for SELECT; None when the table, or a column that
    it has to have, does not exist."""
    found = {
        row[0].decode() if isinstance(row[0], bytes) else row[0]
        for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table.name,))
    }
    if not found >= {*table.key, table.value}:
        return None
    beside = (f"coalesce(\"{name}\", '')" if name in found else "''" for name in table.beside)
    return ", ".join([*(f'"{name}"' for name in table.key), *beside])


def _goes_by_rows(table: Table) -> bool:
    return table.changed == "rowid" and not table.prefixes


def _text(cell: object) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)


def _bytes(cell: object) -> bytes:
    return cell if isinstance(cell, bytes) else _text(cell).encode()
