"""A ledger looked over from outside, for `ctxd doctor`: in little time, and without a byte written.

Nothing here decides anything: what a damaged ledger means is for `soundness` to say, when it is
opened to be written.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import msgspec

from ctxd.ledger.errors import is_damage
from ctxd.ledger.schema import MIGRATIONS, is_ledger, version_of
from ctxd.ledger.soundness import connect, reading_mode
from ctxd.policy.doctor import DOCTOR_LEDGER_STEPS


class Checkup(msgspec.Struct, frozen=True):
    """What was found."""

    bytes: int
    log_bytes: int
    """Of the write-ahead log beside it."""
    trouble: str = ""
    """What is wrong with it; empty when nothing was found."""
    damaged: bool = False
    """Whether the file itself is, and not the way to it."""
    whole: bool = True
    """Whether there was time to check all of it."""


def check_up(path: Path, seconds: float) -> Checkup:
    """Look over an existing ledger for so long at most; raise FileNotFoundError without one."""
    plain = Checkup(path.stat().st_size, _size(Path(f"{path}-wal")))
    until = time.monotonic() + seconds
    try:
        with closing(connect(path, reading_mode(path))) as connection:
            connection.set_progress_handler(lambda: time.monotonic() > until, DOCTOR_LEDGER_STEPS)
            trouble = _trouble(connection)
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            return msgspec.structs.replace(plain, whole=False)
        return msgspec.structs.replace(plain, trouble=str(error), damaged=is_damage(error))
    return msgspec.structs.replace(plain, trouble=trouble, damaged=bool(trouble))


def lacks() -> str:
    """What this SQLite was built without though the ledger needs it; empty: nothing."""
    with closing(sqlite3.connect(":memory:")) as connection:
        found = {row[0] for row in connection.execute("PRAGMA compile_options")}
    return "" if "ENABLE_FTS5" in found else "full-text search (FTS5)"


def _trouble(connection: sqlite3.Connection) -> str:
    if not is_ledger(connection) or version_of(connection) == 0:
        return "it is not a ledger"
    if version_of(connection) > len(MIGRATIONS):
        return ""  # that is told by whoever reads it, with what to do
    verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    return "" if verdict == "ok" else verdict.splitlines()[-1]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
