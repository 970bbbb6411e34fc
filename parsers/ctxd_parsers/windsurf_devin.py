"""Devin's command line: `sessions.db`, a row each session and each message, for all sessions.

Promises: what was said in the conversation the user has, each message once however often the client
writes it anew; its compactions with their summaries; what the user took back. What sub-agents and
the client's own helpers say is left out, and so are sessions that the user removed from view.

Facts (databases of 3000.3 to 3000.11, as several public readers describe them; no client could be
run). The editor's local agent writes here as well.
- A session's messages are a forest. The client begins it anew whenever what it puts before a
  conversation changes, with copies of the messages under the same `message_id`; more than four in
  five rows are such copies, tries that were given up, or talks of sub-agents and helpers.
- `main_chain_id` names the last message of the conversation as it is; parents lead back from it.
- A compaction writes two messages with `summarized_from`, the last one that is summarised: what the
  summarising model said, and one of the system that goes on from there and quotes the latest talk.
- The client's own words in the user's role have `is_user_input` null; old versions mark none.
- Now and then all rows of a session are written anew, with the same numbers in a new place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd_parsers.decoding import Damage
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AnyEvent,
    AssistantMessage,
    Compaction,
    ContextInjected,
    Event,
    Reasoning,
    SessionStarted,
    SessionTitled,
    ToolCall,
    ToolResult,
    TurnEnded,
    Unknown,
    Unparsed,
    Usage,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)
from ctxd_parsers.limits import PENDING_CALLS
from ctxd_parsers.parser import NoSigns, Record, Source, Storage
from ctxd_parsers.values import derived_id
from ctxd_parsers.windsurf import (
    AGENT,
    call_id,
    images,
    message_id,
    result_id,
    start_id,
    touched,
)
from ctxd_parsers.windsurf_devin_forest import Forest, forest_of
from ctxd_parsers.windsurf_devin_rows import (
    ROWS,
    SESSIONS,
    TABLES,
    TIPS,
    Node,
    session_of,
)

_NAMES = ("sessions.db", "cli_sessions.db")
_MAGIC, _TABLE = b"SQLite format 3\0", b"message_nodes"


class State(msgspec.Struct):
    """What is remembered of a database."""

    session: str
    sessions: dict[str, Forest] = {}
    """The latest sessions, last read last."""
    hidden: list[str] = []
    """Sessions that the user removed from view, or that are none of theirs."""


def places(env: Environment) -> Sequence[PurePath]:
    """The folders that the command line keeps its data in."""
    shared = env.variable_path("XDG_DATA_HOME") or env.home / ".local" / "share"
    bases = [shared, env.data_home, *([env.config_home] if env.system == "windows" else [])]
    return env.roots("windsurf-devin", *(base / "devin" for base in bases))


class WindsurfDevin(NoSigns):
    """The database."""

    name = "windsurf-devin"
    agent = AGENT
    state_type = State

    def sources(self, env: Environment) -> Sequence[Source]:
        """List the data folders, and the file that the client's variable names."""
        patterns = tuple(f"{folder}/{name}" for folder in ("cli", "cli-next") for name in _NAMES)
        found = [Source(place, patterns, Storage.SQLITE, TABLES) for place in places(env)]
        named = env.variable_path("CHISEL_SESSION_DB")
        if named is not None:
            found.append(Source(named.parent, (named.name,), Storage.SQLITE, TABLES))
        return found

    def claims(self, path: PurePath, head: bytes) -> bool:
        """Tell by the names, or by a table that databases of this kind have."""
        placed = path.name in _NAMES and path.parent.name.startswith("cli")
        ours = placed and path.parent.parent.name.lower() == "devin"
        return ours or (head.startswith(_MAGIC) and _TABLE in head)

    def companions(self, _path: PurePath) -> Sequence[PurePath]:
        """Need nothing beside the database."""
        return ()

    def begin(self, path: PurePath, _companions: Mapping[PurePath, bytes]) -> State:
        """Make the state of a database."""
        return State(path.stem or self.name)

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """Give the events of rows: of the sessions, of messages, and of what became of them."""
        for record in records:
            table = record.key[0] if record.key else ""
            if record.damage is None and table in (SESSIONS, TIPS):
                read = _session if table == SESSIONS else _course
                yield from read(state, record)
                continue
            for _, row in ROWS.rows([record]):
                if isinstance(row, Damage):
                    yield _damaged(state, record, row)
                else:
                    yield from _message(state, Node(record, row))


def _damaged(state: State, record: Record, damage: Damage) -> Event:
    session = (*record.key, "", "")[1] or state.session
    identity = derived_id("damage", *record.key[:3], damage.reason)
    return Unparsed(agent=AGENT, session=session, id=identity, reason=damage.reason)


def _session(state: State, record: Record) -> Iterator[Event]:
    row = session_of(record)
    if row.id in state.hidden:
        state.hidden.remove(row.id)
    if row.hidden:
        state.hidden = [*state.hidden, row.id][-PENDING_CALLS:]
    if row.hidden or not row.id:
        return
    common: dict[str, Any] = {"agent": AGENT, "session": row.id}
    yield SessionStarted(
        id=start_id(row.id), time=row.created, client="cli", model=row.model or None, **common
    )
    if row.cwd:
        yield WorkspaceChanged(id=derived_id("cwd", row.id, row.cwd), cwd=row.cwd, **common)
    if row.title:
        yield SessionTitled(id=derived_id("title", row.id, row.title), title=row.title, **common)


def _message(state: State, node: Node) -> Iterator[Event]:
    session = node.session or state.session
    if session in state.hidden:
        return
    forest = forest_of(state.sessions, session)
    is_main = forest.add(node)
    if is_main is None:
        return
    yield from forest.let_go()
    if forest.is_told(node):
        return
    events = list(_events(session, forest, node))
    if is_main:
        yield from forest.tell(node, events)
    else:
        forest.hold(node, events)


def _events(session: str, forest: Forest, node: Node) -> Iterator[AnyEvent]:
    """The events of a message, the first of which stands for it."""
    common: dict[str, Any] = {"agent": AGENT, "session": session, "time": node.time}
    handler = _ROLES.get(node.role)
    if handler is not None:
        yield from handler(session, forest, node, common)
    else:
        identity = derived_id("unknown", session, node.mark)
        yield Unknown(id=identity, record_kind=node.role, **common)


def _asked(session: str, _forest: Forest, node: Node, common: dict[str, Any]) -> Iterator[AnyEvent]:
    shown = images(node.content)
    if not node.text and not shown:
        return
    identity = message_id("user", session, node.time, node.text)
    if node.is_of_the_client:
        yield ContextInjected(id=identity, source="client", text=node.text, **common)
        return
    yield UserMessage(id=identity, text=node.text, turn=identity, attachments=shown, **common)


def _answered(
    session: str, _forest: Forest, node: Node, common: dict[str, Any]
) -> Iterator[AnyEvent]:
    if node.is_of_the_client:
        return
    identity = message_id("agent", session, node.time, node.text)
    if node.text:
        yield AssistantMessage(
            id=identity, text=node.text, message=identity, model=node.model, **common
        )
    if thought := node.thought.strip():
        yield Reasoning(id=f"{identity}.thought", text=thought, message=identity, **common)
    for use in node.calls:
        yield ToolCall(
            id=call_id(session, node.time, use.id, use.called),
            call=use.id or identity,
            name=use.called,
            message=identity,
            **msgspec.structs.asdict(touched(use.given)),
            **common,
        )
    yield from _used(node, identity, common)
    if node.is_last and not node.calls:
        yield TurnEnded(id=f"{identity}.end", reason="completed", **common)


def _used(node: Node, identity: str, common: dict[str, Any]) -> Iterator[AnyEvent]:
    metrics = node.metrics
    if metrics is None and node.preceding is None:
        return
    yield Usage(
        id=f"{identity}.usage",
        message=identity,
        model=node.model,
        input_tokens=metrics.input_tokens if metrics else None,
        cache_read_tokens=metrics.cache_read_tokens if metrics else None,
        cache_write_tokens=metrics.cache_creation_tokens if metrics else None,
        output_tokens=metrics.output_tokens if metrics else None,
        context_tokens=node.preceding,
        **common,
    )


def _tool_ended(
    session: str, _forest: Forest, node: Node, common: dict[str, Any]
) -> Iterator[AnyEvent]:
    identity = result_id(session, node.call or node.mark)
    yield ToolResult(id=identity, call=node.call, status=node.outcome, **common)


def _put_before(
    session: str, forest: Forest, node: Node, common: dict[str, Any]
) -> Iterator[AnyEvent]:
    """A message of the system: the prompt, which says nothing here, a summary, or what the client
    put in besides."""
    if node.is_summary:
        cause = node.cause
        yield Compaction(
            id=derived_id("compaction", session, node.mark),
            trigger="auto" if cause and cause.startswith("async") else None,
            cause=cause,
            summary=node.text or None,
            kept=forest.kept(node),
            **common,
        )
    elif node.injected_by and node.text:
        yield ContextInjected(
            id=derived_id("injected", session, node.mark),
            source="client",
            text=node.text,
            name=node.injected_by,
            **common,
        )


def _course(state: State, record: Record) -> Iterator[Event]:
    """What became of a conversation, by its last message."""
    row = session_of(record)
    forest = state.sessions.get(row.id)
    if forest is None or row.hidden:
        return
    forest.claim(row.tip)
    yield from forest.let_go()
    for since, until in forest.taken_back(row.tip):
        identity = derived_id("withdrawn", row.id, since, until, row.tip)
        yield Withdrawn(agent=AGENT, session=row.id, id=identity, since=since, until=until)


_Handler = Callable[[str, Forest, Node, dict[str, Any]], Iterator[AnyEvent]]
_ROLES: dict[str, _Handler] = {
    "user": _asked,
    "assistant": _answered,
    "agent": _answered,
    "tool": _tool_ended,
    "system": _put_before,
}
