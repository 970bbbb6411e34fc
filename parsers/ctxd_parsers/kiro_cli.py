"""Kiro CLI's session files: `~/.kiro/sessions/cli/<id>.jsonl`, one entry of an event log a line.

Written since 1.25.0 (February 2026) and the default since 2.0.0. The file is only ever appended to;
what the model sees is derived from it by replay (crates/agent/src/agent/event_log.rs). `<id>.json`
beside it tells where the session ran and what it was copied from.

Facts behind the rules here, all read in that code unless said otherwise:
- only a prompt carries a time; the end of a turn is not logged, but a reply without tool uses is
  one;
- a user's Esc gives a `CancelledPrompt` (which pops the last message if it is of the user's role),
  or tool results "cancelled by the user" and a fixed reply when tools were waiting;
- a compaction keeps the messages of its snapshot, under their old ids, and forgets the rest.
  Whether it was asked for is not logged;
- `/rewind` makes a new file with copied lines, so copied events keep their ids; a sub-agent has a
  file of its own, told by a parent *and* the reason `subagent` (top-level sessions have that reason
  too: seen in real 2.5 sessions), and its prompts are the parent model's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from glob import escape
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd_parsers.decoding import Damage, RowDecoder
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    Compaction,
    ContextInjected,
    Event,
    Interrupted,
    Reasoning,
    SessionStarted,
    SessionTitled,
    Start,
    Status,
    ToolCall,
    ToolResult,
    TurnEnded,
    Unknown,
    Unparsed,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.kiro import (
    CANCELLED_RESULT,
    DENIED_RESULT,
    INTERRUPTED_REPLY,
    NULL,
    TIMEOUT_REPLY,
    Nested,
    is_client_text,
    items,
    linked_resource,
    lock_sign,
    text,
    touched,
)
from ctxd_parsers.limits import MESSAGES_TAKEN_BACK
from ctxd_parsers.parser import ProcessSign, Record, Source
from ctxd_parsers.values import derived_id, from_epoch, from_iso, numbered

AGENT = "kiro-cli"
_KINDS = "Prompt|AssistantMessage|ToolResults|Compaction|ResetTo|CancelledPrompt|Clear"
_HEAD = re.compile(rf'\s*\{{"version":"v\d+","kind":"(?:{_KINDS})"'.encode())


class State(msgspec.Struct):
    """What is remembered of one session file."""

    session: str
    sub_agent: str | None = None
    how: Start = "startup"
    parent: str | None = None
    cwd: str | None = None
    model: str | None = None
    title: str = ""
    created: str = ""
    imported: bool = False
    """Whether the lines were exported from the older store: context beside a prompt is then the
    old summary, not a hook's output."""
    started: bool = False
    entries: int = 0
    """Entries read so far: the unit of `ResetTo`."""
    last: str = ""
    """Id of the last message or change, which ids of entries without their own are derived from."""
    turn: str | None = None
    waiting: list[str] = []
    """Messages of the user's role since the last reply: what a `CancelledPrompt` pops."""
    prompts: list[tuple[int, str]] = []
    """Entry number and id of the user's prompts: what a `ResetTo` may take back."""


class _Entry(msgspec.Struct):
    version: str = ""
    kind: str = ""
    data: msgspec.Raw = NULL


class _Message(msgspec.Struct):
    message_id: str = ""
    id: str = ""
    role: str = ""
    content: msgspec.Raw = NULL
    meta: msgspec.Raw = NULL


class _Meta(msgspec.Struct):
    timestamp: float | None = None
    additionalContext: str = ""


class _Block(msgspec.Struct):
    kind: str = ""
    data: msgspec.Raw = NULL


class _Thinking(msgspec.Struct):
    text: str = ""


class _Use(msgspec.Struct):
    toolUseId: str = ""
    name: str = ""
    input: msgspec.Raw = NULL


class _Result(msgspec.Struct):
    toolUseId: str = ""
    status: str = ""
    content: msgspec.Raw = NULL


class _Compacted(msgspec.Struct):
    summary: str = ""
    messages_snapshot: msgspec.Raw = NULL


class _Reset(msgspec.Struct):
    target_index: int | None = None


class _Session(msgspec.Struct):
    cwd: str | None = None
    title: str = ""
    created_at: str = ""
    parent_session_id: str | None = None
    session_created_reason: str | None = None
    exported_from_v1: bool = False
    imported_from: msgspec.Raw = NULL
    session_state: msgspec.Raw = NULL


class _ModelInfo(msgspec.Struct):
    model_id: str | None = None


class _ModelState(msgspec.Struct):
    model_info: _ModelInfo | None = None


class _SessionState(msgspec.Struct):
    rts_model_state: _ModelState | None = None


_entries = RowDecoder(_Entry, marks=("version", "kind"))
_message = Nested(_Message)
_meta = Nested(_Meta)
_block = Nested(_Block)
_thinking = Nested(_Thinking)
_use = Nested(_Use)
_result = Nested(_Result)
_compacted = Nested(_Compacted)
_reset = Nested(_Reset)
_session = Nested(_Session)
_session_state = Nested(_SessionState)

Common = dict[str, Any]
"""Fields that all events of one line share."""


class KiroCli:
    """The store of Kiro CLI's own engine (v2)."""

    name = "kiro-cli"
    agent = AGENT
    state_type = State

    def sources(self, env: Environment) -> Sequence[Source]:
        """List the sessions folders: the default one, `KIRO_HOME`'s, and the one tests may set."""
        moved = env.variable_path("KIRO_HOME")
        tests = env.variable_path("KIRO_TEST_SESSIONS_DIR")
        roots = env.roots(
            self.name, env.home / ".kiro" / "sessions", moved / "sessions" if moved else None
        )
        sources = [Source(root, ("cli/*.jsonl",)) for root in roots]
        return [*sources, Source(tests, ("*.jsonl",))] if tests else sources

    def claims(self, path: PurePath, head: bytes) -> bool:
        """Tell by the folder `sessions/cli`, or elsewhere by the first entry."""
        if path.suffix != ".jsonl" or path.name.startswith("."):
            return False
        return path.parts[-3:-1] == ("sessions", "cli") or _HEAD.match(head) is not None

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """Name the session's `.json`."""
        return [path.with_suffix(".json")]

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> State:
        """Make the state of a log, with what its `.json` tells."""
        found = _session(companions.get(path.with_suffix(".json"), b"null"))
        models = _session_state(found.session_state).rts_model_state
        state = State(
            path.stem,
            how=_how(found),
            parent=found.parent_session_id,
            cwd=found.cwd,
            model=models.model_info.model_id if models and models.model_info else None,
            title=found.title,
            created=found.created_at,
            imported=found.exported_from_v1,
        )
        if state.how == "sub_agent" and state.parent:
            state.session, state.sub_agent = state.parent, path.stem
        return state

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """Give the events of lines."""
        for record, row in _entries.rows(records):
            common: Common = {
                "agent": AGENT,
                "session": state.session,
                "sub_agent": state.sub_agent,
                "span": (record.start, record.end),
            }
            if isinstance(row, Damage):
                identity = derived_id("damage", state.session, record.start, row.reason)
                yield Unparsed(id=identity, reason=row.reason, **common)
                continue
            if not state.started:
                yield from _start(state, common)
            handler = _HANDLERS.get(row.kind)
            if handler is None:
                unknown = derived_id("unknown", record.data)
                yield Unknown(
                    id=unknown, record_kind=row.kind, client_version=row.version or None, **common
                )
            else:
                yield from handler(state, row.data, common)
            state.entries += 1

    def sign_patterns(self, path: PurePath) -> Sequence[PurePath]:
        """Name the session's lock, removed at an orderly end and when another session is opened."""
        return [path.with_name(escape(path.stem) + ".lock")]

    def read_sign(self, path: PurePath, data: bytes) -> ProcessSign | None:
        """Read a lock."""
        del path
        return lock_sign(data)


_CHILDREN: Mapping[str, Start] = {"subagent": "sub_agent", "rewind": "rewind"}


def _how(found: _Session) -> Start:
    if found.parent_session_id:
        return _CHILDREN.get(found.session_created_reason or "", "fork")
    imported = found.exported_from_v1 or bytes(found.imported_from) not in (b"null", b"")
    return "import" if imported else "startup"


def _start(state: State, common: Common) -> Iterator[Event]:
    state.started = True
    own = state.sub_agent or state.session
    yield SessionStarted(
        id=derived_id("start", own),
        time=from_iso(state.created),
        how=state.how,
        cwd=state.cwd,
        client="cli",
        model=state.model,
        parent=state.parent,
        **common,
    )
    if state.title and not state.sub_agent:
        identity = derived_id("title", own, state.title)
        yield SessionTitled(id=identity, title=state.title, **common)


def _identity(state: State, message: _Message, kind: str) -> str:
    return message.message_id or derived_id(kind, own_id(state), state.last, bytes(message.content))


def own_id(state: State) -> str:
    """Return the id of the session or sub-agent whose file this is."""
    return state.sub_agent or state.session


def _prompt(state: State, data: msgspec.Raw, common: Common) -> Iterator[Event]:
    message = _message(data)
    identity = _identity(state, message, "prompt")
    found = list(_prompt_events(state, message, identity, common))
    if any(isinstance(event, UserMessage) for event in found):
        state.turn = identity
        state.prompts = [*state.prompts[1 - MESSAGES_TAKEN_BACK :], (state.entries, identity)]
    state.waiting = [*state.waiting[1 - MESSAGES_TAKEN_BACK :], identity]
    state.last = identity
    yield from found


def _prompt_events(
    state: State, message: _Message, identity: str, common: Common
) -> Iterator[Event]:
    ids, meta = numbered(identity), _meta(message.meta)
    time = from_epoch(meta.timestamp)
    words, attachments = _words(message)
    if (words or attachments) and not state.sub_agent:
        yield UserMessage(
            id=next(ids), time=time, text=words, turn=identity, attachments=attachments, **common
        )
    if meta.additionalContext.strip():
        yield ContextInjected(
            id=next(ids),
            time=time,
            source="client" if state.imported else "hook",
            text=meta.additionalContext,
            **common,
        )


def _words(message: _Message) -> tuple[str, tuple[str, ...]]:
    """Return the user's own words in a prompt, and what was attached to them."""
    words, attachments = [], []
    for raw in items(message.content):
        block = _block(raw)
        if block.kind == "image":
            attachments.append("image")
        if block.kind != "text":
            continue
        part = text(block.data)
        if linked := linked_resource(part):
            attachments.append(linked)
        elif not is_client_text(part):
            words.append(part)
    return "\n".join(words), tuple(attachments)


def _reply(state: State, data: msgspec.Raw, common: Common) -> Iterator[Event]:
    message = _message(data)
    identity = _identity(state, message, "reply")
    ids = numbered(identity)
    found = list(_reply_events(message, ids, identity, common))
    state.last, state.waiting = identity, []
    yield from found
    calls = any(isinstance(event, ToolCall) for event in found)
    retried = any(isinstance(event, AssistantMessage) and event.failed for event in found)
    if calls or retried:
        return
    stopped = any(isinstance(event, Interrupted) for event in found)
    yield TurnEnded(
        id=next(ids),
        reason="interrupted" if stopped else "completed",
        turn=state.turn,
        **common,
    )


def _reply_events(
    message: _Message, ids: Iterator[str], identity: str, common: Common
) -> Iterator[Event]:
    for raw in items(message.content):
        block = _block(raw)
        if block.kind == "thinking":
            thought = _thinking(block.data).text
            if thought.strip():
                yield Reasoning(id=next(ids), text=thought, message=identity, **common)
        elif block.kind == "toolUse":
            use = _use(block.data)
            about = msgspec.structs.asdict(touched(use.name, use.input))
            yield ToolCall(
                id=next(ids),
                call=use.toolUseId,
                name=use.name,
                message=identity,
                **about,
                **common,
            )
        elif block.kind == "text":
            yield from _said(text(block.data), identity, ids, common)


def _said(said: str, identity: str, ids: Iterator[str], common: Common) -> Iterator[Event]:
    if said == INTERRUPTED_REPLY:
        yield Interrupted(id=next(ids), **common)
    elif said.strip():
        failed = said == TIMEOUT_REPLY
        yield AssistantMessage(id=next(ids), text=said, message=identity, failed=failed, **common)


def _results(state: State, data: msgspec.Raw, common: Common) -> Iterator[Event]:
    message = _message(data)
    identity = _identity(state, message, "results")
    state.waiting = [*state.waiting[1 - MESSAGES_TAKEN_BACK :], identity]
    state.last = identity
    yield from _result_events(message, identity, common)


def _result_events(message: _Message, identity: str, common: Common) -> Iterator[Event]:
    ids = numbered(identity)
    for raw in items(message.content):
        block = _block(raw)
        if block.kind == "toolResult":
            result = _result(block.data)
            yield ToolResult(id=next(ids), call=result.toolUseId, status=_status(result), **common)


def _status(result: _Result) -> Status | None:
    if result.status == "success":
        return "ok"
    said = [text(_block(raw).data) for raw in items(result.content)[:1]]
    fixed: dict[str, Status] = {CANCELLED_RESULT: "interrupted", DENIED_RESULT: "refused"}
    return fixed.get(said[0] if said else "", "error") if result.status else None


def _compaction(state: State, data: msgspec.Raw, common: Common) -> Iterator[Event]:
    found = _compacted(data)
    kept: list[str] = []
    state.waiting = []
    messages = [message for raw in items(found.messages_snapshot) if (message := _message(raw)).id]
    for message in messages:
        kept += [event.id for event in _kept_events(state, message, common)]
        state.waiting = [*state.waiting, message.id] if message.role == "user" else []
    after = [message.id for message in messages] or [state.last or own_id(state)]
    state.last = derived_id("compaction", found.summary, *after)
    yield Compaction(id=state.last, summary=found.summary, kept=tuple(kept), **common)


def _kept_events(state: State, message: _Message, common: Common) -> Iterator[Event]:
    """Make the events that a message of a snapshot gave when it was logged."""
    if message.role == "assistant":
        return _reply_events(message, numbered(message.id), message.id, common)
    if any(_block(raw).kind == "toolResult" for raw in items(message.content)):
        return _result_events(message, message.id, common)
    return _prompt_events(state, message, message.id, common)


def _reset_to(state: State, data: msgspec.Raw, common: Common) -> Iterator[Event]:
    target = _reset(data).target_index
    if target is None:
        return
    gone = [identity for number, identity in state.prompts if number >= target]
    state.prompts = state.prompts[: len(state.prompts) - len(gone)]
    state.waiting, state.turn = [], None
    state.last = derived_id("reset", state.last or own_id(state), target)
    if gone:
        yield Withdrawn(id=state.last, since=gone[0], reason="rewind", **common)


def _cancelled(state: State, _data: msgspec.Raw, common: Common) -> Iterator[Event]:
    since = state.waiting[-1] if state.waiting else None
    turn, state.waiting = state.turn, state.waiting[:-1]
    state.last = derived_id("cancelled", state.last or own_id(state))
    ids = numbered(state.last)
    if since:
        state.prompts = [entry for entry in state.prompts if entry[1] != since]
        yield Withdrawn(id=next(ids), since=since, reason="cancelled", **common)
    yield Interrupted(id=next(ids), **common)
    yield TurnEnded(id=next(ids), reason="interrupted", turn=turn, **common)


def _clear(state: State, _data: msgspec.Raw, common: Common) -> Iterator[Event]:
    state.waiting, state.turn = [], None
    state.last = derived_id("clear", state.last or own_id(state))
    yield Cleared(id=state.last, **common)


_HANDLERS: Mapping[str, Callable[[State, msgspec.Raw, Common], Iterator[Event]]] = {
    "Prompt": _prompt,
    "AssistantMessage": _reply,
    "ToolResults": _results,
    "Compaction": _compaction,
    "ResetTo": _reset_to,
    "CancelledPrompt": _cancelled,
    "Clear": _clear,
}
