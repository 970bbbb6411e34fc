"""What is remembered of a Claude Code transcript, and what all events of a row carry.

The state is bounded whatever the log's length.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypedDict

import msgspec

from ctxd_parsers.claude_code_rows import Row
from ctxd_parsers.events import AnyEvent, Event, Trigger, Unknown
from ctxd_parsers.limits import PENDING_CALLS
from ctxd_parsers.parser import Record
from ctxd_parsers.values import from_iso

AGENT = "claude-code"

ROWS_SEEN = 64
"""Rows remembered to leave out repeats. Those in real logs stand a few rows apart."""


class At(TypedDict):
    """What all events of a row carry."""

    agent: str
    session: str
    time: datetime | None
    span: tuple[int, int]
    sub_agent: str | None


class Boundary(msgspec.Struct):
    """A compaction whose summary row has not come yet."""

    uuid: str
    at: At
    trigger: Trigger | None = None
    cause: str | None = None
    kept: tuple[str, ...] | None = None
    instructions: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    removed: int | None = None
    duration_ms: int | None = None


class Queued(msgspec.Struct):
    """Words that reached the agent in mid-turn, until the row that shows them comes."""

    id: str
    at: At
    text: str


class State(msgspec.Struct):
    """All that is remembered of one transcript."""

    session: str
    """Id of the session that goes on; the file's name until a row tells it."""
    agent: str | None = None
    """The sub-agent whose transcript this is."""
    started: list[str] = []
    fresh: bool = False
    """No words since the session began: further marks of the same start tell nothing new."""
    forked: bool = False
    ended: bool = False
    cwd: str | None = None
    branch: str | None = None
    version: str | None = None
    title: str | None = None
    last: str = ""
    """Uuid of the last row, to tell apart rows without one."""
    seen: dict[str, bool] = {}
    """Uuids of the last rows: a row may be written twice."""
    prompts: dict[str, str] = {}
    """Latest prompt by its parent's uuid."""
    replaced: list[str] = []
    """Prompts that were taken back, whose rows may come again."""
    unsaid: list[str] = []
    """Parents of commands without words, until something comes of them."""
    caveat: str | None = None
    """Row of the latest warning of a command's output."""
    sidechains: dict[str, str] = {}
    """First row of a sub-agent's inline rows, by the uuid of each [<=1.0.128 names no agent]."""
    calls: dict[str, str | None] = {}
    """Open dialogs by their call: the text of a plan, None for a question."""
    usage: dict[str, list[int | None]] = {}
    turn: str | None = None
    in_turn: bool = False
    answered: str | None = None
    """The response that ended the last turn."""
    command: str | None = None
    """The slash command whose output may follow."""
    boundary: Boundary | None = None
    held: list[AnyEvent] = []
    """Events of rows that came between a boundary and its summary, and so after the compaction."""
    parts: dict[str, int] = {}
    """How many events a row gave, for rows that gave several."""
    compacted: list[str] = []
    """Boundaries and summaries of the compactions told."""
    focus: str | None = None
    """What `/compact` was asked to focus on, where that comes before the boundary."""
    loads: Literal["start", "compaction"] | None = "start"
    """Why the next listing of instruction files is made."""
    reloads: bool = False
    """A compaction has just been summarised: files shown now are read again because of it."""
    queue: list[Queued] = []
    """Words in the queue of a client that logs no other sign of them."""
    absorbed: list[Queued] = []
    delivered: list[str] = []
    """Queued words already given: their ids."""


def remember(memory: dict[str, Any], key: str, value: Any, most: int = PENDING_CALLS) -> None:
    """Put something into a memory that holds no more than `most`, dropping the oldest."""
    memory.pop(key, None)
    if len(memory) >= most:
        del memory[next(iter(memory))]
    memory[key] = value


def count_parts(uuid: str, following: str, state: State) -> None:
    """Note how many events a row gave, from the id that a further one would have."""
    number = following[len(uuid) + 1 :]
    if number not in ("", "1"):
        remember(state.parts, uuid, int(number))


def place(record: Record, row: Row, state: State) -> At:
    """Where and when a row's events happened. All rows of a sub-agent's own file say that they are
    a side chain; a main transcript that was copied to such a name does not."""
    aside = row.is_sidechain if row.is_sidechain is not None else state.agent is not None
    return {
        "agent": AGENT,
        "session": row.session_id or state.session,
        "time": from_iso(row.timestamp),
        "span": (record.start, record.end),
        "sub_agent": _sub_agent(row, state) if aside else None,
    }


def _sub_agent(row: Row, state: State) -> str:
    """The sub-agent's id; for inline rows of old clients, the uuid of its first row."""
    named = row.agent_id or state.agent
    if named:
        return named
    chains = state.sidechains
    latest = next(reversed(chains.values()), row.uuid)
    root = chains.get(row.parent_uuid, latest) if row.parent_uuid else row.uuid
    remember(chains, row.uuid, root)
    return root


def unknown(kind: str, identity: str, row: Row, at: At, state: State) -> Event:
    """A row of a kind that no fixture or note names; bookkeeping rows name no version."""
    return Unknown(id=identity, record_kind=kind, client_version=row.version or state.version, **at)
