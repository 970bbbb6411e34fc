"""Where a quote stands, word for word.

White space and the shape of quotation marks and dashes may differ, since clients and readers change
both; then the words as they stand are taken. Nothing else may.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from ctxd.extract.text import Sentence, blocks, sentences
from ctxd.reader.values import Part

_ALIKE = str.maketrans(
    {
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)
"""Quotation marks and dashes, as keyboards have them."""
_DENSE = "\u2e80"
"""First of the scripts that put no blank between words."""


class Quoted(msgspec.Struct, frozen=True, gc=False):
    """A quote that was found."""

    part: Part
    start: int
    """Offset in the part."""
    end: int

    @property
    def text(self) -> str:
        """The words as they stand."""
        return self.part.text[self.start : self.end]

    @property
    def around(self) -> str:
        """The sentences that it stands in."""
        return around(self.part.text, self.start, self.end)


def find(quote: str, parts: Sequence[Part]) -> Quoted | None:
    """Return where a quote stands in one of these parts, whole words only. Of one that runs over
    several, the longest of its lines counts."""
    return next((found for one in _lines(quote) if (found := _whole(one, parts))), None)


def _lines(quote: str) -> list[str]:
    """A quote, and where it runs over several paragraphs, each of them, the longest first."""
    lines = [line for line in quote.splitlines() if line.strip()]
    return [quote, *sorted(lines, key=len, reverse=True)] if len(lines) > 1 else [quote]


def _whole(quote: str, parts: Sequence[Part]) -> Quoted | None:
    wanted = _plain(quote)[0].strip()
    if not wanted:
        return None
    for part in parts:
        text, offsets = _plain(part.text)
        at = text.find(wanted)
        while at >= 0:
            end = at + len(wanted)
            if _is_edge(text, at) and _is_edge(text, end):
                return Quoted(part, offsets[at], offsets[end - 1] + 1)
            at = text.find(wanted, at + 1)
    return None


@lru_cache(256)
def _plain(text: str) -> tuple[str, tuple[int, ...]]:
    """A text with blanks, quotation marks and dashes made alike, and where each character stood."""
    chars: list[str] = []
    offsets: list[int] = []
    for at, char in enumerate(text.translate(_ALIKE)):
        if char.isspace() and chars and chars[-1] == " ":
            continue
        chars.append(" " if char.isspace() else char)
        offsets.append(at)
    return "".join(chars), tuple(offsets)


def _is_edge(text: str, at: int) -> bool:
    """Whether no word goes on at an offset."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before >= _DENSE or after >= _DENSE:
        return True
    return not (before.isalnum() and after.isalnum())


@lru_cache(512)
def around(text: str, start: int, end: int) -> str:
    """The sentences of a text that a part of it stands in."""
    spans = [(one.start, one.end) for one in _sentences(text)]
    touched = [span for span in spans if span[0] < end and start < span[1]]
    if not touched:
        return text[start:end]
    return text[min(start, touched[0][0]) : max(end, touched[-1][1])]


def sentences_of(text: str) -> list[str]:
    """The sentences of a text."""
    return [text[one.start : one.end] for one in _sentences(text)]


@lru_cache(256)
def _sentences(text: str) -> tuple[Sentence, ...]:
    return tuple(sentences(text, blocks(text, typed=False)))
