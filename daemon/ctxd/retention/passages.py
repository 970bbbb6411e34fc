"""A text that stands after a compaction, cut into passages: what may state an item by itself.

List items, table rows and sentences, each with the words above it that say what it is about and the
part of the summary it stands in: a line among the user's messages is a quotation, one among the
things done tells what happened once. Passages are verbatim parts of the text. Linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from ctxd.policy.retention import JUDGED_CHARS, PASSAGE_CHARS, WINDOW_CHARS, WINDOW_PASSAGES

Section = Literal[
    "rules", "request", "said", "done", "files", "tools", "todo", "technical", "now", ""
]  # fmt: skip
"""`said`: what the user wrote, word for word. `done`: what happened. `now`: what is being done."""


class Passage(msgspec.Struct, frozen=True, gc=False):
    """One to three sentences of one list item or paragraph."""

    text: str
    block: int
    """Number of the list item or paragraph."""
    first: int
    """Number of its first sentence in the text."""
    last: int
    section: Section = ""
    context: str = ""
    """The line above that it belongs to, such as a list item that it is nested in."""
    cut: bool = False
    """Whether it says itself that it is not whole."""


_MARK = re.compile(r"[ \t]*(?:[-*+•‣◦▪]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])[ \t]+|[ \t]+")
_TAG = re.compile(r"[ \t]*<(/?)([a-z_]{3,40})>[ \t]*(?:\n|$)?")
_NUMBERED_TITLE = re.compile(r"\d{1,2}[.)][ \t]+[^\n]{3,60}:[ \t]*$")
_TITLE_CHARS = 70
_SENTENCE_END = re.compile(r"[.!?;][\"'\u201d\u2019)\]*_]{0,6}\s+")
_ABBREVIATED = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|z\.B|d\.h|bzw)\.$", re.IGNORECASE
)
_CUT = re.compile(
    r"(?:…|\.\.\.)[\"\u201d\u2019'»)\]*_ ]*(?:[(\[][^)\]\n]{0,60}[)\]])?[\s.]*$|"
    r"[(\[](?:abridged|truncated|cut|shortened|snipped?|rest (?:cut|omitted|elided)|"
    r"long message[^)\]\n]{0,40}|continues?|see original[^)\]\n]{0,40}|more)[^)\]\n]{0,40}[)\]]",
    re.IGNORECASE,
)
_TITLES: dict[Section, str] = {
    "said": "user.?messages?|messages? (?:of|from) the user|user (?:said|prompts?|quotes?)",
    "rules": "constraints?|decisions?|decided|preferences?|rules?|agreed|agreements?|requirements?|"
    "guidelines?|instructions?|ground rules|insights?|conventions?|standing|boundar|must|do not",
    "todo": "todo|to do|next|pending|remaining|open (?:points|items|tasks)|outstanding|left",
    "tools": r"tools?\b|commands? (?:run|executed)",
    "files": r"files?\b|important_files",
    "done": r"history|work_?\s?done|progress|done|completed|executed|errors?|fixes|problem solving|"
    "so far|accomplished|state|status",
    "now": "current",
    "request": "request|intent|overview|goal|task|context|background|summary|objective",
    "technical": "technical|concepts?|details?|architecture|environment|code|notes?|design",
}
_SECTIONS = tuple(
    (name, re.compile(rf"\b(?:{words})", re.IGNORECASE)) for name, words in _TITLES.items()
)


class _Block(msgspec.Struct):
    """A list item or paragraph while its lines are read."""

    start: int
    end: int
    indent: int
    item: bool
    section: Section
    context: str


def passages(text: str) -> list[Passage]:
    """Return the passages of a text in order, the longer ones behind those they begin with."""
    found: list[Passage] = []
    number = 0
    for at, block in enumerate(_blocks(text[:JUDGED_CHARS])):
        parts = list(_sentences(text, block.start, block.end))
        found += _windows(text, block, at, parts, number)
        number += len(parts)
    return found


def _windows(
    text: str, block: _Block, at: int, parts: list[tuple[int, int]], number: int
) -> Iterator[Passage]:
    for first, (start, _) in enumerate(parts):
        for last in range(first, min(first + WINDOW_PASSAGES, len(parts))):
            end = parts[last][1]
            if last > first and end - start > WINDOW_CHARS:
                break
            words = text[start:end]
            yield Passage(
                words,
                at,
                number + first,
                number + last,
                block.section,
                block.context,
                cut=_CUT.search(words) is not None,
            )


def _blocks(text: str) -> Iterator[_Block]:
    section: Section = ""
    above: list[tuple[int, str]] = []
    current: _Block | None = None
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        body = line.strip()
        title = _title(line, body)
        if not body or title is not None:
            if current is not None:
                yield current
            current = None
            if title is not None:
                section, above = _section(title), []
            continue
        mark = _MARK.match(line)
        indent = len(line) - len(line.lstrip())
        item = mark is not None and not mark[0].isspace()
        if current is not None and not item and (indent >= current.indent or not current.item):
            current.end = start + len(line.rstrip())
            continue
        if current is not None:
            yield current
            above.append((current.indent, text[current.start : current.end]))
        above = [(depth, words) for depth, words in above if depth < indent]
        begin = start + (mark.end() if mark is not None else 0)
        context = above[-1][1] if above else ""
        current = _Block(begin, start + len(line.rstrip()), indent, item, section, context)
    if current is not None:
        yield current


def _title(line: str, body: str) -> str | None:
    """Return the words of a line that is a title or a tag; None when it is neither."""
    if tag := _TAG.fullmatch(line):
        return "" if tag[1] else tag[2].replace("_", " ")
    if body.startswith("#"):
        return body.lstrip("# ")
    if len(body) > _TITLE_CHARS:
        return None
    if line[:1].isdigit() and _NUMBERED_TITLE.match(body):
        return body
    plain = body.strip("*_ ")
    bold = body.startswith("**") and plain.endswith(":")
    if line[:1].isupper() or bold:
        bare = plain.rstrip(":")
        if plain.endswith(":") or (bare.replace(" ", "").isalpha() and not plain.endswith(".")):
            return bare
    return None


def _section(title: str) -> Section:
    return next((name for name, words in _SECTIONS if words.search(title)), "")


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences between two offsets, without blanks around them."""
    at = start
    for stop in _SENTENCE_END.finditer(text, start, end):
        if _ABBREVIATED.search(text, max(at, stop.start() - 8), stop.start() + 1):
            continue
        yield from _pieces(text, at, stop.end())
        at = stop.end()
    yield from _pieces(text, at, end)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > PASSAGE_CHARS:
        blank = text.rfind(" ", start, start + PASSAGE_CHARS)
        stop = blank if blank > start else start + PASSAGE_CHARS
        yield from _trimmed(text, start, stop)
        start = stop
    yield from _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    words = text[start:end]
    begin = start + len(words) - len(words.lstrip())
    if words := words.strip():
        yield begin, begin + len(words)
