"""How a ledger is opened: one writer, private to the user, sound, of this version.

A damaged ledger is never repaired in place and never silently replaced: its files are put aside
whole, an empty one takes the place, and says so. One that a newer ctxd wrote is not touched.
"""

from __future__ import annotations

import contextlib
import os
import re
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
    unreachable,
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
    """The right to write to a ledger, until released; raise LedgerInUseError when it is taken, and
    LedgerUnavailableError when nobody can take it.

    The system's own lock on a file beside the ledger: it dies with its process.
    """
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


def open_sound(path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> sqlite3.Connection:
    """A connection for the one writer, of today's version.

    Raise DamagedError when the file is no sound ledger, LedgerVersionError when it is a newer one,
    LedgerUnavailableError when it cannot be used.
    """
    try:
        if path.exists():
            _inspect(path, len(migrations))
        elif _has_log(path):
            raise DamagedError("its main file is missing, only its log is there")
        else:
            _make(path, migrations)
        return _connect_to_write(path, migrations)
    except sqlite3.Error as error:
        raise _judged(path, error) from error
    except OSError as error:
        raise unreachable(path, error) from error


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that can only read, whether or not the writer is at work.

    Raise NoLedgerError when there is nothing that can be read, LedgerVersionError when it is of
    another version, LedgerUnavailableError when it cannot be reached now.
    """
    try:
        if not path.exists():
            raise NoLedgerError(f"there is no ledger at `{path}`", "`ctxd run` makes one")
        connection = _connect(path, _reading_mode(path))
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


def _inspect(path: Path, newest: int) -> None:
    """Hold an existing file against what a ledger has to be, without changing a byte of it."""
    with closing(_connect(path, _reading_mode(path))) as connection:
        if not is_ledger(connection):
            raise DamagedError("it is not a ledger")
        version = version_of(connection)
        if version == 0:
            raise DamagedError("it is empty")
        if version > newest:
            raise _other_version(path, version)
        # SQLite reads a page that was cut as if zeros followed.
        if path.stat().st_size % connection.execute("PRAGMA page_size").fetchone()[0]:
            raise DamagedError("its last page is cut")
        verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        if verdict != "ok":
            raise _verdict_error(verdict)


def _verdict_error(verdict: str) -> Exception:
    """What a check that failed means: a page that cannot be read now says nothing of the file."""
    reason = verdict.splitlines()[-1]
    code = re.search(r"error code=(\d+)", reason)
    error = sqlite3.OperationalError("the disk reports an error")
    error.sqlite_errorcode = int(code[1]) if code else sqlite3.SQLITE_CORRUPT
    return DamagedError(reason) if is_damage(error) else error


def _make(path: Path, migrations: Sequence[Migration]) -> None:
    """Make an empty ledger beside its place and put it there when it is whole.

    Without a write-ahead log until then: what a failing disk left in one would not come along.
    """
    fresh = path.with_name(f"{path.name}.new")
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    left = [f"{main}{side}" for main in (fresh, path) for side in (*_SIDE_FILES, "-journal")]
    for file in (str(fresh), *left):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file)
    # SQLite gives its side files the mode of the file itself.
    os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
    with closing(_connect(fresh, "rw")) as connection:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        migrate(connection, migrations)
    os.replace(fresh, path)


def _connect_to_write(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    connection = _connect(path, "rw")
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
    writable = os.access(path.parent, os.W_OK)
    return "ro" if writable or _has_log(path) else "ro&immutable=1"


def _has_log(path: Path) -> bool:
    try:
        return os.stat(f"{path}-wal").st_size > 0
    except FileNotFoundError:
        return False


def _judged(path: Path, error: sqlite3.Error) -> Exception:
    return DamagedError(str(error)) if is_damage(error) else unavailable(path, error)


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
