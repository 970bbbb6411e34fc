"""Cursor's agent transcripts: `agent-transcripts/<id>/<id>.jsonl`, of the editor and of the CLI.

Promises: all that was said, each message under one id however often the file is written anew, and
what the user took back by going on from an earlier prompt. Sub-agents' prompts are nobody's words.

Facts (the writer in @cursor/sdk 1.0.18, which was run for the fixtures):
- the whole file is written anew, in place, at each checkpoint: it is read as one document;
- there are no times, ids, models or results of tools; the last line says that the turn ended, and
  is not there any more once another one began;
- the model's thinking stands behind the answer in the same text: it cannot be told apart here;
- a compaction leaves no trace: summarised messages stay, summaries are left out;
- a project's folder is named after the workspace with everything but letters and digits as `-`. It
  is never decoded: the workspace is known once a tool named a path in it;
- before, there was one file of plain text, `<id>.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd_parsers.cursor import (
    AGENT,
    NULL,
    Names,
    ended,
    homes,
    moved,
    own_words,
    shown,
    sorted_arguments,
    start_id,
    touched,
    workspace_in,
)
from ctxd_parsers.decoding import Damage, RowDecoder
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    ContextInjected,
    Event,
    Reasoning,
    SessionStarted,
    Start,
    ToolCall,
    Unknown,
    Unparsed,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.framing import Framer
from ctxd_parsers.limits import PROMPTS_REMEMBERED
from ctxd_parsers.parser import NoSigns, Record, Rewritten, Source, Storage
from ctxd_parsers.values import derived_id

_FOLDER = "agent-transcripts"
_SUB_AGENTS = "subagents"
_HEAD = re.compile(
    rb'\s*\{"(?:role":"(?:user|assistant)","message":\{"content":\[|type":"metadata","metadata":)'
)
_SILENT = frozenset({"metadata", "system", "tool"})
"""Kinds of lines in which nobody says anything."""
_SECTION = re.compile(r"^(user|assistant):[ \t]*\r?$", re.MULTILINE)
_SPOKEN = "user:\n<user_query>"
_ENDED = re.compile(r"^Turn ended: (\w+)", re.MULTILINE)
_TOOL = re.compile(r"^\[Tool (call|result)\] ?(.*)$")
_THOUGHT = "[Thinking] "


class State(Rewritten):
    """What is remembered of a file: whose it is, and what stood in it last."""

    session: str = ""
    sub_agent: str | None = None
    folder: str = ""
    """The name of the project's folder."""
    is_text: bool = False


class _Block(msgspec.Struct):
    type: str = ""
    text: str = ""
    name: str = ""
    input: msgspec.Raw = NULL


class _Message(msgspec.Struct):
    content: list[_Block] | str = []


class _Row(msgspec.Struct):
    role: str = ""
    type: str = ""
    status: str = ""
    message: _Message | None = None


class _Reading:
    """One reading of one document."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.own = state.sub_agent or state.session
        self.names = Names(self.own)
        self.told: list[str] = []
        self.cwd: str | None = None
        self.doubtful = state.is_text
        """Whether something may be missing that nobody took back."""
        self.common: dict[str, Any] = {
            "agent": AGENT,
            "session": state.session,
            "sub_agent": state.sub_agent,
        }


_rows = RowDecoder(_Row, marks=("role", "message"))


class CursorTranscript(NoSigns):
    """The agent transcripts."""

    name = "cursor-transcript"
    agent = AGENT
    state_type = State

    def sources(self, env: Environment) -> Sequence[Source]:
        """List the projects' folders."""
        patterns = (
            f"*/{_FOLDER}/*/*.jsonl",
            f"*/{_FOLDER}/*/{_SUB_AGENTS}/*.jsonl",
            f"*/{_FOLDER}/*.jsonl",
            f"*/{_FOLDER}/*.txt",
        )
        return [Source(home / "projects", patterns, Storage.SNAPSHOT) for home in homes(env)]

    def claims(self, path: PurePath, head: bytes) -> bool:
        """Tell by the folder, or elsewhere by the first line."""
        if path.name.startswith("."):
            return False
        if path.suffix == ".txt":
            return path.parent.name == _FOLDER
        placed = _FOLDER in path.parts[-5:-1]
        return path.suffix == ".jsonl" and (placed or _HEAD.match(head) is not None)

    def companions(self, _path: PurePath) -> Sequence[PurePath]:
        """Need nothing beside the file."""
        return ()

    def begin(self, path: PurePath, _companions: Mapping[PurePath, bytes]) -> State:
        """Make the state of a file, from where it lies."""
        state = State(session=path.stem or AGENT, is_text=path.suffix == ".txt")
        if path.parent.name == _SUB_AGENTS and path.parent.parent.name:
            state.session, state.sub_agent = path.parent.parent.name, path.stem
        if _FOLDER in path.parts:
            place = path.parts.index(_FOLDER)
            state.folder = path.parts[place - 1] if place else ""
        return state

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """Give the events of a document."""
        for record in records:
            reading = _Reading(state)
            if record.damage:
                identity = derived_id("damage", reading.own, record.damage)
                yield Unparsed(id=identity, reason=record.damage, **reading.common)
                continue
            yield from _started(reading)
            read = _sections if state.is_text else _lines
            yield from read(reading, record)
            yield from _taken_back(reading, record)


def _started(reading: _Reading) -> Iterator[Event]:
    how: Start = "sub_agent" if reading.state.sub_agent else "startup"
    yield SessionStarted(id=start_id(reading.own, "transcript"), how=how, **reading.common)


def _taken_back(reading: _Reading, record: Record) -> Iterator[Event]:
    """Tell when something does not stand in the file any more that did at the last reading."""
    state, there = reading.state, set(reading.told)
    if reading.doubtful:
        return
    if any(one not in there for one in state.told):
        identity = derived_id("withdrawn", reading.own, record.data, *state.told)
        yield Withdrawn(id=identity, **reading.common)
    state.told = reading.told[-PROMPTS_REMEMBERED:]


def _lines(reading: _Reading, document: Record) -> Iterator[Event]:
    framer = Framer()
    records = [*framer.feed(document.data), *framer.tail()]
    for record, row in _rows.rows(records):
        common = {**reading.common, "span": (record.start, record.end)}
        if isinstance(row, Damage):
            reading.doubtful = True
            identity = derived_id("damage", reading.own, record.start, row.reason)
            yield Unparsed(id=identity, reason=row.reason, **common)
        elif row.role == "user":
            yield from _prompt(reading, row.message or _Message(), common)
        elif row.role == "assistant":
            yield from _reply(reading, row.message or _Message(), common)
        elif row.type == "turn_ended":
            yield from _ended(reading, row.status, common)
        elif row.type not in _SILENT and row.role not in _SILENT:
            identity = derived_id("unknown", reading.own, record.data)
            yield Unknown(id=identity, record_kind=row.type or row.role, **common)


def _texts(message: _Message) -> list[str]:
    if isinstance(message.content, str):
        return [message.content]
    return [block.text for block in message.content if block.type == "text"]


def _blocks(message: _Message) -> list[_Block]:
    return [] if isinstance(message.content, str) else message.content


def _prompt(reading: _Reading, message: _Message, common: dict[str, Any]) -> Iterator[Event]:
    found = [own_words(text) for text in _texts(message)]
    images = tuple("image" for block in _blocks(message) if block.type.startswith("image"))
    yield from _asked(
        reading,
        "\n".join(words for words, _ in found if words),
        "\n".join(beside for _, beside in found if beside),
        {**common, "attachments": images},
    )


def _asked(reading: _Reading, words: str, beside: str, common: dict[str, Any]) -> Iterator[Event]:
    """What stands under the user's role; in a sub-agent's file that is nobody's word."""
    attachments = common.pop("attachments", ())
    if beside:
        identity = derived_id("beside", reading.own, reading.names.turn, beside)
        yield ContextInjected(id=identity, source="client", text=beside, **common)
    if not words and not attachments:
        return
    identity = reading.names.prompt(words)
    reading.told.append(identity)
    if reading.state.sub_agent is None:
        yield UserMessage(id=identity, text=words, turn=identity, attachments=attachments, **common)


def _reply(reading: _Reading, message: _Message, common: dict[str, Any]) -> Iterator[Event]:
    said = shown("\n\n".join(text for text in map(shown, _texts(message)) if text))
    yield from _said(reading, said, common)
    for block in _blocks(message):
        if block.type == "tool_use":
            yield from _called(reading, block.name, block.input, common)


def _said(reading: _Reading, said: str, common: dict[str, Any]) -> Iterator[Event]:
    if said:
        identity = reading.names.reply(said)
        reading.told.append(identity)
        yield AssistantMessage(id=identity, text=said, message=identity, **common)


def _called(
    reading: _Reading, name: str, arguments: msgspec.Raw, common: dict[str, Any]
) -> Iterator[Event]:
    about = touched(arguments)
    if reading.cwd is None and reading.state.folder:
        folder = reading.state.folder
        found = (workspace_in(path, folder) for path in about.paths)
        reading.cwd = next(filter(None, found), None)
        if reading.cwd:
            yield moved(reading.own, reading.cwd, common)
    identity = reading.names.call(name, sorted_arguments(arguments))
    yield ToolCall(id=identity, call=identity, name=name, **msgspec.structs.asdict(about), **common)


def _ended(reading: _Reading, status: str, common: dict[str, Any]) -> Iterator[Event]:
    last = reading.told[-1] if reading.told else ""
    yield from ended((reading.own, reading.names.turn), last, status, common)


def _sections(reading: _Reading, document: Record) -> Iterator[Event]:
    """The old form. A reply may hold a line `user:` of its own: where the client marks the user's
    words, only marked ones are theirs."""
    text = document.data.decode("utf-8", "replace").replace("\r\n", "\n")
    marked = _SPOKEN in text
    heads = [
        head
        for head in _SECTION.finditer(text)
        if (head.start() == 0 or text[: head.start()].endswith("\n\n"))
        and (not marked or head[1] != "user" or text.startswith(_SPOKEN, head.start()))
    ]
    ends = [*(head.start() for head in heads[1:]), len(text)]
    for head, end in zip(heads, ends, strict=False):
        section = text[head.end() : end]
        if head[1] == "user":
            words, beside = own_words(section)
            yield from _asked(reading, words, beside, dict(reading.common))
        else:
            yield from _answered(reading, section)


def _answered(reading: _Reading, section: str) -> Iterator[Event]:
    over = _ENDED.search(section)
    said: list[str] = []
    thoughts: list[str] = []
    calls: list[str] = []
    quiet = False
    for line in section[: over.start() if over else None].split("\n"):
        if tool := _TOOL.match(line):
            quiet = True
            calls += [tool[2].strip()] if tool[1] == "call" else []
        elif line.startswith(_THOUGHT):
            thoughts.append(line.removeprefix(_THOUGHT))
        elif not line.strip() or not quiet:
            quiet = False
            said.append(line)
    if thoughts:
        identity = derived_id("thought", reading.own, reading.names.turn, *thoughts)
        yield Reasoning(id=identity, text="\n".join(thoughts), **reading.common)
    yield from _said(reading, shown("\n".join(said)), dict(reading.common))
    for name in calls:
        yield from _called(reading, name, NULL, dict(reading.common))
    if over:
        yield from _ended(reading, over[1], dict(reading.common))
