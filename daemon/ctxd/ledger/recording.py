"""One batch into the ledger's tables, inside a transaction that somebody else began.

An event is stored once for each session it stands in; met again there, it changes nothing. What
the user took back stays, marked as withdrawn.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from ctxd.ledger import withdrawing
from ctxd.ledger.excerpts import Calls, Excerpts
from ctxd.ledger.keeping import as_kept, is_kept, without_secrets
from ctxd.ledger.values import Batch, Key, SessionRow
from ctxd.policy.ledger import KIND_CHARS, KINDS_REMEMBERED, LOOKUP_IDS
from ctxd.redact import redact
from ctxd_parsers.events import (
    Event,
    ToolCall,
    Unknown,
    Unparsed,
    Withdrawn,
)

_OTHERS = "others"
_encode = msgspec.msgpack.Encoder().encode
_APART = frozenset({"agent", "id", "state", "state_reason"})
_ROW_FIELDS = tuple(name for name in SessionRow.__struct_fields__ if name not in _APART)
_UPDATE_SESSION = (
    f"UPDATE sessions SET {', '.join(f'{name} = ?' for name in _ROW_FIELDS)}, "  # noqa: S608 - names of our fields
    "state = coalesce(?, state), state_reason = iif(? IS NULL, state_reason, ?), "
    "transcript = coalesce(?, transcript) WHERE number = ?"
)


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where an event stands in one session."""

    number: int
    withdrawn: bool = False
    original: int | None = None


Places = dict[tuple[str, str], dict[int, Place]]
"""By agent and event id, then by session number."""


class Memory:
    """What is remembered between batches to save look-ups. Forgetting all of it is harmless."""

    def __init__(self) -> None:
        self.sessions: dict[Key, int] = {}
        self.calls: Calls = {}
        self.places: tuple[Sequence[Event], Places] | None = None
        """Where the events of a step were just found to be."""


def places_of(connection: sqlite3.Connection, events: Iterable[Event]) -> Places:
    """Where events of these ids are stored already, within their own agents."""
    wanted: dict[str, list[str]] = {}
    for event in events:
        wanted.setdefault(event.agent, []).append(event.id)
    found: Places = {}
    for agent, ids in wanted.items():
        for start in range(0, len(ids), LOOKUP_IDS):
            part = ids[start : start + LOOKUP_IDS]
            query = (
                "SELECT e.id, e.session, e.number, e.withdrawn, e.original FROM events e "  # noqa: S608 - only marks are put in
                "CROSS JOIN sessions s ON s.number = e.session "
                f"WHERE e.id IN ({', '.join('?' * len(part))}) AND s.agent = ?"
            )
            for event_id, session, *place in connection.execute(query, (*part, agent)):
                found.setdefault((agent, event_id), {})[session] = Place(*place)
    return found


def session_number(connection: sqlite3.Connection, key: Key) -> int | None:
    """The number of a session that is stored; None for a new one."""
    row = connection.execute(
        "SELECT number FROM sessions WHERE agent = ? AND id = ?", key
    ).fetchone()
    return row[0] if row else None


def forks_of(connection: sqlite3.Connection, key: Key) -> dict[int, str]:
    """The numbers and ids of the sessions that were forked from one."""
    query = "SELECT number, id FROM sessions WHERE agent = ? AND parent = ?"
    return dict(connection.execute(query, key).fetchall())


def write_session(
    connection: sqlite3.Connection, row: SessionRow, memory: Memory, transcript: int | None
) -> None:
    """Store a session's row; with the transcript, if any, that it was just read from."""
    values = [getattr(row, name) for name in _ROW_FIELDS]
    for place, value in enumerate(values):
        if isinstance(value, datetime):
            values[place] = value.timestamp()
    number = _session(connection, (row.agent, row.id), memory)
    state = (row.state, row.state, row.state_reason)
    connection.execute(_UPDATE_SESSION, (*values, *state, transcript, number))


def _session(connection: sqlite3.Connection, key: Key, memory: Memory) -> int:
    """The number of a session, given now if it is new."""
    number = memory.sessions.get(key) or session_number(connection, key)
    if number is None:
        query = "INSERT INTO sessions (agent, id) VALUES (?, ?)"
        number = int(connection.execute(query, key).lastrowid or 0)
    memory.sessions[key] = number
    return number


class Recording:
    """Writes one batch."""

    def __init__(
        self, connection: sqlite3.Connection, batch: Batch, memory: Memory, now: float
    ) -> None:
        self._connection = connection
        self._batch = batch
        self._memory = memory
        self._now = now
        self.moved: set[int] = set()
        """Numbers of the sessions of which words were taken back, or came back."""
        self._transcript = 0
        self._generation = 0
        own = frozenset(batch.own)
        self._kept = [e for e in batch.events if is_kept(e) and (e.agent, e.session) not in own]
        self._places: Places = {}
        self._is_database = bool(batch.checkpoint.marks)
        """Of a database no positions are read anew but rows, and each row gives all its events."""
        self._excerpts = Excerpts(connection, memory.calls, self._session)
        self._next = 0
        self._rows: list[tuple[object, ...]] = []
        self._seen_again: list[tuple[int, int]] = []

    def run(self, *, again: bool) -> int:
        """Write the batch and return how many events were new; `again` when it begins a pass."""
        self._find_transcript(again=again)
        for row in self._batch.sessions:
            write_session(self._connection, row, self._memory, self._transcript)
        self._places = self._known_places()
        first = self._next = self._scalar("SELECT coalesce(max(number), 0) + 1 FROM events")
        self._excerpts.settle(self._batch.events)
        for event in self._kept:
            self._take(event)
        self._flush()
        self._follow_other_files()
        self._count_oddities()
        self._write_transcript()
        return self._next - first

    def _known_places(self) -> Places:
        known, self._memory.places = self._memory.places, None
        if known is not None and known[0] is self._batch.events:
            return known[1]
        return places_of(self._connection, self._kept)

    def _find_transcript(self, *, again: bool) -> None:
        path = os.fsencode(self._batch.path)
        self._connection.execute(
            "INSERT INTO transcripts (path, parser, agent) VALUES (?, ?, ?) "
            "ON CONFLICT (path) DO NOTHING",
            (path, self._batch.parser, self._batch.agent),
        )
        query = "SELECT number, generation FROM transcripts WHERE path = ?"
        self._transcript, generation = self._connection.execute(query, (path,)).fetchone()
        self._generation = generation + again
        if again:
            self._connection.execute(
                "UPDATE transcripts SET generation = ?, records = 0, unknown = 0, damaged = 0 "
                "WHERE number = ?",
                (self._generation, self._transcript),
            )
            self._connection.execute(
                "DELETE FROM oddities WHERE transcript = ?", (self._transcript,)
            )

    def _session(self, event: Event) -> int:
        return _session(self._connection, (event.agent, event.session), self._memory)

    def _take(self, event: Event) -> None:
        session = self._session(event)
        places = self._places.setdefault((event.agent, event.id), {})
        place = places.get(session)
        if place is None:
            place = places[session] = Place(
                self._next, original=next((p.original or p.number for p in places.values()), None)
            )
            self._next += 1
            self._add(event, session, place)
        elif not self._is_anew:
            return
        elif place.withdrawn:
            places[session] = msgspec.structs.replace(place, withdrawn=False)
            self.moved.add(session)
            self._connection.execute(
                "UPDATE events SET withdrawn = 0 WHERE number = ? AND NOT EXISTS "
                "(SELECT 1 FROM seen_again WHERE event = events.number AND generation = ?)",
                (place.number, self._generation),
            )
        if self._generation > 1:
            self._seen_again.append((place.number, self._generation))
        if isinstance(event, Withdrawn):
            self._flush()
            self._withdraw(event, session, place.number)
            self.moved.add(session)

    def _add(self, event: Event, session: int, place: Place) -> None:
        body = None
        if place.original is None:
            if isinstance(event, ToolCall) and event.excerpt is not None:
                event = self._excerpts.needed(event, session, place.number)
            body = _encode(as_kept(event))
        kind = type(event).__name__
        row = (place.number, session, event.id, kind, self._transcript, place.original, body)
        self._rows.append(row)

    def _flush(self) -> None:
        self._connection.executemany(
            "INSERT INTO events (number, session, id, kind, transcript, original, body) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            self._rows,
        )
        self._connection.executemany(
            "INSERT INTO seen_again (event, generation) VALUES (?, ?) "
            "ON CONFLICT (event) DO UPDATE SET generation = excluded.generation",
            self._seen_again,
        )
        self._rows, self._seen_again = [], []

    def _withdraw(self, event: Withdrawn, session: int, number: int) -> None:
        if event.since is None:
            self._withdraw_missing(session, number)
            return
        if event.time and withdrawing.begins_a_file(self._connection, session, number):
            return
        first = self._number_of(event.since, session) or self._next_kept(event, session)
        until = self._number_of(event.until, session) if event.until else None
        if first is not None:
            self._connection.execute(
                "UPDATE events SET withdrawn = 1 WHERE session = ? AND number >= ? AND number < ?",
                (session, first, min(number, until or number)),
            )

    def _follow_other_files(self) -> None:
        """What a file takes back of others may be read before or after it."""
        for session in {number for places in self._places.values() for number in places}:
            if withdrawing.follow(self._connection, session):
                self.moved.add(session)

    def _withdraw_missing(self, session: int, number: int) -> None:
        """Mark what does not stand in the transcript any more, now that it was read anew."""
        query = (
            "SELECT number, coalesce(generation, 0) FROM events "
            "LEFT JOIN seen_again ON event = number "
            "WHERE session = ? AND transcript = ? AND number < ? AND NOT withdrawn"
        )
        stored = self._connection.execute(query, (session, self._transcript, number)).fetchall()
        in_batch = {places[session].number for places in self._places.values() if session in places}
        missing = [
            (found,)
            for found, generation in stored
            if found not in in_batch and (self._is_database or generation < self._generation)
        ]
        if self._is_anew:
            self._connection.executemany(
                "UPDATE events SET withdrawn = 1 WHERE number = ?", missing
            )

    @property
    def _is_anew(self) -> bool:
        """Whether events come that may have come before."""
        return self._generation > 1 or self._is_database

    def _number_of(self, event_id: str, session: int) -> int | None:
        row = self._connection.execute(
            "SELECT number FROM events WHERE id = ? AND session = ?", (event_id, session)
        ).fetchone()
        return row[0] if row else None

    def _next_kept(self, withdrawn: Withdrawn, session: int) -> int | None:
        """The first stored event behind one that is not stored but came in this batch."""
        ids = [event.id for event in self._batch.events]
        if withdrawn.since not in ids:
            return None
        for event_id in ids[ids.index(withdrawn.since) :]:
            place = self._places.get((withdrawn.agent, event_id), {}).get(session)
            if place is not None:
                return place.number
        return None

    def _count_oddities(self) -> None:
        counts = Counter(filter(None, map(_oddity, self._batch.events)))
        if not counts:
            return
        query = "SELECT damage, kind, client_version FROM oddities WHERE transcript = ?"
        known = set(self._connection.execute(query, (self._transcript,)))
        for oddity, number in counts.items():
            is_known = oddity in known or len(known) < KINDS_REMEMBERED
            named = oddity if is_known else (oddity[0], _OTHERS, "")
            known.add(named)
            self._connection.execute(
                "INSERT INTO oddities VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET number = number + excluded.number",
                (self._transcript, *named, number),
            )

    def _write_transcript(self) -> None:
        batch, events = self._batch, self._batch.events
        kinds = Counter(type(event) for event in events)
        unknown, damaged = kinds[Unknown], kinds[Unparsed]
        understood = len(events) > unknown + damaged
        times = [event.time.timestamp() for event in events if event.time is not None]
        self._connection.execute(
            "UPDATE transcripts SET parser = :parser, agent = :agent, size = :size, "
            "behind = :behind, records = records + :records, unknown = unknown + :unknown, "
            "damaged = damaged + :damaged, gone_at = NULL, checkpoint = :checkpoint, "
            "last_event = nullif(max(coalesce(last_event, :last), :last), 0), "
            "read_at = iif(:records, :now, read_at), "
            "understood_at = iif(:understood, :now, understood_at), "
            "unread_since = CASE WHEN :understood THEN NULL WHEN :records "
            "THEN coalesce(unread_since, :now) ELSE unread_since END "
            "WHERE number = :number",
            {
                "parser": batch.parser,
                "agent": events[0].agent if events else batch.agent,
                "size": batch.checkpoint.size,
                "behind": batch.behind,
                "records": batch.records,
                "unknown": unknown,
                "damaged": damaged,
                "checkpoint": without_secrets(_encode(batch.checkpoint)),
                "last": max(times, default=0),
                "now": self._now,
                "understood": understood,
                "number": self._transcript,
            },
        )

    def _scalar(self, query: str, values: Sequence[object] = ()) -> int:
        return int(self._connection.execute(query, values).fetchone()[0])


def _oddity(event: Event) -> tuple[int, str, str] | None:
    if isinstance(event, Unknown):
        kind, version = event.record_kind[:KIND_CHARS], (event.client_version or "")[:KIND_CHARS]
        return 0, redact(kind), version
    if isinstance(event, Unparsed):
        return 1, redact(event.reason[:KIND_CHARS]), ""
    return None
