"""Sentences of what was said, with exact offsets.

Made for how people type to agents: one thought a line without a full stop, dictation joined by
".." or " - ", versions and file names full of dots; and for Markdown and the scripts of East Asia.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from ctxd.extract.text_blocks import Block
from ctxd.extract.text_wraps import goes_on

SPOKEN = frozenset({"prose", "item", "heading", "table_row"})
"""Kinds of blocks that hold words of the speaker."""


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """`text[start:end]` is one sentence, without blanks around it."""

    start: int
    end: int
    block: int
    """Index of its block."""


_STOP = re.compile(
    r"""[.!?…。！？\n`](?:(?<=\n)|(?<=`)(?:[^`\n]{0,300}`)?|(?<=[.!?…。！？])[.!?…。！？]*[\"')\]*_~”’»」』）]*)"""
)
_WORD = re.compile(r"[^\W_]")
_BEFORE = re.compile(r"[\w.]{1,12}$")
_ABBREVIATIONS = frozenset(
    [
        "e.g",
        "i.e",
        "eg",
        "ie",
        "vs",
        "cf",
        "approx",
        "dr",
        "mr",
        "mrs",
        "ms",
        "prof",
        "st",
        "resp",
        "ca",
        "incl",
        "excl",
        "esp",
        "fig",
        "no",
        "nr",
        "al",
        "viz",
        "z.b",
        "d.h",
        "bzw",
        "u.a",
        "usw",
        "evtl",
        "ggf",
        "p.ej",
        "p.ex",
        "т.е",
        "т.к",
    ]
)
_OPEN_ABBREVIATIONS = frozenset(["no", "st", "al", "ms", "fig", "esp", "ca", "ie"])
_WIDE = "。！？"
_RANGE = re.compile(r"[\w~^/.@-]*$")
_RANGE_NAMES = re.compile(
    r"(?:HEAD|main|master|dev|develop|trunk|origin|upstream|v?\d+)(?:[~^]\S*)?$", re.IGNORECASE
)
_DASH = re.compile(
    r"[ ]-[ ](?=(?:I|i|we|it|you|this|that|these|they|and|but|so|can|could|please|don't|dont|do|let's|"
    r"lets|also|no|yes|just|then|there|what|how|why|if|not sure|maybe|make sure|help)\b)"
)
_CLAUSE_WORDS = 3
_LIST_MARK = re.compile(r"\(?(?:\d{1,3}|[A-Za-z])[.)]$")


def sentences(text: str, blocks: Sequence[Block]) -> list[Sentence]:
    """Return the sentences of the blocks that hold words of the speaker, in order."""
    found: list[Sentence] = []
    for index, block in enumerate(blocks):
        if block.kind not in SPOKEN:
            continue
        start = block.start
        for cut in _cuts(text, block):
            _append(found, text, start, cut, index)
            start = cut
        _append(found, text, start, block.end, index)
    return found


def _append(found: list[Sentence], text: str, start: int, end: int, block: int) -> None:
    part = text[start:end]
    words = part.strip()
    if not words:
        return
    begin = start + len(part) - len(part.lstrip())
    end = begin + len(words)
    if _WORD.search(words):
        found.append(Sentence(begin, end, block))
    elif found and found[-1].block == block:
        found[-1] = Sentence(found[-1].start, end, block)


def _cuts(text: str, block: Block) -> Iterator[int]:
    """Yield the offsets at which a sentence of this block ends and the next one begins."""
    if block.kind == "table_row" or block.end - block.start < 4:
        return
    start = block.start
    dashes = _dashes(text, block)
    for found in _STOP.finditer(text, block.start, block.end):
        first = found[0][0]
        if first == "`":
            continue
        end = found.end()
        while dashes and dashes[0] <= end:
            yield dashes.pop(0)
        if first == "\n":
            if not goes_on(text, start, _line_start(text, end, block.end)):
                yield end
                start = end
        elif _ends(text, start, found, block.end):
            yield end
            start = end
    yield from dashes


def _line_start(text: str, at: int, end: int) -> int:
    while at < end and text[at] in " \t\r\n":
        at += 1
    return at


def _dashes(text: str, block: Block) -> list[int]:
    start, end = block.start, block.end
    if text.find(" - ", start, end) < 0:
        return []
    return [
        found.end()
        for found in _DASH.finditer(text, start, end)
        if _words(text[start : found.start()]) > _CLAUSE_WORDS
    ]


def _words(text: str) -> int:
    return len(text.split(None, _CLAUSE_WORDS + 1))


def _ends(text: str, start: int, found: re.Match[str], end: int) -> bool:
    """Return whether this stop ends the sentence that began at `start`."""
    stop = found[0]
    after = found.end()
    if stop[0] in _WIDE or after >= end:
        return True
    following = text[after]
    if stop.startswith(".") and not stop.startswith(".."):
        return following.isspace() and not _abbreviated(text, start, found.start(), after)
    if stop.startswith(("..", "…")):
        return _trails(text, start, found, end)
    return following.isspace() or _is_emoji(following) or (len(stop) > 1 and following.isalpha())


def _is_emoji(char: str) -> bool:
    return ord(char) >= 0x2600


def _abbreviated(text: str, start: int, stop: int, after: int) -> bool:
    before = text[max(start, stop - 12) : stop]
    found = _BEFORE.search(before)
    word = found[0].lower() if found else ""
    if len(word) == 1 and word.isalpha() and word != "i":
        return before[-1:].isupper()
    if word.isdigit():
        return _LIST_MARK.match(text[start : stop + 1].lstrip()) is not None
    if word == "etc":
        return text[after : after + 2].strip()[:1].islower()
    if word not in _ABBREVIATIONS:
        return False
    return word not in _OPEN_ABBREVIATIONS or text[after : after + 2].strip()[:1].isdigit()


def _trails(text: str, start: int, found: re.Match[str], end: int) -> bool:
    after = found.end()
    following = text[after]
    if following.isspace():
        return text[after : after + 2].strip()[:1].isupper() or _is_clause(
            text, start, found.start(), after, end
        )
    if not following.isalpha():
        return False
    before = _RANGE.search(text[max(start, found.start() - 60) : found.start()])
    left = before[0] if before else ""
    right = text[after : min(end, after + 60)].split(None, 1)[0].rstrip(".,;:!?…")
    if "/" in left or "/" in right or not left or len(left) == 1:
        return False
    if _RANGE_NAMES.match(left) or _RANGE_NAMES.match(right):
        return False
    return True


def _is_clause(text: str, start: int, stop: int, after: int, end: int) -> bool:
    left = _words(text[start:stop])
    right = _words(text[after : min(end, after + 80)])
    return left > _CLAUSE_WORDS and right >= _CLAUSE_WORDS
