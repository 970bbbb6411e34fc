"""The way of one line through its session: where the agent has the item, and where it does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from ctxd.report.values import AtCut, Cut, Line, Mark, Timeline


class Stretch(msgspec.Struct, frozen=True):
    """A part of a line between two positions."""

    start: int
    end: int
    state: Literal["held", "gone", "doubtful"]
    """`held`: it is in the window. `gone`: a cut took it out, and nobody said it again. `doubtful`:
    behind a cut of which nobody can tell, or that nobody has looked at for it."""


class Stop(msgspec.Struct, frozen=True):
    """What happens to a line at one cut that it meets."""

    position: int
    cut: int
    mark: Mark
    at: AtCut | None
    """None for a cut that was not judged for it."""


_AFTER: dict[Mark, Literal["held", "gone", "doubtful"]] = {
    "survives": "held",
    "reinjected": "held",
    "breaks": "gone",
    "unknown": "doubtful",
}


class Way(msgspec.Struct, frozen=True):
    """A whole line: its parts, in order and without gaps, and the cuts that it meets."""

    stretches: Sequence[Stretch]
    stops: Sequence[Stop]


def way(line: Line, timeline: Timeline) -> Way:
    """The way of a line. At a cut that was judged without it, or not yet, nobody can tell."""
    begin = line.stated[0] if line.stated else 0
    end = timeline.length if line.ended is None else max(line.ended, begin)
    known = {at.cut: at for at in line.at_cuts}
    stretches: list[Stretch] = []
    stops: list[Stop] = []
    start, state = begin, _AFTER["survives"]
    turns: list[tuple[int, Cut | None]] = [(position, None) for position in line.stated[1:]]
    turns += [(cut.position, cut) for cut in timeline.cuts if begin < cut.position <= end]
    for position, cut in sorted(turns, key=lambda turn: turn[0]):
        turned = _AFTER["survives"]
        if cut is not None:
            at = known.get(cut.number)
            if at is None and state == "gone":
                continue
            stops.append(Stop(position, cut.number, at.mark if at else "unknown", at))
            turned = _AFTER[stops[-1].mark]
        _join(stretches, Stretch(start, position, state))
        start, state = position, turned
    _join(stretches, Stretch(start, end, state))
    return Way(stretches or [Stretch(begin, end, state)], stops)


def _join(found: list[Stretch], part: Stretch) -> None:
    """Add a part, to the one before it where they are alike; one without length is none."""
    if part.end == part.start:
        return
    if found and found[-1].state == part.state:
        part = Stretch(found.pop().start, part.end, part.state)
    found.append(part)
