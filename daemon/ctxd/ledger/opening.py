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
from urllib.parse import quote

from filelock import FileLock, Timeout

from ctxd.ledger.errors import (
    DamagedError,
    LedgerInUseError,
    LedgerVersionError,
    NoLedgerError,
    is_damage,
    unavailable,
    unreadable,
)
from ctxd.ledger.schema import MIGRATIONS, Migration, is_ledger, migrate, version_of
from ctxd.policy import (
    LEDGER_BUSY_SECONDS,
    LEDGER_CACHE_BYTES,
    LEDGER_LOG_BYTES,
    LEDGERS_ASIDE,
)

_SIDE_FILES = ("-wal", "-shm")


def take_lock(path: Path) -> FileLock:
    """The right to write to a ledger, until released; raise LedgerInUseError when it is taken.

    The system's own lock on a file beside the ledger: it dies with its process.
    """
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    lock = FileLock(f"{path}.lock", mode=0o600, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise LedgerInUseError(
            f"another process writes to the ledger `{path}`", "`ctxd status` shows which"
        ) from None
    return lock


def open_sound(path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> sqlite3.Connection:
    """A connection for the one writer, of today's version.

    Raise DamagedError when the file is no sound ledger, LedgerVersionError when it is a newer one,
    LedgerUnavailableError when it cannot be used.
    """
    try:
        if path.exists():
            _inspect(path, len(migrations))
        os.makedirs(path.parent, mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
        connection = _connect(path, "rw")
    except sqlite3.Error as error:
        raise _judged(path, error) from error
    except OSError as error:
        raise unavailable(path, _as_sqlite(error)) from error
    try:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA journal_size_limit = {LEDGER_LOG_BYTES}")
        connection.execute(f"PRAGMA cache_size = -{LEDGER_CACHE_BYTES // 1024}")
        migrate(connection, migrations)
    except BaseException as error:
        with contextlib.suppress(sqlite3.Error):
            connection.close()
        if isinstance(error, sqlite3.Error):
            raise _judged(path, error) from error
        raise
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that can only read, whether or not the writer is at work.

    Raise NoLedgerError when there is nothing that can be read, LedgerVersionError when it is of
    another version, LedgerUnavailableError when it cannot be reached now.
    """
    if not path.exists():
        raise NoLedgerError(f"there is no ledger at `{path}`", "`ctxd run` makes one")
    try:
        connection = _connect(path, _reading_mode(path))
    except sqlite3.Error as error:
        raise unavailable(path, error) from error
    try:
        version = version_of(connection) if is_ledger(connection) else None
    except sqlite3.Error as error:
        connection.close()
        raise unreadable(path, error) from error
    if version is None:
        connection.close()
        raise NoLedgerError(f"`{path}` is no ledger", "move it away: `ctxd run` makes one")
    if version != len(MIGRATIONS):
        connection.close()
        raise _other_version(path, version)
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
        raise unavailable(path, _as_sqlite(error)) from error
    if not target.exists():
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


def _inspect(path: Path, newest: int) -> None:
    """Hold an existing file against what a ledger has to be, without changing a byte of it."""
    if path.stat().st_size == 0:
        raise DamagedError("the file is empty")
    with closing(_connect(path, _reading_mode(path))) as connection:
        if not is_ledger(connection):
            raise DamagedError("it is not a ledger")
        version = version_of(connection)
        if version > newest:
            raise _other_version(path, version)
        verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if verdict != "ok":
            raise DamagedError(str(verdict).splitlines()[-1])


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(
        uri, uri=True, timeout=LEDGER_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _reading_mode(path: Path) -> str:
    """Read-only; in a folder that cannot be written also without SQLite's shared memory file.

    That is only right when nobody writes, which is so there, and nothing waits in the log.
    """
    has_log = Path(f"{path}-wal").exists()
    return "ro" if has_log or os.access(path.parent, os.W_OK) else "ro&immutable=1"


def _judged(path: Path, error: sqlite3.Error) -> Exception:
    return DamagedError(str(error)) if is_damage(error) else unavailable(path, error)


def _as_sqlite(error: OSError) -> sqlite3.OperationalError:
    return sqlite3.OperationalError(error.strerror or str(error))


def _other_version(path: Path, version: int) -> LedgerVersionError:
    if version > len(MIGRATIONS):
        return LedgerVersionError(
            f"the ledger `{path}` was written by a newer ctxd (schema {version})",
            "install that version again, or move the file away to begin anew",
        )
    return LedgerVersionError(
        f"the ledger `{path}` is of an older ctxd (schema {version})",
        "start the daemon once with this version: it brings the ledger up to date",
    )
