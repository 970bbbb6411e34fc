"""What is remembered of one Codex rollout, and how a record's events are made.

Ids survive what this client does with its files: a fork of 0.144 copies lines under new times, a
migration rewrites them all and drops those of turns that were taken back. Within a turn, an id is
made from the turn's own and the line's place in it; both stay. Without turns (0.57, 0.98), it is
made from the thread, the line's place and the words.

A rewind of 0.171 names only the place, in another file, where the withdrawn part begins. So the
first event of each turn that this version wrote has an id made from that place.
"""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec import Struct

from ctxd_parsers import events
from ctxd_parsers.codex_rows import Row
from ctxd_parsers.events import Event
from ctxd_parsers.limits import PENDING_CALLS
from ctxd_parsers.parser import Record
from ctxd_parsers.values import derived_id, from_iso

AGENT = "codex"

E = TypeVar("E", bound=Event)
V = TypeVar("V")

_OPENING = (
    events.UserMessage,
    events.AssistantMessage,
    events.ToolCall,
    events.ContextFileLoaded,
    events.ContextInjected,
    events.Compaction,
)
"""What may be the first event of a turn: what stands in a window, so that it can be taken back."""


class Prompt(Struct, array_like=True):
    """A prompt that the window may still hold."""

    id: str
    """Id of the event of the user's words in it; empty for one that is cut."""
    mark: str
    """Tells its whole text from others."""
    tokens: int


class State(Struct):
    """What is remembered of one file."""

    session: str
    part: str = ""
    """Id of the segment that the file is, for one that a rewind began."""
    title: str | None = None
    begun: bool = False
    headless: bool = False
    """Another agent or the client itself started the thread: nothing in it is the user's word."""
    version: str | None = None
    model: str | None = None
    cwd: str | None = None
    branch: str | None = None
    repository: str | None = None
    lines: int = 0
    """Place of the next line, where the lines are not numbered."""
    thread: str = ""
    """The thread whose lines these are; another one's while a fork repeats them."""
    thread_line: int = 0
    """Place of its first line."""
    turn: str = ""
    turn_line: int = 0
    """Place of the line that began the turn."""
    first: str = ""
    """Id that the turn's first event is waited for with."""
    in_turn: bool = False
    was_asked: bool = False
    """The turn has had words of the user."""
    by_prompt: bool | None = None
    """Whether a prompt began the turn; None where that is not told."""
    compacted: bool = False
    """The last that happened was a compaction."""
    prompts: list[Prompt] = []
    files: list[str] = []
    """Ids of the events of the context files that the window holds."""
    file_mark: str = ""
    loads: str | None = "start"
    """Why a context file is loaded next."""
    tokens: int | None = None
    """In the window at the last call of the model."""
    tokens_after: int | None = None
    """In the window after a compaction, as the client estimates it before it tells of that."""
    usage: str = ""
    """Tells the last usage from others: it is written again and again."""
    questions: dict[str, str] = {}
    """Arguments of questions asked and not answered yet, by tool call."""
    declined: list[str] = []
    """Tool calls that are known to have been refused."""


def remember(pending: dict[str, V], key: str, value: V, most: int = PENDING_CALLS) -> None:
    """Put into a table that stays bounded: the oldest entry makes room."""
    pending[key] = value
    if len(pending) > most:
        del pending[next(iter(pending))]


def turn_start(thread: str, line: int) -> str:
    """Id of the first event of a turn, from the file and the line that it begins in."""
    return derived_id(thread, "turn", line)


def file_start(part: str) -> str:
    """Id of a file's first event, from the thread or the segment that it is."""
    return derived_id(part, "start")


class At:
    """The record whose events are being made."""

    __slots__ = ("_identity", "_made", "_record", "line", "row", "state")

    def __init__(self, record: Record, row: Row, state: State) -> None:
        self.row = row
        self.state = state
        self.line = state.lines if row.ordinal is None else row.ordinal
        state.lines = self.line + 1
        self._record = record
        self._made = 0
        self._identity = ""

    def event(self, kind: type[E], about: str = "", **fields: Any) -> E:
        """An event of this record, under the record's next id unless it has its own; `about` are
        the words that tell it from others on the same line of another file."""
        state = self.state
        if "id" not in fields:
            if state.first and kind in _OPENING:
                fields["id"], state.first = state.first, ""
            else:
                fields["id"] = self._next_id(about)
        return kind(
            agent=AGENT,
            session=state.session,
            time=from_iso(self.row.timestamp),
            span=(self._record.start, self._record.end),
            **fields,
        )

    @property
    def place(self) -> tuple[str, int]:
        """What tells the line from others, in whatever file it is repeated."""
        state = self.state
        if state.turn:
            return state.turn, self.line - state.turn_line
        return state.thread, self.line - state.thread_line

    def _next_id(self, about: str) -> str:
        if not self._identity:
            words = () if self.state.turn else (about,)
            self._identity = derived_id(*self.place, *words)
        self._made += 1
        return f"{self._identity}#{self._made - 1}" if self._made > 1 else self._identity
