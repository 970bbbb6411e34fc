"""Which items go into one call about a compaction, and what is shown of the texts with them.

The whole of the texts where it fits; else the lines nearest to each of the items, first the one
that the comparison decided by. A call takes so many items and so many tokens at most, and nothing
is shown with an item that does not stand for it, so that cost grows with the number of items alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from ctxd.policy.reader import (
    READER_ITEM_PASSAGES,
    READER_JUDGED_ITEMS,
    READER_LINE_CHARS,
    READER_MARK_TOKENS,
    READER_SUMMARY_TOKENS,
)
from ctxd.policy.retention import LONG_PASSAGE
from ctxd.reader.compaction_values import CompactionChunk, Looked, Shown
from ctxd.retention.after import MEANING, After
from ctxd.retention.sought import sought
from ctxd.retention.values import Text

Count = Callable[[Sequence[str]], list[int]]
"""Tokens that each of some texts takes."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_BREAK = re.compile(r"(?<=[.;!?])\s+")


class Room(msgspec.Struct, frozen=True):
    """What a call has room for."""

    capacity: int
    """Tokens of items and texts together."""
    count: Count
    line_of: Callable[[Looked], str]
    """How an item is shown."""
    version: str
    """Of the prompt."""


class _Line(NamedTuple):
    piece: int
    start: int
    end: int
    tokens: int


class _Item(NamedTuple):
    looked: Looked
    tokens: int
    near: Sequence[int]
    """Numbers of the lines nearest to it, the nearest first."""


def chunks(
    event: str, items: Sequence[Looked], shown: Sequence[Shown], room: Room
) -> list[CompactionChunk]:
    """The calls about a compaction."""
    if not items or not shown:
        return []
    lines = _lines(shown, room.count)
    total = sum(line.tokens for line in lines)
    sized = _sized(items, shown, lines, room, is_whole=total <= READER_SUMMARY_TOKENS)
    found = []
    for group in _groups(sized, min(total, READER_SUMMARY_TOKENS), room.capacity):
        left = room.capacity - sum(one.tokens for one in group)
        is_whole = total <= left
        part = shown if is_whole else _nearest(group, shown, lines, left)
        looked = [one.looked for one in group]
        name = _digest(event, looked, room.version)
        found.append(
            CompactionChunk(event=event, items=looked, shown=part, whole=is_whole, digest=name)
        )
    return found


def _digest(event: str, items: Sequence[Looked], version: str) -> str:
    told = [event, version, [[one.repository, one.item, one.stated] for one in items]]
    return hashlib.sha256(msgspec.json.encode(told)).hexdigest()[:24]


def _lines(shown: Sequence[Shown], count: Count) -> list[_Line]:
    """The lines of the pieces, long ones cut between sentences or words."""
    spans = [
        (number, start, end)
        for number, one in enumerate(shown)
        for start, end in _spans(one.part.text)
    ]
    tokens = count([shown[number].part.text[start:end] for number, start, end in spans])
    return [_Line(*span, size) for span, size in zip(spans, tokens, strict=True)]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for line in _LINE.finditer(text):
        start, end = line.span()
        while end - start > READER_LINE_CHARS:
            most = start + READER_LINE_CHARS
            breaks = [one.end() for one in _BREAK.finditer(text, start + 1, most)]
            blank = text.rfind(" ", start + 1, most) + 1
            stop = breaks[-1] if breaks else (blank or most)
            yield start, stop
            start = stop
        yield start, end


def _sized(
    items: Sequence[Looked],
    shown: Sequence[Shown],
    lines: Sequence[_Line],
    room: Room,
    *,
    is_whole: bool,
) -> list[_Item]:
    """The items with what they take; where not all is shown, with their lines, and those that have
    lines in common one after the other."""
    tokens = room.count([room.line_of(one) for one in items])
    if is_whole:
        return [_Item(one, size, ()) for one, size in zip(items, tokens, strict=True)]
    near = _Near(shown, lines)
    found = [_Item(one, size, near.to(one)) for one, size in zip(items, tokens, strict=True)]
    return sorted(found, key=lambda one: tuple(one.near[:1]))


class _Near:
    """Finds the lines that share most with an item."""

    def __init__(self, shown: Sequence[Shown], lines: Sequence[_Line]) -> None:
        self._shown = shown
        self._lines = lines
        texts = [
            Text(one.kind, one.part.text[line.start : line.end], str(number))
            for number, line in enumerate(lines)
            for one in (shown[line.piece],)
        ]
        self._after = After.of(texts)

    def to(self, one: Looked) -> list[int]:
        """Return the numbers of the lines nearest to an item, first those of its passage."""
        wordings = [sought(text) for text in (one.stated.text, *one.stated.quotes)]
        keys = {key for item in wordings for key in item.weights}
        keys |= {MEANING + name for item in wordings for name in item.words.meanings}
        having = self._after.having(keys)
        ranks: dict[int, float] = {}
        for unit, told in having.items():
            line = int(self._after.units[unit].of.name)
            worth = told / (1 + self._after.length(unit) / LONG_PASSAGE)
            ranks[line] = max(worth, ranks.get(line, 0.0))
        ranked = sorted(ranks, key=lambda line: (-ranks[line], line))[:READER_ITEM_PASSAGES]
        return list(dict.fromkeys([*self._holding(one), *ranked]))

    def _holding(self, one: Looked) -> list[int]:
        """The lines that the passage stands in that the comparison decided by, or its first line
        where the rest is not shown."""
        words = one.offline.passage
        for passage in (words, words.split("\n")[0]) if words else ():
            for number, at in self._places(passage, one.offline.name):
                return [
                    at_line
                    for at_line, line in enumerate(self._lines)
                    if line.piece == number and line.start < at + len(passage) and at < line.end
                ]
        return []

    def _places(self, passage: str, name: str) -> Iterator[tuple[int, int]]:
        for number, piece in enumerate(self._shown):
            at = piece.part.text.find(passage) if piece.part.event == name else -1
            if at >= 0:
                yield number, at


def _groups(items: Sequence[_Item], texts: int, capacity: int) -> Iterator[list[_Item]]:
    group: list[_Item] = []
    left = capacity - texts
    for one in items:
        if group and (one.tokens > left or len(group) == READER_JUDGED_ITEMS):
            yield group
            group, left = [], capacity - texts
        group.append(one)
        left -= one.tokens
    if group:
        yield group


def _nearest(
    group: Sequence[_Item], shown: Sequence[Shown], lines: Sequence[_Line], room: int
) -> list[Shown]:
    """Pieces made of the lines nearest to the items: the nearest of each, then the next of each;
    then what stands around the nearest ones."""
    taken: set[int] = set()
    for number in _wanted(group, lines):
        size = lines[number].tokens + READER_MARK_TOKENS // 4
        if number not in taken and size <= room:
            taken.add(number)
            room -= size
    return list(_pieces(sorted(taken), shown, lines))


def _wanted(group: Sequence[_Item], lines: Sequence[_Line]) -> Iterator[int]:
    for rank in range(READER_ITEM_PASSAGES):
        for one in group:
            yield from one.near[rank : rank + 1]
    for one in group:
        for number in one.near[:1]:
            for beside in (number - 1, number + 1):
                if 0 <= beside < len(lines) and lines[beside].piece == lines[number].piece:
                    yield beside


def _pieces(
    taken: Sequence[int], shown: Sequence[Shown], lines: Sequence[_Line]
) -> Iterator[Shown]:
    """Lines that stand one after the other are one piece."""
    at = 0
    while at < len(taken):
        end = at
        while (
            end + 1 < len(taken)
            and taken[end + 1] == taken[end] + 1
            and lines[taken[end + 1]].piece == lines[taken[at]].piece
        ):
            end += 1
        first, last = lines[taken[at]], lines[taken[end]]
        one = shown[first.piece]
        text = one.part.text[first.start : last.end]
        part = msgspec.structs.replace(one.part, start=one.part.start + first.start, text=text)
        yield Shown(one.kind, part)
        at = end + 1
