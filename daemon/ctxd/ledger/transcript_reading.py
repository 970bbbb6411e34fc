"""What is read of transcripts: how much there is of them, and how they fared."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ctxd.ledger.values import AgentCounts, Failure, Oddity, Rows, Unread

_TRANSCRIPT_FIELDS = (
    "transcripts",
    "gone",
    "bytes",
    "behind",
    "records",
    "unknown",
    "damaged",
    "read_at",
    "understood_at",
    "last_event",
)
_TRANSCRIPT_COUNTS = """
    SELECT agent, count(*), count(gone_at),
        sum(iif(gone_at IS NULL, size, 0)), sum(iif(gone_at IS NULL, behind, 0)),
        sum(records), sum(unknown), sum(damaged), max(read_at), max(understood_at), max(last_event)
    FROM transcripts GROUP BY agent
"""
_SESSION_COUNTS = """
    SELECT agent, state, count(*), max(last_event) FROM sessions WHERE spoken GROUP BY agent, state
"""


def agents(rows: Rows) -> list[AgentCounts]:
    """What is known of each agent's logs, by name."""
    counts: dict[str, dict[str, Any]] = {}
    for agent, *values in rows(_TRANSCRIPT_COUNTS, ()):
        counts[agent] = dict(zip(_TRANSCRIPT_FIELDS, values, strict=True))
    for agent, state, number, last_event in rows(_SESSION_COUNTS, ()):
        known = counts.setdefault(agent, {})
        known.setdefault("states", {})[state or "unknown"] = number
        known["sessions"] = known.get("sessions", 0) + number
        known["last_event"] = max(known.get("last_event") or 0, last_event or 0)
    return [
        AgentCounts(agent=agent, **known | {"last_event": _time(known.get("last_event"))})
        for agent, known in sorted(counts.items())
    ]


def oddities(rows: Rows) -> list[Oddity]:
    """What was not understood, by agent, kind and client version, the most frequent first."""
    return [
        Oddity(agent, "damaged" if damage else "unknown", kind, version, number)
        for agent, damage, kind, version, number in rows(
            "SELECT t.agent, o.damage, o.kind, o.client_version, sum(o.number) AS total "
            "FROM oddities o JOIN transcripts t ON t.number = o.transcript "
            "GROUP BY 1, 2, 3, 4 ORDER BY total DESC, 1, 3, 4",
            (),
        )
    ]


def unread(rows: Rows) -> list[Unread]:
    """Transcripts whose latest records gave no event that was understood."""
    return [
        Unread(Path(os.fsdecode(path)), *values)
        for path, *values in rows(
            "SELECT path, agent, unread_since, read_at FROM transcripts "
            "WHERE unread_since IS NOT NULL AND gone_at IS NULL ORDER BY unread_since",
            (),
        )
    ]


def failures(rows: Rows) -> list[Failure]:
    """Files that are set aside, the latest failure first."""
    return [
        Failure(Path(os.fsdecode(path)), *values)
        for path, *values in rows(
            "SELECT path, reason, size, mtime_ns, since, at, times FROM failures "
            "ORDER BY at DESC, path",
            (),
        )
    ]


def _time(seconds: float | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds else None
