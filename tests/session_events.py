"""Hand-made events: short to write, with ids that say what they are."""

from datetime import UTC, datetime, timedelta

from ctxd.session import Session, Signal, advance
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    Event,
    SessionStarted,
    ToolCall,
    TurnEnded,
    UserMessage,
)

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
