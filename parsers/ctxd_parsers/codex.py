"""Codex CLI: rollouts, one a thread, `sessions/<year>/<month>/<day>/rollout-<time>-<thread>.jsonl`
under `$CODEX_HOME` or `~/.codex`; archived ones are moved to `archived_sessions/`.

Written by the command line, by editors and desktop programs on the same engine, and by `codex exec`
and servers, whose prompts are as often a program's as a person's: they are named `sdk-...`.

Promises: the three forms in which clients from 0.57 to 0.171 tell the same things give the same
events, under ids that a fork and a migration leave as they are (`codex_state`). A rewind begins a
new file, a segment, whose first line says where the history that it goes on from ends: all behind
that in the other file is withdrawn. Before 0.17x the same file says how many turns were taken back.

No line tells a session's end. Compressed rollouts (`.jsonl.zst`, off by default) are not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from ctxd_parsers import codex_rows as rows
from ctxd_parsers import codex_talk as talk
from ctxd_parsers import events
from ctxd_parsers.codex_state import AGENT, At, State, file_start, turn_start
from ctxd_parsers.codex_window import compacted, take_back
from ctxd_parsers.decoding import Damage, Part, RowDecoder
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import Event
from ctxd_parsers.parser import NoSigns, Record, Source
from ctxd_parsers.values import derived_id, excerpt

_META = Part(rows.Meta)
_CONTEXT = Part(rows.Context)
_HAPPENING = Part(rows.Happening)
_TITLE = Part(rows.Title)

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAME = re.compile(rf"rollout-[0-9T-]{{10,30}}-({_UUID})(?:_({_UUID}))?\.jsonl", re.IGNORECASE)
_HOSTED = re.compile(r"[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?$")
_INDEX = "session_index.jsonl"
_WITHOUT_TERMINAL = {"exec": "sdk-exec", "mcp": "sdk-mcp"}


class Codex(NoSigns):
    """The rollouts of Codex."""

    name = AGENT
    agent = AGENT
    state_type = State

    def __init__(self) -> None:
        self._decoder = RowDecoder(rows.Row, ("timestamp", "type", "payload"))

    def sources(self, env: Environment) -> Sequence[Source]:
        """The session folders of `$CODEX_HOME`, `~/.codex`, and homes the user configured."""
        homes = env.roots(self.name, env.variable_path("CODEX_HOME"), env.home / ".codex")
        patterns = ("sessions/*/*/*/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl")
        return [Source(home, patterns) for home in homes]

    def claims(self, path: PurePath, head: bytes) -> bool:
        """A rollout by its name, or any log whose first line is one's."""
        if path.suffix != ".jsonl":
            return False
        first = head.lstrip(b"\0\xef\xbb\xbf \t\r\n").split(b"\n", 1)[0]
        is_first = b'"session_meta"' in first and b'"payload"' in first
        return is_first or _NAME.fullmatch(path.name) is not None

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """The index of all sessions, for their titles."""
        folders = list(path.parents)
        return [folders[depth] / _INDEX for depth in (1, 4) if depth < len(folders)]

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> State:
        """The state before the first line."""
        name = _NAME.fullmatch(path.name)
        session = name[1].lower() if name else path.stem or self.name
        part = (name[2] or "").lower() if name else ""
        title = _title(companions.values(), session)
        return State(session=session, thread=session, part=part, title=title)

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """The events of the records that follow those that made `state`."""
        for record, row in self._decoder.rows(records):
            if not isinstance(row, Damage):
                yield from _events(record, row, state)
                continue
            span = (record.start, record.end)
            identity = derived_id("damage", state.session, state.part, span, row.reason)
            yield events.Unparsed(
                agent=self.agent, session=state.session, id=identity, span=span, reason=row.reason
            )


def _title(indexes: Iterable[bytes], session: str) -> str | None:
    title = None
    wanted = session.encode("utf-8", "replace")
    for line in b"\n".join(indexes).split(b"\n"):
        if wanted in line:
            row = _TITLE(line)
            title = row.thread_name if row.id == session and row.thread_name.strip() else title
    return excerpt(title) if title else None


def _events(record: Record, row: rows.Row, state: State) -> Iterator[Event]:
    if not row.type:
        identity = derived_id("without type", state.session, record.data)
        yield _oddity(At(record, row, _aside(state)), "without a type", id=identity)
        return
    at = At(record, row, state)
    if not state.begun and row.type != "session_meta":
        yield from _begin(at, rows.Meta())
    handle = _HANDLERS.get(row.type)
    if handle:
        yield from handle(at)
    elif row.type not in _SILENT:
        yield _oddity(at, row.type)


def _aside(state: State) -> State:
    """A state for what is no line of the log, so that it moves no other line's place."""
    return State(session=state.session, version=state.version)


def _oddity(at: At, kind: str, **fields: str) -> Event:
    version = at.state.version
    return at.event(events.Unknown, record_kind=kind, client_version=version, **fields)


# The session itself.


def _meta(at: At) -> Iterator[Event]:
    """The first line; a later one begins another thread's lines that a fork repeats."""
    state, data = at.state, _META(at.row.payload)
    if state.begun:
        if data.id and data.id != state.session:
            state.thread, state.thread_line = data.id, at.line
        return
    yield from _begin(at, data)


def _begin(at: At, data: rows.Meta) -> Iterator[Event]:
    state = at.state
    state.begun = True
    state.session = state.thread = data.id or state.session
    state.version, state.cwd, state.branch = data.cli_version, data.cwd, data.git.branch
    hosted = _HOSTED.search((data.git.repository_url or "")[-300:])
    state.repository = hosted[1] if hosted else None
    client, parent = _origin(data)
    state.headless = client is None
    base, start = data.history_base, file_start(state.part or state.session)
    if state.part or (base and base.thread_id == state.session):
        since = (
            turn_start(base.thread_id, base.end_ordinal_exclusive)
            if base
            else file_start(state.session)
        )
        yield at.event(events.Withdrawn, id=derived_id(start, "withdrawn"), since=since)
    yield at.event(
        events.SessionStarted,
        id=start,
        how=_how(state, data),
        cwd=state.cwd,
        branch=state.branch,
        repository=state.repository,
        client=client,
        client_version=state.version,
        parent=parent,
    )
    if state.title and not state.part:
        identity = derived_id(state.session, "title", state.title)
        yield at.event(events.SessionTitled, id=identity, title=state.title)


def _origin(data: rows.Meta) -> tuple[str | None, str | None]:
    """The front end, None where no user is at it; and the thread that this one comes from."""
    source, parent = data.source, data.forked_from_id
    if isinstance(source, rows.Source):
        sub_agent = source.subagent
        spawn = sub_agent.thread_spawn if isinstance(sub_agent, rows.SubAgent) else rows.Spawn()
        return None, spawn.parent_thread_id or data.parent_thread_id or parent
    if data.thread_source not in (None, "user"):
        return None, data.parent_thread_id or parent
    name = source or data.originator or "cli"
    return _WITHOUT_TERMINAL.get(name, name), parent


def _how(state: State, data: rows.Meta) -> events.Start:
    if state.headless:
        return "sub_agent"
    if state.part:
        return "rewind"
    return "fork" if data.forked_from_id else "startup"


def _context(at: At) -> Iterator[Event]:
    """What holds for a turn."""
    state, data = at.state, _CONTEXT(at.row.payload)
    state.model = data.model or state.model
    if data.cwd and data.cwd != state.cwd:
        state.cwd, state.branch, state.repository = data.cwd, None, None
        yield at.event(events.WorkspaceChanged, about=data.cwd, cwd=data.cwd)


# Turns.


def _happening(at: At) -> Iterator[Event]:
    data = _HAPPENING(at.row.payload)
    if data.type == "item_completed":
        kind, known, silent = data.item.type, _ITEMS.get(data.item.type), _SILENT_ITEMS
        if known:
            yield from known(at, data.item)
        elif kind not in silent:
            yield _oddity(at, f"item_completed {kind}".strip())
        return
    handle = _HAPPENINGS.get(data.type)
    if handle:
        yield from handle(at, data)
    elif data.type not in _SILENT_HAPPENINGS:
        yield _oddity(at, f"event_msg {data.type}".strip())


def _turn_started(at: At, data: rows.Happening) -> Iterable[Event]:
    state = at.state
    if data.turn_id:
        state.turn, state.turn_line = data.turn_id, at.line
    is_native = data.root_turn_id is not None and at.row.ordinal is not None
    state.first = turn_start(state.part or state.session, at.line) if is_native else ""
    state.by_prompt = data.turn_attribution is not None if is_native else None
    state.in_turn, state.was_asked, state.compacted = True, False, False
    return ()


def _turn_complete(at: At, data: rows.Happening) -> Iterator[Event]:
    at.state.in_turn = False
    yield at.event(events.TurnEnded, reason="completed", turn=data.turn_id or None)


def _turn_aborted(at: At, data: rows.Happening) -> Iterator[Event]:
    at.state.in_turn = False
    if data.reason == "interrupted":
        yield at.event(events.Interrupted)
    yield at.event(events.TurnEnded, reason="interrupted", turn=data.turn_id or None)


def _rolled_back(at: At, data: rows.Happening) -> Iterator[Event]:
    """The user went back by some prompts (0.144)."""
    since = take_back(at.state, data.num_turns)
    at.state.in_turn = False
    if since:
        yield at.event(events.Withdrawn, since=since)


def _token_count(at: At, data: rows.Happening) -> Iterator[Event]:
    state, info = at.state, data.info
    if info is None:
        return
    last, total = info.last_token_usage, info.total_token_usage
    usage = derived_id(total.total_tokens, last.total_tokens, last.input_tokens)
    if usage == state.usage:
        return
    state.usage, is_call = usage, bool(last.input_tokens)
    cached = (last.cached_input_tokens or 0) + (last.cache_write_input_tokens or 0)
    if is_call:
        state.tokens, state.tokens_after = last.total_tokens, None
    else:
        state.tokens_after = last.total_tokens
    fresh = max((last.input_tokens or 0) - cached, 0)
    yield at.event(
        events.Usage,
        about=usage,
        model=state.model,
        input_tokens=fresh if is_call else None,
        cache_read_tokens=last.cached_input_tokens if is_call else None,
        cache_write_tokens=last.cache_write_input_tokens if is_call else None,
        output_tokens=last.output_tokens if is_call else None,
        context_tokens=last.total_tokens,
        window_tokens=info.model_context_window,
    )


_HANDLERS: dict[str, Callable[[At], Iterable[Event]]] = {
    "session_meta": _meta,
    "turn_context": _context,
    "event_msg": _happening,
    "response_item": talk.response,
    "compacted": compacted,
}
_SILENT = frozenset(("world_state", "token_usage_record", "inter_agent_communication"))
"""Known lines without meaning here: context files and usage are told by others as well."""

_HAPPENINGS: dict[str, Callable[[At, rows.Happening], Iterable[Event]]] = {
    "user_message": talk.user_message,
    "agent_message": talk.agent_message,
    "agent_reasoning": talk.reasoning,
    "agent_reasoning_raw_content": talk.reasoning,
    "exec_command_end": talk.action_ended,
    "patch_apply_end": talk.action_ended,
    "task_started": _turn_started,
    "turn_started": _turn_started,
    "task_complete": _turn_complete,
    "turn_complete": _turn_complete,
    "turn_aborted": _turn_aborted,
    "thread_rolled_back": _rolled_back,
    "token_count": _token_count,
}
_ITEMS: dict[str, Callable[[At, rows.Item], Iterable[Event]]] = {
    "UserMessage": talk.user_item,
    "AgentMessage": talk.agent_item,
    "Plan": talk.agent_item,
    "Reasoning": talk.reasoning_item,
    "HookPrompt": talk.hook_prompt,
    "CommandExecution": talk.action_item,
    "FileChange": talk.action_item,
}
_KNOWN_ITEMS = """
    CollabAgentToolCall CollabToolCall ContextCompaction DynamicToolCall EnteredReviewMode
    ExitedReviewMode ImageGeneration ImageView McpToolCall Sleep SubAgentActivity WebSearch
"""
_SILENT_ITEMS = frozenset(_KNOWN_ITEMS.split())
_KNOWN_HAPPENINGS = """
    background_event collab_agent_interaction_end collab_agent_spawn_end collab_close_end
    collab_resume_end collab_waiting_end context_compacted deprecation_notice
    dynamic_tool_call_request dynamic_tool_call_response entered_review_mode error
    exited_review_mode guardian_assessment guardian_warning image_generation_end
    mcp_tool_call_end model_reroute model_verification plan_update stream_error
    sub_agent_activity thread_goal_updated thread_name_updated thread_settings_applied turn_diff
    turn_moderation_metadata view_image_tool_call warning web_search_end
"""
_SILENT_HAPPENINGS = frozenset(_KNOWN_HAPPENINGS.split())
