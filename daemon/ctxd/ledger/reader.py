"""What can be read from the ledger, by its writer and by others while it is written."""

from __future__ import annotations

import functools
import operator
import os
import sqlite3
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from ctxd.item import Kind
from ctxd.item_log import ACTIVE, ItemEvent, Status
from ctxd.ledger import item_reading, surroundings
from ctxd.ledger.errors import unreadable
from ctxd.ledger.item_values import (
    ItemCount,
    KeptItem,
    LoggedEvent,
    Pending,
    ReviewedItem,
    UncoveredSession,
)
from ctxd.ledger.surroundings import Surroundings
from ctxd.ledger.values import (
    AgentCounts,
    Failure,
    Heartbeat,
    Key,
    Oddity,
    Rebuilt,
    SessionRow,
    Unread,
    decoded,
)
from ctxd.policy.ledger import LOOKUP_IDS
from ctxd.redact import redact
from ctxd.session_state import Session
from ctxd.tail.checkpoint import Checkpoint
from ctxd_parsers.events import AnyEvent, Compaction, Event

T = TypeVar("T")

HEARTBEAT = "heartbeat"
REBUILT = "rebuilt"
PAUSED = "paused"

_checkpoints = msgspec.msgpack.Decoder(Checkpoint)
_events: msgspec.msgpack.Decoder[Event] = msgspec.msgpack.Decoder(AnyEvent)
_sessions = msgspec.msgpack.Decoder(Session)

SESSION_FIELDS = tuple(name for name in SessionRow.__struct_fields__ if name != "body")
_TIMES = frozenset({"started", "last_event"})


class Reader:
    """A view of the ledger."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def checkpoint(self, path: Path) -> Checkpoint | None:
        """How far a transcript was read; None for one to read from its start."""
        row = self._one("SELECT checkpoint FROM transcripts WHERE path = ?", (os.fsencode(path),))
        return decoded(_checkpoints, row[0]) if row else None

    def checkpoints(self) -> Iterator[tuple[Path, Checkpoint]]:
        """How far each transcript that is on disk was read."""
        query = "SELECT path, checkpoint FROM transcripts WHERE gone_at IS NULL"
        for path, packed in self._rows(query):
            checkpoint = decoded(_checkpoints, packed)
            if checkpoint is not None:
                yield Path(os.fsdecode(path)), checkpoint

    def session(self, agent: str, session_id: str) -> Session | None:
        """A session as its reducer left it; None when it is new or was pruned."""
        query = "SELECT body FROM sessions WHERE agent = ? AND id = ?"
        row = self._one(query, (agent, session_id))
        return decoded(_sessions, row[0]) if row else None

    def sessions(
        self, limit: int | None = None, *, agent: str | None = None, empty: bool = False
    ) -> list[SessionRow]:
        """Sessions, the one with the newest event first; with `empty` those nobody spoke in too."""
        query = (
            f"SELECT {', '.join(SESSION_FIELDS)} FROM sessions "  # noqa: S608 - names of our fields
            "WHERE (spoken OR ?) AND agent = coalesce(?, agent) "
            "ORDER BY last_event IS NULL, last_event DESC, number DESC LIMIT ?"
        )
        rows = self._rows(query, (empty, agent, -1 if limit is None else limit))
        return [_session_row(row) for row in rows]

    def session_folders(self) -> list[tuple[str, str, str | None, str]]:
        """Agent, id, client version and folder of the sessions that somebody spoke in."""
        query = (
            "SELECT agent, id, client_version, cwd FROM sessions "
            "WHERE spoken AND cwd IS NOT NULL ORDER BY number"
        )
        return self._rows(query)

    def open_sessions(self) -> dict[Key, tuple[Path, str]]:
        """Sessions that were not found to be over, each with the transcript it was last read from
        and the name of its parser."""
        query = (
            "SELECT s.agent, s.id, t.path, t.parser FROM sessions s "
            "JOIN transcripts t ON t.number = s.transcript "
            "WHERE s.state IS NULL OR s.state NOT IN ('ended', 'crashed') ORDER BY s.number"
        )
        return {
            (agent, session): (Path(os.fsdecode(path)), parser)
            for agent, session, path, parser in self._rows(query)
        }

    def events(
        self, session: Key, kinds: Collection[type[Event]] = (), *, withdrawn: bool = False
    ) -> Iterator[Event]:
        """A session's kept events in order, of some kinds only if any are named.

        With `withdrawn`, those that the user took back too.
        """
        query = _EVENTS + "AND e.withdrawn <= ? "
        if kinds:
            query += f"AND e.kind IN ({', '.join('?' * len(kinds))}) "
        names = [kind.__name__ for kind in kinds]
        values = (*session, withdrawn, *names)
        for _, event in self._told(session, query + "ORDER BY e.number", values):
            yield event

    def compactions(self, session: Key) -> list[Compaction]:
        """The compactions of a session, its sub-agents' included, in order."""
        found = self.events(session, (Compaction,))
        return [event for event in found if isinstance(event, Compaction)]

    def some_events(self, session: Key, ids: Collection[str]) -> list[Event]:
        """Kept events of a session by their ids, in order, without withdrawn ones."""
        found: list[tuple[int, Event]] = []
        ordered = sorted(ids)
        for start in range(0, len(ordered), LOOKUP_IDS):
            part = ordered[start : start + LOOKUP_IDS]
            marks = ", ".join("?" * len(part))
            query = f"{_EVENTS}AND NOT e.withdrawn AND e.id IN ({marks})"
            found += self._told(session, query, (*session, *part))
        return [event for _, event in sorted(found, key=operator.itemgetter(0))]

    def pending(self, most: int | None = None, session: Key | None = None) -> list[Pending]:
        """Exchanges that wait to be judged, those that wait longest first; so many at most, of one
        session only if it is named."""
        return item_reading.pending(self._rows, most, session)

    def items(
        self,
        repository: str | None = None,
        session: Key | None = None,
        kinds: Collection[Kind] = (),
        statuses: Collection[Status] = ACTIVE,
    ) -> list[KeptItem]:
        """Items, the one said last at the end; without kinds or statuses, those of any.

        Those of a session are those that were said or restated in it.
        """
        return item_reading.items(self._rows, repository, session, kinds, statuses)

    def items_by_id(self, prefix: str) -> list[KeptItem]:
        """Items of any status whose id begins so; where one is exactly this id, only those of it.

        The same words said in two repositories are two items of one id.
        """
        return item_reading.items_by_id(self._rows, prefix)

    def item_ids(self) -> list[str]:
        """The ids of all items, each once."""
        return item_reading.item_ids(self._rows)

    def search(
        self, text: str, repository: str | None = None, limit: int | None = None
    ) -> list[KeptItem]:
        """Items of any status that hold all the words, or their beginnings, the best first."""
        try:
            return item_reading.search(self._rows, self._live(), text, repository)[:limit]
        except sqlite3.Error as error:
            raise self._judged(error) from error

    def item_counts(self, repository: str | None = None) -> list[ItemCount]:
        """How many active items there are, by repository, session, kind and authority."""
        return item_reading.item_counts(self._rows, repository)

    def item_events(self, repository: str, item: str | None = None) -> list[ItemEvent]:
        """The history of one item, or of all in a repository, in the order of their time."""
        return item_reading.item_events(self._rows, repository, item)

    def logged(
        self, since: int = 0, repository: str | None = None, most: int | None = None
    ) -> list[LoggedEvent]:
        """Events of items that came behind the one of that number, in the order of their time; so
        many of the last ones at most."""
        return item_reading.logged(self._rows, since, repository, most)

    def last_logged(self) -> int:
        """Number of the event of an item that came last."""
        row = self._one("SELECT max(number) FROM item_events")
        return int(row[0] or 0) if row else 0

    def is_forgotten(self, repository: str, item: str) -> bool:
        """Whether the user wants nothing of an item to be kept."""
        query = "SELECT 1 FROM forgotten WHERE repository = ? AND item = ?"
        return self._one(query, (redact(repository), item)) is not None

    def reviewed(self, most: int) -> list[ReviewedItem]:
        """So many items at most that the user has judged, the one judged last first."""
        return item_reading.reviewed(self._rows, most)

    def uncovered(self, repository: str | None = None) -> dict[str, int]:
        """How many exchanges were not judged because of their language, by language."""
        return item_reading.uncovered(self._rows, repository)

    def uncovered_sessions(self) -> list[UncoveredSession]:
        """Sessions with exchanges that were not judged because of their language."""
        return item_reading.uncovered_sessions(self._rows)

    def waiting(self) -> int:
        """How many exchanges wait to be judged."""
        return item_reading.waiting(self._rows)

    def around(self, session: Key, event: str) -> Surroundings:
        """The exchange that an event of a session belongs to."""
        told = functools.partial(self._said_in, session)
        return surroundings.around(self._rows, told, session, event)

    def agents(self) -> list[AgentCounts]:
        """What is known of each agent's logs, by name."""
        counts: dict[str, dict[str, Any]] = {}
        for agent, *values in self._rows(_TRANSCRIPT_COUNTS):
            counts[agent] = dict(zip(_TRANSCRIPT_FIELDS, values, strict=True))
        for agent, state, number, last_event in self._rows(_SESSION_COUNTS):
            known = counts.setdefault(agent, {})
            known.setdefault("states", {})[state or "unknown"] = number
            known["sessions"] = known.get("sessions", 0) + number
            known["last_event"] = max(known.get("last_event") or 0, last_event or 0)
        return [
            AgentCounts(agent=agent, **known | {"last_event": _time(known.get("last_event"))})
            for agent, known in sorted(counts.items())
        ]

    def oddities(self) -> list[Oddity]:
        """What was not understood, by agent, kind and client version, the most frequent first."""
        return [
            Oddity(agent, "damaged" if damage else "unknown", kind, version, number)
            for agent, damage, kind, version, number in self._rows(
                "SELECT t.agent, o.damage, o.kind, o.client_version, sum(o.number) AS total "
                "FROM oddities o JOIN transcripts t ON t.number = o.transcript "
                "GROUP BY 1, 2, 3, 4 ORDER BY total DESC, 1, 3, 4"
            )
        ]

    def unread(self) -> list[Unread]:
        """Transcripts whose latest records gave no event that was understood."""
        return [
            Unread(Path(os.fsdecode(path)), *values)
            for path, *values in self._rows(
                "SELECT path, agent, unread_since, read_at FROM transcripts "
                "WHERE unread_since IS NOT NULL AND gone_at IS NULL ORDER BY unread_since"
            )
        ]

    def failures(self) -> list[Failure]:
        """Files that are set aside, the latest failure first."""
        return [
            Failure(Path(os.fsdecode(path)), *values)
            for path, *values in self._rows(
                "SELECT path, reason, size, mtime_ns, since, at, times FROM failures "
                "ORDER BY at DESC, path"
            )
        ]

    def heartbeat(self) -> Heartbeat | None:
        """What the daemon last said of itself; None if it never ran."""
        return self._struct(HEARTBEAT, Heartbeat)

    def paused(self) -> bool:
        """Whether transcripts are not to be read on for now."""
        return bool(self.meta(PAUSED))

    def rebuilt(self) -> Rebuilt | None:
        """When and why the ledger had last to be begun anew; None if never."""
        return self._struct(REBUILT, Rebuilt)

    def meta(self, key: str) -> str | None:
        """A small fact stored by name."""
        row = self._one("SELECT value FROM meta WHERE key = ?", (key,))
        return str(row[0]) if row else None

    @property
    def size(self) -> int:
        """Bytes in use, without what pruning has freed."""
        pages, free, page_bytes = (
            self._rows(f"PRAGMA {name}")[0][0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * page_bytes)

    def _said_in(
        self, session: Key, condition: str, values: tuple[Any, ...]
    ) -> Iterator[tuple[int, Event]]:
        return self._told(session, _EVENTS + condition, (*session, *values))

    def _told(
        self, session: Key, query: str, values: tuple[Any, ...]
    ) -> Iterator[tuple[int, Event]]:
        """Events of a session with their numbers; those it shares with another as its own."""
        for number, packed in self._stream(query, values):
            event = decoded(_events, packed)
            if event is not None:
                copied = event.session != session[1]
                yield (
                    number,
                    msgspec.structs.replace(event, session=session[1]) if copied else event,
                )

    def _struct(self, key: str, kind: type[T]) -> T | None:
        text = self.meta(key)
        try:
            return msgspec.json.decode(text, type=kind) if text else None
        except msgspec.MsgspecError:
            return None

    def _one(self, query: str, values: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        rows = self._rows(query, values)
        return rows[0] if rows else None

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        return list(self._stream(query, values))

    def _stream(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._live().execute(query, values)
        except sqlite3.Error as error:
            raise self._judged(error) from error

    def _live(self) -> sqlite3.Connection:
        """The connection, fit for use."""
        return self._connection

    def _judged(self, error: sqlite3.Error) -> Exception:
        """What a failed read means to a reader."""
        return unreadable(self.path, error)


_EVENTS = (
    "SELECT e.number, coalesce(e.body, o.body) FROM events e "
    "JOIN sessions s ON s.number = e.session LEFT JOIN events o ON o.number = e.original "
    "WHERE s.agent = ? AND s.id = ? "
)
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


def _session_row(row: tuple[Any, ...]) -> SessionRow:
    values = dict(zip(SESSION_FIELDS, row, strict=True))
    values |= {name: _time(values[name]) for name in _TIMES}
    return SessionRow(**values | {"spoken": bool(values["spoken"])})


def _time(seconds: float | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds else None
