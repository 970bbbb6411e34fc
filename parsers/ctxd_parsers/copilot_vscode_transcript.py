"""Copilot Chat in VS Code: the transcript that the extension writes for hooks and for the model.

Promises: the same turns as the chat's own store, earlier (before each prompt to the model) and, for
remote windows, on the machine where the work is done; one message has one id in both. Sub-agents'
words are the agent's, told with `sub_agent`; what the client sent by itself is nobody's.

Facts (sessionTranscriptService.ts and toolCallingLoop.ts of microsoft/vscode, extensions/copilot):
- there is no transcript without hooks before 2026-04 (Copilot Chat 0.42); compaction leaves no
  trace in it; of all files of a workspace 20 are kept.
- the first record tells the session. When the file is gone the earlier turns are written again
  with their old times, so a second `session.start` begins a repetition, not another session
  (microsoft/vscode#315315: 55 of them in one file). A window that finds the file goes on in it with
  a record whose `parentId` is null.
- what a sub-agent was asked is logged as a `user.message` like any other. It is told by the open
  call of a tool named `...subagent` whose arguments hold its text.
- neither what the client sent by itself nor a pressed button is marked; the texts are the client's.
- ids of tool calls are the model's, without the suffix that the chat adds; `arguments` of a request
  are JSON text, those of an execution an object.

What a consumer may still see twice: a message that follows a rewind, since the transcript knows no
rewinds and the prompt before it differs; and the same text said again after the same prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd_parsers.copilot_vscode_chat import (
    NOTICE,
    OPEN_RESPONSE_CHARS,
    call_name,
    fields_of,
    items_of,
    number_of,
    outcome,
    reduced_call,
    text_of,
)
from ctxd_parsers.copilot_vscode_log import (
    FAILURES,
    SHORT_CHARS,
    UNSET,
    Keep,
    Raw,
    safely_kept,
    short,
    whole,
)
from ctxd_parsers.copilot_vscode_places import cwd_of, user_folders, workspace_file
from ctxd_parsers.copilot_vscode_turns import (
    AGENT,
    COMPLETE,
    CONTINUE,
    Scene,
    called,
    chain,
    end_events,
    ended,
    pressed,
    said,
    thought,
    tool_answers,
    turn_id,
)
from ctxd_parsers.decoding import Damage, RowDecoder
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import Event, SessionStarted, Unknown, Unparsed, Usage, UserMessage
from ctxd_parsers.limits import PENDING_CALLS, PROMPTS_REMEMBERED
from ctxd_parsers.parser import NoSigns, Record, Source, Storage
from ctxd_parsers.values import derived_id, from_iso

ASKED_CHARS = 2000
"""Characters of what a sub-agent was asked that are remembered to know it again."""

_ASKED_LEAST = 8
"""Shortest argument that may name a sub-agent's prompt: "all" or "src" would be found anywhere."""

_ASKED_MOST = 4
"""Arguments of a call that are remembered: sub-agents are asked by one or two."""

_SHOWN = ("description", "agentName")
"""Arguments that the user sees and the sub-agent does not; a user's next words may hold them."""

_GOES_ON = "Continue to iterate?"
"""The question whose button's words are known (toolCallingLoop.ts)."""

_HEAD = b'"vscodeVersion"'
_PATTERN = "*/[Gg]it[Hh]ub.copilot-chat/transcripts/*.jsonl"


class _Row(msgspec.Struct):
    type: str = ""
    id: str = ""
    timestamp: str = ""
    parentId: str | msgspec.UnsetType | None = UNSET
    data: Raw = Raw()


class _Call(msgspec.Struct, array_like=True):
    """A tool call that waits for its end."""

    asked: list[str] = []
    """For sub-agents: texts of the arguments."""
    spoken: bool = False
    """Its sub-agent has begun."""
    questions: list[Any] = []


class TranscriptState(msgspec.Struct):
    """All that is remembered of one transcript."""

    session: str
    cwd: str | None = None
    version: str | None = None
    started: bool = False
    repeating: bool = False
    """A second `session.start` was the last record that tells a time."""
    latest: str = ""
    """Latest time of a record, as it is written."""
    chain: str = ""
    turn: str = ""
    taken: list[str] = []
    """Ids of the turns so far."""
    used: list[str] = []
    calls: dict[str, _Call] = {}
    inner: str = ""
    """The call whose sub-agent speaks."""
    message: str = ""
    silent: bool = False
    """The last message asked for no tool."""
    seen: list[str] = []
    """Ids of the last records: torn ones are written again."""


_ROWS = RowDecoder(_Row, marks=("type", "data"))


class CopilotVscodeTranscript(NoSigns):
    """Transcripts: `GitHub.copilot-chat/transcripts/<id>.jsonl` in a workspace's storage."""

    name = "copilot-vscode-transcript"
    agent = AGENT
    state_type = TranscriptState

    def sources(self, env: Environment) -> Sequence[Source]:
        """The extension's folder in every workspace's storage, of remote servers too."""
        storages = (user / "workspaceStorage" for user in user_folders(env))
        return [Source(storage, (_PATTERN,), Storage.LINES) for storage in storages]

    def claims(self, path: PurePath, head: bytes) -> bool:
        """A file in the extension's folder, or one that names VS Code's version as it does."""
        if path.suffix.lower() != ".jsonl":
            return False
        folder = path.parent
        at_home = folder.name == "transcripts" and "copilot-chat" in folder.parent.name.lower()
        first = head.split(b"\n", 1)[0]
        return at_home or (first.startswith(b'{"type":"session.start"') and _HEAD in first)

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """The workspace's name."""
        return workspace_file(path)

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> TranscriptState:
        """A state that knows the file's name and the workspace."""
        return TranscriptState(path.stem or AGENT, cwd_of(companions))

    def parse(self, records: Iterable[Record], state: TranscriptState) -> Iterator[Event]:
        """The events of further records."""
        for record, row in _ROWS.rows(records):
            span = (record.start, record.end)
            if isinstance(row, Damage):
                yield _unparsed(state, span, row.reason)
            elif not row.type:
                yield _unparsed(state, span, "no type")
            elif row.type not in _READERS:
                name = derived_id(state.session, "unknown", row.id, row.type, *span)
                scene = Scene(state.session, "", span, from_iso(row.timestamp))
                yield scene.make(Unknown, name, record_kind=row.type, client_version=state.version)
            elif not row.id or row.id[:SHORT_CHARS] not in state.seen:
                yield from _read(state, row, span)


def _read(state: TranscriptState, row: _Row, span: tuple[int, int]) -> Iterator[Event]:
    keep, reader = _READERS[row.type]
    try:
        data = fields_of(safely_kept(row.data, keep)) if bytes(row.data) else {}
    except FAILURES as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else "not JSON"
        yield _unparsed(state, span, reason)
        return
    state.seen = [*state.seen[1 - PENDING_CALLS :], row.id[:SHORT_CHARS]]
    goes_on = state.started and row.parentId is None and row.id
    if row.type != "session.start":
        yield from _start(state, row, span, {})
        if goes_on:
            name = derived_id(state.session, "resume", row.id)
            scene = Scene(state.session, "", span, from_iso(row.timestamp))
            yield scene.make(SessionStarted, name, how="resume", cwd=state.cwd, client="vscode")
    yield from reader(state, row, span, data)
    state.latest = max(state.latest, row.timestamp[:SHORT_CHARS])


def _scene(state: TranscriptState, row: _Row, span: tuple[int, int]) -> Scene:
    """The scene of the running turn, or of the sub-agent that speaks in it."""
    turn = derived_id(state.turn, state.inner) if state.inner else state.turn
    time, inner = from_iso(row.timestamp), state.inner or None
    return Scene(state.session, turn, span, time, sub_agent=inner, used=state.used)


def _start(
    state: TranscriptState, row: _Row, span: tuple[int, int], data: dict[str, Any]
) -> Iterator[Event]:
    """The session's begin, once: with its record, or with the first one that is there."""
    if state.started:
        state.repeating = state.repeating or row.type == "session.start"
        return
    state.started = True
    state.session = text_of(data.get("sessionId")) or state.session
    state.version = text_of(data.get("copilotVersion")) or None
    state.turn = derived_id(state.session, "before")
    cwd = text_of(fields_of(data.get("context")).get("cwd"))
    time = from_iso(text_of(data.get("startTime")) or row.timestamp)
    yield Scene(state.session, "", span).make(
        SessionStarted,
        derived_id(state.session, "start"),
        time,
        cwd=cwd or state.cwd,
        client="vscode",
        client_version=state.version,
    )


def _user(
    state: TranscriptState, row: _Row, span: tuple[int, int], data: dict[str, Any]
) -> Iterator[Event]:
    text = text_of(data.get("content"))
    asked = _asked_of(state, text)
    if asked:
        state.inner, state.calls[asked].spoken = asked, True
        return
    prompt, again = text.strip(), row.timestamp < state.latest
    if state.repeating and again:
        state.chain = ""
    state.repeating = False
    name = turn_id(state.session, state.chain, prompt)
    if name in state.taken and not again:
        name = derived_id(state.session, "record", row.id, *(() if row.id else span))
    state.taken = [*state.taken[1 - PROMPTS_REMEMBERED :], name]
    state.turn, state.used, state.calls, state.inner = name, [], {}, ""
    if not prompt or NOTICE.match(text):
        return
    state.chain = chain(prompt)
    scene = _scene(state, row, span)
    button = CONTINUE.fullmatch(prompt)
    if button and button["title"] == _GOES_ON:
        yield from pressed(scene, text, button["label"])
    else:
        names = [fields_of(entry) for entry in items_of(data.get("attachments"))]
        shown = [text_of(n.get("path")) or text_of(n.get("displayName")) for n in names]
        attached = tuple(name for name in shown if name)
        yield scene.make(UserMessage, name, text=text, attachments=attached)


def _asked_of(state: TranscriptState, text: str) -> str:
    """The open call whose sub-agent is asked this; empty if it is a person's prompt."""
    found = [
        name
        for name, call in state.calls.items()
        if not call.spoken and any(asked in text for asked in call.asked)
    ]
    return found[0] if found else ""


def _assistant(
    state: TranscriptState, row: _Row, span: tuple[int, int], data: dict[str, Any]
) -> Iterator[Event]:
    scene, message = _scene(state, row, span), text_of(data.get("messageId"))
    state.message = message
    yield from thought(scene, text_of(data.get("reasoningText")), message=message or None)
    yield from said(scene, text_of(data.get("content")), message=message or None)
    requests = [fields_of(request) for request in items_of(data.get("toolRequests"))]
    state.silent = not requests
    for request in requests:
        yield from _call(state, scene, request, message)


def _call(
    state: TranscriptState, scene: Scene, request: dict[str, Any], message: str = ""
) -> Iterator[Event]:
    """A tool call, unless it was told."""
    call = call_name(request.get("toolCallId"))
    if not call or call in state.calls:
        return
    tool = text_of(request.get("name")) or text_of(request.get("toolName"))
    told = reduced_call(tool, request.get("arguments"))
    asked = _texts(request.get("arguments")) if "subagent" in tool.lower() else []
    state.calls[call] = _Call(asked, questions=_bounded(told["questions"]))
    if len(state.calls) > PENDING_CALLS:
        del state.calls[next(iter(state.calls))]
    yield from called(scene, {**told, "id": call}, message=message or None)


def _texts(arguments: Any) -> list[str]:
    """Texts among the arguments that a sub-agent's prompt may be made of."""
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(arguments)
        except FAILURES:
            return []
    values = [value for name, value in fields_of(arguments).items() if name not in _SHOWN]
    texts = [value.strip()[:ASKED_CHARS] for value in values if isinstance(value, str)]
    return [text for text in texts if len(text) >= _ASKED_LEAST][:_ASKED_MOST]


def _bounded(questions: list[Any]) -> list[Any]:
    return questions if len(msgspec.json.encode(questions)) <= OPEN_RESPONSE_CHARS else []


def _executes(
    state: TranscriptState, row: _Row, span: tuple[int, int], data: dict[str, Any]
) -> Iterator[Event]:
    yield from _call(state, _scene(state, row, span), data)


def _executed(
    state: TranscriptState, row: _Row, span: tuple[int, int], data: dict[str, Any]
) -> Iterator[Event]:
    name = call_name(data.get("toolCallId"))
    if not name:
        return
    call = state.calls.pop(name, None)
    if state.inner == name:
        others = [other for other, entry in state.calls.items() if entry.spoken]
        state.inner = others[-1] if others else ""
    scene, result = _scene(state, row, span), fields_of(data.get("result"))
    succeeded = data.get("success")
    status = result.get("status", "ok")
    if status == "cancelled":
        status = "refused"
    elif succeeded is False and status == "ok":
        status = "error"
    yield ended(scene, name, status)
    if call:
        about = {"id": name, "questions": call.questions}
        yield from tool_answers(scene, about, fields_of(result.get("answers")))


def _used(
    state: TranscriptState, row: _Row, span: tuple[int, int], data: dict[str, Any]
) -> Iterator[Event]:
    asked, given = number_of(data.get("inputTokens")), number_of(data.get("outputTokens"))
    read, written = map(
        number_of, (data.get("cacheReadTokens"), data.get("cacheCreationInputTokens"))
    )
    fresh = None
    if asked is not None and read is not None:
        fresh = max(0, asked - read - (written or 0))
    inner = call_name(data.get("parentToolCallId")) or state.inner
    scene = Scene(state.session, state.turn, span, from_iso(row.timestamp), sub_agent=inner or None)
    yield scene.make(
        Usage,
        scene.name("usage", row.id, *(() if row.id else span)),
        message=state.message or None,
        model=text_of(data.get("model")) or None,
        input_tokens=fresh,
        cache_read_tokens=read,
        cache_write_tokens=written,
        output_tokens=given,
        context_tokens=None if asked is None else asked + (given or 0),
    )


def _round_over(
    state: TranscriptState, row: _Row, span: tuple[int, int], _data: dict[str, Any]
) -> Iterator[Event]:
    """A model response that asked for no tool is the last of its turn."""
    if state.silent and not state.inner:
        yield from end_events(_scene(state, row, span), COMPLETE, "", None)
    state.silent = False


def _nothing(
    _state: TranscriptState, _row: _Row, _span: tuple[int, int], _data: dict[str, Any]
) -> Iterator[Event]:
    yield from ()


def _verdict(raw: Raw) -> dict[str, Any]:
    return outcome(bytes(raw))


def _unparsed(state: TranscriptState, span: tuple[int, int], reason: str) -> Event:
    name = derived_id("damage", state.session, *span, reason)
    return Scene(state.session, "", span).make(Unparsed, name, reason=reason)


_Reader = Callable[[TranscriptState, _Row, tuple[int, int], dict[str, Any]], Iterator[Event]]

_READERS: dict[str, tuple[Keep, _Reader]] = {
    "session.start": (
        {
            **dict.fromkeys(("sessionId", "copilotVersion", "startTime"), short),
            "context": {"cwd": short},
        },
        _start,
    ),
    "user.message": (
        {"content": whole, "attachments": [{"path": short, "displayName": short}]},
        _user,
    ),
    "assistant.message": (
        {
            "messageId": short,
            **dict.fromkeys(("content", "reasoningText"), whole),
            "toolRequests": [{"toolCallId": short, "name": short, "arguments": whole}],
        },
        _assistant,
    ),
    "tool.execution_start": (
        {"toolCallId": short, "toolName": short, "arguments": whole},
        _executes,
    ),
    "tool.execution_complete": (
        {"toolCallId": short, "success": short, "result": _verdict},
        _executed,
    ),
    "assistant.usage": (
        dict.fromkeys(
            (
                "model",
                "inputTokens",
                "outputTokens",
                "cacheReadTokens",
                "cacheCreationInputTokens",
                "parentToolCallId",
            ),
            short,
        ),
        _used,
    ),
    "assistant.turn_start": ({}, _nothing),
    "assistant.turn_end": ({}, _round_over),
}
