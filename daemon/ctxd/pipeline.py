"""From a changed transcript to the ledger, one stage a line.

The stages are functions of values; this module only joins them. Position, events and sessions are
committed together, so that a kill at any instant loses nothing and repeats nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime

import msgspec

from ctxd.exchange import Exchange
from ctxd.extract.exchange import UserEvent
from ctxd.ledger import Batch, Ledger, Pending, SessionRow, WaitingBoundary
from ctxd.liveness import Liveness, Sightings, liveness, look, remember
from ctxd.policy.boundaries import LIVE_BOUNDARY_SECONDS
from ctxd.policy.daemon import (
    SESSIONS_IN_MEMORY,
    SILENT_LIVENESS_SECONDS,
    TIME_GRAIN_SECONDS,
    TURN_BYTES,
    UNFINISHED_SECONDS,
)
from ctxd.repositories import repository_key
from ctxd.session import Session, Signal, advance, close, disown, rebuild
from ctxd.signals import CompactionAhead, CompactionHappened, ExchangeComplete, WithdrawnSignal
from ctxd.tail.follow import Step, follow
from ctxd.understanding import Understanding
from ctxd.window import event_ids, fills_up
from ctxd_parsers.events import Compaction, Event
from ctxd_parsers.reading import Transcript
from ctxd_parsers.registry import PARSERS

Key = tuple[str, str]
"""Agent and session id."""

_OVER = frozenset({"ended", "crashed"})


class Progress(msgspec.Struct, frozen=True):
    """What one step of one transcript did."""

    signals: tuple[Signal, ...] = ()
    pending: tuple[Pending, ...] = ()
    """Exchanges that were completed or added to, and wait to be judged."""
    events: int = 0
    bytes_read: int = 0
    more: bool = False
    """Whether whole records are left unread."""
    again_in: float | None = None
    """Seconds after which to look once more although nothing will have changed."""


class Pipeline:
    """Takes transcripts forward, one bounded step at a time, and sessions to their end."""

    def __init__(self, ledger: Ledger, wall: Callable[[], float]) -> None:
        self._ledger = ledger
        self._wall = wall
        self._sessions: dict[Key, Session] = {}
        self._open = _still_open(ledger)
        self._states: dict[Key, Liveness] = {}
        self._looked: dict[Key, float] = {}
        """When the state of an open session was last told."""
        self.understanding = Understanding(ledger, self._session, wall)
        """What the exchanges come to that wait; called between two steps."""

    @property
    def open_sessions(self) -> int:
        """Sessions that have not ended."""
        return len(self._open)

    def transcript(self, key: Key) -> Transcript | None:
        """The one that a session which has not ended was last read from."""
        return self._open.get(key)

    def advance(self, transcript: Transcript, budget: int = TURN_BYTES) -> Progress:
        """Read on in a transcript and commit what was learned.

        Raise OSError when it cannot be read, and the ledger's errors when that cannot be written;
        nothing is half done then.
        """
        checkpoint = self._ledger.checkpoint(transcript.path)
        step = follow(transcript, checkpoint, budget)
        if step.checkpoint == checkpoint and not step.events:
            return Progress(more=step.more)
        touched: dict[Key, Session] = {}
        try:
            fresh = self._ledger.unseen(step.events)
            signals = self._follow(fresh, touched, transcript, is_end=not step.more)
            own = [event for event, copied in fresh if not copied]
            told = self._ledger.told_by_forks(own)
            pending = [*_complete(signals), *self._disown(told, touched)]
            batch = Batch.of(transcript, step, self._rows(touched), pending)
            self._ledger.record(
                msgspec.structs.replace(
                    batch,
                    own=[key for key, session in touched.items() if session.own],
                    boundaries=self._boundaries(signals, is_known=checkpoint is not None),
                    disowned=[(*key, e.id) for e, key in told if isinstance(e, Compaction)],
                )
            )
            self._rebuild(signals, touched)
            self._drop_ended(touched)
        except BaseException:
            self._forget(touched)
            raise
        return Progress(
            signals=tuple(signals),
            pending=tuple(pending),
            events=len(fresh),
            bytes_read=step.bytes_read,
            more=step.more,
            again_in=_again_in(step),
        )

    def refresh(self) -> list[Signal]:
        """Look again at the sessions that have not ended, and commit what became of them."""
        touched: dict[Key, Session] = {}
        before = dict(self._states)
        sightings = look(self._open.values())
        try:
            signals: list[Signal] = []
            for key, transcript in list(self._open.items()):
                if self._can_wait(key, transcript, sightings):
                    continue
                signals += self._settle({key: self._session(key)}, sightings, transcript)
                if self._states.get(key) != before.get(key):
                    touched[key] = self._session(key)
            if touched:
                self._ledger.save_sessions(self._rows(touched))
                self._drop_ended(touched)
        except BaseException:
            self._forget(touched)
            raise
        return signals

    def end(self, keys: Iterable[Key]) -> list[Signal]:
        """Note that sessions are over, as a hook of their client says whose log does not tell. One
        whose process left a sign is over when that is gone."""
        touched: dict[Key, Session] = {}
        signals: list[Signal] = []
        for key in keys:
            transcript, session = self._open.get(key), self._session(key)
            if transcript is None or look([transcript]).of(session, transcript.path):
                continue
            signals += close(session, "hook", session.last_event)
            self._states[key] = Liveness("ended", "hook")
            self._open.pop(key, None)
            self._looked.pop(key, None)
            touched[key] = session
        if touched:
            self._ledger.save_sessions(self._rows(touched))
            self._drop_ended(touched)
        return signals

    def forget_all(self) -> None:
        """Know nothing any more: the ledger was begun anew, and everything is read again."""
        self._sessions.clear()
        self._open.clear()
        self._states.clear()
        self._looked.clear()
        self.understanding.forget_all()

    def _follow(
        self,
        events: Iterable[tuple[Event, bool]],
        touched: dict[Key, Session],
        transcript: Transcript,
        *,
        is_end: bool,
    ) -> list[Signal]:
        """What the new events of a transcript mean, and the state of their sessions where it is at
        its end. What happens in ctxd's own sessions means nothing to anybody."""
        signals = [*self._track(events, touched), *_ahead(touched)]
        if is_end:
            signals += self._settle(touched, look([transcript]), transcript)
        return [one for one in signals if not touched[one.agent, one.session].own]

    def _track(
        self, events: Iterable[tuple[Event, bool]], touched: dict[Key, Session]
    ) -> list[Signal]:
        """Advance the sessions of the events, which come to stand in `touched`."""
        signals: list[Signal] = []
        for event, copied in events:
            key = (event.agent, event.session)
            session = touched.get(key)
            if session is None:
                session = touched[key] = self._session(key)
            signals += advance(session, event, copied=copied)
        return signals

    def _boundaries(self, signals: Iterable[Signal], *, is_known: bool) -> list[WaitingBoundary]:
        """The compactions of users' windows among the signals. One without a time is of now when
        its log was known before."""
        now, found = self._wall(), []
        for one in signals:
            if isinstance(one, CompactionHappened):
                session, time = self._session((one.agent, one.session)), one.boundary.time
                is_new = abs(now - time.timestamp()) <= LIVE_BOUNDARY_SECONDS if time else is_known
                waiting = WaitingBoundary(
                    agent=one.agent,
                    session=one.session,
                    boundary=one.boundary,
                    repository=repository_key(session.cwd, session.repository),
                    live=is_new and session.how != "sub_agent",
                    window_before=one.window_before,
                    kept=one.kept,
                )
                found.append(waiting)
        return found

    def _disown(
        self, told: Iterable[tuple[Event, Key]], touched: dict[Key, Session]
    ) -> Iterator[Pending]:
        """Take back what forks counted as theirs that were read before the session they left, and
        return those of their exchanges that prove to be none of theirs."""
        for event, key in told:
            fork = touched.get(key) or self._session(key)
            disown(fork, event)
            touched[key] = fork
            if isinstance(event, UserEvent):
                yield Pending(*key, Exchange(answer=(event.id,)))

    def _settle(
        self, sessions: dict[Key, Session], sightings: Sightings, transcript: Transcript
    ) -> list[Signal]:
        """Tell in which state sessions of one transcript are now, and end those that are over."""
        now = datetime.fromtimestamp(self._wall(), UTC)
        signals: list[Signal] = []
        for key, session in sessions.items():
            if session.own:
                self._states[key] = Liveness("ended", "silence")
                self._open.pop(key, None)
                self._looked.pop(key, None)
                continue
            seen = sightings.of(session, transcript.path)
            remember(session, seen, now)
            found = liveness(session, seen, now, _changed(transcript))
            self._states[key] = found
            if found.state not in _OVER:
                self._open[key] = transcript
                self._looked[key] = now.timestamp()
                continue
            self._open.pop(key, None)
            self._looked.pop(key, None)
            if session.ended is None:
                signals += close(session, found.known_by, session.last_event)
        return signals

    def _can_wait(self, key: Key, transcript: Transcript, sightings: Sightings) -> bool:
        """Whether only silence can change the state of a session, and it was told lately."""
        known = self._states.get(key)
        if known is None or known.known_by == "process" or sightings.has(key, transcript.path):
            return False
        return 0 <= self._wall() - self._looked.get(key, 0.0) < SILENT_LIVENESS_SECONDS

    def _rebuild(self, signals: Sequence[Signal], touched: dict[Key, Session]) -> None:
        """Make windows anew that a withdrawal left untold, from the events that still stand."""
        keys = {
            (s.agent, s.session) for s in signals if isinstance(s, WithdrawnSignal) and s.rebuild
        }
        for key in keys & touched.keys():
            rebuild(touched[key], self._ledger.events(key))
            self._ledger.save_sessions(self._rows({key: touched[key]}))

    def _rows(self, sessions: dict[Key, Session]) -> list[SessionRow]:
        rows = []
        for key, session in sessions.items():
            known = self._states.get(key)
            state, reason = (known.state, known.known_by) if known else (None, None)
            rows.append(SessionRow.of(session, state, reason))
        return rows

    def _session(self, key: Key) -> Session:
        session = self._sessions.pop(key, None) or self._ledger.session(*key) or Session(*key)
        self._sessions[key] = session
        while len(self._sessions) > SESSIONS_IN_MEMORY:
            self._sessions.pop(next(iter(self._sessions)))
        return session

    def _drop_ended(self, touched: Iterable[Key]) -> None:
        for key in touched:
            if key not in self._open:
                self._states.pop(key, None)

    def _forget(self, touched: dict[Key, Session]) -> None:
        """Drop sessions that are ahead of the ledger: they are read back from it."""
        for key in touched:
            self._sessions.pop(key, None)
            self._states.pop(key, None)


def _ahead(touched: dict[Key, Session]) -> Iterator[Signal]:
    """Say of windows that have just filled up that a compaction is to be expected."""
    for key, session in touched.items():
        if fills_up(session.window):
            yield CompactionAhead(*key, event_ids(session.window))


def _complete(signals: Iterable[Signal]) -> list[Pending]:
    """The exchanges that are complete, each as its last signal tells it."""
    found = {}
    for signal in signals:
        if isinstance(signal, ExchangeComplete):
            pending = Pending(signal.agent, signal.session, signal.exchange)
            found[pending.key] = pending
    return list(found.values())


def _still_open(ledger: Ledger) -> dict[Key, Transcript]:
    """The sessions that had not ended when the ledger was last written, with their transcripts."""
    parsers = {parser.name: parser for parser in PARSERS}
    return {
        key: Transcript(path, parsers[name])
        for key, (path, name) in ledger.open_sessions().items()
        if name in parsers
    }


def _again_in(step: Step) -> float | None:
    """When to look again at what may not be told apart from the next write, or was not finished."""
    if step.checkpoint.size < 0:
        return TIME_GRAIN_SECONDS
    return UNFINISHED_SECONDS if step.behind and not step.more else None


def _changed(transcript: Transcript) -> datetime | None:
    """When a transcript was last written."""
    try:
        return datetime.fromtimestamp(transcript.path.stat().st_mtime, UTC)
    except (OSError, ValueError, OverflowError):
        return None
