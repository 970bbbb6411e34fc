"""What is read of sessions apart from their events."""

from __future__ import annotations

import os
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ctxd.ledger.values import Key, Rows, SessionRow
from ctxd_parsers.events import Event

SESSION_FIELDS = tuple(name for name in SessionRow.__struct_fields__ if name != "body")
_TIMES = frozenset({"started", "last_event"})

EVENTS = (
    "SELECT e.number, coalesce(e.body, o.body) FROM events e "
    "JOIN sessions s ON s.number = e.session LEFT JOIN events o ON o.number = e.original "
    "WHERE s.agent = ? AND s.id = ? "
)
BETWEEN = (
    "AND e.number > coalesce("
    "(SELECT f.number FROM events f WHERE f.session = s.number AND f.id = ?), 0) "
    "AND e.number < (SELECT l.number FROM events l WHERE l.session = s.number AND l.id = ?) "
)
"""Of the events of a session, those behind one and before another."""


def of_kinds(query: str, kinds: Collection[type[Event]]) -> tuple[str, list[str]]:
    """A query for events with a last condition on whether they were withdrawn and another one on
    their kinds, if any are named; and the names of these."""
    query += "AND e.withdrawn <= ? "
    if kinds:
        query += f"AND e.kind IN ({', '.join('?' * len(kinds))}) "
    return query + "ORDER BY e.number", [kind.__name__ for kind in kinds]


def sessions(rows: Rows, limit: int | None, agent: str | None, *, empty: bool) -> list[SessionRow]:
    """Sessions, the one with the newest event first; with `empty` those nobody spoke in too."""
    query = (
        f"SELECT {', '.join(SESSION_FIELDS)} FROM sessions "  # noqa: S608 - names of our fields
        "WHERE (spoken OR ?) AND agent = coalesce(?, agent) "
        "ORDER BY last_event IS NULL, last_event DESC, number DESC LIMIT ?"
    )
    found = rows(query, (empty, agent, -1 if limit is None else limit))
    return [_session_row(row) for row in found]


def folders(rows: Rows) -> list[tuple[str, str, str | None, str]]:
    """Agent, id, client version and folder of the sessions that somebody spoke in."""
    query = (
        "SELECT agent, id, client_version, cwd FROM sessions "
        "WHERE spoken AND cwd IS NOT NULL ORDER BY number"
    )
    return [(agent, name, version, cwd) for agent, name, version, cwd in rows(query, ())]


def still_open(rows: Rows) -> dict[Key, tuple[Path, str]]:
    """Sessions that were not found to be over, each with its transcript and its parser's name."""
    query = (
        "SELECT s.agent, s.id, t.path, t.parser FROM sessions s "
        "JOIN transcripts t ON t.number = s.transcript "
        "WHERE s.state IS NULL OR s.state NOT IN ('ended', 'crashed') ORDER BY s.number"
    )
    return {
        (agent, session): (Path(os.fsdecode(path)), parser)
        for agent, session, path, parser in rows(query, ())
    }


def logs(rows: Rows, session: Key) -> list[Path]:
    """The transcripts on disk in which the user speaks in a session, the one read first leading."""
    query = (
        "SELECT t.path FROM events e JOIN sessions s ON s.number = e.session "
        "JOIN transcripts t ON t.number = e.transcript "
        "WHERE s.agent = ? AND s.id = ? AND e.kind = 'UserMessage' AND t.gone_at IS NULL "
        "GROUP BY t.number ORDER BY min(e.number)"
    )
    return [Path(os.fsdecode(path)) for (path,) in rows(query, session)]


def _session_row(row: tuple[Any, ...]) -> SessionRow:
    values = dict(zip(SESSION_FIELDS, row, strict=True))
    values |= {name: _time(values[name]) for name in _TIMES}
    return SessionRow(**values | {"spoken": bool(values["spoken"])})


def _time(seconds: float | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds else None
