"""How a ledger is opened: one writer, private to the user, sound, of this version.

A damaged ledger is never repaired in place and never silently replaced: its files are put aside
whole, an empty one takes the place, and says so. One that a newer ctxd wrote is not touched.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ctxd.ledger.errors import (
    DamagedError,
    LedgerInUseError,
    NoLedgerError,
    is_damage,
    unavailable,
    unreachable,
    unreadable,
)
from ctxd.ledger.reader import REBUILT, Reader
from ctxd.ledger.schema import MIGRATIONS, Migration, is_ledger, migrate, version_of
from ctxd.ledger.soundness import (
    connect,
    has_log,
    inspect,
    is_truly_damaged,
    other_version,
    reading_mode,
)
from ctxd.ledger.values import Rebuilt
from ctxd.policy.ledger import LEDGER_CACHE_BYTES, LEDGER_LOG_BYTES, LEDGERS_ASIDE

if TYPE_CHECKING:
    from filelock import FileLock

_SIDE_FILES = ("-wal", "-shm")


def take_lock(path: Path) -> FileLock:
    """The right to write to a ledger, until released; raise LedgerInUseError when it is taken, and
    LedgerUnavailableError when nobody can take it.

    The system's own lock on a file beside the ledger: it dies with its process.
    """
    from filelock import FileLock, Timeout

    try:
        os.makedirs(path.parent, mode=0o700, exist_ok=True)
        lock = FileLock(f"{path}.lock", mode=0o600, thread_local=False)
        lock.acquire(timeout=0)
    except Timeout:
        raise LedgerInUseError(
            f"another process writes to the ledger `{path}`", "`ctxd status` shows which"
        ) from None
    except OSError as error:
        raise unreachable(path, error) from error
    return lock


def open_ledger(
    path: Path, now: float, migrations: Sequence[Migration], rebuilt: Rebuilt | None = None
) -> sqlite3.Connection:
    """A connection for the one writer, to a sound ledger of today's version.

    A damaged one is put aside, and `rebuilt` of the one in its place says so; so does that of a
    ledger which for another reason is begun anew. Raise LedgerVersionError for one that a newer
    ctxd wrote, and LedgerUnavailableError when it cannot be used now.
    """
    try:
        why = _damage(path, len(migrations))
        if why:
            said = f"{rebuilt.why}; {why}" if rebuilt else why
            aside = put_aside(path, now)
            rebuilt = Rebuilt(now, said, str(aside) if aside else None)
        if not path.exists():
            _make(path, migrations, rebuilt or _left_unsaid(path, now))
            rebuilt = None
        connection = connect_to_write(path, migrations)
        if rebuilt:
            connection.execute(*_saying(rebuilt))
    except sqlite3.Error as error:
        raise unavailable(path, error) from error
    except OSError as error:
        raise unreachable(path, error) from error
    return connection


def open_reader(path: Path) -> Reader:
    """The ledger, open for reading only, whether its writer lives or not; raise as `open_to_read`
    does."""
    path = path.absolute()
    return Reader(path, open_to_read(path))


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that can only read, whether or not the writer is at work.

    Raise NoLedgerError when there is nothing that can be read, LedgerVersionError when it is of
    another version, LedgerUnavailableError when it cannot be reached now.
    """
    try:
        if not path.exists():
            raise NoLedgerError(f"there is no ledger at `{path}`", "`ctxd run` makes one")
        connection = connect(path, reading_mode(path))
    except sqlite3.Error as error:
        raise unavailable(path, error) from error
    except OSError as error:
        raise unreachable(path, error) from error
    try:
        version = version_of(connection) if is_ledger(connection) else None
    except sqlite3.Error as error:
        connection.close()
        raise unreadable(path, error) from error
    if not version:
        connection.close()
        raise NoLedgerError(f"`{path}` is no ledger", "move it away: `ctxd run` makes one")
    if version != len(MIGRATIONS):
        connection.close()
        raise other_version(path, version)
    return connection


def put_aside(path: Path, now: float) -> Path | None:
    """Move a ledger's files out of the way, and return where; None when there is none.

    Raise LedgerUnavailableError when they cannot be moved.
    The oldest of those put aside before go when there are more than `policy.LEDGERS_ASIDE`.
    """
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
    target = path.with_name(f"{path.stem}.corrupt-{stamp}")
    number = 0
    while target.exists():
        number += 1
        target = path.with_name(f"{path.stem}.corrupt-{stamp}-{number}")
    try:
        for suffix in (*_SIDE_FILES, ""):
            with contextlib.suppress(FileNotFoundError):
                os.replace(f"{path}{suffix}", f"{target}{suffix}")
    except OSError as error:
        raise unreachable(path, error) from error
    if not any(os.path.exists(f"{target}{suffix}") for suffix in (*_SIDE_FILES, "")):
        return None
    _forget_oldest(path, target)
    return target


def _forget_oldest(path: Path, newest: Path) -> None:
    found = [
        aside
        for aside in path.parent.glob(f"{path.stem}.corrupt-*")
        if not aside.name.endswith(_SIDE_FILES) and aside != newest
    ]
    found.sort(key=lambda aside: (aside.stat().st_mtime_ns, aside.name))
    for aside in found[: max(0, len(found) + 1 - LEDGERS_ASIDE)]:
        for suffix in ("", *_SIDE_FILES):
            with contextlib.suppress(OSError):
                os.unlink(f"{aside}{suffix}")


def _damage(path: Path, newest: int) -> str:
    """What is wrong with the files at a path; nothing where there are none, or sound ones."""
    try:
        if path.exists():
            inspect(path, newest)
        elif has_log(path):
            return "its main file is missing, only its log is there"
    except (DamagedError, sqlite3.Error) as error:
        if isinstance(error, sqlite3.Error) and not is_damage(error):
            raise
        if is_truly_damaged(path, newest):
            return str(error)
    return ""


def _left_unsaid(path: Path, now: float) -> Rebuilt | None:
    """What a ledger has to say that is begun where an earlier one was put aside and the process was
    killed before it could be replaced."""
    asides = sorted(path.parent.glob(f"{path.stem}.corrupt-*"))
    return Rebuilt(now, "it was damaged", str(asides[-1])) if asides else None


def _make(path: Path, migrations: Sequence[Migration], rebuilt: Rebuilt | None) -> None:
    """Make an empty ledger beside its place and put it there when it is whole.

    Filled without a write-ahead log: what a failing disk left in one would not come along.
    """
    fresh = path.with_name(f"{path.name}.new")
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    left = [f"{main}{side}" for main in (fresh, path) for side in (*_SIDE_FILES, "-journal")]
    for file in (str(fresh), *left):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file)
    # SQLite gives its side files the mode of the file itself.
    os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
    with closing(connect(fresh, "rw")) as connection:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        migrate(connection, migrations)
        if rebuilt:
            connection.execute(*_saying(rebuilt))
        connection.execute("PRAGMA journal_mode = WAL")
    os.replace(fresh, path)


def _saying(rebuilt: Rebuilt) -> tuple[str, tuple[str, str]]:
    text = msgspec.json.encode(rebuilt).decode()
    return "INSERT OR REPLACE INTO meta VALUES (?, ?)", (REBUILT, text)


def connect_to_write(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    """A connection to a ledger that was found sound; raise SQLite's errors when there is none."""
    connection = connect(path, "rw")
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA journal_size_limit = {LEDGER_LOG_BYTES}")
        connection.execute(f"PRAGMA cache_size = -{LEDGER_CACHE_BYTES // 1024}")
        migrate(connection, migrations)
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.close()
        raise
    return connection
