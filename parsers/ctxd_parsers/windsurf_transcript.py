"""Cascade's transcripts, `~/.windsurf/transcripts/<trajectory>.jsonl`, which a hook switches on.

Promises: all that was said and done, each step under one id however often the file is written anew,
and what does not stand in it any more.

Facts (its documentation, and public readers; the editor could not be run):
- the client writes a conversation only while a hook `post_cascade_response_with_transcript` is set,
  the whole of it after each response, readable for the user alone; it keeps the latest 100 files;
- a line is a step: `{"status": ..., "type": T, T: {...}}`. There are no times, ids or models;
- rules are not put into the user's text, only named beside it;
- the folder of the workspace is not told: it is known once a command or a file names one in it;
- neither compactions nor the end of a session leave a trace.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any

import msgspec

from ctxd_parsers.decoding import Damage, RowDecoder, mended
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    ContextFileLoaded,
    Event,
    Interrupted,
    SessionStarted,
    Status,
    ToolCall,
    ToolResult,
    Unknown,
    Unparsed,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)
from ctxd_parsers.framing import Framer
from ctxd_parsers.limits import PROMPTS_REMEMBERED
from ctxd_parsers.parser import NoSigns, Record, Rewritten, Source, Storage
from ctxd_parsers.values import derived_id
from ctxd_parsers.windsurf import AGENT, start_id, touched

_FOLDER = ("transcripts", ".windsurf")
_HEAD = re.compile(
    rb'\s*\{(?:"status"\s*:\s*"\w*"\s*,\s*)?"(?:type"\s*:\s*"(?:user_input|planner_response)"'
    rb'|(?:user_input|planner_response)"\s*:\s*\{)'
)
_ROOTED = re.compile(r"[A-Za-z]:[\\/]")
_SILENT = frozenset({"progress", "hook_progress", "file-history-snapshot"})
_CHANGES = "code_action"
_TOOLS = frozenset(
    {
        _CHANGES,
        "codebase_search",
        "command_action",
        "command_status",
        "find",
        "grep_search",
        "grep_search_v2",
        "list_directory",
        "mcp_tool",
        "read_url_content",
        "run_command",
        "search_web",
        "view_code_item",
        "view_file",
    }
)
_STATUSES: dict[str, Status] = {
    "done": "ok",
    "error": "error",
    "canceled": "interrupted",
    "cancelled": "interrupted",
}


class State(Rewritten):
    """What is remembered of a file: whose it is, and what stood in it last."""

    session: str = ""


class _Rules(msgspec.Struct):
    always_on: list[str] = []
    manual: list[str] = []
    glob: list[str] = []
    model_decision: list[str] = []

    def names(self) -> list[str]:
        return [*self.always_on, *self.glob, *self.model_decision, *self.manual]


class _Asked(msgspec.Struct):
    user_response: str = ""
    rules_applied: _Rules | None = None


class _Said(msgspec.Struct):
    response: str = ""


class _Step(msgspec.Struct):
    status: str = ""
    type: str = ""
    user_input: _Asked | None = None
    planner_response: _Said | None = None

    @property
    def kind(self) -> str:
        """Its type, which the part that it has may tell as well."""
        if self.type:
            return self.type
        parts = {"user_input": self.user_input, "planner_response": self.planner_response}
        return next((name for name, part in parts.items() if part is not None), "")


class _Reading:
    """One reading of one document."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.told: list[str] = []
        self.turn: str | None = None
        self.folders: dict[str, str] = {}
        """The first folder that each kind of step named."""
        self.files: set[str] = set()
        self._said: Counter[str] = Counter()

    @property
    def folder(self) -> str | None:
        """What the conversation is about: the folder of the first command tells most, then that of
        the first file changed, then that of the first one looked at."""
        return next((self.folders[one] for one in _PLACES if one in self.folders), None)

    def name(self, *parts: object) -> str:
        """The id of the next step that is told by these; equal ones are counted."""
        base = derived_id(self.state.session, *parts)
        self._said[base] += 1
        identity = f"{base}-{self._said[base] - 1}" if self._said[base] > 1 else base
        self.told.append(identity)
        return identity


_steps = RowDecoder(_Step, marks=("status", "type"))


class WindsurfTranscript(NoSigns):
    """The transcripts of the editor's agent."""

    name = "windsurf-transcript"
    agent = AGENT
    state_type = State

    def sources(self, env: Environment) -> Sequence[Source]:
        """List the folder that the hook has the client write to."""
        default = env.home / ".windsurf" / "transcripts"
        return [
            Source(root, ("*.jsonl",), Storage.SNAPSHOT) for root in env.roots(self.name, default)
        ]

    def claims(self, path: PurePath, head: bytes) -> bool:
        """Tell by the folders, or elsewhere by the first line."""
        if path.name.startswith(".") or path.suffix != ".jsonl":
            return False
        placed = path.parent.parts[-1:-3:-1] == _FOLDER
        return placed or _HEAD.match(head) is not None

    def companions(self, _path: PurePath) -> Sequence[PurePath]:
        """Need nothing beside the file."""
        return ()

    def begin(self, path: PurePath, _companions: Mapping[PurePath, bytes]) -> State:
        """Make the state of a file, which is named after the conversation."""
        return State(session=path.stem or AGENT)

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """Give the events of a document."""
        for record in records:
            common: dict[str, Any] = {"agent": AGENT, "session": state.session}
            if record.damage:
                identity = derived_id("damage", state.session, record.damage)
                yield Unparsed(id=identity, reason=record.damage, **common)
                continue
            reading = _Reading(state)
            yield SessionStarted(id=start_id(state.session), client="ide", **common)
            events = list(_lines(reading, record))
            if folder := reading.folder:
                identity = derived_id("cwd", state.session, folder)
                yield WorkspaceChanged(id=identity, cwd=folder, **common)
            yield from events
            yield from _taken_back(reading, record)


def _taken_back(reading: _Reading, record: Record) -> Iterator[Event]:
    """Tell when something does not stand in the file any more that did at the last reading."""
    state, there = reading.state, set(reading.told)
    if any(one not in there for one in state.told):
        identity = derived_id("withdrawn", state.session, record.data, *state.told)
        yield Withdrawn(agent=AGENT, session=state.session, id=identity)
    state.told = reading.told[-PROMPTS_REMEMBERED:]


def _lines(reading: _Reading, document: Record) -> Iterator[Event]:
    framer = Framer()
    records = [*framer.feed(document.data), *framer.tail()]
    session = reading.state.session
    for record, step in _steps.rows(records):
        span = (record.start, record.end)
        common: dict[str, Any] = {"agent": AGENT, "session": session, "span": span}
        if isinstance(step, Damage):
            identity = derived_id("damage", session, record.start, step.reason)
            yield Unparsed(id=identity, reason=step.reason, **common)
        elif step.kind in _TOOLS:
            yield from _called(reading, step, record, common)
        elif handler := _HANDLERS.get(step.kind):
            yield from handler(reading, step, common)
        elif step.kind not in _SILENT:
            identity = derived_id("unknown", session, record.data)
            yield Unknown(id=identity, record_kind=step.kind, **common)


def _asked(reading: _Reading, step: _Step, common: dict[str, Any]) -> Iterator[Event]:
    asked = step.user_input or _Asked()
    yield from _rules(reading, asked.rules_applied or _Rules(), common)
    if asked.user_response.strip():
        identity = reading.turn = reading.name("prompt", asked.user_response)
        yield UserMessage(id=identity, text=asked.user_response, turn=identity, **common)


def _rules(reading: _Reading, rules: _Rules, common: dict[str, Any]) -> Iterator[Event]:
    for name in rules.names():
        if name and name not in reading.files:
            reading.files.add(name)
            identity = derived_id("rules", reading.state.session, name)
            yield ContextFileLoaded(id=identity, path=name, **common)


def _answered(reading: _Reading, step: _Step, common: dict[str, Any]) -> Iterator[Event]:
    said = (step.planner_response or _Said()).response
    if said.strip():
        identity = reading.name("reply", reading.turn, said)
        yield AssistantMessage(
            id=identity, text=said, message=identity, failed=step.status == "error", **common
        )
    if _STATUSES.get(step.status) == "interrupted":
        yield Interrupted(id=reading.name("interrupted", reading.turn), **common)


def _called(
    reading: _Reading, step: _Step, record: Record, common: dict[str, Any]
) -> Iterator[Event]:
    arguments = _part(record.data, step.kind)
    about = touched(arguments)
    source, folder = _folder(step.kind, arguments)
    if folder:
        reading.folders.setdefault(source, folder)
    identity = reading.name("call", reading.turn, step.kind, about.paths, about.command)
    yield ToolCall(
        id=identity,
        call=identity,
        name=_tool(step.kind, arguments),
        **msgspec.structs.asdict(about),
        **common,
    )
    if status := _STATUSES.get(step.status):
        yield ToolResult(id=f"{identity}.result", call=identity, status=status, **common)


def _part(data: bytes, kind: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(mended(data.strip(b"\0 \t\r\n").removeprefix(b"\xef\xbb\xbf")))
    except (msgspec.MsgspecError, RecursionError, UnicodeError, ValueError):
        return {}
    part = found.get(kind) if isinstance(found, dict) else None
    return part if isinstance(part, dict) else {}


def _tool(kind: str, arguments: dict[str, Any]) -> str:
    """A tool of a server goes by its own name."""
    name = arguments.get("tool_name")
    return name if kind == "mcp_tool" and isinstance(name, str) and name else kind


_PLACES = ("command", "change", "look")


def _folder(kind: str, arguments: dict[str, Any]) -> tuple[str, str]:
    cwd, path = arguments.get("cwd"), arguments.get("path")
    if isinstance(cwd, str) and _absolute(cwd) is not None:
        return "command", cwd
    whole = _absolute(path) if isinstance(path, str) and kind != "list_directory" else None
    return "change" if kind == _CHANGES else "look", "" if whole is None else str(whole.parent)


def _absolute(path: str) -> PurePath | None:
    if _ROOTED.match(path):
        return PureWindowsPath(path)
    return PurePosixPath(path) if path.startswith("/") else None


_HANDLERS: dict[str, Callable[[_Reading, _Step, dict[str, Any]], Iterator[Event]]] = {
    "user_input": _asked,
    "planner_response": _answered,
}
