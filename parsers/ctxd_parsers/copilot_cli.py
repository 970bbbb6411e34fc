"""GitHub Copilot CLI: `session-state/<session>/events.jsonl` under `$COPILOT_HOME` or `~/.copilot`.

Everything built on the same runtime writes it too: editors over ACP, SDK programs, the background
agents of VS Code. VS Code's own chat has two other stores, which are not claimed here.

What is said and done stands in `copilot_cli_talk`; here are the session itself and its window.

What a compaction keeps word for word is not in the log and is recomputed: the prompts that
`copilot_cli_window` lists (measured), and all that followed `compaction_start` (measured; for a
sub-agent in one log only). Before 1.0.102 a compaction does not tell its trigger: in all logs seen,
one that starts within a model call was automatic, and one between calls was asked for.

A fork copies all records under their ids, and gives its copy of `session.start` another session id;
so that record alone has its event's id made from both. A rewind rewrites the file without what was
taken back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd_parsers import copilot_cli_rows as rows
from ctxd_parsers import copilot_cli_talk as talk
from ctxd_parsers import events
from ctxd_parsers.copilot_cli_state import AGENT, At, Attempt, State
from ctxd_parsers.copilot_cli_window import Prompts
from ctxd_parsers.decoding import Damage, Part, RowDecoder
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import Event
from ctxd_parsers.limits import KEPT_EVENTS
from ctxd_parsers.parser import ProcessSign, Record, Source
from ctxd_parsers.values import derived_id, excerpt

_FORKED = re.compile(r'Forked from ".*" \(([^()]+)\) as "', re.DOTALL)
_AUTOMATIC = {"threshold", "context_limit_retry", "memory_pressure", "model_switch"}
_BY_USER = {"user_initiated", "user_abort", "remote_command"}
_ATTEMPTS = 8
"""Conversations, sub-agents included, whose compaction is followed at once."""
_MAIN_CALLS = {"conversation-agent", "conversation-subagent"}
_INJECTING_HOOKS = {"sessionStart", "userPromptSubmitted", "postToolUse"}
"""Hooks whose `additionalContext` was seen to reach the model; that of `preCompact` does not."""
_NOTICES = {
    "agent_completed",
    "agent_idle",
    "new_inbox_message",
    "shell_completed",
    "shell_detached_completed",
    "unclassified",
    "workflow_completed",
}
_KNOWN = """
    assistant.fusion_phase_completed assistant.fusion_phase_failed assistant.intent assistant.usage
    external_tool.completed external_tool.requested hook.progress hook.start
    mcp.oauth_recovery_completed model.message model.messages_snapshot model.model_call_failure
    model.model_call_started model.model_call_success model.response model.turn_ended
    model.turn_failed model.turn_started permission.assentDetected permission.carriedForward
    permission.contextualAuthorization permission.messageAuthorization
    permission.messageAuthorizationDegraded permission.messageAuthorizationRead
    session.auto_mode_resolved session.autopilot_objective_changed session.binary_asset
    session.canvas.recorded session.canvas.removed session.completion_receipt
    session.fusion_change_checkpoint session.fusion_commit_started session.fusion_completed
    session.fusion_handoff session.fusion_resolved session.fusion_route_failed session.idle
    session.import_legacy session.mode_changed session.mode_notice_delivered session.model_change
    session.model_deselected session.permission_recovery session.permissions_changed
    session.plan_changed session.remote_steerable_changed
    session.request_body_compression_disabled session.schedule_cancelled session.schedule_created
    session.schedule_rearmed session.session_limits_changed session.usage_checkpoint
    session.warning session.workspace_file_changed skill.context_delivered
    skill.context_delivered_ref subagent.completed subagent.configured subagent.deselected
    subagent.failed subagent.selected subagent.started system.message tool.execution_partial_result
    tool.execution_progress tool.execution_start tool_search.activated
"""
_WITHOUT_MEANING = frozenset(_KNOWN.split())
_IN_WINDOW = (
    events.UserMessage,
    events.AssistantMessage,
    events.ToolCall,
    events.ToolResult,
    events.QuestionAnswered,
    events.PlanDecided,
    events.ContextInjected,
    events.ContextFileLoaded,
)


class CopilotCli:
    """The session logs of GitHub Copilot CLI."""

    name = "copilot-cli"
    agent = AGENT
    state_type = State

    def __init__(self) -> None:
        self._decoder = RowDecoder(rows.Row, ("type", "data"))

    def sources(self, env: Environment) -> Sequence[Source]:
        """The session folders of `$COPILOT_HOME`, `~/.copilot`, and homes the user configured."""
        homes = env.roots(self.name, env.variable_path("COPILOT_HOME"), env.home / ".copilot")
        return [Source(home / "session-state", ("*/events.jsonl", "*.jsonl")) for home in homes]

    def claims(self, path: PurePath, head: bytes) -> bool:
        """An `events.jsonl` of a session folder, or any log that this runtime says it wrote.

        Old clients wrote `session-state/<session>.jsonl`. The chat of VS Code writes transcripts
        that begin alike but for `vscodeVersion`.
        """
        first = head.split(b"\n", 1)[0]
        folders = [part.lower() for part in path.parts[:-1]]
        if (
            path.suffix != ".jsonl"
            or "github.copilot-chat" in folders
            or b'"vscodeVersion"' in first
        ):
            return False
        if path.name == "events.jsonl" and "session-state" in folders[-2:-1]:
            return True
        return b'"session.start"' in first and b'"copilot-agent"' in first

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """`workspace.yaml`, for the session's name and the front end."""
        return (path.with_name("workspace.yaml"),) if path.name == "events.jsonl" else ()

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> State:
        """The state before the first record."""
        folder = path.parent.name if path.name == "events.jsonl" else ""
        about = _flat_yaml(companions.get(path.with_name("workspace.yaml"), b""))
        return State(
            session=folder or path.stem or self.name,
            client=about.get("client_name"),
            title=about.get("name") or about.get("summary"),
            named_by_user=about.get("user_named") == "true",
        )

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """The events of the records that follow those that made `state`."""
        for record, row in self._decoder.rows(records):
            if not isinstance(row, Damage):
                is_told = row.type not in _WITHOUT_MEANING or not state.begun
                if is_told and not state.repeats(row.id):
                    yield from _events(record, row, state)
                continue
            span = (record.start, record.end)
            identity = derived_id("damage", state.session, span, row.reason)
            yield events.Unparsed(
                agent=self.agent, session=state.session, id=identity, span=span, reason=row.reason
            )

    def sign_patterns(self, path: PurePath) -> Sequence[PurePath]:
        """`inuse.<pid>.lock`, removed at an orderly end and by the next resume."""
        return (path.with_name("inuse.*.lock"),) if path.name == "events.jsonl" else ()

    def read_sign(self, path: PurePath, data: bytes) -> ProcessSign | None:
        """The process that a lock is named after; its content is the same number."""
        del data
        pid = path.stem.rpartition(".")[2]
        return ProcessSign(int(pid)) if pid.isdecimal() else None


def _events(record: Record, row: rows.Row, state: State) -> Iterator[Event]:
    at = At(record, row, state)
    known = _HANDLERS.get(row.type)
    if known is None and row.type not in _WITHOUT_MEANING:
        yield _unknown(at, row.type or "without a type")
        return
    if not state.begun and row.type != "session.start":
        yield from _begin(at, derived_id(state.session, "start"))
    if known is None:
        return
    part, handle = known
    for event in handle(at, part(row.data)):
        yield event
        attempt = state.attempts.get(event.sub_agent or "")
        if attempt and isinstance(event, _IN_WINDOW) and len(attempt.since) < KEPT_EVENTS:
            attempt.since.append(event.id)


def _unknown(at: At, kind: str) -> Event:
    return at.event(events.Unknown, record_kind=kind, client_version=at.state.version)


def _start(at: At, data: rows.Start) -> Iterator[Event]:
    state = at.state
    if state.begun:
        yield from _move(at, data.context)
        return
    state.session = data.sessionId or state.session
    state.version, state.model = data.copilotVersion, data.selectedModel
    parent = data.detachedFromSpawningParentSessionId
    state.headless = parent is not None
    state.settle(data.context)
    how = "sub_agent" if state.headless else "startup"
    yield from _begin(at, derived_id(at.identity, state.session), how=how, parent=parent)


def _begin(at: At, identity: str, **fields: Any) -> Iterator[Event]:
    state = at.state
    state.begun = True
    yield _started(at, id=identity, **fields)
    if state.title:
        yield at.event(
            events.SessionTitled,
            id=derived_id(state.session, "title", state.title),
            title=state.title,
            by="user" if state.named_by_user else "agent",
        )


def _started(at: At, **fields: Any) -> Event:
    state = at.state
    about = {"client": state.client, "client_version": state.version, "model": state.model}
    return at.event(events.SessionStarted, **{**_place(state), **about, **fields})


def _place(state: State) -> dict[str, str | None]:
    return {"cwd": state.cwd, "branch": state.branch, "repository": state.repository}


def _resume(at: At, data: rows.Start) -> Iterator[Event]:
    state = at.state
    moved = data.context.cwd is not None and state.settle(data.context)
    if not data.sessionWasActive:
        state.attempts.clear()
        state.model = data.selectedModel or state.model
        yield _started(at, how="resume")
    if moved:
        yield at.event(events.WorkspaceChanged, **_place(state))


def _move(at: At, data: rows.Context) -> Iterator[Event]:
    if not data.pendingGitContext and at.state.settle(data):
        yield at.event(events.WorkspaceChanged, **_place(at.state))


def _info(at: At, data: rows.Note) -> Iterator[Event]:
    if data.infoType == "rewind":
        yield at.event(events.Withdrawn)
    elif data.infoType == "fork" and data.message.startswith("Forked from "):
        parent = _FORKED.match(data.message)
        yield _started(at, how="fork", parent=parent and parent[1])


def _handoff(at: At, data: rows.Note) -> Iterator[Event]:
    origin = data.repository
    where = {"repository": f"{origin.owner}/{origin.name}"} if origin.owner and origin.name else {}
    yield _started(at, how="import", parent=data.remoteSessionId, **where)
    if data.summary.strip():
        yield at.event(events.ContextInjected, source="client", name="handoff", text=data.summary)


def _shutdown(at: At, data: rows.Note) -> Iterator[Event]:
    at.state.attempts.clear()
    at.state.in_turn = at.state.in_call = False
    yield at.event(events.SessionEnded, reason=data.shutdownType)


def _abort(at: At, data: rows.Note) -> Iterator[Event]:
    if data.reason in _BY_USER:
        yield at.event(events.Interrupted)
    if not at.agent:
        yield talk.turn_ended(at, "interrupted")


def _error(at: At, _data: rows.Note) -> Iterator[Event]:
    if at.state.in_turn and not at.agent:
        yield talk.turn_ended(at, "error")


def _task_complete(at: At, data: rows.Note) -> Iterator[Event]:
    """The last call of the turn did call a tool: the one that says the task is done."""
    if not at.agent and data.success and data.outcome != "continue":
        at.state.calls_tools = False
    if data.summary.strip():
        yield at.event(events.AssistantMessage, text=data.summary)


def _compaction_start(at: At, data: rows.Compacted) -> Iterator[Event]:
    state, agent = at.state, at.agent or ""
    trigger, cause = _trigger(data.trigger)
    if data.trigger is None:
        trigger = "auto" if agent or state.in_call else "manual"
    if not agent or agent in state.attempts or len(state.attempts) < _ATTEMPTS:
        state.attempts[agent] = Attempt(
            attempt=data.compactionAttemptId,
            trigger=trigger,
            cause=cause,
            tokens=data.currentTokens,
            listed=() if agent else state.prompts.kept(),
        )
    yield at.event(
        events.CompactionStarted, trigger=trigger, cause=cause, attempt=data.compactionAttemptId
    )


def _trigger(word: str | None) -> tuple[events.Trigger | None, str | None]:
    if word == "manual":
        return "manual", None
    return ("auto" if word in _AUTOMATIC else None), word


def _compaction_complete(at: At, data: rows.Compacted) -> Iterator[Event]:
    state = at.state
    started = state.attempts.pop(at.agent or "", None) or Attempt(
        listed=() if at.agent else state.prompts.kept()
    )
    trigger, cause = _trigger(data.trigger) if data.trigger else (started.trigger, started.cause)
    focus = "" if at.agent else data.customInstructions.strip()
    if focus:
        yield at.event(events.UserMessage, text=focus, origin="command_arguments")
    told = {"trigger": trigger, "attempt": data.compactionAttemptId or started.attempt}
    if not data.success or data.outcome != "applied":
        reason = data.failureReason or data.outcomeReason or excerpt(data.error) or None
        yield at.event(events.CompactionFailed, reason=reason, **told)
        return
    before, after = _tokens(data)
    yield at.event(
        events.Compaction,
        cause=cause,
        summary=data.summaryContent,
        kept=(*started.listed, *started.since),
        instructions=focus or None,
        tokens_before=started.tokens if before is None else before,
        tokens_after=after,
        messages_removed=data.messagesRemoved,
        duration_ms=data.compactionTokensUsed.duration,
        **told,
    )


def _tokens(data: rows.Compacted) -> tuple[int | None, int | None]:
    """Tokens of the whole window; up to 1.0.61 a manual compaction counted the messages alone."""
    before, after = data.preCompactionTokens, data.postCompactionTokens
    if data.tokenAccountingBasis or before is None or after is None:
        return before, after
    rest = data.systemTokens + data.toolDefinitionsTokens
    return before + rest, after + rest


def _truncated(at: At, data: rows.Lost) -> Iterator[Event]:
    yield at.event(
        events.Truncated,
        messages_removed=data.messagesRemovedDuringTruncation,
        tokens_before=data.preTruncationTokensInMessages,
        tokens_after=data.postTruncationTokensInMessages,
    )


def _cleared(at: At, data: rows.Lost) -> Iterator[Event]:
    if not at.agent:
        at.state.prompts = Prompts()
        at.state.attempts.pop("", None)
    yield at.event(events.Cleared)
    if data.initialMessage.strip():
        if not at.agent:
            at.state.prompts.add("", data.initialMessage)
        yield at.event(events.ContextInjected, source="client", text=data.initialMessage)


def _usage(at: At, data: rows.Usage) -> Iterator[Event]:
    call = data.usage
    read, written = call.cacheReadTokens or 0, call.cacheWriteTokens or 0
    fresh = context = None
    if call.inputTokens is not None:
        fresh = max(call.inputTokens - read - written, 0)
        context = call.inputTokens + (call.outputTokens or 0)
    yield at.event(
        events.Usage,
        model=call.model,
        input_tokens=fresh,
        cache_read_tokens=call.cacheReadTokens,
        cache_write_tokens=call.cacheWriteTokens,
        output_tokens=call.outputTokens,
        context_tokens=context if call.interactionType in _MAIN_CALLS else None,
        window_tokens=call.maxPromptTokens,
    )


def _notification(at: At, data: rows.Notice) -> Iterator[Event]:
    kind = data.kind
    if kind.type == "instruction_discovered" and kind.sourcePath:
        yield at.event(
            events.ContextFileLoaded, path=kind.sourcePath, scope="project", reason="nested"
        )
    elif kind.type not in _NOTICES:
        yield _unknown(at, f"system.notification {kind.type}".strip())


def _hook(at: At, data: rows.Hook) -> Iterator[Event]:
    text = data.output.additionalContext
    if text.strip() and data.hookType in _INJECTING_HOOKS:
        yield at.event(events.ContextInjected, source="hook", name=data.hookType, text=text)


def _skill(at: At, data: rows.Skill) -> Iterator[Event]:
    if data.trigger == "user-invoked" and not at.agent:
        at.state.skill = data.name or None
    if data.content.strip():
        yield at.event(events.ContextInjected, source="skill", name=data.name, text=data.content)


def _flat_yaml(data: bytes) -> dict[str, str]:
    """The top-level texts of a flat YAML file; of a text of several lines only the first."""
    lines = data.decode("utf-8", "replace").splitlines()
    found: dict[str, str] = {}
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        key, colon, value = line.partition(": ")
        if colon and key and not key[0].isspace():
            block = re.fullmatch(r"[|>][-+0-9]*", value)
            found[key] = excerpt(_yaml_text(following.strip() if block else value))
    return found


def _yaml_text(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return msgspec.json.decode(value, type=str)
        except (msgspec.MsgspecError, UnicodeError):
            return value[1:-1]
    return value


_Handler = tuple[Part[Any], Callable[[At, Any], Iterable[Event]]]
_HANDLERS: dict[str, _Handler] = {
    kind: (Part(row), handle)
    for kind, row, handle in (
        ("session.start", rows.Start, _start),
        ("session.resume", rows.Start, _resume),
        ("session.context_changed", rows.Context, _move),
        ("session.info", rows.Note, _info),
        ("session.handoff", rows.Note, _handoff),
        ("session.shutdown", rows.Note, _shutdown),
        ("session.task_complete", rows.Note, _task_complete),
        ("session.error", rows.Note, _error),
        ("abort", rows.Note, _abort),
        ("session.compaction_start", rows.Compacted, _compaction_start),
        ("session.compaction_complete", rows.Compacted, _compaction_complete),
        ("session.truncation", rows.Lost, _truncated),
        ("session.context_cleared", rows.Lost, _cleared),
        ("session.usage_record", rows.Usage, _usage),
        ("system.notification", rows.Notice, _notification),
        ("hook.end", rows.Hook, _hook),
        ("skill.invoked", rows.Skill, _skill),
        ("skill.invoked_ref", rows.Skill, _skill),
        ("user.message", rows.Prompt, talk.prompt),
        ("assistant.turn_start", rows.Turn, talk.turn_start),
        ("assistant.turn_end", rows.Turn, talk.turn_end),
        ("assistant.message", rows.Reply, talk.reply),
        ("assistant.reasoning", rows.Reply, talk.reasoning),
        ("tool.execution_complete", rows.Done, talk.tool_done),
        ("tool.user_requested", rows.Request, talk.user_tool),
        ("permission.requested", rows.Permission, talk.permission_asked),
        ("permission.completed", rows.Permission, talk.permission_settled),
        ("human_response.recorded", rows.Human, talk.human_response),
    )
}
