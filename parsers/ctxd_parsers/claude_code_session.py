"""What makes a Claude Code session begin, move, lose part of its window, or end.

Rows come in an order that is not the logical one (2.1.265 wrote a response before its prompt), may
come twice with one uuid, and may be copies of another session's rows; ids are therefore made of the
rows' own uuids, never of what came before. An event whose emission depends on that has a named
suffix (`uuid#resume`), so that the numbered ones (`uuid#1`) mean the same in every copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ctxd_parsers.claude_code_rows import (
    Row,
    decoded,
    is_at_least,
    is_clear,
    joined_text,
    mapping,
    number_of,
    plain_text,
    text_of,
    texts,
)
from ctxd_parsers.claude_code_state import At, Boundary, Queued, State, remember
from ctxd_parsers.events import (
    Cleared,
    Compaction,
    Event,
    SessionEnded,
    SessionStarted,
    Start,
    Truncated,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)
from ctxd_parsers.limits import HELD_EVENTS, PENDING_CALLS, PROMPTS_REMEMBERED
from ctxd_parsers.values import derived_id, numbered

_SESSIONS = 16
"""Session ids remembered as begun in one transcript; only 1.0.x has more than one."""

_COMPACTIONS = 64
"""Uuids of boundaries and summaries remembered; a repeat comes with the rows around it."""

_HOW: dict[str, Start] = {
    "SessionStart:resume": "resume",
    "SessionStart:fork": "fork",
    "SessionStart:clear": "clear",
}
"""What the name of a start hook, whose output the client logs, tells about the start."""

# Begin, move, end.


def opening(row: Row, at: At, state: State) -> Iterator[Event]:
    """What a row tells about its session before its own events."""
    if at["sub_agent"]:
        yield from _spawned(row, at, state)
        return
    if row.session_id and row.session_id not in state.started:
        if row.is_meta:  # the row behind a `/clear`'s caveat tells how the session began
            return
        yield from _begun(row, at, state)
    elif not state.started:
        yield from _begun(row, at, state)
    elif state.ended and _goes_on(row):
        yield from resumed(row, at, state)
    origin = _copied_from(row)
    if origin and origin != at["session"] and not state.forked:
        state.forked = True
        identity = derived_id("fork", at["session"], origin)
        yield _start(row, at, id=identity, how="fork", parent=origin)
    yield from _moved(row, at, state)


def _copied_from(row: Row) -> str | None:
    """The session that a fork copied a row from: `/branch` says so on each copy, a fork at start on
    those of the agent."""
    return row.request_session_id or (row.forked_from.session_id if row.forked_from else None)


def _goes_on(row: Row) -> bool:
    """Whether a row belongs to a conversation and not to the output of the last command."""
    if row.type == "user":
        text = row.message.content if row.message else ""
        return not (isinstance(text, str) and text.startswith("<local-command")) and not row.is_meta
    return row.type == "assistant" or row.subtype == "compact_boundary"


def _spawned(row: Row, at: At, state: State) -> Iterator[Event]:
    first = not state.started if state.agent else row.type == "user" and row.parent_uuid is None
    if state.agent and first:
        state.started, state.session = [at["session"]], at["session"]
    if first:
        identity = derived_id("start", at["session"], at["sub_agent"])
        yield _start(row, at, id=identity, how="sub_agent", parent=at["session"])


def _begun(row: Row, at: At, state: State) -> Iterator[Event]:
    """A session id that is new here. 1.0.x goes on in the same file after `/clear`, and begins a
    resumed session's file with copies that keep the old id."""
    before = state.session if state.started else None
    how: Start = "resume" if before else "startup"
    if row.attachment and row.attachment.hook_name in _HOW:
        how = _HOW[row.attachment.hook_name]
    if row.subtype == "compact_boundary" and not before:
        how = "compaction"
    elif is_clear(row):
        how = "clear"
        if before:
            emptied: At = {**at, "session": before}
            yield Cleared(id=row.uuid, **emptied)
    state.started = [*state.started[1 - _SESSIONS :], at["session"]]
    state.session, state.fresh, state.ended, state.loads = at["session"], True, False, "start"
    state.prompts.clear()
    state.cwd, state.branch = row.cwd or state.cwd, row.git_branch or state.branch
    identity = derived_id("start", at["session"])
    yield _start(row, at, id=identity, how=how, parent=before)


def resumed(row: Row, at: At, state: State) -> Iterator[Event]:
    """The session goes on after it had ended."""
    state.ended = False
    if not state.fresh:
        state.fresh = True
        yield _start(row, at, id=f"{row.uuid}#resume", how="resume")


def _start(row: Row, at: At, **given: Any) -> SessionStarted:
    return SessionStarted(
        cwd=row.cwd,
        branch=row.git_branch or None,
        client=row.entrypoint,
        client_version=row.version,
        **given,
        **at,
    )


def _moved(row: Row, at: At, state: State) -> Iterator[Event]:
    """The working directory and branch stand on every row; the file stays where it began."""
    cwd, branch = row.cwd or state.cwd, row.git_branch or state.branch
    if (cwd, branch) != (state.cwd, state.branch):
        state.cwd, state.branch = cwd, branch
        yield WorkspaceChanged(id=f"{row.uuid}#workspace", cwd=cwd, branch=branch, **at)


def ended(at: At, state: State, identity: str, reason: str | None = None) -> Iterator[Event]:
    """The log says that the session is over; it may say so several times."""
    yield from flush(state)
    if not state.ended:
        state.ended, state.fresh, state.in_turn = True, False, False
        yield SessionEnded(id=identity, reason=reason, **at)


# What leaves the window.


def compact_boundary(row: Row, at: At, state: State) -> Iterator[Event]:
    """The boundary comes before its summary, mostly at once (2.1.109 wrote a response between)."""
    if row.uuid in state.compacted:
        return
    yield from flush(state)
    given = mapping(decoded(row.compact_metadata))
    trigger = given.get("trigger")
    state.boundary = Boundary(
        row.uuid,
        at,
        trigger=trigger if trigger in ("manual", "auto") else None,
        cause="precomputed" if given.get("precomputed") is True else None,
        kept=_kept(row.version, given, state),
        instructions=text_of(given.get("userContext")) or state.focus or None,
        tokens_before=number_of(given.get("preTokens")),
        tokens_after=number_of(given.get("postTokens")),
        removed=number_of(given.get("messagesSummarized")),
        duration_ms=number_of(given.get("durationMs")),
    )
    state.loads, state.focus = "compaction", None
    state.prompts.pop("", None)


def _kept(version: str | None, given: dict[str, Any], state: State) -> tuple[str, ...] | None:
    """Ids of what stays word for word, from the rows that the client lists.

    Before 2.1.197 nothing stayed. A later client that lists nothing may have kept something.
    """
    preserved = given.get("preservedMessages")
    if isinstance(preserved, dict):
        rows = texts(preserved.get("uuids"))
        return tuple(i for uuid in rows for i in islice(numbered(uuid), state.parts.get(uuid, 1)))
    return None if version is None or is_at_least(version, (2, 1, 197)) else ()


def summarised(row: Row, at: At, state: State) -> Iterator[Event]:
    """A summary row: the compaction is done. 1.0.35 writes no boundary before it."""
    if row.uuid in state.compacted:
        return
    boundary = state.boundary or Boundary(row.uuid, at, kept=_kept(row.version, {}, state))
    partial = mapping(decoded(row.summarize_metadata))
    boundary.cause = text_of(partial.get("direction")) or boundary.cause
    told = [boundary.uuid, row.uuid, *([row.parent_uuid] if row.parent_uuid else [])]
    state.compacted = [*state.compacted, *told][-_COMPACTIONS:]
    state.boundary, state.reloads = None, True
    state.loads = state.loads or ("compaction" if boundary.uuid == row.uuid else None)
    state.prompts.pop("", None)
    content = row.message.content if row.message else ""
    text = content if isinstance(content, str) else joined_text([{"text": b.text} for b in content])
    yield _compaction(boundary, row.uuid, at, text)
    yield from _release(state)


def _compaction(boundary: Boundary, identity: str, at: At, summary: str | None) -> Compaction:
    return Compaction(
        id=identity,
        trigger=boundary.trigger,
        cause=boundary.cause,
        summary=summary or None,
        kept=boundary.kept,
        instructions=boundary.instructions,
        tokens_before=boundary.tokens_before,
        tokens_after=boundary.tokens_after,
        messages_removed=boundary.removed,
        duration_ms=boundary.duration_ms,
        **at,
    )


def flush(state: State) -> Iterator[Event]:
    """What waited for a row that should have come by now: at words, a turn's end, a boundary."""
    if state.boundary:
        boundary, state.boundary = state.boundary, None
        yield _compaction(boundary, boundary.uuid, boundary.at, None)
        yield from _release(state)
    yield from flush_queued(state)


def _release(state: State) -> Iterator[Event]:
    held, state.held = state.held, []
    yield from held


def behind_boundary(events: Iterator[Event], state: State) -> Iterator[Event]:
    """The events of a row that came before an expected summary: held back, since they belong
    behind the compaction (instruction files are read anew before the summary is written)."""
    awaited = state.boundary
    found = list(events)
    if state.boundary is not awaited:
        yield from found
        return
    state.held += found  # type: ignore[arg-type]
    if len(state.held) >= HELD_EVENTS:
        yield from flush(state)


def microcompact(row: Row, at: At, _state: State) -> Iterator[Event]:
    """Old tool results went without a summary [row measured in 2.1.63; others do it silently]."""
    given = mapping(decoded(row.microcompact_metadata))
    before, saved = number_of(given.get("preTokens")), number_of(given.get("tokensSaved"))
    yield Truncated(
        id=row.uuid,
        calls=texts(given.get("compactedToolIds")),
        tokens_before=before,
        tokens_after=before - saved if before is not None and saved is not None else None,
        **at,
    )


def withdrawn(row: Row, at: At, state: State) -> Iterator[Event]:
    """A rewind leaves no row of its own: the next prompt has the parent of an earlier one."""
    parent = row.parent_uuid or ""
    earlier = state.prompts.get(parent)
    if earlier == row.uuid or row.uuid in state.replaced:
        return
    remember(state.prompts, parent, row.uuid, PROMPTS_REMEMBERED)
    if earlier:
        state.replaced = [*state.replaced[1 - PENDING_CALLS :], earlier]
        yield Withdrawn(id=f"{row.uuid}#withdrawn", since=earlier, **at)


def commanded(row: Row, at: At, state: State) -> Iterator[Event]:
    """A command for the agent without words: it takes back and is taken back as a prompt is, but
    its first event is of a later row."""
    yield from withdrawn(row, at, state)
    state.unsaid = [*state.unsaid[1 - PENDING_CALLS :], row.parent_uuid or ""]


def began(identity: str, state: State) -> None:
    """Something was said or done: the first event of the commands before it."""
    waiting, state.unsaid = state.unsaid, []
    for parent in waiting:
        remember(state.prompts, parent, identity, PROMPTS_REMEMBERED)


# Words that were typed while the agent worked.


def enqueue(row: Row, at: At, state: State) -> None:
    """Note words that were put into the queue; the row may be written twice."""
    words = queued_words(row, at)
    if row.timestamp is None or all(waiting.id != words.id for waiting in state.queue):
        state.queue = [*state.queue[1 - PENDING_CALLS :], words]


def queued_words(row: Row, at: At) -> Queued:
    """The words of a row of the queue, under the id that the row showing them names."""
    text = plain_text(row.content)
    identity = row.command_uuid or derived_id("queued", at["session"], row.timestamp, text)
    return Queued(identity, at, text)


def dequeue(text: str, state: State) -> Queued | None:
    """Take words out of the queue: these, or the first if the row does not say which."""
    for words in state.queue:
        if text in ("", words.text):
            state.queue.remove(words)
            return words
    return None


def absorb(words: Queued, state: State) -> None:
    """Note queued words that reached the agent in mid-turn. The row that shows them follows, came
    before, or, in some logs since 2.1.247, never comes."""
    shown = {words.id, derived_id("words", words.text)} & set(state.delivered)
    if shown:
        state.delivered = [known for known in state.delivered if known not in shown]
    elif all(waiting.id != words.id for waiting in state.absorbed):
        state.absorbed = [*state.absorbed[1 - PENDING_CALLS :], words]


def take_queued(text: str, identity: str | None, state: State) -> bool:
    """Whether queued words shown now are still to be given; they wait no longer."""
    for waiting in state.absorbed:
        if waiting.id == identity or waiting.text == text:
            state.absorbed.remove(waiting)
            return True
    known = identity or derived_id("words", text)
    if known in state.delivered:
        return False
    _delivered(known, state)
    return True


def flush_queued(state: State) -> Iterator[Event]:
    """Queued words that no row has shown in time."""
    waiting, state.absorbed = state.absorbed, []
    for words in waiting:
        _delivered(words.id, state)
        turn = state.turn
        yield UserMessage(id=words.id, text=words.text, origin="queued", turn=turn, **words.at)


def _delivered(identity: str, state: State) -> None:
    state.delivered = [*state.delivered[1 - PENDING_CALLS :], identity]
