"""What a session's compactions are judged by: its items, its words, the files it was given.

Made for one step and one session, so that a history of many compactions is gone through once.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

from ctxd.extract.text import own_words
from ctxd.item_log import ItemEvent, ItemState
from ctxd.ledger import KeptItem, LastAnswer, Reader, WaitingBoundary
from ctxd.local_paths import root_of
from ctxd.policy.boundaries import (
    ANCESTORS,
    FILES_LOOKED_AT,
    REQUEST_REACH,
    REQUEST_WORDS,
)
from ctxd.retention import afterwards
from ctxd.retention.afterwards import ContextFile, Moment
from ctxd.retention.judge import After
from ctxd.retention.record import Standing, as_of, is_in_window, is_judged
from ctxd.retention.values import Happened, InWindow, Record, Text
from ctxd.session_state import Session
from ctxd.signals import Boundary
from ctxd_parsers.events import (
    Compaction,
    ContextFileLoaded,
    Event,
    SessionStarted,
    ToolCall,
    UserMessage,
)

Key = tuple[str, str]
"""Agent and session id."""

_ASKS = frozenset({"typed", "queued"})
"""Origins of messages that ask for something."""
_FILE_NAME = re.compile(r"[^/\\*?]*\.[\w-]+|(?i:[\w-]*file)|[A-Z]{4,}")
"""A name that a file has, and hardly a folder: tools are given either."""


class SessionView:
    """One session, as far as its compactions are concerned."""

    def __init__(self, ledger: Reader, key: Key) -> None:
        self._ledger = ledger
        self._key = key
        self._session = ledger.session(*key) or Session(*key)
        self._sessions = sessions = [*self._ancestors(), key]
        self._items = [
            (kept, said | {one.event for one in kept.item.evidence})
            for kept, said in ledger.said_in(sessions)
        ]
        """The items of the session, each with the ids of the events that its words stand in."""
        self._histories: dict[tuple[str, str], list[ItemEvent]] = {}
        self.last = ledger.last_answers(sessions)
        """What the last compaction that judged it came to, by item."""
        events = list(ledger.events(key, (Compaction, SessionStarted, ContextFileLoaded)))
        self._compactions = {
            event.id: event
            for event in events
            if isinstance(event, Compaction) and event.sub_agent is None
        }
        self._starts = [event for event in events if isinstance(event, SessionStarted)]
        self._loaded = afterwards.loaded(events)
        self._came_nested = {
            event.id: event.path
            for event in events
            if isinstance(event, ContextFileLoaded) and event.reason == "nested"
        }

    def learn(self, made: Record) -> None:
        """One of its compactions was recorded; of one of now, what was given back before that
        stands in the ledger alone."""
        if made.live:
            self.last = self._ledger.last_answers(self._sessions)
            return
        for one in made.items:
            name = (one.repository, one.item)
            self.last[name] = LastAnswer(one.verdict.answer, made.event)

    def at(self, waiting: WaitingBoundary) -> tuple[Happened, list[InWindow], Standing]:
        """What one of its compactions is recorded from."""
        summary = self._compactions.get(waiting.boundary.event)
        kept_ids = frozenset(waiting.kept or ()) | frozenset((summary and summary.kept) or ())
        kept = self._ledger.some_events(self._key, kept_ids)
        happened = Happened(
            agent=waiting.agent,
            session=waiting.session,
            boundary=waiting.boundary,
            live=waiting.live,
            readable=_is_readable(summary),
            files=self._touched(waiting.boundary.event),
            request=self._request(waiting.window_before, kept_ids),
            nested=self._nested(frozenset(waiting.window_before) - kept_ids),
        )
        after = self._standing(waiting, summary, kept)
        return happened, list(self.in_window(waiting)), after

    def files_after(self, waiting: WaitingBoundary) -> After:
        """The context files that are before the agent after a compaction."""
        return self._after(_texts(afterwards.standing(self._files, self._moment(waiting))))

    def beside(self, record: Record) -> tuple[After, After]:
        """The context files that are before the agent after a compaction that was recorded, and
        what humans wrote in them before."""
        boundary = Boundary(record.event, record.time, record.trigger)
        waiting = WaitingBoundary(
            agent=record.agent, session=record.session, boundary=boundary, live=record.live
        )
        humans = afterwards.humans(self._files, self._moment(waiting))
        return self.files_after(waiting), self._after(tuple(humans))

    def _standing(
        self, waiting: WaitingBoundary, summary: Compaction | None, kept: Sequence[Event]
    ) -> Standing:
        moment = self._moment(waiting)
        still = afterwards.standing(self._files, moment)
        return Standing(
            words=After.of(afterwards.texts(summary, kept)),
            files=self._after(_texts(still)),
            humans=self._after(tuple(afterwards.humans(self._files, moment))),
            summary=(summary and summary.summary) or "",
            kept=frozenset(event.id for event in kept),
            paths=[one.path for one in still],
        )

    def _moment(self, waiting: WaitingBoundary) -> Moment:
        time = waiting.boundary.time
        starts = [
            event.time
            for event in self._starts
            if event.time is not None and (time is None or event.time <= time)
        ]
        return Moment(
            agent=waiting.agent,
            version=self._session.client_version,
            trigger=waiting.boundary.trigger,
            time=time,
            started=max(starts, default=None),
            live=waiting.live,
            loaded=frozenset(event.text for event in self._loaded if event.text),
        )

    @functools.cached_property
    def _files(self) -> list[ContextFile]:
        paths = dict.fromkeys(event.path for event in self._loaded)
        session = self._session
        return afterwards.files_of(session.agent, session.client_version, session.cwd, paths)

    @functools.cached_property
    def _afters(self) -> dict[tuple[Text, ...], After]:
        return {}

    def _after(self, texts: tuple[Text, ...]) -> After:
        if texts not in self._afters:
            self._afters[texts] = After.of(texts)
        return self._afters[texts]

    def in_window(self, waiting: WaitingBoundary) -> Iterator[InWindow]:
        """The items that were in the window before a compaction."""
        window = frozenset(waiting.window_before)
        for kept, said in self._items:
            if is_in_window(said, self.last.get((kept.repository, kept.id)), window):
                then = self._as_of(kept, waiting)
                if then is not None and is_judged(then):
                    yield InWindow(repository=kept.repository, state=then)

    def _as_of(self, kept: KeptItem, waiting: WaitingBoundary) -> ItemState | None:
        """An item as it stood at a compaction: of one that is happening now, as it stands."""
        if waiting.live:
            return kept.state if kept.state.status == "active" else None
        name = (kept.repository, kept.id)
        if name not in self._histories:
            self._histories[name] = self._ledger.item_events(*name)
        return as_of(kept.state, self._histories[name], waiting.boundary.time)

    def _ancestors(self) -> list[Key]:
        """The sessions that this one was forked from, the oldest first."""
        found: list[Key] = []
        parent = self._session.parent
        while parent and len(found) < ANCESTORS and (self._key[0], parent) not in found:
            found.append((self._key[0], parent))
            session = self._ledger.session(*found[-1])
            parent = session.parent if session else None
        return found[::-1]

    def _touched(self, event: str) -> list[str]:
        """Files read or edited since the compaction before, those touched last at the end."""
        ids = list(self._compactions)
        before = ids[ids.index(event) - 1] if event in ids and ids.index(event) else None
        calls = self._ledger.events_between(self._key, (ToolCall,), before, event)
        root = root_of(self._session.cwd)
        found: dict[str, None] = {}
        for path in _paths(list(calls)[-FILES_LOOKED_AT:]):
            name = _below(path, root)
            found.pop(name, None)
            found[name] = None
        return list(found)

    def _nested(self, window: frozenset[str]) -> list[str]:
        """The context files in a window that had come with a file that was touched."""
        root = root_of(self._session.cwd)
        found = (path for name, path in self._came_nested.items() if name in window)
        return list(dict.fromkeys(_below(path, root) for path in found))

    def _request(self, window: Sequence[str], kept: frozenset[str]) -> str:
        """The user's last request in the window; empty when it stays there word for word."""
        events = self._ledger.some_events(self._key, window[-REQUEST_REACH:])
        for event in reversed(events):
            if isinstance(event, UserMessage) and event.origin in _ASKS:
                text = own_words(event.text, [(part.start, part.end) for part in event.pasted])
                if len(text.split()) >= REQUEST_WORDS:
                    return "" if event.id in kept else text
        return ""


def _texts(files: Iterable[ContextFile]) -> tuple[Text, ...]:
    return tuple(Text("file", one.text, one.path) for one in files)


def _below(path: str, root: str) -> str:
    """A path as it is seen from a folder, where it lies in it."""
    return path[len(root) :].lstrip("/\\") if root and path.startswith(root) else path


def _is_readable(summary: Compaction | None) -> bool:
    return summary is not None and summary.readable and bool((summary.summary or "").strip())


def _paths(calls: Iterable[Event]) -> Iterator[str]:
    for call in calls:
        if isinstance(call, ToolCall) and call.sub_agent is None:
            for path in call.paths:
                name = re.split(r"[/\\]", path)[-1]
                if _FILE_NAME.fullmatch(name):
                    yield path
