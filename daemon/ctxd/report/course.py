"""The way of one line through its session: where the agent has the item, and where it does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from ctxd.report.values import AtCut, Line, Mark, Timeline


class Stretch(msgspec.Struct, frozen=True):
    """A part of a line between two positions."""

    start: int
    end: int
    state: Literal["held", "gone", "doubtful"]
    """`held`: it is in the window. `gone`: a cut took it out, and nobody said it again. `doubtful`:
    behind a cut of which nobody can tell, or that nobody has looked at."""


class Stop(msgspec.Struct, frozen=True):
    """What happens to a line at one cut that it meets."""

    position: int
    cut: int
    mark: Mark
    at: AtCut | None
    """None for a cut that was not judged yet."""


_AFTER: dict[Mark, Literal["held", "gone", "doubtful"]] = {
    "survives": "held",
    "reinjected": "held",
    "breaks": "gone",
    "unknown": "doubtful",
}


def stops(line: Line, timeline: Timeline) -> list[Stop]:
    """The cuts that a line meets, in order."""
    return [stop for stop in _met(line, timeline) if stop is not None]


def stretches(line: Line, timeline: Timeline) -> list[Stretch]:
    """The parts of a line, in order and without gaps."""
    begin = line.stated[0] if line.stated else 0
    end = timeline.length if line.ended is None else max(line.ended, begin)
    turns = [(stop.position, _AFTER[stop.mark]) for stop in stops(line, timeline)]
    turns += [(position, "held") for position in line.stated[1:]]
    found: list[Stretch] = []
    start, state = begin, _AFTER["survives"]
    for position, turned in sorted(turns, key=lambda turn: turn[0]):
        if start <= position <= end:
            _join(found, Stretch(start, position, state))
            start, state = position, turned
    _join(found, Stretch(start, end, state))
    return found or [Stretch(begin, end, state)]


def _join(found: list[Stretch], part: Stretch) -> None:
    """Add a part, to the one before it where they are alike; one without length is none."""
    if part.end == part.start:
        return
    if found and found[-1].state == part.state:
        part = Stretch(found.pop().start, part.end, part.state)
    found.append(part)


def _met(line: Line, timeline: Timeline) -> Iterator[Stop | None]:
    """What each cut does to a line; None where it does not stand before it."""
    known = {at.cut: at for at in line.at_cuts}
    begin = line.stated[0] if line.stated else 0
    for cut in timeline.cuts:
        at = known.get(cut.number)
        if at is not None:
            yield Stop(cut.position, cut.number, at.mark, at)
        elif not cut.judged and begin < cut.position <= (line.ended or timeline.length):
            yield Stop(cut.position, cut.number, "unknown", None)
        else:
            yield None
