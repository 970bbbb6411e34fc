"""The databases of Cursor's command line, `store.db`: the summaries of a conversation, its folder.

Promises: each compaction with its summary and what stays word for word. What was said is left to
the agent transcript: messages of sub-agents lie among the others here, and nothing marks them. Only
the table of blobs is read: the other one holds the key that blobs may be encrypted with.

Facts (the protobuf types in @cursor/sdk 1.0.18; the fixture was written with them):
- a blob never changes, and is stored under its hash: a message as JSON, the rest as protobuf;
- the conversation's state lists the messages that are sent (1) and the archives of those that were
  summarised (13); an archive has their hashes (1), the summary (2) and the summary's message (4);
- blobs that are encrypted are told by nothing, and give nothing;
- `meta.json` beside the database names title and folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd_parsers.cursor import (
    AGENT,
    compaction_id,
    homes,
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
from ctxd_parsers.events import Compaction, Event, SessionStarted, SessionTitled, Unparsed
from ctxd_parsers.limits import PROMPTS_REMEMBERED
from ctxd_parsers.parser import NoSigns, Record, Source, Storage, Table
from ctxd_parsers.values import derived_id, from_epoch_ms

_TABLES = (Table("blobs", ("id",), "data", "rowid"),)
_HASH_BYTES = 32
_ARCHIVES = 2
"""Archives remembered until the state that has them comes, which is at once."""
_SUMMARY_CHARS = 50_000
"""Longest summary that is remembered; real ones are a tenth of it."""
_FIELD_LIMIT = 100_000
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SENT, _ARCHIVED = 1, 13
_SUMMARISED, _SUMMARY, _TAIL, _MESSAGE = 1, 2, 3, 4


class State(msgspec.Struct):
    """What is remembered of a database."""

    session: str
    cwd: str | None = None
    title: str = ""
    created: float | None = None
    started: bool = False
    told: dict[str, str] = {}
    """The id that each message's event has in the transcript; empty for one without."""
    turn: str | None = None
    archives: dict[str, str] = {}
    """Summaries whose place in the conversation is not known yet."""


class _Meta(msgspec.Struct, rename="camel"):
    title: str = ""
    cwd: str | None = None
    created_at_ms: float | None = None


class _Block(msgspec.Struct):
    type: str = ""
    text: str = ""


class _Mark(msgspec.Struct, rename="camel"):
    is_summary: bool = False


class _Options(msgspec.Struct):
    cursor: _Mark | None = None


class _Message(msgspec.Struct, rename="camel"):
    role: str = ""
    content: list[_Block] | str = []
    provider_options: _Options | None = None


_messages = RowDecoder(_Message, marks=("\0",))  # a torn blob holds no whole one
_metas = RowDecoder(_Meta, marks=("\0",))


class CursorCli(NoSigns):
    """The command line's databases."""

    name = "cursor-cli"
    agent = AGENT
    state_type = State

    def sources(self, env: Environment) -> Sequence[Source]:
        """List the folders of chats."""
        return [
            Source(home / "chats", ("*/*/store.db",), Storage.SQLITE, _TABLES)
            for home in homes(env)
        ]

    def claims(self, path: PurePath, _head: bytes) -> bool:
        """Tell by the folders: any program may have a database of that name."""
        return path.name == "store.db" and "chats" in path.parts[-4:-3]

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """Name the file with title and folder."""
        return [path.with_name("meta.json")]

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> State:
        """Make the state of a database, which is called after its conversation."""
        state = State(path.parent.name or self.name)
        for data in companions.values():
            for _, meta in _metas.rows([Record(data)]):
                if isinstance(meta, _Meta):
                    state.title, state.cwd = meta.title, meta.cwd
                    state.created = meta.created_at_ms
        return state

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """Give the events of blobs."""
        for record in records:
            name = record.key[-1] if record.key else ""
            if record.damage or record.data.lstrip(b"\0 \t\r\n").startswith(b"{"):
                yield from _noted(state, name, record)
                continue
            found = fields(record.data)
            if found:
                yield from _started(state)
                _archived(state, name, found)
                yield from _compacted(state, found)


def _common(state: State) -> dict[str, Any]:
    return {"agent": AGENT, "session": state.session}


def _started(state: State) -> Iterator[Event]:
    if state.started:
        return
    state.started, common = True, _common(state)
    began = from_epoch_ms(state.created)
    yield SessionStarted(id=start_id(state.session, "cli"), time=began, client="cli", **common)
    if state.title:
        identity = derived_id("title", state.session, state.title)
        yield SessionTitled(id=identity, title=state.title, **common)
    if state.cwd:
        yield moved(state.session, state.cwd, common)


def _noted(state: State, name: str, record: Record) -> Iterator[Event]:
    """Remember a message under the id that its event has."""
    for _, row in _messages.rows([record]):
        if isinstance(row, Damage):
            identity = derived_id("damage", state.session, name, row.reason)
            yield Unparsed(id=identity, reason=row.reason, **_common(state))
            continue
        yield from _started(state)
        if (mark := mark_of(name)) in state.told:
            continue
        event = ""
        if row.role == "user":
            event = _prompt(state, row)
        elif row.role == "assistant" and (said := _said(row)):
            event = next_id(state.told, reply_base(state.session, state.turn, said))
        tell(state.told, mark, event, PROMPTS_REMEMBERED)


def _texts(message: _Message) -> list[str]:
    if isinstance(message.content, str):
        return [message.content]
    return [block.text for block in message.content if block.type == "text"]


def _said(message: _Message) -> str:
    return shown("\n\n".join(text for text in map(shown, _texts(message)) if text))


def _prompt(state: State, message: _Message) -> str:
    options = message.provider_options
    if options and options.cursor and options.cursor.is_summary:
        return ""
    words = "\n".join(words for text in _texts(message) if (words := own_words(text)[0]))
    if not words:
        return ""
    state.turn = next_id(state.told, prompt_base(state.session, words))
    return state.turn


def _archived(state: State, name: str, found: list[tuple[int, int | bytes]]) -> None:
    """Remember a blob that is the archive of a compaction."""
    numbers = [number for number, _ in found]
    if set(numbers) - {_SUMMARISED, _SUMMARY, _TAIL, _MESSAGE} or numbers.count(_SUMMARY) != 1:
        return
    parts = {number: value for number, value in found if isinstance(value, bytes)}
    if len(parts.get(_MESSAGE, b"")) != _HASH_BYTES:
        return
    summary = parts.get(_SUMMARY, b"").decode("utf-8", "replace")
    if summary.strip() and len(summary) <= _SUMMARY_CHARS:
        tell(state.archives, mark_of(name), summary, _ARCHIVES)


def _compacted(state: State, found: list[tuple[int, int | bytes]]) -> Iterator[Event]:
    """The compactions that a conversation's state is the first to have."""
    for name in _hashes(found, _ARCHIVED):
        summary = state.archives.pop(mark_of(name), None)
        if summary is None:
            continue
        sent = [mark_of(name) for name in _hashes(found, _SENT)]
        known = [state.told[one] for one in sent if one in state.told]
        yield Compaction(
            id=compaction_id(state.session, summary),
            summary=summary,
            kept=tuple(filter(None, known)) if known else None,
            **_common(state),
        )


def _hashes(found: list[tuple[int, int | bytes]], wanted: int) -> list[str]:
    """The names of the blobs that a field refers to."""
    values = [value for number, value in found if number == wanted and isinstance(value, bytes)]
    return [value.hex() for value in values if len(value) == _HASH_BYTES]


def fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """The fields of a protobuf message by their numbers, in their order; none of anything else."""
    found: list[tuple[int, int | bytes]] = []
    place, size = 0, len(data)
    while place < size:
        tag, place = _varint(data, place)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, place = _varint(data, place)
            found.append((number, value))
        elif kind in (_BYTES, _FIXED32, _FIXED64):
            length = 4 if kind == _FIXED32 else 8
            if kind == _BYTES:
                length, place = _varint(data, place)
            found.append((number, data[place : place + length]))
            place += length
        else:
            return []
        if place > size or number <= 0 or len(found) > _FIELD_LIMIT:
            return []
    return found


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """A number and the place behind it; a place behind all where there is none."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            break
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 - the bit that says that more follows
            return value, place
    return 0, len(data) + 1
