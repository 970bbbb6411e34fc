"""Devin's command line: `cli/transcripts/<session>.json`, a document at the end of a session.

Written by versions up to 3000.3 when a session is left, in the Agent Trajectory Interchange Format
(1.7): what the database tells as well, under the same ids, without the folder and without what was
taken back. That it is there means that the session was left; a session may have several.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd_parsers.decoding import Damage, RowDecoder
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    ContextInjected,
    Event,
    Reasoning,
    SessionEnded,
    SessionStarted,
    ToolCall,
    ToolResult,
    Unknown,
    Unparsed,
    UserMessage,
)
from ctxd_parsers.parser import NoSigns, Record, Source, Storage
from ctxd_parsers.values import derived_id, from_iso
from ctxd_parsers.windsurf import (
    AGENT,
    NULL,
    call_id,
    decoded,
    images,
    message_id,
    plain,
    result_id,
    start_id,
    touched,
)
from ctxd_parsers.windsurf_devin import places

_FOLDERS = ("transcripts", "cli", "devin")
_HEAD = re.compile(rb'\s*\{\s*"schema_version"\s*:\s*"ATIF-v[\d.]+"')
_OURS = re.compile(rb'"name"\s*:\s*"devin', re.IGNORECASE)


class State(msgspec.Struct):
    """What is remembered of a file."""

    session: str


class _Agent(msgspec.Struct):
    name: str = ""
    version: str | None = None
    model_name: str | None = None


class _Call(msgspec.Struct):
    tool_call_id: str = ""
    function_name: str = ""
    arguments: msgspec.Raw = NULL


class _Result(msgspec.Struct):
    source_call_id: str = ""


class _Observation(msgspec.Struct):
    results: list[_Result] = []


class _Extra(msgspec.Struct):
    is_user_input: bool | msgspec.UnsetType | None = msgspec.UNSET
    generation_model: str | None = None


class _Step(msgspec.Struct):
    timestamp: str | None = None
    source: str = ""
    message: msgspec.Raw = NULL
    model_name: str | None = None
    reasoning_content: str | None = None
    is_copied_context: bool | None = None
    tool_calls: list[_Call] | None = None
    observation: _Observation | None = None
    extra: _Extra | None = None
    metadata: _Extra | None = None

    @property
    def about(self) -> _Extra:
        """What is told of it besides, in older versions under another name."""
        return self.extra or self.metadata or _Extra()


class _Document(msgspec.Struct):
    session_id: str = ""
    agent: _Agent | None = None
    steps: list[_Step] = []


_documents = RowDecoder(_Document, marks=("schema_version", "steps"))


class WindsurfDevinTranscript(NoSigns):
    """The documents."""

    name = "windsurf-devin-transcript"
    agent = AGENT
    state_type = State

    def sources(self, env: Environment) -> Sequence[Source]:
        """List the folders beside the database."""
        patterns = ("cli/transcripts/*.json", "cli-next/transcripts/*.json")
        return [Source(place, patterns, Storage.SNAPSHOT) for place in places(env)]

    def claims(self, path: PurePath, head: bytes) -> bool:
        """Tell by the folders, or elsewhere by the document's beginning."""
        if path.suffix != ".json" or path.name.startswith("."):
            return False
        placed = tuple(part.lower() for part in path.parent.parts[-1:-4:-1]) == _FOLDERS
        return placed or (_HEAD.match(head) is not None and _OURS.search(head) is not None)

    def companions(self, _path: PurePath) -> Sequence[PurePath]:
        """Need nothing beside the file."""
        return ()

    def begin(self, path: PurePath, _companions: Mapping[PurePath, bytes]) -> State:
        """Make the state of a file, which is named after the session as a rule."""
        return State(path.stem or AGENT)

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """Give the events of a document."""
        for _, document in _documents.rows(records):
            if isinstance(document, Damage):
                identity = derived_id("damage", state.session, document.reason)
                yield Unparsed(
                    agent=AGENT, session=state.session, id=identity, reason=document.reason
                )
            else:
                yield from _session(document.session_id or state.session, document)


def _session(session: str, document: _Document) -> Iterator[Event]:
    agent = document.agent or _Agent()
    times = [time for step in document.steps if (time := from_iso(step.timestamp))]
    common: dict[str, Any] = {"agent": AGENT, "session": session}
    yield SessionStarted(
        id=start_id(session),
        time=times[0] if times else None,
        client="cli",
        client_version=agent.version,
        model=agent.model_name or None,
        **common,
    )
    for number, step in enumerate(document.steps):
        about = {**common, "time": from_iso(step.timestamp)}
        handler = _SOURCES.get(step.source)
        if handler is not None and not step.is_copied_context:
            yield from handler(step, about)
        elif handler is None:
            identity = derived_id("unknown", session, number, step.source)
            yield Unknown(id=identity, record_kind=step.source, **about)
    if document.steps:
        last = times[-1] if times else None
        identity = derived_id("end", session, len(document.steps), last)
        yield SessionEnded(id=identity, reason="left", time=last, **common)


def _asked(step: _Step, common: dict[str, Any]) -> Iterator[Event]:
    content = decoded(step.message)
    text, shown = plain(content), images(content)
    identity = message_id("user", common["session"], common["time"], text)
    if step.about.is_user_input not in (True, msgspec.UNSET):
        if text:
            yield ContextInjected(id=identity, source="client", text=text, **common)
    elif text or shown:
        yield UserMessage(id=identity, text=text, turn=identity, attachments=shown, **common)


def _answered(step: _Step, common: dict[str, Any]) -> Iterator[Event]:
    text, session = plain(decoded(step.message)), common["session"]
    identity = message_id("agent", session, common["time"], text)
    if text:
        model = step.about.generation_model or step.model_name
        yield AssistantMessage(id=identity, text=text, message=identity, model=model, **common)
    if step.reasoning_content and step.reasoning_content.strip():
        thought = f"{identity}.thought"
        yield Reasoning(id=thought, text=step.reasoning_content, message=identity, **common)
    for call in step.tool_calls or []:
        yield ToolCall(
            id=call_id(session, common["time"], call.tool_call_id, call.function_name),
            call=call.tool_call_id or identity,
            name=call.function_name,
            message=identity,
            **msgspec.structs.asdict(touched(decoded(call.arguments))),
            **common,
        )
    for result in step.observation.results if step.observation else []:
        if result.source_call_id:
            ended = result_id(session, result.source_call_id)
            yield ToolResult(id=ended, call=result.source_call_id, **common)


def _silent(_step: _Step, _common: dict[str, Any]) -> Iterator[Event]:
    return iter(())


_SOURCES: dict[str, Callable[[_Step, dict[str, Any]], Iterator[Event]]] = {
    "user": _asked,
    "agent": _answered,
    "system": _silent,
}
