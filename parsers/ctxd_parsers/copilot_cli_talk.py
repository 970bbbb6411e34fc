"""What is said and done in a Copilot CLI session: prompts, replies, tools, questions, permissions.

Whose words they are (measured on client 1.0.102): a `user.message` is the user's only without an
`agentId`, with `source` absent or `user`, and when autopilot did not write it; what the client adds
stands in `transformedContent`, which is never read. Answers, plan feedback and words of refusal
count only where the record says that a human gave them. Client 1.0.20 kept no such records: its
refusals and answers are taken from the fixed sentences of the tool result (read in its source).

`assistant.turn_end` ends one model call. A turn is taken to end at the first one whose messages ask
for no tool, at the end of a task, at an error or an abort; autopilot then goes on by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from ctxd_parsers import copilot_cli_rows as rows
from ctxd_parsers import events
from ctxd_parsers.copilot_cli_state import At, State, remember
from ctxd_parsers.decoding import Part
from ctxd_parsers.events import Event
from ctxd_parsers.limits import EXCERPT_CHARS
from ctxd_parsers.values import excerpt

_ATTACHMENT = Part(rows.Attachment)
_REQUEST = Part(rows.Request)
_ARGUMENTS = Part(rows.Arguments)
_OUTPUT = Part(rows.Output)
_RESPONSE = Part(rows.Response)
_FIELD = Part(rows.Field)

_PASTE = re.compile(r'<pasted_content file="([^"]*)"[^>]*/>')
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_REFUSAL = "The user rejected this tool call"
_REFUSED = ("denied", "rejected")
_FEEDBACK = f"{_REFUSAL}. User feedback: "
_PICKED, _TYPED = "User selected: ", "User responded: "
_QUESTIONS, _QUESTION_BYTES = 8, 4 * EXCERPT_CHARS
"""Open questions remembered, and how long one may be."""


def prompt(at: At, data: rows.Prompt) -> Iterator[Event]:
    """The user's words, if they are the user's, and a place in what a compaction keeps."""
    if at.agent:
        return
    state, text = at.state, data.content
    state.turn, state.in_turn = data.interactionId or state.turn, True
    origin = "queued" if data.delivery in ("steering", "queued") else "typed"
    command = f"/{state.skill}" if state.skill else None
    state.skill = None
    if command and text.partition(" ")[0] == command:
        text, origin = text.removeprefix(command).strip(), "command_arguments"
    identity = ""
    if text.strip() and _is_the_users(data, state):
        identity = at.identity
        yield at.event(
            events.UserMessage,
            text=text,
            origin=origin,
            turn=state.turn,
            pasted=tuple(events.Paste(m.start(), m.end(), m[1]) for m in _PASTE.finditer(text)),
            attachments=tuple(filter(None, map(_attachment, data.attachments))),
        )
    if data.content and (_source(data) == "user" or _source(data).startswith("agent-")):
        state.prompts.add(identity, data.content)


def _source(data: rows.Prompt) -> str:
    return data.source or "user"


def _is_the_users(data: rows.Prompt, state: State) -> bool:
    typed = _source(data) == "user" and not data.isAutopilotContinuation
    return typed and data.agentMode != "shell" and not state.headless


def _attachment(raw: msgspec.Raw) -> str:
    part = _ATTACHMENT(raw)
    name = part.path or part.filePath or part.url or part.displayName or part.title
    return name or ("image" if part.mimeType.startswith("image/") else "")


def turn_start(at: At, data: rows.Turn) -> Sequence[Event]:
    """A model call begins."""
    at.within(data.parentToolCallId)
    if not at.agent:
        state = at.state
        state.turn = data.interactionId or state.turn
        state.in_turn = state.in_call = True
        state.answered = state.calls_tools = False
    return ()


def turn_end(at: At, data: rows.Turn) -> Iterator[Event]:
    """A model call and its tools are over, and with the last one the turn."""
    at.within(data.parentToolCallId)
    state = at.state
    if not at.agent:
        state.in_call = False
        if state.answered and not state.calls_tools:
            yield turn_ended(at, "completed")


def turn_ended(at: At, reason: str) -> Event:
    """The end of the turn that the session is in."""
    at.state.in_turn = at.state.in_call = False
    return at.event(events.TurnEnded, reason=reason, turn=at.state.turn)


def reply(at: At, data: rows.Reply) -> Iterator[Event]:
    """A model response, or a part of one."""
    at.within(data.parentToolCallId)
    if not at.agent:
        at.state.answered = True
        at.state.calls_tools = at.state.calls_tools or bool(data.toolRequests)
    message = data.messageId
    if data.reasoningText.strip():
        yield at.event(events.Reasoning, text=data.reasoningText, message=message)
    if data.content.strip():
        yield at.event(
            events.AssistantMessage, text=data.content, message=message, model=data.model
        )
    for raw in data.toolRequests:
        yield from _tool_call(at, _REQUEST(raw), message)


def reasoning(at: At, data: rows.Reply) -> Iterator[Event]:
    """Thinking as a record of its own, as some providers give it."""
    if data.content.strip():
        yield at.event(events.Reasoning, text=data.content)


def user_tool(at: At, data: rows.Request) -> Iterator[Event]:
    """A shell command that the user ran (`!command`); not a word to the agent."""
    yield from _tool_call(at, data, None)


def _tool_call(at: At, data: rows.Request, message: str | None) -> Iterator[Event]:
    name, raw = data.name or data.toolName, bytes(data.arguments)
    if not data.toolCallId or not name:
        return
    arguments = _ARGUMENTS(raw)
    if arguments.question and name == "ask_user" and len(raw) <= _QUESTION_BYTES:
        remember(at.state.questions, data.toolCallId, raw, _QUESTIONS)
    patch = arguments.input or (_json_text(raw) if raw.startswith(b'"') else "")
    shown = arguments.new_str or arguments.file_text or patch
    if not shown and not arguments.command:
        shown = raw[: 4 * EXCERPT_CHARS].decode("utf-8", "replace")
    yield at.event(
        events.ToolCall,
        call=data.toolCallId,
        name=name,
        paths=(arguments.path,) if arguments.path else tuple(_PATCHED.findall(patch)),
        command=arguments.command,
        excerpt=excerpt(shown) or None,
        message=message,
    )


def _json_text(raw: bytes) -> str:
    """The text of a JSON string that was checked for everything but its UTF-8."""
    return msgspec.json.decode(raw.decode("utf-8", "replace"), type=str)


def tool_done(at: At, data: rows.Done) -> Iterator[Event]:
    """A tool call ended; nothing if that was told when it was not allowed to run."""
    at.within(data.parentToolCallId)
    state, call = at.state, data.toolCallId
    question = state.questions.pop(call, None)
    if not call or state.settled.pop(call, False):
        return
    yield at.event(events.ToolResult, call=call, status=_status(data))
    if _is_refused(data) and data.error.message.startswith(_FEEDBACK):
        yield words(at, data.error.message.removeprefix(_FEEDBACK), "refusal", call)
    elif data.success and question is not None:
        yield from _answer_in_result(at, question, _OUTPUT(data.result).content, call)


def _status(data: rows.Done) -> events.Status | None:
    if data.success is None:
        return None
    if data.success:
        return "ok"
    if _is_refused(data):
        return "refused"
    return "interrupted" if data.error.code == "interrupted" else "error"


def _is_refused(data: rows.Done) -> bool:
    """Whether the user refused the call. A tool may fail with any message, but not with the code of
    a refusal (that of a failure is `failure`)."""
    by_user = data.success is False and data.error.code in _REFUSED
    return by_user and data.error.message.startswith(_REFUSAL)


def words(at: At, text: str, origin: events.Origin, call: str | None = None) -> Event:
    """Words of the user that are no prompt."""
    return at.event(events.UserMessage, text=text, origin=origin, call=call, turn=at.state.turn)


def _answer_in_result(at: At, question: bytes, result: str, call: str) -> Iterator[Event]:
    asked = _ARGUMENTS(question)
    picked, typed = result.startswith(_PICKED), result.startswith(_TYPED)
    if picked or typed:
        yield from _answered(
            at,
            question=asked.question,
            options=_options(asked.choices),
            chosen=(result.removeprefix(_PICKED),) if picked else (),
            text=result.removeprefix(_TYPED) if typed else None,
            call=call,
        )


def permission_asked(at: At, data: rows.Permission) -> Sequence[Event]:
    """The client asks the user whether a tool may run."""
    call = data.permissionRequest.toolCallId
    if data.requestId and call:
        remember(at.state.requests, data.requestId, call)
    return ()


def permission_settled(at: At, data: rows.Permission) -> Iterator[Event]:
    """The question is settled: by the user's no and the words with it, by an abort, or by a yes."""
    call = data.toolCallId or at.state.requests.get(data.requestId)
    at.state.requests.pop(data.requestId, None)
    by_user = data.decisionSource in (None, "human_response")
    refused = by_user and data.result.kind == "denied-interactively-by-user"
    if call and (refused or data.result.kind == "cancelled"):
        remember(at.state.settled, call, value=True)
        yield at.event(events.ToolResult, call=call, status="refused" if refused else "interrupted")
    if refused and data.result.feedback.strip():
        yield words(at, data.result.feedback, "refusal", call)


def human_response(at: At, data: rows.Human) -> Iterator[Event]:
    """The user answered a question or decided on a plan, unless the host answered in its place."""
    at.state.questions.pop(data.toolCallId or "", None)
    response = _RESPONSE(data.response)
    answered = _ANSWERS.get(response.responseKind)
    if answered and data.actor == "human_response":
        yield from answered(at, response, data.toolCallId)


def _picked_or_typed(at: At, data: rows.Response, call: str | None) -> Iterator[Event]:
    yield from _answered(
        at,
        question=data.question,
        options=_options(data.choices),
        chosen=() if data.wasFreeform else (data.answer,),
        text=data.answer if data.wasFreeform else None,
        call=call,
    )


def _form(at: At, data: rows.Response, call: str | None) -> Iterator[Event]:
    for name, value in data.content.items():
        field = _FIELD(data.requestedSchema.properties.get(name, b"{}"))
        offered = _values(field) or _values(_FIELD(field.items))
        given = value if isinstance(value, list) else [value]
        answers = [_shown(answer) for answer in given if answer is not None]
        several = len(data.content) > 1
        yield from _answered(
            at,
            question=f"{data.message}\n{field.title or name}" if several else data.message,
            options=_options(offered),
            chosen=tuple(answer for answer in answers if answer in offered),
            text="\n".join(answer for answer in answers if answer not in offered) or None,
            call=call,
        )


def _values(field: rows.Field) -> tuple[str, ...]:
    return field.enum or tuple(choice.const for choice in field.oneOf or field.anyOf)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _options(labels: Iterable[str]) -> tuple[events.Option, ...]:
    return tuple(events.Option(label) for label in labels)


def _answered(at: At, **fields: Any) -> Iterator[Event]:
    answer = at.event(events.QuestionAnswered, **fields)
    yield answer
    said = "\n".join(filter(None, (*answer.chosen, answer.text)))
    if said.strip():
        yield words(at, said, "answer", answer.call)


def _plan(at: At, data: rows.Response, call: str | None) -> Iterator[Event]:
    yield at.event(
        events.PlanDecided,
        approved=data.approved,
        plan=data.planContent or data.summary or None,
        choice=data.selectedAction,
        call=call,
    )
    if data.feedback.strip():
        yield words(at, data.feedback, "plan_feedback", call)


_ANSWERS: dict[str, Callable[[At, rows.Response, str | None], Iterator[Event]]] = {
    "ask_user": _form,
    "user_input": _picked_or_typed,
    "exit_plan_mode": _plan,
}
