"""Tables of plain columns: as wide as the terminal, and where there is none, whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ctxd.terminal import Span, Terminal, cells

_GAP = 2
"""Columns of space between two columns."""


class Column(msgspec.Struct, frozen=True):
    """How one column is laid out."""

    title: str
    right: bool = False
    """Numbers stand flush right."""
    drop: int = 0
    """Where space is short, the column with the highest number goes first; 0 stays."""
    least: int = 0
    """Columns to which it may be cut; 0: it is never cut."""
    keep_end: bool = False
    """Cut at the start: the end of a path says more."""


class _Layout(msgspec.Struct):
    column: Column
    index: int
    width: int

    @property
    def least(self) -> int:
        return min(self.column.least or self.width, self.width)


def print_table(out: Terminal, columns: Sequence[Column], rows: Sequence[Sequence[Span]]) -> None:
    """Write a heading line and the rows."""
    heading: list[Span] = [(column.title, "dim") for column in columns]
    table = [heading, *rows]
    for row in table:
        if len(row) != len(columns):
            raise ValueError("a row has another number of cells than there are columns")
    layout = _fit(out, columns, table)
    for row in table:
        spans: list[Span] = []
        for place in layout:
            spans += _cell(out, place, row[place.index], last=place is layout[-1])
        out.print(*spans)


def _fit(
    out: Terminal, columns: Sequence[Column], table: Sequence[Sequence[Span]]
) -> list[_Layout]:
    layout = [
        _Layout(column, index, max(cells(out.show(_text(row[index]))) for row in table))
        for index, column in enumerate(columns)
    ]
    if out.width is None:
        return layout
    while _total(place.least for place in layout) > out.width:
        droppable = [place for place in layout if place.column.drop]
        if not droppable:
            break
        layout.remove(max(droppable, key=lambda place: place.column.drop))
    _shrink(layout, out.width)
    return layout


def _shrink(layout: Sequence[_Layout], width: int) -> None:
    """Take what is too much from the columns that may be cut, always from the widest."""
    excess = _total(place.width for place in layout) - width
    while excess > 0:
        widest = max(layout, key=lambda place: (place.width > place.least, place.width))
        if widest.width <= widest.least:
            return
        widest.width -= 1
        excess -= 1


def _total(widths: Iterable[int]) -> int:
    numbers = list(widths)
    return sum(numbers) + _GAP * (len(numbers) - 1)


def _cell(out: Terminal, place: _Layout, span: Span, *, last: bool) -> list[Span]:
    style = "" if isinstance(span, str) else span[1]
    text = out.cut(_text(span), place.width, keep_end=place.column.keep_end)
    padding = " " * (place.width - cells(text))
    gap = "" if last else " " * _GAP
    if place.column.right:
        return [padding, (text, style), gap]
    return [(text, style), padding + gap]


def _text(span: Span) -> str:
    return span if isinstance(span, str) else span[0]
