"""What is said and done in a Codex session: words, thinking, tools, questions.

Whose words they are: what the user said is told by the client's own events (`user_message`, since
0.17x an item `UserMessage`), never by the role `user` of a message to the model: under that role
the client also sends context files, the environment, notices and summaries. Of words that an editor
sent with its own context before them, only those behind its heading are the user's.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator

from ctxd_parsers import codex_rows as rows
from ctxd_parsers import events
from ctxd_parsers.codex_state import At, State, remember
from ctxd_parsers.codex_window import context_file, is_injected, note_prompt, text_of
from ctxd_parsers.decoding import Part
from ctxd_parsers.events import Event
from ctxd_parsers.limits import EXCERPT_CHARS, PENDING_CALLS
from ctxd_parsers.values import derived_id, excerpt

_RESPONSE = Part(rows.Response)
_ARGUMENTS = Part(rows.Arguments)
_QUESTIONS = Part(rows.Questions)
_ANSWERS = Part(rows.Answers)
_REPORTED = Part(rows.Reported)

_INJECTED_KINDS = {"environment_context", "user_instructions"}
_EDITOR = "# Context from my IDE setup:"
_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n?", re.MULTILINE)
_DONE = "Compact task completed"
"""What 0.57 says in the agent's place after a compaction."""
_HOOK = "hooks.additional_context"
_SKILL_NAME = re.compile(r"<name>([^<]{1,200})</name>")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_SHELLS = {"bash", "sh", "zsh", "powershell", "pwsh", "cmd"}
_SEARCHED_CHARS = 2000
"""Of a tool's output, what is searched for how it ended."""
_REFUSED = re.compile(r"(?:[\w ]{0,40} )?rejected by user(?! approval)")
_ABORTED = re.compile(r"aborted(?: by user)?\b")
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})", re.MULTILINE)
_NOTE = "user_note: "
_QUESTION_CHARS = 4 * EXCERPT_CHARS
_OPEN_QUESTIONS = 8


def user_message(at: At, data: rows.Happening) -> Iterator[Event]:
    """Words of the user, as clients before 0.17x tell them."""
    attached = [*(data.local_images or ()), *("image" for _ in data.images or ())]
    if data.kind not in _INJECTED_KINDS:
        yield from _words(at, data.message, attached)


def user_item(at: At, item: rows.Item) -> Iterator[Event]:
    """Words of the user, as an item."""
    attached = [
        piece.path or piece.name or "image"
        for piece in item.content or ()
        if piece.type.lower() not in ("text", "")
    ]
    yield from _words(at, text_of(item.content), attached)


def _words(at: At, message: str, attached: list[str]) -> Iterator[Event]:
    state, text = at.state, _request(message)
    if not text.strip() or is_injected(message):
        return
    state.compacted = False
    if state.headless:
        # Under an id of its own: of a repeated line, another thread has it as the user's words.
        identity = derived_id(state.session, at.line, text)
        note_prompt(state, "", message)
        yield at.event(events.ContextInjected, id=identity, source="client", text=text)
        return
    event = at.event(
        events.UserMessage,
        about=text,
        text=text,
        origin="queued" if state.in_turn and state.was_asked else "typed",
        turn=state.turn or None,
        attachments=tuple(attached),
    )
    state.was_asked = True
    note_prompt(state, event.id, message)
    yield event


def _request(message: str) -> str:
    """The user's part of a message that may begin with an editor's context."""
    found = _REQUEST.search(message) if message.startswith("# ") else None
    if found:
        return message[found.end() :]
    return "" if message.startswith(_EDITOR) else message


def agent_message(at: At, data: rows.Happening) -> Iterator[Event]:
    """Words of the agent, as clients before 0.17x tell them."""
    if not (at.state.compacted and data.message == _DONE):
        yield from _said(at, data.message, None)


def agent_item(at: At, item: rows.Item) -> Iterator[Event]:
    """Words of the agent, or a plan of it, as an item."""
    message = item.id if item.id.startswith("msg_") else None
    yield from _said(at, text_of(item.content) or item.text, message)


def _said(at: At, text: str, message: str | None) -> Iterator[Event]:
    if text.strip():
        at.state.compacted = False
        yield at.event(
            events.AssistantMessage, about=text, text=text, message=message, model=at.state.model
        )


def reasoning(at: At, data: rows.Happening) -> Iterator[Event]:
    """The model's readable thinking, as clients before 0.17x tell it."""
    if data.text.strip():
        yield at.event(events.Reasoning, about=data.text, text=data.text)


def reasoning_item(at: At, item: rows.Item) -> Iterator[Event]:
    """The model's readable thinking, as an item."""
    text = "\n".join(item.summary_text)
    if text.strip():
        yield at.event(events.Reasoning, about=text, text=text)


def hook_prompt(at: At, item: rows.Item) -> Iterator[Event]:
    """What a hook told the agent to go on with."""
    text = text_of(item.fragments)
    if text.strip():
        yield at.event(events.ContextInjected, about=text, source="hook", text=text)


def action_item(at: At, item: rows.Item) -> Iterable[Event]:
    """A command or an edit ended; its output follows as the call's."""
    return declined(at.state, item.id, item.status)


def action_ended(at: At, data: rows.Happening) -> Iterable[Event]:
    """The same as clients before 0.17x tell it."""
    return declined(at.state, data.call_id, data.status)


def declined(state: State, call: str, status: str | None) -> Iterable[Event]:
    """Remember a call that the user refused."""
    if call and status == "declined":
        state.declined = [*state.declined[1 - PENDING_CALLS :], call]
    return ()


def response(at: At) -> Iterator[Event]:
    """A part of the conversation with the model."""
    data = _RESPONSE(at.row.payload)
    handle = _RESPONSES.get(data.type)
    if handle:
        yield from handle(at, data)
    elif data.type not in _SILENT:
        kind = f"response_item {data.type}".strip()
        version = at.state.version
        yield at.event(events.Unknown, record_kind=kind, client_version=version)


def _message(at: At, data: rows.Response) -> Iterator[Event]:
    kinds = data.internal_chat_message_metadata_passthrough.content_item_kinds
    pieces = data.content or []
    for number, piece in enumerate(pieces):
        kind = kinds[number] if number < len(kinds) else ""
        if data.role == "developer":
            yield from _developer(at, piece.text, kind)
        elif data.role == "user":
            yield from context_file(at, piece.text)
            if piece.text.startswith("<skill>"):
                yield _skill(at, piece.text)


def _developer(at: At, text: str, kind: str) -> Iterator[Event]:
    """A hook's words. Older clients do not say which are, but tag all that they write themselves;
    what is without a tag there is a hook's, or comes from the user's settings."""
    is_hooks = kind == _HOOK
    if text.strip() and (is_hooks or not (kind or text.lstrip().startswith("<"))):
        source = "hook" if is_hooks else "client"
        yield at.event(events.ContextInjected, about=text, source=source, text=text)


def _skill(at: At, text: str) -> Event:
    name = _SKILL_NAME.search(text, 0, _SEARCHED_CHARS)
    return at.event(
        events.ContextInjected, about=text, source="skill", text=text, name=name and name[1]
    )


def _call(at: At, data: rows.Response) -> Iterator[Event]:
    if not data.call_id or not data.name:
        return
    state, given = at.state, data.arguments or data.input
    arguments = _ARGUMENTS(given.encode("utf-8", "replace")) if data.arguments else None
    if data.name == "request_user_input" and len(given) <= _QUESTION_CHARS:
        remember(state.questions, data.call_id, given, _OPEN_QUESTIONS)
    command = _command(arguments) if arguments else None
    patch = data.input or (arguments and (arguments.input or arguments.patch)) or command or ""
    named = arguments and (arguments.path or arguments.file_path or arguments.dir_path)
    shown = None if command else excerpt(patch or given)
    yield at.event(
        events.ToolCall,
        about=data.call_id,
        call=data.call_id,
        name=data.name,
        paths=(named,) if named else tuple(_PATCHED.findall(patch)),
        command=command,
        excerpt=shown or None,
    )


def _command(arguments: rows.Arguments) -> str | None:
    command = arguments.cmd or arguments.command
    return _line(command) if isinstance(command, tuple) else command


def _line(words: tuple[str, ...]) -> str | None:
    """A command as one line; of one that a shell is given, the shell's part is left out."""
    match words:
        case (shell, _flag, line) if _program(shell) in _SHELLS:
            return line
    return shlex.join(words) or None


def _program(path: str) -> str:
    return re.split(r"[/\\]", path)[-1].removesuffix(".exe")


def _local_call(at: At, data: rows.Response) -> Iterator[Event]:
    command = _line(data.action.command)
    call = data.call_id or data.id or ""
    if call:
        yield at.event(events.ToolCall, about=call, call=call, name="local_shell", command=command)


def _search(at: At, data: rows.Response) -> Iterator[Event]:
    call = data.id or data.call_id
    if call:
        yield at.event(
            events.ToolCall, about=call, call=call, name="web_search", excerpt=data.action.query
        )


def _output(at: At, data: rows.Response) -> Iterator[Event]:
    state, call = at.state, data.call_id
    if not call:
        return
    output = data.output
    if isinstance(output, rows.Output):
        output = output.content
    text = text_of(output) if isinstance(output, list) else output or ""
    status = "refused" if call in state.declined else _status(text)
    yield at.event(events.ToolResult, about=call, call=call, status=status)
    question = state.questions.pop(call, None)
    if question and not state.headless:
        yield from _answers(at, question, text, call)


def _status(text: str) -> events.Status | None:
    head = text[:_SEARCHED_CHARS].partition("\nOutput:")[0]
    if _REFUSED.match(head):
        return "refused"
    if _ABORTED.match(head):
        return "interrupted"
    found = _EXIT.search(head)
    if found:
        return "ok" if int(found[1]) == 0 else "error"
    if text.startswith("{"):
        code = _REPORTED(text.encode("utf-8", "replace")).metadata.exit_code
        return None if code is None else "error" if code else "ok"
    return None


def _answers(at: At, question: str, text: str, call: str) -> Iterator[Event]:
    given = _ANSWERS(text.encode("utf-8", "replace")).answers
    for asked in _QUESTIONS(question.encode("utf-8", "replace")).questions:
        labels = [choice.label for choice in asked.options or ()]
        answers = given.get(asked.id, rows.Answer()).answers
        chosen = tuple(answer for answer in answers if answer in labels)
        typed = [answer.removeprefix(_NOTE) for answer in answers if answer not in labels]
        said = "\n".join(filter(str.strip, (*chosen, *typed)))
        if not said:
            continue
        yield at.event(
            events.QuestionAnswered,
            question=asked.question,
            options=tuple(events.Option(c.label, c.description) for c in asked.options or ()),
            chosen=chosen,
            text="\n".join(typed) or None,
            call=call,
        )
        turn = at.state.turn or None
        yield at.event(events.UserMessage, text=said, origin="answer", call=call, turn=turn)


_Handler = Callable[[At, rows.Response], Iterable[Event]]
_RESPONSES: dict[str, _Handler] = {
    "message": _message,
    "function_call": _call,
    "custom_tool_call": _call,
    "local_shell_call": _local_call,
    "web_search_call": _search,
    "function_call_output": _output,
    "custom_tool_call_output": _output,
}
_KNOWN = """
    additional_tools agent_message compaction compaction_summary compaction_trigger
    configuration_update context_compaction ghost_snapshot image_generation_call other reasoning
    tool_search_call tool_search_output
"""
_SILENT = frozenset(_KNOWN.split())
"""Known, without meaning here: thinking and the agents' messages are also told as events, a
compaction as a line of its own."""
