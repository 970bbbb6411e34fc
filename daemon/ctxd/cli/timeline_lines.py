"""A session as a picture of characters: its window from left to right, and its items below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ctxd.cli import words
from ctxd.policy.report import TIMELINE_BAR_CELLS, TIMELINE_BAR_ROWS, TIMELINE_BAR_SHARE
from ctxd.report.course import way
from ctxd.report.moments import moment
from ctxd.report.trace import fill
from ctxd.report.values import Line, Mark, Timeline
from ctxd.terminal import Span, Terminal, cells, one_line, short_path

_FINE = " \N{LOWER ONE EIGHTH BLOCK}\N{LOWER ONE QUARTER BLOCK}\N{LOWER THREE EIGHTHS BLOCK}"
_FINE += "\N{LOWER HALF BLOCK}\N{LOWER FIVE EIGHTHS BLOCK}\N{LOWER THREE QUARTERS BLOCK}"
_FINE += "\N{LOWER SEVEN EIGHTHS BLOCK}\N{FULL BLOCK}"
_COARSE = " .:#"
"""Heights of a column within one line, where the terminal has block elements and where not."""

_GLYPHS: dict[Mark, str] = {"survives": "=", "reinjected": "+", "breaks": "x", "unknown": "?"}
_STYLES: dict[Mark, str] = {
    "survives": "green",
    "reinjected": "cyan",
    "breaks": "bold red",
    "unknown": "yellow",
}
_STATES = {"held": "-", "gone": ".", "doubtful": "~"}
_STATE_STYLES = {"held": "", "gone": "red", "doubtful": "yellow"}
_GAP = "  "


class Picture:
    """Draws one session on one stream."""

    def __init__(self, out: Terminal, timeline: Timeline) -> None:
        self._out = out
        self._timeline = timeline
        self._most = max([fill(point) for point in timeline.points], default=0.0)
        if timeline.window_tokens and _has_tokens(timeline):
            self._most = max(self._most, float(timeline.window_tokens))
        ids = [len(line.short_id) for line in timeline.lines]
        self._label = max([6, *(length + 1 for length in ids)])
        fewest, most = TIMELINE_BAR_CELLS
        width = out.width or most * 2
        self._bar = max(fewest, min(most, int((width - self._label) * TIMELINE_BAR_SHARE)))
        self._cuts = {self._column(cut.position): cut for cut in timeline.cuts}

    def print(self) -> None:
        """Write all of it."""
        self._head()
        self._out.print()
        self._window()
        if self._timeline.lines:
            self._out.print()
            for line in self._timeline.lines:
                self._line(line)
        self._out.print()
        self._foot()

    def _head(self) -> None:
        shown = self._timeline
        title = one_line(shown.title or "")
        name = f"{shown.agent} {shown.short_id}"
        room = None if self._out.width is None else self._out.width - cells(name) - len(_GAP)
        cut = title if room is None else self._out.cut(title, max(room, 0))
        self._out.print((name, "bold"), _GAP, cut)
        place = short_path(shown.cwd, Path.home()) if shown.cwd else words.NONE
        when = f"{words.minute(shown.started)}" if shown.started else words.NONE
        facts = [when, words.count(len(shown.cuts), "compaction"), self._fullness()]
        text = f"{one_line(place)}{_GAP}{_GAP.join(facts)}"
        self._out.print((self._fitting(text), "dim"))

    def _fullness(self) -> str:
        shown = self._timeline
        if not shown.points:
            return "window not told by its log"
        last = shown.points[-1]
        if last.tokens is None:
            return f"window {words.share(last.share)} full"
        most = f" of {words.number(shown.window_tokens)}" if shown.window_tokens else ""
        return f"{words.number(last.tokens)}{most} tokens"

    def _window(self) -> None:
        """The window's fill, with the cuts through it, and what stands below its edge."""
        heights = self._heights()
        blocks = _FINE if self._out.show(_FINE) == _FINE else _COARSE
        steps = len(blocks) - 1
        for row in range(TIMELINE_BAR_ROWS, 0, -1):
            level = [
                max(0, min(steps, round((height * TIMELINE_BAR_ROWS - row + 1) * steps)))
                for height in heights
            ]
            self._out.print(
                (f"{self._scale(row):>{self._label - 1}} ", "dim"),
                *self._columns([blocks[one] for one in level]),
            )
        if self._cuts:
            numbers = [" "] * self._bar
            for column, cut in self._cuts.items():
                text = str(cut.number)
                numbers[column : column + len(text)] = text[: self._bar - column]
            label = f"{'cuts':>{self._label - 1}} "
            self._out.print((label, "dim"), ("".join(numbers), "bold"))
        times = self._times()
        if times.strip():
            self._out.print((" " * self._label + times, "dim"))

    def _columns(self, signs: Sequence[str]) -> Iterable[Span]:
        for column, sign in enumerate(signs):
            is_cut = column in self._cuts
            yield ("|", "bold") if is_cut else (sign, "blue")

    def _scale(self, row: int) -> str:
        if row == TIMELINE_BAR_ROWS and self._most:
            return _amount(self._most) if _has_tokens(self._timeline) else f"{self._most:.0%}"
        return ""

    def _heights(self) -> list[float]:
        """How full the window was in each column, 0 to 1: the last that was measured in it, or
        before."""
        found: list[float | None] = [None] * self._bar
        for point in self._timeline.points:
            column = self._column(point.position)
            found[column] = max(fill(point), found[column] or 0.0)
        heights, last = [], 0.0
        for column, value in enumerate(found):
            if value is not None:
                last = value
            heights.append(last / self._most if self._most else 0.0)
            if column in self._cuts:
                last = float(self._cuts[column].tokens_after or 0)
        return heights

    def _times(self) -> str:
        """When it was: as many times as stand side by side."""
        marks = self._timeline.times
        if not marks:
            return ""
        row = [" "] * self._bar
        free, last = 0, ""
        for mark in marks:
            text = moment(mark.time, self._timeline)
            start = min(self._column(mark.position), self._bar - len(text))
            if start >= free and text != last:
                last = text
                row[start : start + len(text)] = text
                free = start + len(text) + 2
        return "".join(row)

    def _line(self, line: Line) -> None:
        label = f"{line.short_id:>{self._label - 1}} "
        spans: list[Span] = [(label, "cyan"), *_grouped(self._row(line)), _GAP]
        text = one_line(line.text)
        if self._out.width is not None:
            room = self._out.width - self._label - self._bar - len(_GAP)
            text = self._out.cut(text, max(room, 0))
        self._out.print(*spans, (text, "bold" if line.severity == "critical" else ""))

    def _row(self, line: Line) -> list[tuple[str, str]]:
        row = [(" ", "")] * self._bar
        for column in self._cuts:
            row[column] = ("|", "dim")
        found = way(line, self._timeline)
        for part in found.stretches:
            start, end = self._column(part.start), self._column(part.end)
            for column in range(start, end + 1):
                row[column] = (_STATES[part.state], _STATE_STYLES[part.state])
        for stop in found.stops:
            row[self._column(stop.position)] = (_GLYPHS[stop.mark], _STYLES[stop.mark])
        return row

    def _column(self, position: int) -> int:
        length = max(self._timeline.length, 1)
        return min(self._bar - 1, max(0, position * self._bar // (length + 1)))

    def _foot(self) -> None:
        self._out.print(
            ("=", "green"),
            " survives  ",
            ("+", "cyan"),
            " put back  ",
            ("x", "bold red"),
            " breaks  ",
            ("?", "yellow"),
            " unclear  ",
            (". gone", "dim"),
        )
        shown = self._timeline
        if shown.cuts:
            parts = [
                f"{words.number(sum(cut.survives for cut in shown.cuts))} survived",
                f"{words.number(sum(cut.reinjected for cut in shown.cuts))} put back",
                f"{words.number(sum(cut.breaks for cut in shown.cuts))} broke",
            ]
            waiting = sum(not cut.judged for cut in shown.cuts)
            parts += [f"{words.number(waiting)} not judged yet"] if waiting else []
            self._out.print(f"{words.count(len(shown.cuts), 'cut')}: {', '.join(parts)}")
        if shown.lines_left_out:
            more = words.count(shown.lines_left_out, "item")
            self._out.print((f"and {more} more; `ctxd timeline --json` has all", "dim"))
        if shown.measured == "compactions":
            self._out.print(("measured at the compactions only", "dim"))

    def _fitting(self, text: str) -> str:
        return text if self._out.width is None else self._out.cut(text, self._out.width)


def _has_tokens(timeline: Timeline) -> bool:
    return any(point.tokens is not None for point in timeline.points)


def _amount(tokens: float) -> str:
    thousand, million = 1_000, 1_000_000
    if tokens >= million:
        return f"{tokens / million:.1f}M"
    return f"{tokens / thousand:.0f}k" if tokens >= thousand else f"{tokens:.0f}"


def _grouped(row: Sequence[tuple[str, str]]) -> list[Span]:
    """Neighbours of one style as one piece."""
    found: list[tuple[str, str]] = []
    for sign, style in row:
        if found and found[-1][1] == style:
            found[-1] = (found[-1][0] + sign, style)
        else:
            found.append((sign, style))
    return [*found]
