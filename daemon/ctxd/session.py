"""What is known of a session, from its events in the order of its log.

A reducer: `advance` changes a session by one event and returns what the pipeline should react to.
It asks no clock and opens nothing. A session is small and bounded however long its log is, and goes
on after being stored as if it never had been.

Event ids are what tells a repeat: the caller passes each event of a session once, as the ledger
knows it. Of kinds that the ledger does not keep (`Usage`, `Reasoning`, `ToolResult`, `Unknown`,
`Unparsed`) repeats may come when a log is read anew; they change nothing that a later event does
not set right. An event that another session already has is passed with `copied=True`: a fork starts
with its parent's records, which are in its window and not its turns, words or compactions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from ctxd import window as windows
from ctxd.own_sessions import shows_own
from ctxd.policy.daemon import (
    BOUNDARIES_KEPT,
    FACT_CHARS,
    MAX_ID_CHARS,
    STORM_SECONDS,
    SUB_AGENTS_REMEMBERED,
)
from ctxd.session_state import Ending, KnownBy, Session
from ctxd.signals import (
    Boundary,
    CompactionAhead,
    CompactionHappened,
    ExchangeComplete,
    SessionBegan,
    SessionClosed,
    Signal,
    SubAgentCompacted,
    TurnComplete,
    WindowCut,
    WithdrawnSignal,
)
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    Compaction,
    CompactionFailed,
    CompactionStarted,
    ContextFileLoaded,
    ContextInjected,
    Event,
    Interrupted,
    PlanDecided,
    QuestionAnswered,
    SessionEnded,
    SessionStarted,
    SessionTitled,
    ToolCall,
    Truncated,
    TurnEnded,
    Unknown,
    Unparsed,
    Usage,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)

__all__ = ["Session", "Signal", "advance", "close", "disown", "rebuild"]

_NO_ACTIVITY = frozenset({SessionTitled, Unknown, Unparsed})
"""Events that do not show that the session is being worked in: clients give titles to old ones."""

_FROM_A_COPY = frozenset({"fork", "rewind"})
"""Starts that stand behind the copied records of another session, whose start is among them."""


def advance(session: Session, event: Event, *, copied: bool = False) -> list[Signal]:
    """Change a session by its next event, and return what that means."""
    if not session.own and not session.user_messages and shows_own(event):
        session.own, session.title = True, None
    if session.own:
        return []
    if copied:
        # The shadow shares window and talk, and takes everything else with it.
        shadow = Session(session.agent, session.id, window=session.window, talk=session.talk)
        _apply(shadow, event)
        return []
    _note_time(session, event)
    return _apply(session, event)


def close(session: Session, known_by: KnownBy, time: datetime | None) -> list[Signal]:
    """Note that a session ended although its log does not say so, `time` being its last sign of
    life."""
    return list(_end(session, Ending(None, time, known_by)))


def disown(session: Session, event: Event) -> None:
    """Take back what an event counted for: it proves to be a copy of another session's, which was
    read later. It stays in the window, where the fork has it too."""
    if isinstance(event, UserMessage):
        session.user_messages = max(0, session.user_messages - 1)
        if event.origin in ("typed", "queued"):
            session.turns = max(0, session.turns - 1)
    elif isinstance(event, Interrupted):
        session.interruptions = max(0, session.interruptions - 1)
    elif isinstance(event, Compaction) and event.sub_agent is None:
        session.compacted = max(0, session.compacted - 1)
    session.compactions = [known for known in session.compactions if known.event != event.id]


def rebuild(session: Session, events: Iterable[Event]) -> None:
    """Make window and exchange anew from the session's events that still stand, in their order.

    For what a `WithdrawnSignal` with `rebuild` asks for; counts and facts stay as they are.
    """
    before = set(windows.event_ids(session.window))
    shadow = Session(session.agent, session.id)
    for event in events:
        _apply(shadow, event)
    windows.keep_measure(shadow.window, session.window)
    session.window, session.talk = shadow.window, shadow.talk
    session.withdrawn += len(before.difference(windows.event_ids(session.window)))


def _apply(session: Session, event: Event) -> list[Signal]:
    if event.sub_agent is not None:
        return _sub_agent(session, event)
    handler = _HANDLERS.get(type(event))
    return list(handler(session, event)) if handler else []


def _note_time(session: Session, event: Event) -> None:
    time = event.time
    if time is None or type(event) in _NO_ACTIVITY:
        return
    if session.started is None or time < session.started:
        session.started = time
    if session.last_event is None or time > session.last_event:
        session.last_event = time


def _sub_agent(session: Session, event: Event) -> list[Signal]:
    name = str(event.sub_agent)[:MAX_ID_CHARS]
    if name not in session.sub_agents and len(session.sub_agents) < SUB_AGENTS_REMEMBERED:
        session.sub_agents.append(name)
    if not isinstance(event, Compaction):
        return []
    boundary = _remember(session, _boundary(session, event))
    return [SubAgentCompacted(session.agent, session.id, boundary)]


def _session_started(session: Session, event: SessionStarted) -> Iterator[Signal]:
    if session.busy:
        yield from _end_turn(session, None)
    if not session.starts or event.how in _FROM_A_COPY:
        session.how = event.how
    session.starts += 1
    session.ended = None
    session.window.attempts = []
    for fact in ("parent", "cwd", "branch", "repository", "client", "client_version", "model"):
        _set(session, fact, getattr(event, fact))
    yield SessionBegan(session.agent, session.id, event.how)


def _workspace_changed(session: Session, event: WorkspaceChanged) -> Iterable[Signal]:
    for fact in ("cwd", "branch", "repository"):
        _set(session, fact, getattr(event, fact))
    return ()


def _session_titled(session: Session, event: SessionTitled) -> Iterable[Signal]:
    _set(session, "title", event.title)
    session.titled_by = event.by
    return ()


def _user_message(session: Session, event: UserMessage) -> Iterator[Signal]:
    yield from _reopen(session)
    session.user_messages += 1
    if _opens_turn(session, event):
        yield from _end_turn(session, None)
        session.turns += 1
        session.busy, session.commanded = True, False
        session.turn = _short(event.turn)
    elif event.origin == "command_arguments":
        session.commanded = not session.busy
    yield from _user_said(session, event, "user")


def _opens_turn(session: Session, event: UserMessage) -> bool:
    if event.origin == "typed":
        same = event.turn is not None and _short(event.turn) == session.turn
        return not (session.busy and same)
    return event.origin == "queued" and not session.busy


def _question_answered(session: Session, event: QuestionAnswered) -> Iterator[Signal]:
    yield from _reopen(session)
    yield from _user_said(session, event, "answer")


def _plan_decided(session: Session, event: PlanDecided) -> Iterator[Signal]:
    yield from _reopen(session)
    yield from _user_said(session, event, "plan")


def _user_said(session: Session, event: Event, kind: windows.Kind) -> Iterator[Signal]:
    windows.add(session.window, event.id, kind)
    session.talk.user(event.id[:MAX_ID_CHARS])
    yield ExchangeComplete(session.agent, session.id, session.talk.exchange())


def _assistant_message(session: Session, event: AssistantMessage) -> Iterator[Signal]:
    yield from _agent_acted(session, event)
    windows.add(session.window, event.id, "agent")
    if not event.failed:
        _set(session, "model", event.model)


def _agent_acted(session: Session, event: AssistantMessage | ToolCall) -> Iterator[Signal]:
    if session.ended and not session.ended.is_behind(event.time):
        yield from _reopen(session)
    if session.commanded:
        session.turns += 1
    session.busy, session.commanded = session.ended is None, False
    is_message = isinstance(event, AssistantMessage)
    session.talk.agent(event.id[:MAX_ID_CHARS], message=is_message)


def _context_file_loaded(session: Session, event: ContextFileLoaded) -> Iterable[Signal]:
    windows.add(session.window, event.id, "file")
    return ()


def _context_injected(session: Session, event: ContextInjected) -> Iterable[Signal]:
    windows.add(session.window, event.id, "injected")
    return ()


def _usage(session: Session, event: Usage) -> Iterable[Signal]:
    windows.measure(session.window, event)
    if event.time is None or session.last_event is None or event.time >= session.last_event:
        _set(session, "model", event.model)
    return ()


def _compaction_started(session: Session, event: CompactionStarted) -> Iterator[Signal]:
    windows.announce(session.window, event)
    ids = windows.event_ids(session.window)
    yield CompactionAhead(session.agent, session.id, ids, event.trigger)


def _compaction_failed(session: Session, event: CompactionFailed) -> Iterable[Signal]:
    windows.give_up(session.window, event.attempt)
    return ()


def _compaction(session: Session, event: Compaction) -> Iterator[Signal]:
    yield from _reopen(session)
    boundary = _remember(session, _boundary(session, event))
    session.compacted += 1
    session.commanded = False
    before = windows.event_ids(session.window)
    windows.compact(session.window, event)
    left = frozenset(windows.event_ids(session.window))
    kept = None if event.kept is None else tuple(one for one in before if one in left)
    yield CompactionHappened(session.agent, session.id, boundary, before, kept)


def _boundary(session: Session, event: Compaction) -> Boundary:
    return Boundary(
        event=event.id[:MAX_ID_CHARS],
        time=event.time,
        trigger=event.trigger,
        cause=_short(event.cause),
        tokens_before=event.tokens_before,
        tokens_after=event.tokens_after,
        sub_agent=_short(event.sub_agent),
        storm=_is_storm(session, event),
    )


def _is_storm(session: Session, event: Compaction) -> bool:
    same = [one for one in session.compactions if one.sub_agent == _short(event.sub_agent)]
    if not same or event.trigger == "manual":
        return False
    if same[-1].time and event.time:
        apart = abs((event.time - same[-1].time).total_seconds())
        return apart < STORM_SECONDS and not windows.said_since_summary(session.window, {"user"})
    return event.sub_agent is None and not windows.said_since_summary(session.window)


def _remember(session: Session, boundary: Boundary) -> Boundary:
    session.compactions.append(boundary)
    del session.compactions[:-BOUNDARIES_KEPT]
    return boundary


def _truncated(session: Session, event: Truncated) -> Iterator[Signal]:
    windows.truncate(session.window, event)
    if event.messages_removed:
        ids = windows.event_ids(session.window)
        yield WindowCut(session.agent, session.id, ids, None)


def _cleared(session: Session, event: Cleared) -> Iterator[Signal]:
    yield from _end_turn(session, None)
    before = windows.event_ids(session.window)
    windows.clear(session.window, event.time)
    session.talk.clear()
    if before:
        yield WindowCut(session.agent, session.id, before, ())


def _withdrawn(session: Session, event: Withdrawn) -> Iterator[Signal]:
    gone = windows.take_back(session.window, event.since, event.until) if event.since else []
    ids = tuple(entry.id for entry in gone)
    session.talk.withdraw(frozenset(ids))
    session.withdrawn += len(gone)
    session.busy = False
    rebuild_it = not gone or any(entry.kind == "summary" for entry in gone)
    yield WithdrawnSignal(
        session.agent, session.id, event.since, event.until, ids, rebuild=rebuild_it
    )


def _interrupted(session: Session, _event: Interrupted) -> Iterable[Signal]:
    session.interruptions += 1
    return _end_turn(session, "interrupted")


def _turn_ended(session: Session, event: TurnEnded) -> Iterable[Signal]:
    if event.turn and session.turn and _short(event.turn) != session.turn:
        return ()
    return _end_turn(session, event.reason)


def _end_turn(session: Session, reason: str | None) -> Iterator[Signal]:
    if session.busy:
        session.busy = False
        yield TurnComplete(session.agent, session.id, session.talk.exchange(), reason)


def _session_ended(session: Session, event: SessionEnded) -> Iterable[Signal]:
    ending = Ending(_short(event.reason), event.time or session.last_event)
    session.window.attempts = []
    if session.ended is not None:
        session.ended = ending  # the log's own word tells more than silence did
    return _end(session, ending)


def _end(session: Session, ending: Ending) -> Iterator[Signal]:
    if session.ended is None:
        yield from _end_turn(session, None)
        session.ended = ending
        session.window.attempts = []
        yield SessionClosed(session.agent, session.id, ending.known_by, ending.reason)


def _reopen(session: Session) -> Iterator[Signal]:
    if session.ended is not None:
        session.ended = None
        session.starts += 1
        yield SessionBegan(session.agent, session.id, "resume")


def _set(session: Session, fact: str, value: str | None) -> None:
    if value:
        setattr(session, fact, value[:FACT_CHARS])


def _short(name: str | None) -> str | None:
    return None if name is None else name[:MAX_ID_CHARS]


_HANDLERS: dict[type[Event], Callable[[Session, Any], Iterable[Signal]]] = {
    SessionStarted: _session_started,
    WorkspaceChanged: _workspace_changed,
    SessionTitled: _session_titled,
    UserMessage: _user_message,
    QuestionAnswered: _question_answered,
    PlanDecided: _plan_decided,
    AssistantMessage: _assistant_message,
    ToolCall: _agent_acted,
    ContextFileLoaded: _context_file_loaded,
    ContextInjected: _context_injected,
    Usage: _usage,
    CompactionStarted: _compaction_started,
    CompactionFailed: _compaction_failed,
    Compaction: _compaction,
    Truncated: _truncated,
    Cleared: _cleared,
    Withdrawn: _withdrawn,
    Interrupted: _interrupted,
    TurnEnded: _turn_ended,
    SessionEnded: _session_ended,
}
