"""User and assistant rows of Claude Code's transcripts: what was said, called and decided.

Promises a `UserMessage` for the user's own words alone; rows of sub-agents never give one, since
the parent model wrote their prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from ctxd_parsers.claude_code_rows import (
    Block,
    Command,
    Message,
    Row,
    attached,
    blocks,
    command,
    decoded,
    focus,
    is_caveat,
    is_element,
    is_interruption,
    is_prompt,
    is_typed,
    is_unmarked_summary,
    is_users,
    logs_turn_ends,
    mapping,
    prompt_words,
    text_of,
    tokens,
)
from ctxd_parsers.claude_code_session import (
    began,
    commanded,
    ended,
    flush,
    flush_queued,
    resumed,
    summarised,
    withdrawn,
)
from ctxd_parsers.claude_code_state import (
    At,
    State,
    count_parts,
    remember,
)
from ctxd_parsers.claude_code_tools import (
    Answer,
    Outcome,
    answers,
    approved_plan,
    outcome,
    touch,
)
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    CompactionFailed,
    Event,
    Interrupted,
    Origin,
    PlanDecided,
    QuestionAnswered,
    Reasoning,
    ToolCall,
    ToolResult,
    TurnEnded,
    Usage,
    UserMessage,
)
from ctxd_parsers.limits import RESPONSES_REMEMBERED
from ctxd_parsers.values import numbered

_DIALOGS = ("AskUserQuestion", "ExitPlanMode")
_FINAL = ("end_turn", "stop_sequence", "max_tokens", "refusal")
_SYNTHETIC = "<synthetic>"
"""The model's name in rows that the client made itself."""

Reason = Literal["completed", "interrupted", "error"]
"""Why a turn ended."""

# Rows of the user.


def user(row: Row, at: At, state: State) -> Iterator[Event]:
    """The events of a user row: results of tools, an interruption, or something said."""
    if row.is_compact_summary or (state.boundary and is_unmarked_summary(row)):
        yield from summarised(row, at, state)
        return
    if row.is_meta and is_caveat(row):
        state.caveat = row.uuid
    if row.prompt_id and not at["sub_agent"]:
        state.turn = row.prompt_id
    parts, ids = blocks(row.message), numbered(row.uuid)
    results = [part for part in parts if part.type == "tool_result"]
    for block in results:
        yield from _result(row, block, ids, at, state)
    said = [part.text for part in parts if part.type == "text" and part.text]
    words = [text for text in said if not is_interruption(text)]
    if len(words) < len(said):
        yield from _interrupted(row, f"{row.uuid}#stop" if words else next(ids), at, state)
    if results:
        count_parts(row.uuid, next(ids), state)
    elif not at["sub_agent"] and is_users(row):
        yield from _said(row, words, at, state)


def _said(row: Row, said: list[str], at: At, state: State) -> Iterator[Event]:
    """A row that is neither result nor interruption: a prompt, a command, or its output. Old
    clients put what a command expands to behind it in the same row."""
    first, text = said[0] if said else "", "\n".join(said)
    given = command(row, first)
    if given:
        yield from _command(row, given, at, state)
    elif text.startswith("<local-command-stderr>") and not is_typed(row):
        yield from command_failed(row, text, at, state)
    elif (words := focus(text)) is not None:
        state.focus = words
    elif _is_output(row, first, state):
        pass
    elif words := prompt_words(text, row):
        queued = row.prompt_source == "queued"
        yield from _prompt(row, words, "queued" if queued else "typed", at, state)
    elif attached(blocks(row.message)):
        yield from _prompt(row, "", "typed", at, state)


def _is_output(row: Row, text: str, state: State) -> bool:
    """Whether a row is what a command said. Up to 2.1.109 that an unknown command was given stands
    there like a prompt, but behind a caveat and without the marks of one."""
    behind_caveat = state.caveat is not None and row.parent_uuid == state.caveat
    unmarked = behind_caveat and not is_prompt(row) and not text.startswith("<user-memory-input>")
    return not is_typed(row) and (is_element(text.strip()) or unmarked)


def _command(row: Row, given: Command, at: At, state: State) -> Iterator[Event]:
    if given.spoken and given.arguments:
        yield from _prompt(row, given.arguments, "command_arguments", at, state)
    elif given.spoken and given.name != "compact":
        yield from commanded(row, at, state)
    yield from ran_command(row, given.name, at, state)


def _prompt(row: Row, text: str, origin: Origin, at: At, state: State) -> Iterator[Event]:
    yield from flush(state)
    yield from withdrawn(row, at, state)
    began(row.uuid, state)
    state.turn, state.in_turn, state.fresh = row.prompt_id, True, False
    state.command, state.focus, state.reloads = None, None, False
    yield UserMessage(
        id=row.uuid,
        text=text,
        origin=origin,
        turn=row.prompt_id,
        attachments=attached(blocks(row.message)),
        **at,
    )


def ran_command(row: Row, name: str, at: At, state: State) -> Iterator[Event]:
    """What a slash command did to the session; `/clear` that began one has told so already."""
    state.command = name
    if name in ("exit", "quit"):
        yield from ended(at, state, row.uuid, reason=name)
    elif name == "clear" and not state.fresh:
        state.fresh, state.loads = True, "start"
        state.prompts.clear()
        yield Cleared(id=row.uuid, **at)


def command_failed(row: Row, text: str, at: At, state: State) -> Iterator[Event]:
    """A command's error output: of interest when it was a compaction that was not made."""
    reason = text.partition(">")[2].removesuffix("</local-command-stderr>").strip()
    if state.command == "compact" or reason.startswith("Compaction blocked"):
        yield CompactionFailed(id=row.uuid, trigger="manual", reason=reason, **at)


def _interrupted(row: Row, identity: str, at: At, state: State) -> Iterator[Event]:
    yield Interrupted(id=identity, **at)
    if not at["sub_agent"]:
        yield from turn_ended(f"{row.uuid}#end", "interrupted", at, state)


def _result(row: Row, block: Block, ids: Iterator[str], at: At, state: State) -> Iterator[Event]:
    """The result itself comes first: its id must be the same when its call is not remembered."""
    end = outcome(row, block)
    if end.lost and not at["sub_agent"]:
        yield from resumed(row, at, state)
    yield ToolResult(id=next(ids), call=end.call, status=end.status, **at)
    if at["sub_agent"] or not (end.words or end.call in state.calls):
        return
    proposed = state.calls.get(end.call)
    if proposed is not None and end.status == "ok":
        state.calls[end.call] = approved_plan(row, block) or proposed
    yield from _dialog(row, end, ids, at, state)


def _dialog(row: Row, end: Outcome, ids: Iterator[str], at: At, state: State) -> Iterator[Event]:
    """What the user decided and said in a dialog. Answers count for calls that were seen to be
    questions: the result of any other tool may look like one."""
    is_question = end.call in state.calls and state.calls[end.call] is None
    plan, call = state.calls.pop(end.call, None), end.call
    if end.words:
        origin: Origin = "refusal" if end.status == "refused" else "answer"
        yield UserMessage(
            id=next(ids),
            text=end.words,
            origin=origin if plan is None else "plan_feedback",
            turn=row.prompt_id,
            call=call,
            **at,
        )
    if is_question:
        yield from _answered([*end.answers, *answers(row)], row, call, ids, at)
    if plan is not None and end.status in ("ok", "refused"):
        approved = end.status == "ok"
        yield PlanDecided(id=next(ids), approved=approved, plan=plan or None, call=call, **at)


def _answered(
    given: list[Answer], row: Row, call: str, ids: Iterator[str], at: At
) -> Iterator[Event]:
    for answer in given:
        yield UserMessage(
            id=next(ids), text=answer.words, origin="answer", turn=row.prompt_id, call=call, **at
        )
        yield QuestionAnswered(
            id=next(ids),
            question=answer.question,
            options=answer.options,
            chosen=answer.chosen,
            text=answer.text,
            call=call,
            **at,
        )


# Rows of the agent.


def assistant(row: Row, at: At, state: State) -> Iterator[Event]:
    """The events of one row of a response."""
    message = row.message
    if message is None:
        return
    if state.absorbed:
        yield from flush_queued(state)
    if row.is_api_error_message:
        message.model = _SYNTHETIC
    number = 0
    for block in blocks(message):
        make = _BLOCKS.get(block.type or "")
        event = (
            make(block, f"{row.uuid}#{number}" if number else row.uuid, message, at)
            if make
            else None
        )
        if event:
            number += 1
            yield event
        if block.name in _DIALOGS and block.id and not at["sub_agent"]:
            remember(state.calls, block.id, _plan(block))
    if message.model != _SYNTHETIC:
        yield from _usage(row, message, at, state)
    if not at["sub_agent"]:
        if number:
            began(row.uuid, state)
        yield from _last_of_turn(row, message, at, state)


def _text(block: Block, identity: str, message: Message, at: At) -> Event | None:
    if not block.text or block.text.isspace():
        return None
    return AssistantMessage(
        id=identity,
        text=block.text,
        message=message.id,
        model=message.model,
        failed=message.model == _SYNTHETIC,
        **at,
    )


def _thinking(block: Block, identity: str, message: Message, at: At) -> Event | None:
    if not block.thinking:
        return None
    return Reasoning(id=identity, text=block.thinking, message=message.id, **at)


def _tool_call(block: Block, identity: str, message: Message, at: At) -> Event | None:
    touched = touch(block.input)
    return ToolCall(
        id=identity,
        call=block.id or "",
        name=block.name or "",
        paths=touched.paths,
        command=touched.command,
        excerpt=touched.excerpt,
        message=message.id,
        **at,
    )


def _plan(block: Block) -> str | None:
    if block.name != "ExitPlanMode":
        return None
    return text_of(mapping(decoded(block.input)).get("plan")) or ""


def _usage(row: Row, message: Message, at: At, state: State) -> Iterator[Event]:
    """The usage stands on every row of a response, and grew from row to row in 2.1.63."""
    given = tokens(message)
    known = message.id or row.uuid
    if given is None or state.usage.get(known) == given:
        return
    remember(state.usage, known, given, RESPONSES_REMEMBERED)
    fresh, written, read, output = given
    context = (fresh or 0) + (written or 0) + (read or 0) + (output or 0)
    yield Usage(
        id=f"{row.uuid}#usage",
        message=message.id,
        model=message.model,
        input_tokens=fresh,
        cache_write_tokens=written,
        cache_read_tokens=read,
        output_tokens=output,
        context_tokens=context,
        **at,
    )


def _last_of_turn(row: Row, message: Message, at: At, state: State) -> Iterator[Event]:
    """A final stop reason ends the turn where no row does. Clients that put it on every row of the
    response [2.0.37, >=2.1.109] let a thinking block come before the text."""
    state.in_turn, state.reloads = state.in_turn or message.id != state.answered, False
    reason = message.stop_reason
    if message.model == _SYNTHETIC:
        failed = bool(row.is_api_error_message)
        yield from turn_ended(f"{row.uuid}#end", "error" if failed else "interrupted", at, state)
    elif reason in _FINAL and not logs_turn_ends(row) and _says_something(message):
        state.answered = message.id
        yield from turn_ended(f"{row.uuid}#end", "completed", at, state)


def _says_something(message: Message) -> bool:
    return any(block.type == "text" for block in blocks(message))


def turn_ended(identity: str, reason: Reason, at: At, state: State) -> Iterator[Event]:
    """The end of a turn, told once whatever tells it."""
    if state.in_turn:
        state.in_turn = False
        yield TurnEnded(id=identity, reason=reason, turn=state.turn, **at)


_BLOCKS: dict[str, Callable[[Block, str, Message, At], Event | None]] = {
    "text": _text,
    "thinking": _thinking,
    "tool_use": _tool_call,
    "server_tool_use": _tool_call,
    "mcp_tool_use": _tool_call,
}
