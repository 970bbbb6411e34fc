"""What becomes of transcripts on disk, inside a transaction that somebody else began."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from ctxd.ledger.values import Found


def found(connection: sqlite3.Connection, transcripts: Iterable[Found]) -> None:
    """Note transcripts that are on disk: what of them was not read counts as behind."""
    connection.executemany(
        "INSERT INTO transcripts (path, parser, agent, size, behind) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET gone_at = NULL, "
        "behind = max(0, behind + excluded.size - size), size = excluded.size",
        [(os.fsencode(t.path), t.parser, t.agent, t.size, t.size) for t in transcripts],
    )


def gone(connection: sqlite3.Connection, paths: Iterable[Path], now: float) -> None:
    """Note transcripts that were deleted."""
    for path in paths:
        connection.execute(
            "UPDATE transcripts SET gone_at = ?, behind = 0, unread_since = NULL "
            "WHERE path = ? AND gone_at IS NULL",
            (now, os.fsencode(path)),
        )
        forgive(connection, path)


def set_aside(
    connection: sqlite3.Connection, path: Path, reason: str, stamp: tuple[int, int], now: float
) -> None:
    """Note a file that failed when it had this size and time."""
    connection.execute(
        "INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, 1) ON CONFLICT (path) DO UPDATE "
        "SET reason = excluded.reason, size = excluded.size, "
        "mtime_ns = excluded.mtime_ns, at = excluded.at, times = times + 1",
        (os.fsencode(path), reason, *stamp, now, now),
    )


def forgive(connection: sqlite3.Connection, path: Path) -> None:
    """Take away the note that a file failed."""
    connection.execute("DELETE FROM failures WHERE path = ?", (os.fsencode(path),))
