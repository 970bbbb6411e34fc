"""What a picture of a session is drawn from: the published form `ctxd.timeline/1`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ctxd.item import Authority, Kind, Severity
from ctxd.item_log import Status
from ctxd.item_report import EvidenceRow, ItemRow
from ctxd.retention.values import Answer, TextKind
from ctxd_parsers.events import Trigger

Count = Annotated[int, Meta(ge=0)]
Mark = Literal["survives", "reinjected", "breaks", "unknown"]
"""What a cut did to a line. `survives`: the agent still has it from what stands afterwards.
`reinjected`: the summary dropped it, and a context file or ctxd put it back. `breaks`: the agent
does not have it any more as it was said. `unknown`: the summary cannot be read."""


class WindowPoint(msgspec.Struct, frozen=True):
    """How full the window was at one moment."""

    position: Count
    time: datetime | None
    tokens: int | None
    share: float | None
    """Of what the window can hold, 0 to 1; None where that is not known."""


class TimeMark(msgspec.Struct, frozen=True):
    """When a position of a session was reached."""

    position: Count
    time: datetime


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """One compaction of the user's window."""

    number: Count
    """Which one of the session it is, from 1."""
    position: Count
    event: str
    time: datetime | None
    trigger: Trigger | None
    tokens_before: int | None
    tokens_after: int | None
    judged: bool
    """Whether ctxd has looked at what it left."""
    readable: bool
    survives: Count = 0
    reinjected: Count = 0
    breaks: Count = 0
    unknown: Count = 0
    request_missing: str = ""
    """The user's last request before it, where nothing afterwards states it."""
    files_unnamed: tuple[str, ...] = ()
    """Files worked on before it that the summary does not name."""


class AtCut(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one item at one cut."""

    cut: Count
    """See `Cut.number`."""
    mark: Mark
    answer: Answer
    passage: str
    """The deciding passage of what stands afterwards; empty when nothing does."""
    where: TextKind | None
    """What the passage stands in."""
    name: str
    """The passage's event or file."""
    why: str
    given: datetime | None
    """When the agent was told the item again."""
    on_disk: bool
    """Whether a file that a human wrote stated it before."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One item through a session."""

    item: str
    short_id: str
    repository: str
    kind: Kind
    severity: Severity
    authority: Authority
    status: Status
    text: str
    reason: str
    said: datetime | None
    stated: tuple[Count, ...]
    """Positions at which it was said in this session; () when that was in an earlier one."""
    ended: Count | None
    """Position at which it was taken back or something else was said in its place."""
    at_cuts: tuple[AtCut, ...]
    evidence: tuple[EvidenceRow, ...]


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """One session."""

    schema: Literal["ctxd.timeline/1"] = "ctxd.timeline/1"
    agent: str
    session: str
    short_id: str
    title: str | None
    cwd: str | None
    model: str | None
    started: datetime | None
    last_event: datetime | None
    length: Count
    """How many positions there are: each message, tool call and response is one."""
    measured: Literal["responses", "compactions"]
    """`responses`: the log told the tokens with each. `compactions`: only these do, or the log is
    gone or takes too long to read."""
    window_tokens: int | None
    """The most the window can hold."""
    points: tuple[WindowPoint, ...]
    times: tuple[TimeMark, ...]
    cuts: tuple[Cut, ...]
    lines: tuple[Line, ...]
    lines_left_out: Count


class ListedItem(msgspec.Struct, frozen=True):
    """One item in a report's list."""

    row: ItemRow
    evidence: tuple[EvidenceRow, ...]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All that a report shows of one repository."""

    repository: str
    made: datetime
    sessions: tuple[Timeline, ...]
    sessions_left_out: int
    items: tuple[ListedItem, ...]
    items_left_out: int
