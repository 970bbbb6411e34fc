"""The databases of Cursor's editor, `state.vscdb`: what its chats are, what was said, summaries.

Promises: only the keys of conversations are selected, since the same tables hold credentials and
gigabytes of file states; a message has the id that the agent transcript gives it, too. Tools are
left to the transcripts.

Facts (from public readers of the format; no editor could be run):
- the global database has a row for each conversation (`composerData:`) and one for each message
  (`bubbleId:`), in old versions the messages within the conversation's; a row that is written anew
  goes behind all others (`UNIQUE ON CONFLICT REPLACE`), so row ids tell what is new;
- the latest summary stands in the conversation, with the last message that was there when it was
  made and the first that is still sent; a message holds summaries as well, some made ahead of need:
  only the one that the conversation names counts;
- conversations of sub-agents name their parent, or have an id that begins with `task-`;
- a window's database lists its conversations, and `workspace.json` beside it names its folder.

Conversations are read first, for what they are, then messages, then conversations again, for what
they have come to. A reply counts as whole once another message or the end of its turn is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd_parsers.copilot_vscode_places import cwd_of
from ctxd_parsers.cursor import (
    AGENT,
    compaction_id,
    ended,
    mark_of,
    moved,
    next_id,
    own_words,
    prompt_base,
    reply_base,
    shown,
    start_id,
    tell,
)
from ctxd_parsers.decoding import Damage, RowDecoder
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    Event,
    Reasoning,
    SessionStarted,
    SessionTitled,
    Unparsed,
    Usage,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.limits import CONVERSATIONS_REMEMBERED, KEPT_EVENTS, PENDING_CALLS
from ctxd_parsers.parser import NoSigns, Record, Source, Storage, Table
from ctxd_parsers.values import Count, derived_id, from_epoch_ms, from_iso, uri_path

_KEPT_APART = "composer.composerData"
_CHAT, _SAID = "composerData:", "bubbleId:"
_KV = "cursorDiskKV"
_GLOBAL = (
    Table("composerHeaders", ("composerId",), "value", "lastUpdatedAt"),
    Table(_KV, ("key",), "value", "rowid", (_CHAT,), label="chats"),
    Table(_KV, ("key",), "value", "rowid", (_SAID,), label="messages"),
    Table(_KV, ("key",), "value", "rowid", (_CHAT,), label="courses"),
)
_WINDOW = (Table("ItemTable", ("key",), "value", "rowid", (_KEPT_APART,), label="window"),)
_USER, _AGENT = 1, 2
_CHATS = CONVERSATIONS_REMEMBERED // 8
_HELD_CHARS = 4000
"""Longest reply that is held back until it is known to be whole; longer ones are told as they are,
so that the state stays small."""
_OVER = frozenset({"completed", "aborted", "error"})


class Held(msgspec.Struct):
    """A reply that may not be whole."""

    bubble: str
    text: str
    time: datetime | None = None


class Chat(msgspec.Struct):
    """What is remembered of a conversation. Messages are known by marks made of their ids."""

    told: dict[str, str] = {}
    """The id of the event of each message; empty for one that says nothing."""
    listed: list[str] = []
    """The messages that the conversation named when it was last looked at."""
    turn: str | None = None
    summed: str = ""
    """The id of the last compaction that was told."""
    held: Held | None = None


class State(msgspec.Struct):
    """What is remembered of a database."""

    session: str
    cwd: str | None = None
    """The folder of the window, for a window's database."""
    chats: dict[str, Chat] = {}
    """The latest conversations, last read last."""
    parents: dict[str, str] = {}
    """Sub-agents' conversations, and whose they are."""
    summaries: dict[str, str] = {}
    """The last message before the latest summary of a conversation."""


class _Place(msgspec.Struct, rename="camel"):
    fs_path: str = ""
    path: str = ""


class _Workspace(msgspec.Struct, rename="camel"):
    uri: str | _Place | None = None


class _SubAgent(msgspec.Struct, rename="camel"):
    parent_composer_id: str = ""
    root_parent_conversation_id: str = ""


class _Header(msgspec.Struct, rename="camel"):
    bubble_id: str = ""


class _Summary(msgspec.Struct, rename="camel"):
    summary: str = ""
    truncation_last_bubble_id_inclusive: str = ""
    client_should_start_sending_from_inclusive_bubble_id: str = ""


class _Latest(msgspec.Struct, rename="camel"):
    summary: _Summary | None = None
    last_bubble_id: str = ""


class _Thought(msgspec.Struct):
    text: str = ""


class _Bubble(msgspec.Struct, rename="camel"):
    bubble_id: str = ""
    type: int = 0
    text: str = ""
    created_at: str | float | None = None
    thinking: _Thought | None = None
    conversation_summary: str | _Summary | None = None
    images: list[dict[str, msgspec.Raw]] = []


class _Model(msgspec.Struct, rename="camel"):
    model_name: str | None = None


class _Chat(msgspec.Struct, rename="camel"):
    name: str = ""
    created_at: str | float | None = None
    status: str = ""
    subagent_info: _SubAgent | None = None
    is_best_of_n_subcomposer: bool = False
    workspace_identifier: _Workspace | None = None
    model_config: _Model | None = None
    full_conversation_headers_only: list[_Header] = []
    conversation: list[_Bubble] = []
    latest_conversation_summary: _Latest | None = None
    context_tokens_used: Count | None = None
    context_token_limit: Count | None = None


class _Listed(msgspec.Struct, rename="camel"):
    composer_id: str = ""


class _Window(msgspec.Struct, rename="camel"):
    all_composers: list[_Listed] = []


_chats = RowDecoder(_Chat, marks=("\0",))  # a torn value holds no whole one
_bubbles = RowDecoder(_Bubble, marks=("\0",))
_windows = RowDecoder(_Window, marks=("\0",))
_DECODERS: dict[str, RowDecoder[Any]] = {"window": _windows, "messages": _bubbles}
_summary = msgspec.json.Decoder(_Summary).decode


class CursorIde(NoSigns):
    """The editor's databases."""

    name = "cursor-ide"
    agent = AGENT
    state_type = State

    def sources(self, env: Environment) -> Sequence[Source]:
        """List the settings' folders, here and of the server on a remote machine."""
        bases = (env.config_home / "Cursor", env.home / ".cursor-server" / "data")
        users = env.roots(self.name, *(base / "User" for base in bases))
        return [
            source
            for user in users
            for source in (
                Source(user, ("globalStorage/state.vscdb",), Storage.SQLITE, _GLOBAL),
                Source(user, ("workspaceStorage/*/state.vscdb",), Storage.SQLITE, _WINDOW),
            )
        ]

    def claims(self, path: PurePath, _head: bytes) -> bool:
        """Tell by the folders: other editors have databases of that name."""
        placed = "globalStorage" in path.parts[-2:-1] or "workspaceStorage" in path.parts[-3:-2]
        ours = any("cursor" in part.lower() for part in path.parts[:-1])
        return path.name == "state.vscdb" and placed and ours

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """Name the file that tells a window's folder."""
        return [path.with_name("workspace.json")]

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> State:
        """Make the state of a database."""
        return State(path.parent.name or self.name, cwd=cwd_of(companions))

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """Give the events of rows."""
        for record in records:
            table, key = (*record.key, "", "")[:2]
            decoder = _DECODERS.get(table, _chats)
            for _, row in decoder.rows([record]):
                if isinstance(row, Damage):
                    yield _damaged(state, record, row)
                elif isinstance(row, _Window):
                    yield from _in_window(state, row)
                elif isinstance(row, _Bubble):
                    name, _, bubble = key.removeprefix(_SAID).partition(":")
                    yield from _message(state, name, bubble, row)
                else:
                    handler = _HANDLERS.get(table, _what_it_is)
                    yield from handler(state, key.removeprefix(_CHAT), row)


def _damaged(state: State, record: Record, damage: Damage) -> Event:
    session = record.key[-1].removeprefix(_CHAT) if record.key else ""
    if ":" in session or not session:
        session = state.session
    identity = derived_id("damage", *record.key, damage.reason)
    return Unparsed(agent=AGENT, session=session, id=identity, reason=damage.reason)


def _in_window(state: State, window: _Window) -> Iterator[Event]:
    for listed in window.all_composers:
        if state.cwd and listed.composer_id:
            yield moved(listed.composer_id, state.cwd, _common(state, listed.composer_id))


def _common(state: State, name: str) -> dict[str, Any]:
    parent = state.parents.get(name)
    if parent is None and name.startswith("task-"):
        parent = name
    return {
        "agent": AGENT,
        "session": parent or name or state.session,
        "sub_agent": None if parent is None else name,
    }


def _headed(state: State, name: str, head: _Chat) -> Iterator[Event]:
    """A conversation's head, which newer versions have in a table of its own."""
    parent = head.subagent_info
    if parent is not None and name and not head.is_best_of_n_subcomposer:
        _remember(
            state.parents, name, parent.root_parent_conversation_id or parent.parent_composer_id
        )
    return iter(())


def _remember(known: dict[str, str], name: str, value: str) -> None:
    known.pop(name, None)
    if value:
        known[name] = value
    while len(known) > PENDING_CALLS:
        del known[next(iter(known))]


def _what_it_is(state: State, name: str, row: _Chat) -> Iterator[Event]:
    """A conversation as far as it does not depend on its messages; an empty draft is none."""
    yield from _headed(state, name, row)
    if not (row.full_conversation_headers_only or row.conversation):
        return
    common = _common(state, name)
    latest = row.latest_conversation_summary
    if latest and latest.summary and latest.summary.summary:
        _remember(state.summaries, name, latest.last_bubble_id)
    yield SessionStarted(
        id=start_id(name, "ide"),
        time=_time(row.created_at),
        how="sub_agent" if common["sub_agent"] else "startup",
        client="ide",
        model=row.model_config.model_name if row.model_config else None,
        **common,
    )
    if row.name and not common["sub_agent"]:
        identity = derived_id("title", name, row.name)
        yield SessionTitled(id=identity, title=row.name, **common)
    if cwd := _folder(row.workspace_identifier):
        yield moved(name, cwd, common)
    for bubble in row.conversation:
        yield from _message(state, name, bubble.bubble_id, bubble)


def _folder(workspace: _Workspace | None) -> str | None:
    uri = workspace.uri if workspace else None
    if isinstance(uri, _Place):
        return uri.fs_path or uri.path or None
    return uri_path(uri) if uri else None


def _time(value: str | float | None) -> datetime | None:
    return from_iso(value) if isinstance(value, str) else from_epoch_ms(value)


def _chat(state: State, name: str) -> tuple[Chat, list[Event]]:
    """What is remembered of a conversation, and what another one had held that is forgotten."""
    chat = state.chats.pop(name, None) or Chat()
    let_go: list[Event] = []
    while len(state.chats) >= _CHATS:
        oldest = next(iter(state.chats))
        let_go += _released(oldest, state.chats[oldest], _common(state, oldest))
        del state.chats[oldest]
    state.chats[name] = chat
    return chat, let_go


def _message(state: State, name: str, bubble: str, row: _Bubble) -> Iterator[Event]:
    chat, let_go = _chat(state, name)
    yield from let_go
    mark, common = mark_of(bubble), _common(state, name)
    if chat.held is not None and chat.held.bubble != bubble:
        yield from _released(name, chat, common)
    if mark in chat.told:
        return
    said, time = shown(row.text), _time(row.created_at)
    if row.type == _AGENT:
        yield from _thought(name, bubble, row, {**common, "time": time})
        chat.held = Held(bubble, said, time) if said else None
        if len(said) > _HELD_CHARS:
            yield from _released(name, chat, common)
        elif not said:
            tell(chat.told, mark, "", KEPT_EVENTS)
    elif row.type == _USER:
        yield from _asked(name, chat, mark, row, {**common, "time": time})
    yield from _summed_up(state, name, chat, (bubble, row), common)


def _thought(name: str, bubble: str, row: _Bubble, common: dict[str, Any]) -> Iterator[Event]:
    if row.thinking is not None and row.thinking.text.strip():
        identity = derived_id("thought", name, bubble, row.thinking.text)
        yield Reasoning(id=identity, text=row.thinking.text, **common)


def _asked(
    name: str, chat: Chat, mark: str, row: _Bubble, common: dict[str, Any]
) -> Iterator[Event]:
    words, images = own_words(row.text)[0], ("image",) * len(row.images)
    if not words and not images:
        tell(chat.told, mark, "", KEPT_EVENTS)
        return
    chat.turn = next_id(chat.told, prompt_base(name, words))
    tell(chat.told, mark, chat.turn, KEPT_EVENTS)
    if common["sub_agent"] is None:
        yield UserMessage(id=chat.turn, text=words, turn=chat.turn, attachments=images, **common)


def _released(name: str, chat: Chat, common: dict[str, Any]) -> Iterator[Event]:
    """The reply that was held back."""
    held, chat.held = chat.held, None
    if held is not None:
        identity = next_id(chat.told, reply_base(name, chat.turn, held.text))
        tell(chat.told, mark_of(held.bubble), identity, KEPT_EVENTS)
        yield AssistantMessage(
            id=identity, time=held.time, text=held.text, message=identity, **common
        )


def _summed_up(
    state: State, name: str, chat: Chat, message: tuple[str, _Bubble], common: dict[str, Any]
) -> Iterator[Event]:
    """The compaction behind a message, if the conversation names it as the last one before."""
    bubble, row = message
    if state.summaries.get(name) != bubble or not row.conversation_summary:
        return
    found = row.conversation_summary
    if isinstance(found, str):
        try:
            found = _summary(found)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            return
    yield from _released(name, chat, common)
    yield from _compaction(name, chat, found, common)


def _compaction(name: str, chat: Chat, found: _Summary, common: dict[str, Any]) -> Iterator[Event]:
    identity = compaction_id(name, found.summary)
    if found.summary.strip() and identity != chat.summed:
        chat.summed = identity
        yield Compaction(id=identity, summary=found.summary, kept=_kept(chat, found), **common)


def _kept(chat: Chat, found: _Summary) -> tuple[str, ...] | None:
    """What is still sent as it was said."""
    first = mark_of(found.client_should_start_sending_from_inclusive_bubble_id)
    last = mark_of(found.truncation_last_bubble_id_inclusive)
    marks = list(chat.told)
    if first in chat.told:
        since = marks.index(first)
    elif last in chat.told:
        since = marks.index(last) + 1
    else:
        return None
    return tuple(event for mark in marks[since:] if (event := chat.told[mark]))


def _what_became(state: State, name: str, row: _Chat) -> Iterator[Event]:
    """A conversation as far as it depends on its messages."""
    if name not in state.chats:
        return
    chat, common = state.chats[name], _common(state, name)
    if row.status != "generating":
        yield from _released(name, chat, common)
    yield from _taken_back(name, chat, row, common)
    latest = row.latest_conversation_summary
    if latest and latest.summary and mark_of(latest.last_bubble_id) in chat.told:
        yield from _compaction(name, chat, latest.summary, common)
    if row.context_tokens_used:
        identity = derived_id("usage", name, row.context_tokens_used)
        yield Usage(
            id=identity,
            message=identity,
            context_tokens=row.context_tokens_used,
            window_tokens=row.context_token_limit or None,
            **common,
        )
    if row.status in _OVER and chat.turn:
        last = [told for told in chat.told.values() if told][-1]
        yield from ended((name, chat.turn), last, row.status, common)


def _taken_back(name: str, chat: Chat, row: _Chat, common: dict[str, Any]) -> Iterator[Event]:
    """Tell when messages that the conversation named are not among those it names now."""
    there = [mark_of(header.bubble_id) for header in row.full_conversation_headers_only]
    listed = frozenset(there)
    gone = frozenset(mark for mark in chat.listed if mark in chat.told and mark not in listed)
    chat.listed = there[-KEPT_EVENTS:]
    marks = [mark for mark, event in chat.told.items() if event]
    first = next((place for place, mark in enumerate(marks) if mark in gone), None)
    if first is not None:
        since = chat.told[marks[first]]
        until = next((chat.told[mark] for mark in marks[first:] if mark not in gone), None)
        identity = derived_id("withdrawn", name, since, until)
        yield Withdrawn(id=identity, since=since, until=until, **common)
    for mark in gone:
        del chat.told[mark]


_HANDLERS: dict[str, Callable[[State, str, _Chat], Iterator[Event]]] = {
    "composerHeaders": _headed,
    "chats": _what_it_is,
    "courses": _what_became,
}
