"""Kiro's third engine: `~/.kiro/sessions/<bucket>/<session>/messages.jsonl`, one row a line.

Written by Kiro IDE 1.x and by `kiro-cli chat --v3`; `sub-executions/<id>.jsonl` beside it holds a
sub-agent's rows, and `session.json` tells the workspace. The bucket is a hash and never decoded.
The 23 kinds of rows and their fields were read in the bundle of engine 2.15.1; order and ids in
sessions of client 2.12.1 and 2.21.4 (rimio-ai/rimz).

What needs care:
- a compaction is two rows, a tombstone that hides all before it and the summary. A sub-agent that
  compacts writes them into its parent's file (kirodotdev/Kiro#10482): the summary then carries the
  sub-agent's execution, not one of a turn. A summary asked for by the user carries none;
- which recent messages survive a compaction is not written, so `kept` is unknown;
- approving or refusing a tool is no word of the user's; answering a question is one;
- rows of the user's role come from hooks, programs and workflows too;
- a turn that was never closed is closed at the next load, as cancelled: nobody pressed a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Literal

import msgspec

from ctxd_parsers.decoding import Damage
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    ContextFileLoaded,
    ContextInjected,
    Event,
    Interrupted,
    Option,
    QuestionAnswered,
    Reasoning,
    SessionStarted,
    SessionTitled,
    Start,
    Status,
    ToolCall,
    ToolResult,
    Trigger,
    Truncated,
    TurnEnded,
    Unknown,
    Unparsed,
    Usage,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.kiro import NULL, is_client_text, items, text, touched
from ctxd_parsers.kiro_v3_rows import (
    ROWS,
    Dialog,
    Payload,
    Tombstone,
    as_context_usage,
    as_meta,
    as_named,
    as_payload,
    as_removed,
    as_repository,
    as_session,
    attachments,
    choices,
    is_injected,
    tombstone_of,
    without_hooks,
)
from ctxd_parsers.limits import PENDING_CALLS
from ctxd_parsers.parser import NoSigns, Record, Source
from ctxd_parsers.values import derived_id, excerpt, from_iso, numbered

AGENT = "kiro-ide"
_HEAD = re.compile(rb'\s*\{"id":"[^"]*","timestamp":"[^"]*","payload":\{"type":"')
_STARTS: Mapping[str, Start] = {"subagent": "sub_agent", "rewind": "rewind"}
_SUB_AGENT_ENDS: Mapping[str, Status] = {"success": "ok", "cancelled": "interrupted"}
_SCOPES: Mapping[str, Literal["user", "project"]] = {"global": "user", "workspace": "project"}


class State(msgspec.Struct):
    """What is remembered of one file of rows."""

    session: str
    sub_agent: str | None = None
    how: Start = "startup"
    parent: str | None = None
    cwd: str | None = None
    repository: str | None = None
    branch: str | None = None
    model: str | None = None
    title: str = ""
    titled_by_user: bool = False
    created: str = ""
    started: bool = False
    turn: str | None = None
    executions: list[str] = []
    """Executions of the latest turns."""
    sub_agents: list[str] = []
    running: list[str] = []
    """Sub-agents that have not ended; those they start themselves are not told here."""
    tombstone: Tombstone | None = None
    tombstones: list[str] = []
    """Those told or waiting: a row may come twice, or behind its summary."""
    dialogs: dict[str, Dialog] = {}
    refused: list[str] = []
    """Calls whose refusal was told already."""


Common = dict[str, Any]
"""Fields that all events of one row share."""


class KiroV3(NoSigns):
    """The store of Kiro's third engine."""

    name = "kiro-v3"
    agent = AGENT
    state_type = State

    def sources(self, env: Environment) -> Sequence[Source]:
        """List the sessions folder; this engine does not follow `KIRO_HOME` (seen on 2.21.4)."""
        patterns = ("*/*/messages.jsonl", "*/*/sub-executions/*.jsonl")
        roots = env.roots(self.name, env.home / ".kiro" / "sessions")
        return [Source(root, patterns) for root in roots]

    def claims(self, path: PurePath, head: bytes) -> bool:
        """Tell by the file's place in a session's folder, or elsewhere by name and first row."""
        folder = path.parent
        if folder.name == "sub-executions" and path.suffix == ".jsonl":
            folder = folder.parent
        elif path.name != "messages.jsonl":
            return False
        placed = folder.parent.parent.name == "sessions" and folder.parent.name != "cli"
        return placed or _HEAD.match(head) is not None

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """Name the session's `session.json`."""
        return [_folder(path) / "session.json"]

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> State:
        """Make the state of a file, with what its session's `session.json` tells."""
        folder = _folder(path)
        found = as_session(companions.get(folder / "session.json", b"null"))
        own = found.id or folder.name or path.stem
        paths = [text(raw) for raw in items(found.workspacePaths)]
        repository = next(iter(items(found.repositories)), NULL)
        state = State(
            own,
            how=_STARTS.get(found.createdReason or "", "fork"),
            parent=found.parentSessionId,
            cwd=next((path for path in paths if path), None),
            repository=as_repository(repository).name or text(repository) or None,
            branch=as_repository(repository).branch,
            model=found.modelId,
            title=found.title,
            titled_by_user=found.titleSetByUser,
            created=found.createdAt,
        )
        if path.parent.name == "sub-executions":
            state.how, state.parent, state.sub_agent = "sub_agent", own, path.stem
            state.created = ""
        elif not state.parent:
            state.how = "import" if own.startswith("cli_") else "startup"
        elif state.how == "sub_agent":
            state.session, state.sub_agent = state.parent, own
        return state

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """Give the events of rows."""
        for record, row in ROWS.rows(records):
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
            common["time"] = from_iso(row.timestamp)
            if not state.started:
                yield from _start(state, common)
            payload = as_payload(row.payload)
            if payload.subExecutionId:
                common["sub_agent"] = payload.subExecutionId
            identity = row.id or derived_id(state.session, record.data)
            handler = _HANDLERS.get(payload.type)
            if handler is not None:
                yield from handler(state, payload, identity, common)
            elif payload.type not in _SILENT:
                yield Unknown(id=identity, record_kind=payload.type, **common)


def _folder(path: PurePath) -> PurePath:
    return path.parent.parent if path.parent.name == "sub-executions" else path.parent


def _bounded(known: list[str], new: str) -> list[str]:
    return [*known[1 - PENDING_CALLS :], new]


def _start(state: State, common: Common) -> Iterator[Event]:
    state.started = True
    own = state.sub_agent or state.session
    started = _session_started(state, derived_id("start", own), common)
    yield msgspec.structs.replace(started, time=from_iso(state.created) or started.time)
    if state.title and state.title != "New Session" and not state.sub_agent:
        yield SessionTitled(
            id=derived_id("title", own, state.title),
            title=state.title,
            by="user" if state.titled_by_user else "agent",
            **{**common, "time": None},
        )


def _session_started(state: State, identity: str, common: Common) -> SessionStarted:
    return SessionStarted(
        id=identity,
        how=state.how,
        cwd=state.cwd,
        repository=state.repository,
        branch=state.branch,
        model=state.model,
        parent=state.parent,
        **common,
    )


def _user(state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    steered = row.source == "steer"
    if not steered:
        state.turn = identity
    ids, content, attached = numbered(identity), text(row.content), attachments(row)
    if not content.strip() and not attached:
        return
    if is_injected(row, identity) or common["sub_agent"] or is_client_text(content):
        yield ContextInjected(
            id=identity,
            source="hook" if row.source == "hook" else "client",
            text=content,
            **common,
        )
        return
    words, hooks = without_hooks(content)
    if words or attached:
        yield UserMessage(
            id=next(ids),
            text=words,
            origin="queued" if steered else "typed",
            turn=state.turn,
            attachments=attached,
            **common,
        )
    for added in hooks:
        yield ContextInjected(id=next(ids), source="hook", text=added, **common)


def _assistant(state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    content, stone = text(row.content), state.tombstone
    if row.operationType == "Summary" or (stone and stone.id == tombstone_of(identity)):
        yield _compaction(state, row, identity, common)
    elif row.operationType == "Reasoning":
        if content.strip():
            yield Reasoning(id=identity, text=content, message=identity, **common)
    elif content.strip():
        failed = bool(as_meta(row.meta).kiro.refusal)
        yield AssistantMessage(id=identity, text=content, message=identity, failed=failed, **common)


def _compaction(state: State, row: Payload, identity: str, common: Common) -> Compaction:
    tombstone, state.tombstone = state.tombstone, None
    state.tombstones = _bounded(state.tombstones, tombstone_of(identity))
    execution = row.executionId
    foreign = execution and (
        execution in state.sub_agents or (state.running and execution not in state.executions)
    )
    trigger: Trigger | None = None
    if tombstone is not None and not identity.startswith("compact_"):
        trigger = "auto" if execution else "manual"
    return Compaction(
        id=identity,
        trigger=trigger,
        summary=text(row.content),
        messages_removed=tombstone.removed if tombstone else None,
        **{**common, "sub_agent": execution if foreign else common["sub_agent"]},
    )


def _tombstone(state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    if identity in state.tombstones:
        return
    yield from _unsummarised(state, common)
    if row.kind == "summarization":
        state.tombstones = _bounded(state.tombstones, identity)
        removed = as_removed(row.metadata).truncatedMessageCount
        time = common["time"].isoformat() if common["time"] else ""
        state.tombstone = Tombstone(identity, time, removed)
    elif row.kind == "checkpoint_revert" and row.effectiveFromMessageId:
        since = row.effectiveFromMessageId
        yield Withdrawn(id=identity, since=since, reason="reverted", **common)
    else:
        yield Unknown(id=identity, record_kind=f"tombstone {row.kind}", **common)


def _unsummarised(state: State, common: Common) -> Iterator[Event]:
    """Tell of a tombstone whose summary was never written: all before it is gone."""
    if (stone := state.tombstone) is not None:
        state.tombstone = None
        time = from_iso(stone.time)
        shared = {**common, "time": time}
        yield Truncated(id=stone.id, messages_removed=stone.removed, **shared)


def _turn_start(state: State, row: Payload, _identity: str, common: Common) -> Iterator[Event]:
    yield from _unsummarised(state, common)
    if row.executionId:
        state.executions = _bounded(state.executions, row.executionId)


def _turn_end(state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    yield from _unsummarised(state, common)
    state.dialogs, ids = {}, numbered(identity)
    if row.stopReason == "cancelled" and not identity.endswith("-synthetic"):
        yield Interrupted(id=next(ids), **common)
    reason: Literal["completed", "interrupted", "error"] = "completed"
    if row.stopReason == "cancelled":
        reason = "interrupted"
    elif row.stopReason in ("error", "refusal"):
        reason = "error"
    yield TurnEnded(id=next(ids), reason=reason, turn=state.turn, **common)


def _tool_call(state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    about, ids = touched(row.toolName, row.args), numbered(identity)
    paths = tuple(dict.fromkeys([*about.paths, *([row.filePath] if row.filePath else [])]))
    fields = {**msgspec.structs.asdict(about), "paths": paths}
    yield ToolCall(id=next(ids), call=row.toolCallId, name=row.toolName, **fields, **common)
    if row.status == "denied" and row.toolCallId not in state.refused:
        state.refused = _bounded(state.refused, row.toolCallId)
        yield ToolResult(id=next(ids), call=row.toolCallId, status="refused", **common)


def _tool_result(state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    call, ids = row.toolCallId, numbered(identity)
    if call in state.refused:
        state.refused = [other for other in state.refused if other != call]
        return
    status: Status = "ok" if row.success else "error"
    yield ToolResult(
        id=next(ids), call=call, status=None if row.success is None else status, **common
    )
    dialog = state.dialogs.get(call)
    if dialog and dialog.answered and row.success:
        answer = text(row.content).strip()
        del state.dialogs[call]
        if answer and not answer.startswith(("{", "[")):
            yield from _answer(dialog, answer, (call, ids), common)


def _pending(state: State, row: Payload, _identity: str, _common: Common) -> Iterator[Event]:
    while len(state.dialogs) >= PENDING_CALLS:
        del state.dialogs[next(iter(state.dialogs))]
    approval = row.interactionType == "tool_approval"
    state.dialogs[row.toolCallId] = Dialog(approval, row.question, choices(row))
    yield from ()


def _resolved(state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    call, selected = row.toolCallId, row.selectedOption
    dialog = state.dialogs.pop(call, None)
    if dialog is None:
        return
    if dialog.approval:
        if any(choice.key == selected and choice.rejects for choice in dialog.choices):
            state.refused = _bounded(state.refused, call)
            yield ToolResult(id=identity, call=call, status="refused", **common)
    elif selected:
        yield from _answer(dialog, selected, (call, numbered(identity)), common)
    elif row.outcome == "answered":
        dialog.answered = True
        state.dialogs[call] = dialog


def _answer(
    dialog: Dialog, selected: str, place: tuple[str, Iterator[str]], common: Common
) -> Iterator[Event]:
    call, ids = place
    picked = [choice for choice in dialog.choices if selected in (choice.key, choice.label)][:1]
    words = picked[0].label if picked else selected
    yield QuestionAnswered(
        id=next(ids),
        question=dialog.question,
        options=tuple(Option(choice.label, choice.description) for choice in dialog.choices),
        chosen=(words,) if picked else (),
        text=None if picked else words,
        call=call,
        **common,
    )
    if not common["sub_agent"]:
        yield UserMessage(id=next(ids), text=words, origin="answer", call=call, **common)


def _sub_agent_start(state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    state.sub_agents = _bounded(state.sub_agents, row.subSessionId)
    state.running = _bounded(state.running, row.subSessionId)
    yield ToolCall(
        id=identity,
        call=row.subSessionId,
        name=row.subAgentName or "sub_agent",
        excerpt=excerpt(row.prompt) or None,
        **common,
    )


def _sub_agent_end(state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    state.running = [other for other in state.running if other != row.subSessionId]
    status = _SUB_AGENT_ENDS.get(row.status or "", "error")
    yield ToolResult(id=identity, call=row.subSessionId, status=status, **common)


def _steering(_state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    ids, first = numbered(identity), row.type == "session_start"
    for raw in items(row.steeringDocuments if first else row.documents):
        document = as_named(raw)
        path = document.id or document.displayName or text(raw)
        if path:
            yield ContextFileLoaded(
                id=next(ids),
                path=path,
                scope=_SCOPES.get(document.scope or ""),
                reason="start" if first else None,
                text=text(document.content) or None,
                **common,
            )


def _hook(_state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    if output := text(row.output).strip():
        yield ContextInjected(id=identity, source="hook", name=row.name, text=output, **common)


def _system(_state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    yield ContextInjected(id=identity, source="client", text=text(row.content), **common)


def _error(_state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    if row.message.strip():
        yield AssistantMessage(id=identity, text=row.message, failed=True, **common)


def _usage(_state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    percent = as_context_usage(row.value).usagePercentage if row.key == "contextUsage" else None
    if percent is not None:
        yield Usage(id=identity, context_percent=percent, **common)


def _session_event(state: State, row: Payload, identity: str, common: Common) -> Iterator[Event]:
    if row.category == "session_restore":
        started = _session_started(state, identity, common)
        yield msgspec.structs.replace(started, how="resume", parent=None)


_HANDLERS: Mapping[str, Callable[[State, Payload, str, Common], Iterator[Event]]] = {
    "user": _user,
    "assistant": _assistant,
    "tool_call": _tool_call,
    "tool_result": _tool_result,
    "pending_interaction": _pending,
    "interaction_resolved": _resolved,
    "turn_start": _turn_start,
    "turn_end": _turn_end,
    "tombstone": _tombstone,
    "sub_agent_start": _sub_agent_start,
    "sub_agent_complete": _sub_agent_end,
    "steering_inclusion": _steering,
    "session_start": _steering,
    "ContextualHookInvoked": _hook,
    "session_metadata": _usage,
    "session_event": _session_event,
    "system": _system,
    "error": _error,
}
_SILENT = frozenset(
    {"usage_summary", "agent_note", "tool_revert", "mode_change", "sub_agent_progress"}
)
