"""Where everything of a session's picture goes, in numbers: the templates only write them down.

Across, positions are shares of the width in per cent, so that one drawing fits every screen; down,
the curve has `HEIGHT` units of its own. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from ctxd.policy.report import LANES_OPEN
from ctxd.report.course import Stop, way
from ctxd.report.moments import moment
from ctxd.report.trace import fill
from ctxd.report.values import Cut, Line, Timeline

WIDTH = 1000
HEIGHT = 100
"""Units of the curve's own drawing, which is stretched over the room there is."""

_LEAST_APART = 15.0
"""Per cent between two times below the window, so that they do not touch on a small screen."""
_FLAGS_APART = 5.0
"""Per cent between two cuts' numbers."""
_HEADROOM = 1.08
"""How far the scale goes beyond the fullest window, where the most it can hold is not known."""
_NICE = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
"""First digits of numbers that people like on a scale."""


class Tick(msgspec.Struct, frozen=True):
    """A level on the scale."""

    down: str
    """Share of the height from its top, in per cent."""
    amount: float


class Label(msgspec.Struct, frozen=True):
    """A moment below the window."""

    across: str
    anchor: Literal["start", "middle", "end"]
    text: str


class Flag(msgspec.Struct, frozen=True):
    """A cut through the window."""

    across: str
    cut: Cut
    is_named: bool
    """Whether there is room for its number."""


class Piece(msgspec.Struct, frozen=True):
    """A part of a lane."""

    start: str
    end: str
    state: Literal["held", "gone", "doubtful"]


class Sign(msgspec.Struct, frozen=True):
    """What a cut does to a lane."""

    across: str
    stop: Stop


class Lane(msgspec.Struct, frozen=True):
    """One item's line."""

    line: Line
    pieces: Sequence[Piece]
    signs: Sequence[Sign]
    stated: Sequence[str]
    """Where it was said."""

    @property
    def is_broken(self) -> bool:
        """Whether the agent does not have it any more at the end."""
        return bool(self.pieces) and self.pieces[-1].state == "gone"


class Drawing(msgspec.Struct, frozen=True, kw_only=True):
    """The picture of one session."""

    timeline: Timeline
    curve: str
    """Path of the window's fill."""
    area: str
    """The same, closed along the ground."""
    ticks: Sequence[Tick]
    in_tokens: bool
    full: str | None
    """Where the most that the window can hold is, from the top in per cent."""
    labels: Sequence[Label]
    flags: Sequence[Flag]
    lanes: Sequence[Lane]
    """Those that are seen at once: what a cut dropped comes before all others."""
    rest: Sequence[Lane]
    every: Sequence[Lane]


def drawing(timeline: Timeline) -> Drawing:
    """The picture of a session."""
    in_tokens = any(point.tokens is not None for point in timeline.points)
    top = _top(timeline, in_tokens=in_tokens)
    curve = _curve(timeline, top)
    limit = timeline.window_tokens if in_tokens else None
    every = [_lane(line, timeline) for line in timeline.lines]
    first = sorted(range(len(every)), key=lambda place: _is_calm(every[place]))[:LANES_OPEN]
    return Drawing(
        timeline=timeline,
        curve=curve,
        area=_area(timeline, curve),
        ticks=[Tick(_number(100 * (1 - share)), top * share) for share in (1.0, 0.5)],
        in_tokens=in_tokens,
        full=_number(100 * (1 - limit / top)) if limit and limit < top else None,
        labels=_labels(timeline),
        flags=_flags(timeline),
        lanes=[every[place] for place in sorted(first)],
        rest=[lane for place, lane in enumerate(every) if place not in first],
        every=every,
    )


def _is_calm(lane: Lane) -> bool:
    return all(sign.stop.mark == "survives" for sign in lane.signs)


def _across(position: float, timeline: Timeline) -> float:
    """Share of the width, in per cent."""
    return 100.0 * position / max(timeline.length, 1)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _top(timeline: Timeline, *, in_tokens: bool) -> float:
    if not in_tokens:
        return 1.0
    most = max([fill(point) for point in timeline.points], default=0.0)
    if timeline.window_tokens and timeline.window_tokens >= most:
        return float(timeline.window_tokens)
    return _nice(most * _HEADROOM)


def _nice(value: float) -> float:
    """The next number from there on that people like."""
    power = 1.0
    while value > 10 * power:
        power *= 10
    return next((digit * power for digit in _NICE if digit * power >= value), value)


def _curve(timeline: Timeline, top: float) -> str:
    """Straight from one measurement to the next, and straight down where the window was cut."""
    parts = []
    for point in timeline.points:
        x = _number(WIDTH * _across(point.position, timeline) / 100)
        y = _number(HEIGHT * (1 - min(fill(point) / top, 1.0)))
        parts.append(f"{x} {y}")
    return f"M{'L'.join(parts)}" if parts else ""


def _area(timeline: Timeline, curve: str) -> str:
    if not curve:
        return ""
    ends = [timeline.points[index].position for index in (-1, 0)]
    last, first = (_number(WIDTH * _across(position, timeline) / 100) for position in ends)
    return f"{curve}L{last} {HEIGHT}L{first} {HEIGHT}Z"


def _labels(timeline: Timeline) -> list[Label]:
    found: list[Label] = []
    for mark in timeline.times:
        across, text = _across(mark.position, timeline), moment(mark.time, timeline)
        is_near = found and across - float(found[-1].across) < _LEAST_APART
        if is_near or text in {label.text for label in found}:
            continue
        anchor: Literal["start", "middle", "end"] = "middle"
        if across < _LEAST_APART / 2:
            anchor = "start"
        elif across > 100 - _LEAST_APART / 2:
            anchor = "end"
        found.append(Label(_number(across), anchor, text))
    return found


def _flags(timeline: Timeline) -> list[Flag]:
    found: list[Flag] = []
    named = -_FLAGS_APART
    for cut in timeline.cuts:
        across = _across(cut.position, timeline)
        has_room = across - named >= _FLAGS_APART
        named = across if has_room else named
        found.append(Flag(_number(across), cut, has_room))
    return found


def _lane(line: Line, timeline: Timeline) -> Lane:
    def across(position: int) -> str:
        return _number(_across(position, timeline))

    found = way(line, timeline)
    return Lane(
        line=line,
        pieces=[
            Piece(across(part.start), across(part.end), part.state) for part in found.stretches
        ],
        signs=[Sign(across(stop.position), stop) for stop in found.stops],
        stated=[across(position) for position in line.stated],
    )


def drawings(timelines: Iterable[Timeline]) -> list[Drawing]:
    """The pictures of several sessions, in their order."""
    return [drawing(timeline) for timeline in timelines]
