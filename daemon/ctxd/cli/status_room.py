"""How many lines each part of `ctxd status` gets, so that all of it stays on one screen.

Every part keeps its first row whatever else there is; what is left goes first to what is told
first. A part that is cut ends with a line that says how much more there is, and where.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One part of the screen."""

    rows: Sequence[int]
    """How many lines each of its rows takes."""
    heading: int = 0
    """Lines above the first row."""
    most: int
    """Rows that are shown however much room there is."""
    turn: int
    """Parts of a lower turn are filled before those of a higher one."""

    def lines(self, shown: int, *, spaced: bool) -> int:
        """How many lines it takes with so many rows; `spaced`: with an empty one before it."""
        if not self.rows:
            return 0
        more = shown < len(self.rows)
        return spaced + self.heading + sum(self.rows[:shown]) + more


class Room(msgspec.Struct, frozen=True):
    """What each part gets."""

    shown: tuple[int, ...]
    """Rows, by part."""
    spaced: bool
    """Whether there is room for empty lines between the parts."""


def share_out(parts: Sequence[Part], lines: int) -> Room:
    """The rows of each part, so that all take so many lines at most."""
    shown = [min(1, len(part.rows)) for part in parts]
    spaced = _total(parts, shown, spaced=True) <= lines
    for turn in sorted({part.turn for part in parts}):
        grown = True
        while grown:
            grown = False
            for index, part in enumerate(parts):
                wanted = shown[index] + 1
                if part.turn != turn or wanted > min(part.most, len(part.rows)):
                    continue
                tried = [*shown[:index], wanted, *shown[index + 1 :]]
                if _total(parts, tried, spaced=spaced) <= lines:
                    shown, grown = tried, True
    return Room(tuple(shown), spaced)


def _total(parts: Sequence[Part], shown: Sequence[int], *, spaced: bool) -> int:
    return sum(part.lines(number, spaced=spaced) for part, number in zip(parts, shown, strict=True))
