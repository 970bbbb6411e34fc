"""Whether a file is a ledger that can be trusted, found out without changing a byte of it.

A disk that fails for a moment must not cost a ledger: what looks damaged is looked at a second time
by another connection, and by reading the file plainly, before anybody believes it.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from ctxd.ledger.errors import DamagedError, LedgerVersionError, is_damage
from ctxd.ledger.schema import MIGRATIONS, is_ledger, version_of
from ctxd.policy.ledger import LEDGER_BUSY_SECONDS

_READ_BYTES = 1024 * 1024


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection to an existing file, in one of SQLite's modes."""
    uri = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(
        uri, uri=True, timeout=LEDGER_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def reading_mode(path: Path) -> str:
    """Read-only; in a folder that cannot be written also without SQLite's shared memory file.

    That is only right when nobody writes, which is so there, and nothing waits in the log.
    """
    writable = os.access(path.parent, os.W_OK)
    return "ro" if writable or has_log(path) else "ro&immutable=1"


def has_log(path: Path) -> bool:
    """Whether something waits in the write-ahead log beside a ledger."""
    try:
        return os.stat(f"{path}-wal").st_size > 0
    except FileNotFoundError:
        return False


def inspect(path: Path, newest: int, check: str = "quick_check") -> None:
    """Hold an existing file against what a ledger has to be.

    Raise DamagedError for one that is not sound, LedgerVersionError for a newer one, and SQLite's
    or the system's errors when that cannot be told.
    """
    with closing(connect(path, reading_mode(path))) as connection:
        if not is_ledger(connection):
            raise DamagedError("it is not a ledger")
        version = version_of(connection)
        if version == 0:
            raise DamagedError("it is empty")
        if version > newest:
            raise other_version(path, version)
        # SQLite reads a page that was cut as if zeros followed.
        if path.stat().st_size % connection.execute("PRAGMA page_size").fetchone()[0]:
            raise DamagedError("its last page is cut")
        verdict = str(connection.execute(f"PRAGMA {check}(1)").fetchone()[0])
        if verdict != "ok":
            raise _verdict_error(verdict)


def is_truly_damaged(path: Path, newest: int) -> bool:
    """Whether a ledger that looked damaged still does when it is looked at with more care.

    Raise SQLite's or the system's errors when that cannot be told now.
    """
    try:
        with path.open("rb", buffering=0) as file:
            while file.read(_READ_BYTES):
                pass
        inspect(path, newest, "integrity_check")
    except (DamagedError, FileNotFoundError):
        return True
    except sqlite3.Error as error:
        if is_damage(error):
            return True
        raise
    return False


def _verdict_error(verdict: str) -> Exception:
    """What a check that failed means: a page that cannot be read now says nothing of the file."""
    reason = verdict.splitlines()[-1]
    code = re.search(r"error code=(\d+)", reason)
    error = sqlite3.OperationalError("the disk reports an error")
    error.sqlite_errorcode = int(code[1]) if code else sqlite3.SQLITE_CORRUPT
    return DamagedError(reason) if is_damage(error) else error


def other_version(path: Path, version: int) -> LedgerVersionError:
    """The error to raise for a ledger of another version than ours."""
    if version > len(MIGRATIONS):
        return LedgerVersionError(
            f"the ledger `{path}` was written by a newer ctxd (schema {version})",
            "install that version again, or move the file away to begin anew",
        )
    return LedgerVersionError(
        f"the ledger `{path}` is of an older ctxd (schema {version})",
        "start the daemon once with this version: it brings the ledger up to date",
    )
