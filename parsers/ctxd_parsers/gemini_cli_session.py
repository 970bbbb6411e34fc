"""What is remembered of a chat of Gemini CLI, and the events of its records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import PurePath
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, field

from ctxd_parsers import events
from ctxd_parsers import gemini_cli_rows as rows
from ctxd_parsers.events import Event
from ctxd_parsers.gemini_cli_rows import Message, Row
from ctxd_parsers.gemini_cli_tools import told_by_call
from ctxd_parsers.gemini_cli_window import Live, Window
from ctxd_parsers.values import derived_id, from_iso

AGENT = "gemini-cli"
_COMPRESSED = re.compile(
    r"Context compressed from |IMPORTANT: This conversation exceeded the compre"
)
_COUNTS = re.compile(r"compressed from: (\d{1,12}) to (\d{1,12}) tokens")
_IN_WINDOW = (
    events.UserMessage,
    events.AssistantMessage,
    events.ContextInjected,
    events.ContextFileLoaded,
    events.QuestionAnswered,
    events.PlanDecided,
)
_WINDOW_TOKENS = 1_048_576
"""What the client takes for the most that a model of its maker's holds (`tokenLimit` in 0.61)."""
_ANCESTORS = 32
"""Folders above a path that are tried as the project's."""

E = TypeVar("E", bound=Event)


class State(Struct):
    """What is remembered of one log."""

    session: str
    folder: str = ""
    """Name of the folder of a sub-agent's log, which is its parent's session."""
    sub_agent: str | None = None
    cwd: str | None = None
    project: str = ""
    """Hash of the project's path."""
    starts: int = 0
    started: str = ""
    """Time of the first start in the log; that of a document copied into it is earlier."""
    is_starting: bool = False
    """A process has just begun: its first list of messages says nothing of the ones before."""
    is_reset: bool = False
    """The client has begun to send something else than before."""
    is_cancelled: bool = False
    after_message: bool = False
    last: str = ""
    """Id of the last message of the model's, which may come again."""
    told: list[str] = []
    """Events that it gave."""
    tokens: int | None = None
    """Tokens of the last request."""
    files: list[str] = []
    """Context files as they were told last."""
    summary: str = ""
    """Id of the last compaction."""
    held: events.Compaction | None = None
    """A compaction whose trigger the next record tells."""
    window: Window = field(default_factory=Window)


class At:
    """The record whose events are being made."""

    def __init__(self, state: State, span: tuple[int, int] | None) -> None:
        self.state = state
        self.span = span
        self.time: str | None = None

    def event(self, kind: type[E], **fields: Any) -> E:
        """An event of this record."""
        return kind(
            agent=AGENT,
            session=self.state.session,
            sub_agent=self.state.sub_agent,
            span=self.span,
            **{"time": from_iso(self.time), **fields},
        )


def line(at: At, row: Row, data: bytes) -> Iterator[Event]:
    """The events of a line."""
    if row.rewind is not None:
        yield from _release(at.state)
        yield from _rewound(at, row.rewind)
    elif row.type:
        yield from _message(at, row)
        at.state.after_message = True
        return
    elif row.patch is not None:
        yield from _patched(at, row.patch)
    elif row.session_id and row.project_hash:
        yield from _release(at.state)
        yield from document(at, row)
    else:
        identity = derived_id("unknown", data)
        yield at.event(events.Unknown, id=identity, record_kind=row.kind or "record")
    at.state.after_message = False


def document(at: At, row: Row) -> Iterator[Event]:
    """The events of a whole chat."""
    yield from _header(at, row)
    at.state.after_message = True
    for message in row.messages or []:
        yield from _message(at, message)


def _release(state: State, trigger: events.Trigger | None = None) -> Iterator[Event]:
    """Tell a compaction that waited for its trigger."""
    if state.held is not None:
        yield msgspec.structs.replace(state.held, trigger=trigger)
        state.held = None


def _header(at: At, row: Row) -> Iterator[Event]:
    state = at.state
    if state.folder and row.kind != "main":
        state.session, state.sub_agent = state.folder, row.session_id
    else:
        state.session = row.session_id
    state.project, state.is_starting = row.project_hash, True
    state.starts += 1
    at.time = row.start_time
    start = row.start_time or ""
    how: events.Start = "resume" if state.started and start > state.started else "startup"
    state.started = state.started or start
    yield at.event(
        events.SessionStarted,
        id=derived_id("start", row.session_id, start or state.starts),
        how="sub_agent" if state.sub_agent else how,
        cwd=state.cwd,
        client="cli",
        parent=state.folder if state.sub_agent else None,
    )
    yield from _titled(at, row.summary)


def _titled(at: At, title: str | None) -> Iterator[Event]:
    if title and not at.state.sub_agent:
        identity = derived_id("title", at.state.session, title)
        yield at.event(events.SessionTitled, id=identity, title=title)


def _patched(at: At, patch: rows.Patch) -> Iterator[Event]:
    if patch.messages is not None:
        at.time = patch.last_updated
        yield from _release(at.state)
        yield from _replaced(at, patch.messages)
    elif patch.session_id:
        at.state.is_reset = True
    yield from _titled(at, patch.summary)


def _message(at: At, message: Message) -> Iterator[Event]:
    state = at.state
    at.time = message.timestamp
    if not message.id:
        message.id = derived_id("message", state.session, message.timestamp, rows.said(message))
    if message.type == "info":
        yield from _shown(at, message)
        return
    yield from _release(state)
    if message.type == "user":
        state.is_reset = state.is_cancelled = False
        yield from _user(at, message)
    elif message.type == "gemini":
        state.is_reset = state.is_cancelled = False
        yield from _model(at, message)
    elif message.type == "error":
        text = rows.said(message)
        if text.strip():
            yield at.event(events.AssistantMessage, id=message.id, text=text, failed=True)
    elif message.type != "warning":
        yield at.event(
            events.Unknown, id=derived_id("unknown", message.id), record_kind=message.type
        )


def _shown(at: At, message: Message) -> Iterator[Event]:
    """What the client shows its user, as far as it tells something."""
    state, text = at.state, rows.said(message)
    is_auto = _COMPRESSED.match(text) is not None
    if is_auto or not text:
        trigger: events.Trigger = "auto" if is_auto else "manual"
        if state.held is None:
            yield from _unseen_compaction(at, message, trigger)
        yield from _release(state, trigger)
        state.is_reset = False
        return
    yield from _release(state)
    if text == rows.CANCELLED:
        state.is_cancelled = True
        yield at.event(events.Interrupted, id=message.id)


def _unseen_compaction(at: At, message: Message, trigger: events.Trigger) -> Iterator[Event]:
    """A compaction of which there is no summary, or one that failed. That is told apart only by
    whether the client began to send something else; documents and what was copied from one do not
    tell that."""
    state = at.state
    if trigger == "manual" and not (state.is_reset or state.after_message):
        yield at.event(events.CompactionFailed, id=message.id, trigger=trigger)
        return
    before, after = _tokens(rows.said(message), state.tokens)
    state.window.keep([])
    state.summary = message.id
    yield at.event(
        events.Compaction,
        id=message.id,
        trigger=trigger,
        kept=None,
        tokens_before=before,
        tokens_after=after,
    )


def _tokens(text: str, known: int | None) -> tuple[int | None, int | None]:
    found = _COUNTS.search(text)
    return (int(found[1]), int(found[2])) if found else (known, None)


def _user(at: At, message: Message) -> Iterator[Event]:
    state = at.state
    found = rows.words(message)
    if state.window.retold(message.id, found):
        return
    made = list(_said_by_user(at, message, found))
    if made and found.signs:
        is_words = isinstance(made[0], events.UserMessage)
        ids = tuple(event.id for event in made)
        state.window.add(Live(message.id, found.signs[0], is_words, kept=False, events=ids))
    yield from made


def _said_by_user(at: At, message: Message, found: rows.Words) -> Iterator[Event]:
    if not at.state.sub_agent:
        arguments = rows.command_arguments(message)
        text = found.text or arguments
        if text or (found.attachments and not found.signs):
            yield at.event(
                events.UserMessage,
                id=message.id,
                text=text,
                origin="command_arguments" if arguments else found.origin,
                turn=message.id,
                attachments=found.attachments,
            )
    name = "BeforeAgent" if found.text else None
    for number, hook in enumerate(found.hooks):
        yield at.event(
            events.ContextInjected,
            id=f"{message.id}.hook{number or ''}",
            source="hook",
            name=name,
            text=hook,
        )


def _model(at: At, message: Message) -> Iterator[Event]:
    state = at.state
    if state.last != message.id:
        state.last, state.told = message.id, []
    made = [event for event in _said_by_model(at, message) if event.id not in state.told]
    state.told = [*state.told, *(event.id for event in made)]
    if sign := rows.sign(message):
        shown = [event.id for event in made if isinstance(event, _IN_WINDOW)]
        state.window.grow(message.id, sign, shown)
    yield from made


def _said_by_model(at: At, message: Message) -> Iterator[Event]:
    for number, thought in enumerate(message.thoughts or []):
        text = "\n".join(filter(None, (thought.subject, thought.description)))
        if text.strip():
            identity = f"{message.id}.thought{number}"
            yield at.event(events.Reasoning, id=identity, text=text, message=message.id)
    text = rows.said(message)
    if text.strip():
        yield at.event(
            events.AssistantMessage,
            id=message.id,
            text=text,
            message=message.id,
            model=message.model,
        )
    for call in rows.calls(message):
        identity = f"{message.id}.{call.id or call.name}"
        yield from told_by_call(at.event, call, identity, message.id)
        yield from _files(at, rows.discovered_files(call.result), "nested")
        yield from _placed(at, rows.touched(call).paths)
    if message.tokens is not None:
        yield _usage(at, message, message.tokens)


def _usage(at: At, message: Message, tokens: rows.Tokens) -> Event:
    at.state.tokens = tokens.input
    fresh = None if tokens.input is None else max(tokens.input - (tokens.cached or 0), 0)
    output = None if tokens.output is None else tokens.output + (tokens.thoughts or 0)
    return at.event(
        events.Usage,
        id=f"{message.id}.usage",
        message=message.id,
        model=message.model,
        input_tokens=fresh,
        cache_read_tokens=tokens.cached,
        output_tokens=output,
        context_tokens=tokens.total,
        window_tokens=_WINDOW_TOKENS if (message.model or "").startswith("gemini") else None,
    )


def _files(at: At, found: Iterable[tuple[str, str]], reason: Any) -> Iterator[Event]:
    for path, text in found:
        yield at.event(
            events.ContextFileLoaded,
            id=derived_id("file", at.state.session, path, text),
            path=path,
            scope="project",
            reason=reason,
            text=text,
        )


def _replaced(at: At, messages: list[Message]) -> Iterator[Event]:
    """The client sends this from now on."""
    state, window = at.state, at.state.window
    is_start, state.is_starting = state.is_starting, False
    files: list[Event] = []
    for message in filter(rows.is_context, messages):
        files += _files(at, rows.loaded_files(message), "start")
        yield from _placed(at, filter(None, [rows.directory(message)]))
    yield from (file for file in files if file.id not in state.files)
    if files:
        state.files = [file.id for file in files]
    said = [message for message in messages if not rows.is_context(message)]
    if said and rows.is_summary(said[0], next(iter(said[1:]), None)) and window.is_new(said[0]):
        _compacted(at, said, [file.id for file in files])
        return
    standing = window.standing(messages)
    if is_start and not said:
        return
    if not standing and window.live and (said or not state.is_cancelled):
        yield at.event(
            events.Cleared, id=derived_id("cleared", state.session, window.live[-1].id, at.time)
        )
    else:
        reason = "cancelled" if state.is_cancelled else "reverted"
        yield from _withdrawn(at, window.live[standing[-1] + 1 if standing else 0 :], reason)
    window.keep(standing)


def _compacted(at: At, said: list[Message], files: list[str]) -> None:
    state, window = at.state, at.state.window
    summary = said[0]
    at.time = summary.timestamp
    standing = window.standing(said[1:])
    nested = [
        derived_id("file", state.session, path, text)
        for message in said[1:]
        for path, text in rows.discovered_files(message.content)
    ]
    window.keep(standing, compacted=True)
    kept = [*files, *(event for one in window.live for event in one.events), *nested]
    state.summary = summary.id
    state.held = at.event(
        events.Compaction,
        id=summary.id,
        summary=rows.said(summary),
        kept=tuple(dict.fromkeys(kept)),
        tokens_before=state.tokens,
    )


def _rewound(at: At, target: str) -> Iterator[Event]:
    window = at.state.window
    place = window.place(target)
    if place is None:
        gone = [Live(target, "", words=True, kept=False, events=(target,))]
    else:
        gone = window.live[place:]
    yield from _withdrawn(at, gone, "rewind")
    window.keep(range(place or 0))


def _withdrawn(at: At, gone: Sequence[Live], reason: Any) -> Iterator[Event]:
    """Tell what was taken back, if words of the user's are among it: a refused tool call and what
    was said with it go as well, and stay what the user answered. What a compaction kept was said
    before it, and the compaction stands."""
    if not any(one.words for one in gone):
        return
    for is_kept, until in ((True, at.state.summary), (False, None)):
        part = [one for one in gone if one.kept is is_kept and one.events]
        if part:
            since = part[0].events[0]
            identity = derived_id("withdrawn", at.state.session, since)
            yield at.event(events.Withdrawn, id=identity, since=since, until=until, reason=reason)


def _placed(at: At, paths: Iterable[str]) -> Iterator[Event]:
    """Tell the project's folder when it was not known, and a path lies in it."""
    state = at.state
    if state.cwd is not None or not state.project:
        return
    for path in paths:
        for folder in islice((path, *map(str, PurePath(path).parents)), _ANCESTORS):
            if path_hash(folder) == state.project:
                state.cwd = folder
                identity = derived_id("cwd", state.session, folder)
                yield at.event(events.WorkspaceChanged, id=identity, cwd=folder)
                return


def path_hash(folder: str) -> str:
    """The name that the client gives to a project."""
    return sha256(folder.encode("utf-8", "replace")).hexdigest()
