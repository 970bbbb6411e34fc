"""Kiro IDE 0.x: JSON documents below `globalStorage/kiro.kiroagent`, each replaced as a whole.

Three kinds, known only from what other readers do with them (codeburn, kiro-history, agentsview)
and from exported sessions:
- `workspace-sessions/<folder>/<session>.json`: the history of a session. It has the user's words,
  and for the agent's mostly "On it."; `sessions.json` beside it lists folder, title and time;
- `<hash>/414d1636299d2b9e4ce7e17fb11f63e9/<hash>`: an execution, that is a prompt and what the
  agent said and did about it (the folder is SHA-256 of "KIRO::EXECUTION::SAVES", cut);
- `<hash>/<hash>.chat` (2025): the conversation up to the end of an execution, repeated in the next.

So that a prompt is one event though it stands in up to three of them, its id comes from the
execution that it started, which all three name. A prompt at the end of a history waits for the
entry that tells its execution. Of a `.chat` only the last prompt and the replies to it are given:
those before have a document of their own. An execution names the session; a `.chat` does not, and
no folder either, so the documents that do are looked at first.

A compaction is a message "CONTEXT TRANSFER: ..." in the user's role: at 80 % of the window within a
session since 0.7, before that at the head of a new session that the user asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd_parsers.decoding import Damage, RowDecoder
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    ContextFileLoaded,
    Event,
    Interrupted,
    SessionStarted,
    SessionTitled,
    Status,
    ToolCall,
    ToolResult,
    Trigger,
    TurnEnded,
    Unknown,
    Unparsed,
    Usage,
    UserMessage,
)
from ctxd_parsers.kiro import NULL, Nested, items, text, touched
from ctxd_parsers.parser import NoSigns, Record, Source, Storage
from ctxd_parsers.values import derived_id, from_epoch_ms, numbered

AGENT = "kiro-ide"
_EXECUTIONS = "414d1636299d2b9e4ce7e17fb11f63e9"
_STORE = ("User", "globalStorage", "kiro.kiroagent")
_TRANSFER = "CONTEXT TRANSFER: We are continuing a conversation"
_INJECTED = (
    _TRANSFER,
    "## Included Rules",
    "## CONVERSATION SUMMARY",
    "# System Prompt\n",
    "# Identity\n",
    "Previous conversation summary:",
    "Follow these instructions for user requests related to spec tasks",
    "You are operating in a workspace",
    "[SYSTEM NOTE:",
)
_INJECTED_ELEMENTS = (
    "identity",
    "EnvironmentContext",
    "steering-reminder",
    "ADDITIONAL_INSTRUCTIONS",
    "system",
    "instructions",
)
_USER_ROLES = ("human", "user")
_PLACEHOLDERS = (
    "On it.",
    "I will follow these instructions.",
    "Understood. I have the context from our previous conversation",
)
"""What the client writes under the agent's role."""
_WRAPPED = re.compile(r"<(user|kiro-ide-message)>\s*(.*?)\s*</\1>", re.DOTALL)
_RULES = re.compile(r"## Included Rules \((.+?)\)[^\n]*\n?(.*)", re.DOTALL)
_STATES: Mapping[str, Status] = {
    "success": "ok",
    "accepted": "ok",
    "error": "error",
    "failed": "error",
    "rejected": "refused",
    "aborted": "interrupted",
}
_NO_TOOLS = frozenset({"say", "model", "intentClassification", ""})


class State(msgspec.Struct):
    """What the list of sessions tells of a document, which is read anew at each change."""

    session: str
    cwd: str | None = None
    title: str = ""
    created: float | None = None


class _Document(msgspec.Struct):
    sessionId: str = ""
    title: str = ""
    workspaceDirectory: str | None = None
    selectedModel: str | None = None
    history: msgspec.Raw = NULL
    executionId: str = ""
    chatSessionId: str = ""
    workflowType: str = ""
    status: str = ""
    startTime: float | None = None
    endTime: float | None = None
    input: msgspec.Raw = NULL
    context: msgspec.Raw = NULL
    actions: msgspec.Raw = NULL
    contextUsagePercentage: float | None = None
    chat: msgspec.Raw = NULL
    metadata: msgspec.Raw = NULL


class _Listed(msgspec.Struct):
    sessionId: str = ""
    title: str = ""
    dateCreated: str | float | None = None
    workspaceDirectory: str | None = None


class _Entry(msgspec.Struct):
    message: msgspec.Raw = NULL
    executionId: str = ""
    promptLogs: msgspec.Raw = NULL


class _Message(msgspec.Struct):
    id: str = ""
    role: str = ""
    content: msgspec.Raw = NULL
    entries: msgspec.Raw = NULL


class _Piece(msgspec.Struct):
    type: str = ""
    text: msgspec.Raw = NULL


class _PromptLog(msgspec.Struct):
    completion: msgspec.Raw = NULL


class _Input(msgspec.Struct):
    data: msgspec.Raw = NULL


class _Messages(msgspec.Struct):
    messages: msgspec.Raw = NULL
    messagesFromExecutionId: msgspec.Raw = NULL


class _Action(msgspec.Struct):
    actionId: str = ""
    actionType: str = ""
    actionState: str = ""
    emittedAt: float | None = None
    input: msgspec.Raw = NULL
    output: msgspec.Raw = NULL


class _Output(msgspec.Struct):
    message: msgspec.Raw = NULL


class _ChatMetadata(msgspec.Struct):
    workflowId: str = ""
    modelId: str | None = None
    startTime: float | None = None
    endTime: float | None = None


_documents = RowDecoder(_Document, marks=("\0",))  # a torn document holds no whole one
_listed = Nested(_Listed)
_entry = Nested(_Entry)
_message = Nested(_Message)
_piece = Nested(_Piece)
_prompt_log = Nested(_PromptLog)
_input = Nested(_Input)
_messages = Nested(_Messages)
_action = Nested(_Action)
_output = Nested(_Output)
_chat_metadata = Nested(_ChatMetadata)

Common = dict[str, Any]
"""Fields that all events of one document share."""


class KiroIde(NoSigns):
    """The store of Kiro IDE before 1.0."""

    name = "kiro-ide"
    agent = AGENT
    state_type = State

    def sources(self, env: Environment) -> Sequence[Source]:
        """List the IDE's global storage, and that of its server on a remote machine."""
        patterns = ("workspace-sessions/*/*.json", f"*/{_EXECUTIONS}/*", "*/*.chat")
        bases = (env.config_home / "Kiro", env.home / ".kiro-server" / "data")
        roots = env.roots(self.name, *(base.joinpath(*_STORE) for base in bases))
        return [Source(root, patterns, Storage.SNAPSHOT) for root in roots]

    def claims(self, path: PurePath, head: bytes) -> bool:
        """Tell by the folder; a `.chat` by what it begins with, too."""
        if path.name.startswith("."):
            return False
        if path.suffix == ".json":
            return path.parent.parent.name == "workspace-sessions" and path.stem != "sessions"
        if path.suffix == ".chat":
            placed = path.parent.parent.name == _STORE[-1]
            return placed or head.lstrip().startswith(b'{"executionId":')
        return path.parent.name == _EXECUTIONS and not path.suffix

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """Name the list of the folder's sessions."""
        return [path.with_name("sessions.json")] if path.suffix == ".json" else []

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> State:
        """Make the state of a document, with what the list of sessions tells of it."""
        state = State(path.stem)
        for raw in items(companions.get(path.with_name("sessions.json"), b"[]")):
            found = _listed(raw)
            if found.sessionId == path.stem:
                state.cwd, state.title = found.workspaceDirectory, found.title
                state.created = _milliseconds(found.dateCreated)
        return state

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """Give the events of a document."""
        for _, row in _documents.rows(records):
            if isinstance(row, Damage):
                identity = derived_id("damage", state.session, row.reason)
                common: Common = {"agent": AGENT, "session": state.session}
                yield Unparsed(id=identity, reason=row.reason, **common)
            elif _is_given(row.history):
                yield from _session(state, row)
            elif _is_given(row.chat):
                yield from _chat(state, row)
            elif _is_given(row.actions) or row.workflowType:
                yield from _execution(state, row)
            else:
                yield Unknown(
                    agent=AGENT,
                    session=state.session,
                    id=derived_id("unknown", state.session),
                    record_kind="document",
                )


def _is_given(raw: msgspec.Raw) -> bool:
    return bytes(raw) != b"null"


def _milliseconds(value: str | float | None) -> float | None:
    if isinstance(value, str):
        return float(value) if value.isdecimal() else None
    return value


def _pieces(message: _Message) -> list[str]:
    """The texts of a message, whose content is a text or a list of pieces."""
    raw = message.entries if _is_given(message.entries) else message.content
    if whole := text(raw):
        return [whole]
    pieces = [_piece(piece) for piece in items(raw)]
    return [text(piece.text) for piece in pieces if piece.type == "text"]


def _images(message: _Message) -> tuple[str, ...]:
    pieces = [_piece(piece) for piece in items(message.content)]
    return tuple("image" for piece in pieces if piece.type.startswith("image"))


def _words(message: _Message) -> str:
    """The user's own words in a message of the user's role."""
    words = []
    for piece in _pieces(message):
        stripped = piece.strip()
        if stripped.startswith("<") and (wrapped := _WRAPPED.search(stripped)):
            words.append(wrapped[2])
        elif stripped and not _is_injected(stripped):
            words.append(piece)
    return "\n".join(words)


def _is_injected(piece: str) -> bool:
    """Whether the client wrote a piece; a user may well begin with one of its tags or headings."""
    return f"{piece}\n".startswith(_INJECTED) or any(
        piece.startswith(f"<{name}>") and f"</{name}>" in piece for name in _INJECTED_ELEMENTS
    )


def _transfer(message: _Message) -> str | None:
    """The summary of a compaction, if the message is one."""
    return next((p for p in _pieces(message) if p.lstrip().startswith(_TRANSFER)), None)


def _compaction(
    summary: str, trigger: Trigger, kept: tuple[str, ...] | None, common: Common
) -> Event:
    identity = derived_id("compaction", common["session"], summary)
    return Compaction(id=identity, trigger=trigger, summary=summary, kept=kept, **common)


def _prompt_id(execution: str) -> str:
    return derived_id("prompt", execution)


def _session(state: State, document: _Document) -> Iterator[Event]:
    entries = [_entry(raw) for raw in items(document.history)]
    messages = [_message(entry.message) for entry in entries]
    if not messages:
        return
    session = document.sessionId or state.session
    common: Common = {"agent": AGENT, "session": session}
    yield SessionStarted(
        id=derived_id("start", session),
        time=from_epoch_ms(state.created),
        how="compaction" if _transfer(messages[0]) else "startup",
        cwd=document.workspaceDirectory or state.cwd,
        model=document.selectedModel,
        **common,
    )
    if title := document.title or state.title:
        yield SessionTitled(id=derived_id("title", session, title), title=title, **common)
    turn: str | None = None
    turns: set[str] = set()
    for index, message in enumerate(messages):
        identity = message.id or derived_id(session, index, bytes(message.content))
        if message.role in _USER_ROLES and index + 1 < len(messages):
            following = entries[index + 1].executionId
            turn = _prompt_id(following) if following else identity
            turn = derived_id(session, index, identity) if turn in turns else turn
            turns.add(turn)
            yield from _session_prompt(message, turn, common)
        elif message.role == "assistant" and not entries[index].executionId:
            yield from _session_reply(entries[index], message, (identity, turn), common)


def _session_prompt(message: _Message, identity: str, common: Common) -> Iterator[Event]:
    if summary := _transfer(message):
        yield _compaction(summary, "manual", (), common)
    words, images = _words(message), _images(message)
    if words or images:
        yield UserMessage(id=identity, text=words, turn=identity, attachments=images, **common)


def _session_reply(
    entry: _Entry, message: _Message, place: tuple[str, str | None], common: Common
) -> Iterator[Event]:
    identity, turn = place
    ids, said = numbered(identity), "\n".join(_pieces(message))
    if not said.strip() or said.startswith(_PLACEHOLDERS):
        logs = [text(_prompt_log(raw).completion) for raw in items(entry.promptLogs)]
        said = "\n\n".join(log for log in logs if log.strip())
    if said:
        yield AssistantMessage(id=next(ids), text=said, message=identity, **common)
        yield TurnEnded(id=next(ids), reason="completed", turn=turn, **common)


def _chat(state: State, document: _Document) -> Iterator[Event]:
    about = _chat_metadata(document.metadata)
    session = about.workflowId or document.executionId or state.session
    execution = document.executionId or session
    common: Common = {"agent": AGENT, "session": session}
    began, ended = from_epoch_ms(about.startTime), from_epoch_ms(about.endTime)
    messages = [_message(raw) for raw in items(document.chat)]
    if not messages:
        return
    started = derived_id("start", session)
    yield SessionStarted(id=started, time=began, model=about.modelId, **common)
    yield from _rules(messages, common)
    prompts = [n for n, message in enumerate(messages) if message.role in _USER_ROLES]
    transfers = [summary for n in prompts if (summary := _transfer(messages[n]))]
    for summary in transfers:
        yield _compaction(summary, "manual", (), common)
    own = next((n for n in reversed(prompts) if _words(messages[n])), None)
    if own is None:
        return
    turn = _prompt_id(execution)
    yield UserMessage(id=turn, time=began, text=_words(messages[own]), turn=turn, **common)
    replies = [message for message in messages[own:] if message.role == "bot"]
    said = [text(message.content) for message in replies]
    said = [reply for reply in said if reply.strip() and not reply.startswith(_PLACEHOLDERS)]
    for number, reply in enumerate(said):
        identity = derived_id("reply", execution, number)
        yield AssistantMessage(
            id=identity, time=ended, text=reply, message=identity, model=about.modelId, **common
        )
    if said and ended:
        identity = derived_id("end", execution)
        yield TurnEnded(id=identity, time=ended, reason="completed", turn=turn, **common)


def _rules(messages: list[_Message], common: Common) -> Iterator[Event]:
    """Steering files, which stand among the messages."""
    for message in messages:
        if message.role in _USER_ROLES and (found := _RULES.match(text(message.content).lstrip())):
            identity = derived_id("rules", common["session"], found[0])
            path, rules = found[1], found[2]
            yield ContextFileLoaded(
                id=identity, path=path, reason="start", text=rules or None, **common
            )


def _execution(state: State, document: _Document) -> Iterator[Event]:
    execution = document.executionId or state.session
    session = document.chatSessionId or execution
    common: Common = {"agent": AGENT, "session": session}
    began, turn = from_epoch_ms(document.startTime), _prompt_id(execution)
    data = _messages(_input(document.input).data)
    yield from _transferred(document, data, {**common, "time": began})
    asked = [_message(raw) for raw in items(data.messages)]
    human = [message for message in asked if message.role in _USER_ROLES]
    own = [words for message in human if (words := _words(message))]
    if own:
        yield UserMessage(id=turn, time=began, text=own[-1], turn=turn, **common)
    seen: set[str] = set()
    for number, raw in enumerate(items(document.actions)):
        action = _action(raw)
        identity = action.actionId or derived_id(execution, number)
        identity = derived_id(identity, execution, number) if identity in seen else identity
        seen.add(identity)
        yield from _acted(action, identity, {**common, "time": from_epoch_ms(action.emittedAt)})
    yield from _ended(document, execution, {**common, "time": from_epoch_ms(document.endTime)})


def _transferred(document: _Document, data: _Messages, common: Common) -> Iterator[Event]:
    """The compaction that an execution's window begins with; executions after it repeat it."""
    for raw in (data.messagesFromExecutionId, _messages(document.context).messages):
        if _TRANSFER.encode() not in bytes(raw):
            continue
        messages = [_message(item) for item in items(raw)]
        found = [_transfer(message) for message in messages]
        places = [place for place, summary in enumerate(found) if summary]
        if places and (summary := found[places[-1]]):
            alone = raw is data.messagesFromExecutionId and places[-1] == len(messages) - 1
            yield _compaction(summary, "auto", () if alone else None, common)
            return


def _acted(action: _Action, identity: str, common: Common) -> Iterator[Event]:
    ids, kind = numbered(identity), action.actionType
    said = text(_output(action.output).message)
    if kind == "say" and said.strip():
        yield AssistantMessage(id=next(ids), text=said, message=identity, **common)
    if kind in _NO_TOOLS:
        return
    about = msgspec.structs.asdict(touched(kind, action.input))
    yield ToolCall(id=next(ids), call=identity, name=kind, **about, **common)
    if status := _STATES.get(action.actionState.lower()):
        yield ToolResult(id=next(ids), call=identity, status=status, **common)


def _ended(document: _Document, execution: str, common: Common) -> Iterator[Event]:
    ids, turn = numbered(derived_id("end", execution)), _prompt_id(execution)
    if document.contextUsagePercentage is not None:
        usage = derived_id("usage", execution)
        percent = document.contextUsagePercentage
        yield Usage(id=usage, message=usage, context_percent=percent, **common)
    if document.status in ("aborted", "user-aborted"):
        yield Interrupted(id=next(ids), **common)
        yield TurnEnded(id=next(ids), reason="interrupted", turn=turn, **common)
    elif document.status == "succeed":
        yield TurnEnded(id=next(ids), reason="completed", turn=turn, **common)
    elif document.status in ("failed", "error"):
        yield TurnEnded(id=next(ids), reason="error", turn=turn, **common)
