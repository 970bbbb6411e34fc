"""What can happen to the ledger, and which of SQLite's errors mean it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ctxd.errors import CtxdError, UserError, reason


class LedgerInUseError(UserError):
    """Another process writes to the ledger."""


class LedgerVersionError(UserError):
    """The ledger was written by another version of ctxd. It is left untouched."""


class NoLedgerError(UserError):
    """There is nothing to read: no ledger, or none that can be read."""


class LedgerUnavailableError(CtxdError):
    """The ledger cannot be written or read right now: the disk is full, read-only or failing.

    What was to be recorded was not; all of it can be tried again later with the same ledger.
    """


class LedgerRebuiltError(CtxdError):
    """The ledger was damaged or taken away while in use, and was begun anew.

    What was to be recorded was not. The ledger can be used, but knows nothing: whoever remembers
    anything from it has to forget that, and logs are read again.
    """


class DamagedError(Exception):
    """The file is no sound database; its reason is the message."""


_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
_WORDS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "the file or its folder is read-only",
    sqlite3.SQLITE_BUSY: "another program has locked it",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_PERM: "access is not permitted",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_NOMEM: "there is no memory left",
}


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error says that the file itself is broken, not that it cannot be reached."""
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in _DAMAGE or code == sqlite3.SQLITE_IOERR_SHORT_READ


def unreadable(path: Path, error: sqlite3.Error) -> CtxdError:
    """The error to raise when somebody who only reads got an error of SQLite."""
    if not is_damage(error):
        return unavailable(path, error)
    return NoLedgerError(
        f"the ledger `{path}` is damaged: {error}",
        "`ctxd run` puts it aside and reads the logs again",
    )


def unavailable(path: Path, error: sqlite3.Error) -> LedgerUnavailableError:
    """The error to raise when SQLite could not do its work."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return _unavailable(path, _WORDS.get(code, str(error).lower() or type(error).__name__))


def unreachable(path: Path, error: OSError) -> LedgerUnavailableError:
    """The error to raise when the system refused something around the ledger's files."""
    return _unavailable(path, reason(error))


def _unavailable(path: Path, why: str) -> LedgerUnavailableError:
    return LedgerUnavailableError(
        f"cannot use the ledger `{path}`: {why}",
        "it is tried again by itself; free some space or make the folder writable",
    )
