"""Rows that Claude Code's client writes of itself: system rows, attachments, and bookkeeping.

Promises events for what enters or leaves the window and for words that were queued; everything
else that is known is silent, and what is not known is `Unknown` with the client's version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from ctxd_parsers.claude_code_rows import (
    Attachment,
    Row,
    command,
    decoded,
    focus,
    is_context_file,
    is_queued_by_user,
    joined_text,
    listing,
    loaded_by_hook,
    logs_attachments,
    mapping,
    names,
    plain_text,
    prompt_words,
    scope,
    text_of,
    texts,
    without_line_numbers,
)
from ctxd_parsers.claude_code_session import (
    absorb,
    compact_boundary,
    dequeue,
    ended,
    enqueue,
    flush_queued,
    microcompact,
    queued_words,
    resumed,
    take_queued,
)
from ctxd_parsers.claude_code_state import (
    At,
    State,
    count_parts,
    unknown,
)
from ctxd_parsers.claude_code_turns import command_failed, ran_command, turn_ended
from ctxd_parsers.events import (
    ContextFileLoaded,
    ContextInjected,
    Event,
    SessionTitled,
    Truncated,
    UserMessage,
    WorkspaceChanged,
)
from ctxd_parsers.values import derived_id, numbered

# Rows of the client.


_SHOWN = ("SessionStart", "UserPromptSubmit")
"""Hooks whose plain output the model sees; other output it sees when it is `rendered` [2.1.332]."""


def system(row: Row, at: At, state: State) -> Iterator[Event]:
    """The events of a system row."""
    handler = _SYSTEM.get(row.subtype or "")
    if handler:
        yield from handler(row, at, state)
    elif row.subtype not in _SILENT_SYSTEM:
        yield unknown(f"system:{row.subtype}", row.uuid, row, at, state)


def _turn_duration(row: Row, at: At, state: State) -> Iterator[Event]:
    yield from flush_queued(state)
    if not at["sub_agent"]:
        yield from turn_ended(row.uuid, "completed", at, state)


def _local_command(row: Row, at: At, state: State) -> Iterator[Event]:
    text = plain_text(row.content)
    given = command(row, text)
    if given:
        yield from ran_command(row, given.name, at, state)
    elif text.startswith("<local-command-stderr>"):
        yield from command_failed(row, text, at, state)


def attachment(row: Row, at: At, state: State) -> Iterator[Event]:
    """The events of an attachment row."""
    given = row.attachment
    if given is None:
        return
    handler = _ATTACHMENTS.get(given.type)
    if handler:
        yield from handler(row, given, at, state)
    elif given.type not in _SILENT_ATTACHMENTS:
        yield unknown(f"attachment:{given.type}", row.uuid, row, at, state)


def _queued(row: Row, given: Attachment, at: At, state: State) -> Iterator[Event]:
    """Typed while the agent worked: there is no user row for it."""
    prompt = decoded(given.prompt)
    words = prompt_words(joined_text(prompt))
    if at["sub_agent"] or not is_queued_by_user(given) or not words:
        return
    if take_queued(words, given.source_uuid, state):
        state.fresh = False
        yield UserMessage(id=row.uuid, text=words, origin="queued", turn=state.turn, **at)


def _instructions(row: Row, given: Attachment, at: At, state: State) -> Iterator[Event]:
    ids = numbered(row.uuid)
    for file in map(mapping, listing(decoded(given.files))):
        if path := text_of(file.get("path")):
            yield ContextFileLoaded(
                id=next(ids),
                path=path,
                scope=scope(file.get("type")),
                reason=state.loads,
                text=text_of(file.get("content")),
                **at,
            )
    count_parts(row.uuid, next(ids), state)
    state.loads = None


def _nested_memory(row: Row, given: Attachment, at: At, _state: State) -> Iterator[Event]:
    file = mapping(decoded(given.content))
    if path := text_of(file.get("path")) or given.path:
        text, kind = text_of(file.get("content")), scope(file.get("type"))
        yield ContextFileLoaded(
            id=row.uuid, path=path, scope=kind, reason="nested", text=text, **at
        )


def _edited_file(row: Row, given: Attachment, at: At, _state: State) -> Iterator[Event]:
    path = given.filename
    if path and is_context_file(path):
        text = without_line_numbers(given.snippet) if given.snippet else None
        yield ContextFileLoaded(id=row.uuid, path=path, reason="changed", text=text, **at)


def _file(row: Row, given: Attachment, at: At, state: State) -> Iterator[Event]:
    """A mentioned file, or one read again after a compaction: how nested context files return."""
    path = given.filename
    if path and is_context_file(path):
        text = text_of(mapping(mapping(decoded(given.content)).get("file")).get("content"))
        reason: Literal["compaction"] | None = "compaction" if state.reloads else None
        yield ContextFileLoaded(id=row.uuid, path=path, reason=reason, text=text, **at)


def _hook_output(row: Row, given: Attachment, at: At, state: State) -> Iterator[Event]:
    """What a hook put before the model. A start hook's name tells that the session was resumed."""
    if given.hook_name == "SessionStart:resume" and not at["sub_agent"]:
        yield from resumed(row, at, state)
    if given.type == "hook_success" and given.hook_event not in _SHOWN and not row.rendered:
        return
    ids = numbered(row.uuid)
    for text in filter(None, texts(decoded(given.content))):
        if file := loaded_by_hook(text):
            path, content = file
            yield ContextFileLoaded(id=next(ids), path=path, reason="nested", text=content, **at)
        else:
            name = given.hook_event
            yield ContextInjected(id=next(ids), source="hook", text=text, name=name, **at)


def _cut_results(row: Row, given: Attachment, at: At, _state: State) -> Iterator[Event]:
    yield Truncated(id=row.uuid, calls=texts(decoded(given.call_ids)), **at)


# Rows without a uuid.


def _queue_operation(row: Row, at: At, state: State) -> Iterator[Event]:
    """Every queued input passes here and is shown by another row, but for some since 2.1.247 that
    reached the agent in mid-turn, and all that did before attachments were logged: those were
    removed without a reason. What the user took out of the queue was never said."""
    text = plain_text(row.content)
    if row.operation == "enqueue":
        state.focus = focus(text) or state.focus
        enqueue(row, at, state)
        return
    waiting = dequeue(text, state)
    if row.operation == "popAll":
        state.queue = []
    if row.operation != "remove" or at["sub_agent"]:
        return
    if row.reason == "absorbed_mid_turn":
        words = queued_words(row, at)
    elif row.reason or not waiting or logs_attachments(state.version):
        return
    else:
        words = waiting
    if prompt_words(words.text):
        absorb(words, state)
    yield from ()


def _titled(row: Row, at: At, state: State) -> Iterator[Event]:
    """Titles are written again and again; the last one counts."""
    title = row.custom_title or row.ai_title
    if title and title != state.title:
        state.title = title
        by: Literal["user", "agent"] = "user" if row.custom_title else "agent"
        identity = derived_id("title", at["session"], by, title)
        yield SessionTitled(id=identity, title=title, by=by, **at)


def _relocated(row: Row, at: At, state: State) -> Iterator[Event]:
    """`/cd` moved the session, and its file into another project folder [2.1.332]."""
    cwd = row.relocated_cwd
    if cwd and cwd != state.cwd:
        state.cwd = cwd
        identity = derived_id("relocated", at["session"], state.last, cwd)
        yield WorkspaceChanged(id=identity, cwd=cwd, branch=state.branch, **at)


def _closed(row: Row, at: At, state: State) -> Iterator[Event]:
    """`cost-state` is written when the client leaves the session [>=2.1.265], mostly twice."""
    reason = "ended by the model" if row.type == "ended-by-model" else None
    yield from ended(at, state, derived_id("end", at["session"], state.last), reason)


_SYSTEM: dict[str, Callable[[Row, At, State], Iterable[Event]]] = {
    "compact_boundary": compact_boundary,
    "microcompact_boundary": microcompact,
    "local_command": _local_command,
    "turn_duration": _turn_duration,
}
_SILENT_SYSTEM = names(
    """
    stop_hook_summary api_error away_summary memory_saved informational model_fallback
    agents_killed scheduled_task_fire permission_retry bridge_status file_snapshot
    post_tool_hook_feedback
    """
)
_ATTACHMENTS: dict[str, Callable[[Row, Attachment, At, State], Iterable[Event]]] = {
    "queued_command": _queued,
    "instructions": _instructions,
    "nested_memory": _nested_memory,
    "edited_text_file": _edited_file,
    "file": _file,
    "hook_additional_context": _hook_output,
    "hook_success": _hook_output,
    "tool_results_cut": _cut_results,
}
_SILENT_ATTACHMENTS = names(
    """
    advisor_stripped advisor_tool agent_listing_delta agent_mention already_read_file
    artifact_opening_prefetch async_hook_response async_hook_response_batch attention_budget
    auto_mode auto_mode_exit batching_reminder budget_usd command_permissions
    compact_file_reference context_efficiency context_sections coordinator_context
    cowork_memory_context credential_org critical_system_reminder date date_change
    deferred_tools_delta deferred_tools_record diagnostics dir_sync_notice directory dynamic_skill
    edited_image_file environment fork_briefing goal_status hook_blocking_error hook_cancelled
    hook_deferred_tool hook_error_during_execution hook_non_blocking_error
    hook_permission_decision hook_stopped_continuation hook_system_message inlined_image_paths
    invoked_skills language max_turns_reached mcp_dropped_tools_delta mcp_instructions_delta
    mcp_resource memory_update model opened_file_in_ide output_style output_style_instructions
    output_token_usage pdf_reference peer_mention plan_file_reference plan_mode plan_mode_exit
    plan_mode_reentry poll_events prefix_delta proactivity prompt_render_point prompt_snapshot
    relevant_memories remote_session_change sandbox_instructions secondary_reminder
    secondary_reminder_sent selected_lines_in_ide session_context session_settings
    skill_discovery skill_listing skill_mention structured_output task_reminder task_status
    team_context teammate_mailbox teammate_shutdown_batch thinking_drop thread_state
    todo_reminder token_usage tool_search_usage_reminder total_tokens_reminder
    ultra_effort_enter ultra_effort_exit unknown_command_fallback verify_plan_reminder
    workflow_keyword_request
    """
)
"""Those of our logs, and those that public schemas of clients 2.1.97 to 2.1.288 name."""
BOOKKEEPING: dict[str, Callable[[Row, At, State], Iterable[Event]]] = {
    "queue-operation": _queue_operation,
    "custom-title": _titled,
    "ai-title": _titled,
    "relocated": _relocated,
    "cost-state": _closed,
    "ended-by-model": _closed,
}
"""Rows without a uuid that tell something."""
