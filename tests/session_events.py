"""What the tests of sessions share: hand-made events, logs passed on as the ledger would, and a
plain reading of a window to hold the bounded one against."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from ctxd.session import Session, Signal, advance
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    Compaction,
    CompactionFailed,
    CompactionStarted,
    ContextFileLoaded,
    ContextInjected,
    Event,
    PlanDecided,
    QuestionAnswered,
    SessionEnded,
    SessionStarted,
    ToolCall,
    TurnEnded,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.reading import Transcript, read_events

WORDS = (
    UserMessage,
    AssistantMessage,
    QuestionAnswered,
    PlanDecided,
    ContextFileLoaded,
    ContextInjected,
)
"""Events that a window holds."""
NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def base(event_id, seconds=None, sub_agent=None, session="s"):
    time = None if seconds is None else at(seconds)
    return {"agent": "a", "session": session, "id": event_id, "time": time, "sub_agent": sub_agent}


def user(event_id, seconds=None, text="words", origin="typed", turn=None, **more):
    return UserMessage(text=text, origin=origin, turn=turn, **base(event_id, seconds, **more))


def agent(event_id, seconds=None, text="reply", model=None, **more):
    return AssistantMessage(text=text, model=model, **base(event_id, seconds, **more))


def call(event_id, seconds=None, **more):
    return ToolCall(call=event_id, name="edit", **base(event_id, seconds, **more))


def started(event_id="start", seconds=None, how="startup", **facts):
    return SessionStarted(how=how, **facts, **base(event_id, seconds))


def done(event_id, seconds=None, reason="completed", turn=None):
    return TurnEnded(reason=reason, turn=turn, **base(event_id, seconds))


def compaction(event_id, seconds=None, kept=(), sub_agent=None, **facts):
    return Compaction(kept=kept, **facts, **base(event_id, seconds, sub_agent))


def reduced(*events: Event) -> tuple[Session, list[Signal]]:
    """A session after these events, and all that was signalled on the way."""
    session = Session("a", "s")
    signals = [signal for event in events for signal in advance(session, event)]
    return session, signals


def held(session: Session) -> list[str]:
    return [entry.id for entry in session.window.entries]


def plain_window(events: Iterable[Event]) -> list[str]:
    """The window of one session by the words of the event model, without any bound."""
    window, attempts, place = [], [], {}
    for number, event in enumerate(events):
        place[event.id] = number
        if event.sub_agent is not None:
            continue
        if isinstance(event, Compaction):
            begun = [since for name, since in attempts if event.attempt in (None, name)]
            later = begun[-1] if begun else number
            kept = [e for e in window if place[e] > later or e in (event.kept or ())]
            window, attempts = [event.id, *kept], []
        elif isinstance(event, Withdrawn) and event.since in window:
            first = place[event.since]
            last = place[event.until] if event.until in window else number
            window = [e for e in window if not first <= place[e] < max(last, first + 1)]
        elif isinstance(event, CompactionStarted):
            attempts.append((event.attempt, number))
        elif isinstance(event, CompactionFailed):
            failed = [one for one in attempts if event.attempt in (None, one[0])]
            attempts = [one for one in attempts if one not in failed[-1:]]
        elif isinstance(event, (SessionStarted, SessionEnded)):
            attempts = []
        elif isinstance(event, Cleared):
            window, attempts = [], []
        elif isinstance(event, WORDS):
            window.append(event.id)
    return window


class Passing:
    """Passes events on to sessions as the pipeline does, with a ledger that remembers ids."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.signals: dict[str, list[Signal]] = {}
        self.passed: dict[str, list[Event]] = {}
        """What each session was given, copies included."""
        self.owner: dict[tuple[str, str], str] = {}

    def add(self, event: Event) -> None:
        owner = self.owner.setdefault((event.agent, event.id), event.session)
        given = self.passed.setdefault(event.session, [])
        if any(other.id == event.id for other in given):
            return
        given.append(event)
        session = self.sessions.setdefault(event.session, Session(event.agent, event.session))
        signals = advance(session, event, copied=owner != event.session)
        self.signals.setdefault(event.session, []).extend(signals)

    def of(self, session: str, kind: type[Signal]) -> list[Signal]:
        return [signal for signal in self.signals[session] if type(signal) is kind]


def passed(paths: Iterable[Transcript]) -> Passing:
    """All events of these transcripts, in the order of the transcripts."""
    passing = Passing()
    for transcript in paths:
        for event in read_events(transcript):
            passing.add(event)
    return passing
