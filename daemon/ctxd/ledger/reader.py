"""What can be read from the ledger, by its writer and by others while it is written."""

from __future__ import annotations

import functools
import operator
import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from ctxd.item import Kind
from ctxd.item_log import ACTIVE, ItemEvent, Status
from ctxd.ledger import (
    boundary_reading,
    item_reading,
    session_reading,
    surroundings,
    transcript_reading,
)
from ctxd.ledger.boundary_values import (
    BoundaryNumbers,
    ItemBoundary,
    KeptNotice,
    LastAnswer,
    Owed,
    WaitingBoundary,
)
from ctxd.ledger.decoding import Stored, decoded
from ctxd.ledger.errors import unreadable
from ctxd.ledger.item_values import (
    ItemCount,
    KeptItem,
    LoggedEvent,
    Pending,
    ReviewedItem,
    UncoveredSession,
)
from ctxd.ledger.second_reading import SecondReader
from ctxd.ledger.session_reading import BETWEEN, EVENTS, of_kinds
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
)
from ctxd.policy.ledger import LOOKUP_IDS
from ctxd.redact import redact
from ctxd.retention.values import Answer, Record
from ctxd.session_state import Session
from ctxd.tail.checkpoint import Checkpoint
from ctxd_parsers.events import AnyEvent, Compaction, Event

T = TypeVar("T")

HEARTBEAT = "heartbeat"
REBUILT = "rebuilt"
PAUSED = "paused"

_checkpoints: Stored[Checkpoint] = Stored(Checkpoint)
_events: Stored[Event] = Stored(AnyEvent)
_sessions: Stored[Session] = Stored(Session)


class Reader(SecondReader):
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
        return session_reading.sessions(self._rows, limit, agent, empty=empty)

    def session_folders(self) -> list[tuple[str, str, str | None, str]]:
        """Agent, id, client version and folder of the sessions that somebody spoke in."""
        return session_reading.folders(self._rows)

    def open_sessions(self) -> dict[Key, tuple[Path, str]]:
        """Sessions that were not found to be over, each with the transcript it was last read from
        and the name of its parser."""
        return session_reading.still_open(self._rows)

    def logs(self, session: Key) -> list[Path]:
        """The transcripts on disk in which the user speaks in a session."""
        return session_reading.logs(self._rows, session)

    def events(
        self, session: Key, kinds: Collection[type[Event]] = (), *, withdrawn: bool = False
    ) -> Iterator[Event]:
        """A session's kept events in order, of some kinds only if any are named.

        With `withdrawn`, those that the user took back too.
        """
        query, names = of_kinds(EVENTS, kinds)
        for _, event in self._told(session, query, (*session, withdrawn, *names)):
            yield event

    def events_between(
        self, session: Key, kinds: Collection[type[Event]], first: str | None, last: str
    ) -> Iterator[Event]:
        """The kept events of a session of some kinds behind one event, or from the start, and
        before another one, in order."""
        query, names = of_kinds(EVENTS + BETWEEN, kinds)
        for _, event in self._told(session, query, (*session, first, last, False, *names)):
            yield event

    def compactions(self, session: Key) -> list[Compaction]:
        """The compactions of a session, its sub-agents' included, in order."""
        return [e for e in self.events(session, (Compaction,)) if isinstance(e, Compaction)]

    def some_events(self, session: Key, ids: Collection[str]) -> list[Event]:
        """Kept events of a session by their ids, in order, without withdrawn ones."""
        found: list[tuple[int, Event]] = []
        ordered = sorted(ids)
        for start in range(0, len(ordered), LOOKUP_IDS):
            part = ordered[start : start + LOOKUP_IDS]
            marks = ", ".join("?" * len(part))
            query = f"{EVENTS}AND NOT e.withdrawn AND e.id IN ({marks})"
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

    def forgotten(self) -> frozenset[tuple[str, str]]:
        """Repository and id of all such items."""
        return frozenset(self._rows("SELECT repository, item FROM forgotten", ()))

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
        return transcript_reading.agents(self._rows)

    def oddities(self) -> list[Oddity]:
        """What was not understood, by agent, kind and client version, the most frequent first."""
        return transcript_reading.oddities(self._rows)

    def unread(self) -> list[Unread]:
        """Transcripts whose latest records gave no event that was understood."""
        return transcript_reading.unread(self._rows)

    def failures(self) -> list[Failure]:
        """Files that are set aside, the latest failure first."""
        return transcript_reading.failures(self._rows)

    def records(
        self, session: Key | None = None, repository: str | None = None, limit: int | None = None
    ) -> list[Record]:
        """What became of the items at compactions, the newest last; so many of the last at most."""
        return boundary_reading.records(self._rows, session, repository, limit)

    def boundaries_waiting(self, limit: int, *, live: bool = False) -> list[WaitingBoundary]:
        """Compactions that can be judged now: no exchange of their session waits. Those of one
        session come in their order; with `live` only those of sessions that were just compacted."""
        return boundary_reading.waiting(self._rows, limit, live=live)

    def boundaries_of(self, session: Key) -> list[WaitingBoundary]:
        """The compactions of a session that wait to be judged, in their order."""
        return boundary_reading.waiting_of(self._rows, session)

    def answers(self, session: Key) -> dict[str, dict[Answer, int]]:
        """How often there was each answer at each judged compaction of a session."""
        return boundary_reading.answers(self._rows, session)

    def boundary_numbers(self) -> BoundaryNumbers:
        """How many compactions there are, and what those of now dropped."""
        return boundary_reading.numbers(self._rows)

    def is_boundary_waiting(self, *, live: bool = False) -> bool:
        """Whether any compaction waits to be judged, with `live` one that was just read."""
        return boundary_reading.is_any_waiting(self._rows, live=live)

    def untold(self, limit: int) -> list[Record]:
        """Records that those who listen have not had yet, in their order."""
        return boundary_reading.untold(self._rows, limit)

    def item_boundaries(self, repository: str, item: str) -> list[ItemBoundary]:
        """What each compaction did to an item that judged it, the oldest first."""
        return boundary_reading.item_boundaries(self._rows, repository, item)

    def last_answers(self, sessions: Sequence[Key]) -> dict[tuple[str, str], LastAnswer]:
        """What the compactions of some sessions, the oldest first, last said of each item, which is
        named by its repository and id."""
        return boundary_reading.last_answers(self._rows, sessions)

    def said_in(self, sessions: Sequence[Key]) -> list[tuple[KeptItem, frozenset[str]]]:
        """Items of any status that were said or restated in some sessions, each with the ids of the
        events whose words bind it."""
        return boundary_reading.said_in(self._rows, sessions)

    def owed(self, agent: str, session: str) -> list[Owed]:
        """Items that compactions of a session dropped, that are not before the agent by a file it
        read again and were not given to it since; the most binding first."""
        return boundary_reading.owed(self._rows, (agent, session))

    def notices(self, limit: int | None = None) -> list[KeptNotice]:
        """Notices that were made, the newest first."""
        return boundary_reading.notices(self._rows, limit)

    def notice(self, key: str) -> KeptNotice | None:
        """The notice of a key; None when there was none."""
        return boundary_reading.notice(self._rows, key)

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
        return self._told(session, EVENTS + condition, (*session, *values))

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
