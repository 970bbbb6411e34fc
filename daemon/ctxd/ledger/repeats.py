"""Which events a session has already, and which of them another session told first.

A fork begins with its parent's records, and may be read before its parent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ctxd.ledger.keeping import is_kept
from ctxd.ledger.recording import Places, forks_of, places_of, session_number
from ctxd.ledger.values import Key
from ctxd_parsers.events import Event


def unseen(
    connection: sqlite3.Connection, events: Sequence[Event]
) -> tuple[list[tuple[Event, bool]], Places]:
    """The events that are new to their session, each with whether it is a copy; and where the known
    ones stand. See `Ledger.unseen`."""
    kept = list(filter(is_kept, events))
    keys = {(event.agent, event.session) for event in kept}
    places = places_of(connection, kept)
    numbers = {key: session_number(connection, key) for key in keys}
    forks = {key: forks_of(connection, key) for key in keys}
    found: list[tuple[Event, bool]] = []
    once: set[tuple[str, str, str]] = set()
    for event in events:
        if not is_kept(event):
            found.append((event, False))
            continue
        key = (event.agent, event.session)
        sessions = places.get((event.agent, event.id), {})
        if numbers[key] not in sessions and (*key, event.id) not in once:
            once.add((*key, event.id))
            found.append((event, not sessions.keys() <= forks[key].keys()))
    return found, places


def told_by_forks(
    connection: sqlite3.Connection, events: Sequence[Event]
) -> list[tuple[Event, Key]]:
    """Those of some events that a fork of their session told first, each with the fork."""
    keys = {(event.agent, event.session) for event in events}
    forks = {key: forks_of(connection, key) for key in keys}
    kept = [e for e in events if is_kept(e) and forks[e.agent, e.session]]
    places = places_of(connection, kept)
    return [
        (event, (event.agent, fork))
        for event in kept
        for number, fork in forks[event.agent, event.session].items()
        if number in places.get((event.agent, event.id), {})
    ]
