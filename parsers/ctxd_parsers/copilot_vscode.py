"""Copilot Chat in VS Code: the chats that the workbench stores.

Promises: events come as the log tells of them and are the same however it is cut, rewritten or
stored as flat JSON; the user's words come with the first sight of a request, what the agent did
once it is whole. Chats without a request, most of the files, give no event at all.

What is remembered of a chat: `copilot_vscode_log` does each operation to a copy of the state that
holds only what `copilot_vscode_chat.CHAT` names. Of a request whose end was told only ids stay, and
of the last `copilot_vscode_session.OPEN_REQUESTS` the number of response parts, so that parts that
are saved late find their place; beyond `limits.PROMPTS_REMEMBERED` requests nothing stays. The one
open request keeps up to `copilot_vscode_chat.OPEN_RESPONSE_CHARS` of what its response shows.

Surprises (microsoft/vscode; [O] observed by others in Copilot Chat 0.66.0 on VS Code 1.138.0):
- a save writes `result` and `modelState` before the last response parts. The model responses in
  `result.metadata.toolCallRounds` are whole; where they lack (cancelled turns, other extensions'
  participants) the response's own text is told with the record after the one that ended it.
- thinking is told from the model responses alone; what a response shows of it is not kept.
- ids of tool calls in a response never equal those of the model responses [O]: the latter are
  told, the former only where the latter lack.
- a dialog in a response is stored again only when a part before it changes: its answers are then
  found in the tool result.
- answers of a dialog that the client gave itself (autopilot) look like the user's.
- taking back a request and everything after it is a shorter `requests` array, and so is a retry.
  A restored checkpoint only marks requests until the next one is sent, and can be undone: the mark
  is not read.
- the same session in the extension's transcript: see `copilot_vscode_turns`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd_parsers.copilot_vscode_chat import CHAT, fields_of
from ctxd_parsers.copilot_vscode_log import (
    FAILURES,
    UNSET,
    Keep,
    Operation,
    Raw,
    append,
    below,
    change,
    safely_kept,
)
from ctxd_parsers.copilot_vscode_places import CHAT_FOLDERS, cwd_of, user_folders, workspace_file
from ctxd_parsers.copilot_vscode_session import (
    ChatState,
    Span,
    finish,
    retell,
    reword,
    title,
    touch,
)
from ctxd_parsers.copilot_vscode_turns import AGENT
from ctxd_parsers.decoding import Damage, RowDecoder
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import Event, Unknown, Unparsed
from ctxd_parsers.parser import NoSigns, Record, Source, Storage
from ctxd_parsers.values import derived_id

_WHOLE, _SET, _APPEND, _DELETE = range(4)
_INSIDE = 3
"""Steps of a path from which on it leads into one request; shorter ones change which there are."""

_LOG_HEAD = b'{"kind":0,"v":{"version":'
_JSON_HEAD = re.compile(
    rb'\s*\{\s*"(?:version|sessionId|creationDate|initialLocation|requesterUsername'
    rb'|responderUsername)"'
)
_JSON_MARK = b'"responderUsername"'


class _Snapshot(msgspec.Struct):
    """A chat as flat JSON: the fields that are read, not decoded yet."""

    version: Raw = Raw()
    creationDate: Raw = Raw()
    customTitle: Raw = Raw()
    computedTitle: Raw = Raw()
    sessionId: Raw = Raw()
    requests: Raw = Raw()
    repoData: Raw = Raw()


_OPERATIONS = RowDecoder(Operation, marks=("kind",))
_SNAPSHOTS = RowDecoder(_Snapshot, marks=("requests",))


class CopilotVscode(NoSigns):
    """Chats as operation logs: `chatSessions/<id>.jsonl`, VS Code since 1.109."""

    name = "copilot-vscode"
    agent = AGENT
    state_type = ChatState

    def sources(self, env: Environment) -> Sequence[Source]:
        """Every workspace's chats, and those of windows without one."""
        return _sources(env, ".jsonl", Storage.LINES)

    def claims(self, path: PurePath, head: bytes) -> bool:
        """A log in a folder of chats, or one that begins with a whole chat."""
        if path.suffix.lower() != ".jsonl":
            return False
        return path.parent.name in CHAT_FOLDERS or head.startswith(_LOG_HEAD)

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """The workspace's name."""
        return workspace_file(path)

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> ChatState:
        """A state that knows the file's name and the workspace."""
        return ChatState(path.stem or AGENT, cwd_of(companions))

    def parse(self, records: Iterable[Record], state: ChatState) -> Iterator[Event]:
        """The events of further operations."""
        torn = -1
        for record, row in _OPERATIONS.rows(records):
            span = (record.start, record.end)
            if isinstance(row, Damage):
                torn = record.end
                yield _unparsed(state, span, row.reason)
            elif row.kind is None or (row.k is None and row.kind != _WHOLE):
                # A torn line's inner objects have a `kind` too; the line is counted already.
                if record.end > torn:
                    yield _unparsed(state, span, "not an operation")
            elif _WHOLE <= row.kind <= _DELETE:
                yield from _operate(state, row, span)
            else:
                yield Unknown(
                    agent=AGENT,
                    session=state.session,
                    id=derived_id("unknown", state.session, *span, row.kind),
                    span=span,
                    record_kind=f"operation {row.kind}",
                )


class CopilotVscodeJson(NoSigns):
    """Chats as flat JSON: `chatSessions/<id>.json`, VS Code before 1.109; versions 1 to 3."""

    name = "copilot-vscode-json"
    agent = AGENT
    state_type = ChatState

    def sources(self, env: Environment) -> Sequence[Source]:
        """Every workspace's chats, and those of windows without one."""
        return _sources(env, ".json", Storage.SNAPSHOT)

    def claims(self, path: PurePath, head: bytes) -> bool:
        """A document in a folder of chats, or one that begins like an exported chat."""
        if path.suffix.lower() != ".json":
            return False
        begins = _JSON_HEAD.match(head) and _JSON_MARK in head
        return path.parent.name in CHAT_FOLDERS or bool(begins)

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """The workspace's name."""
        return workspace_file(path)

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> ChatState:
        """A state that knows the file's name and the workspace."""
        return ChatState(path.stem or AGENT, cwd_of(companions))

    def parse(self, records: Iterable[Record], state: ChatState) -> Iterator[Event]:
        """The events of the chat as it is now, but for those that were told of it before."""
        for record, row in _SNAPSHOTS.rows(records):
            span = (record.start, record.end)
            if isinstance(row, Damage):
                yield _unparsed(state, span, row.reason)
                continue
            try:
                chat = {
                    name: safely_kept(raw, below(CHAT, [name]) or {})
                    for name, raw in msgspec.structs.asdict(row).items()
                    if bytes(raw)
                }
            except FAILURES as error:
                yield _unparsed(state, span, _reason(error))
                continue
            yield from _replace(state, chat, span)


def _sources(env: Environment, suffix: str, storage: Storage) -> list[Source]:
    found = []
    for user in user_folders(env):
        _, *windowless = CHAT_FOLDERS
        found.append(Source(user / "workspaceStorage", (f"*/chatSessions/*{suffix}",), storage))
        found += [
            Source(user / "globalStorage" / name, (f"*{suffix}",), storage) for name in windowless
        ]
    return found


def _operate(state: ChatState, row: Operation, span: Span) -> Iterator[Event]:
    """Do one operation and tell what came of it."""
    if row.kind == _WHOLE:
        try:
            chat = safely_kept(row.v, CHAT)
        except FAILURES as error:
            yield _unparsed(state, span, _reason(error))
        else:
            yield from _replace(state, chat, span)
        return
    path, last = row.k or [], len(state.turns) - 1
    if last >= 0 and path[:2] != ["requests", last]:
        turn = state.turns[last]
        if turn.settling and not turn.sealed:
            yield from finish(state, last, span)
    if path:
        yield from _change(state, row, span)


def _replace(state: ChatState, chat: Any, span: Span) -> Iterator[Event]:
    """Take a whole chat for what it is now."""
    if not isinstance(chat, dict) or not isinstance(chat.get("requests"), list):
        yield _unparsed(state, span, "not a chat")
        return
    names = state.names()
    state.chat = chat
    yield from retell(state, names, span)
    yield from title(state, span)


def _is_past(state: ChatState, path: list[str | int]) -> bool:
    """Whether a path leads into a request that was told, to what is not saved after its end."""
    if path[0] != "requests" or len(path) < _INSIDE:
        return False
    index = path[1]
    if not isinstance(index, int) or not 0 <= index < len(state.turns):
        return False
    turn = state.turns[index]
    late = ("response",) if turn.rounds else ("response", "result")
    return turn.sealed and not (path[2] in late and "response" in fields_of(state.requests[index]))


def _change(state: ChatState, row: Operation, span: Span) -> Iterator[Event]:
    """Do an operation on a part, if it is read."""
    path = row.k or []
    names = state.names() if len(path) < _INSIDE else []
    try:
        keep = below(CHAT, path)
        if keep is None or _is_past(state, path):
            return
        done = _DO[row.kind or 0](state, row, keep)
    except FAILURES as error:
        yield _unparsed(state, span, _reason(error))
        return
    if not done:
        yield _unparsed(state, span, "operation on what is not there")
    elif path[0] != "requests":
        yield from title(state, span)
    elif len(path) < _INSIDE:
        yield from retell(state, names, span)
    elif isinstance(index := path[1], int) and isinstance(state.requests[index], dict):
        if path[2] == "message":
            yield from reword(state, index, span)
        yield from touch(state, index, span, grew=path[2] == "response")


def _set(state: ChatState, row: Operation, keep: Keep) -> bool:
    path = row.k or []
    value = safely_kept(row.v, keep) if bytes(row.v) else UNSET
    if path[0] == "requests" and len(path) < _INSIDE and value is not UNSET:
        expected = list if len(path) == 1 else dict
        if not isinstance(value, expected):
            return False
    return change(state.chat, path, value)


def _append(state: ChatState, row: Operation, keep: Keep) -> bool:
    values = safely_kept(row.v, keep) if bytes(row.v) else []
    if not isinstance(keep, list) or not isinstance(values, list):
        return False
    return append(state.chat, row.k or [], values, row.i)


def _delete(state: ChatState, row: Operation, _keep: Keep) -> bool:
    return change(state.chat, row.k or [], UNSET)


_DO = {_SET: _set, _APPEND: _append, _DELETE: _delete}


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error) or "not JSON"


def _unparsed(state: ChatState, span: Span, reason: str) -> Event:
    return Unparsed(
        agent=AGENT,
        session=state.session,
        id=derived_id("damage", state.session, *span, reason),
        span=span,
        reason=reason,
    )
