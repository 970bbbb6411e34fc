"""Sentences of what was said, with exact offsets.

Made for how people type to agents: one thought a line without a full stop, dictation joined by
".." or " - ", versions and file names full of dots; and for Markdown and the scripts of East Asia.
A stop ends a sentence unless something speaks against it: half a sentence is worth less than two
short ones in one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from ctxd.extract.text_blocks import Block
from ctxd.extract.text_wraps import goes_on
from ctxd.policy.extraction import CLAUSE_WORDS

SPOKEN = frozenset({"prose", "item", "heading", "table_row"})
"""Kinds of blocks that hold words of the speaker."""


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """`text[start:end]` is one sentence, without blanks around it."""

    start: int
    end: int
    block: int
    """Index of its block."""


_AFTER = (
    r"(?:(?<=\n)|(?<=`)(?:[^`\n]{0,300}`)?|(?<= )--?(?= )|(?<=[.!?…。！？])"
    r"[.!?…。！？]*[\"')\]*_~”’»」』）]*|(?<=[\U0001F300-\U0001FAFF])(?= ))"
)
_STOP = re.compile(r"[.!?…。！？\n`\U0001F300-\U0001FAFF]" + _AFTER)
"""Everything at which a sentence may end, and inline code, whose dots are none."""
_STOP_OR_DASH = re.compile(r"[.!?…。！？\n` \U0001F300-\U0001FAFF]" + _AFTER)
"""The same with dashes, for texts that have any: most have none, and many blanks."""
_WORD = re.compile(r"[^\W_]")
_WIDE = "。！？"
_WIDE_FROM = "\u2e80"
"""First of the scripts that put no blank after a stop, and of the emoji."""
_QUOTE_ENDS = re.compile(r"[\"”»’')\]」』）]$")
_BEFORE = re.compile(r"[\w.]{1,12}$")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+$")
_ABBREVIATIONS = frozenset(
    {"e.g", "i.e", "eg", "vs", "cf", "approx", "dr", "mr", "mrs", "prof", "resp", "incl", "excl"}
    | {"viz", "z.b", "d.h", "bzw", "u.a", "usw", "evtl", "ggf", "inkl", "p.ej", "p.ex"}
    | {"т.е", "т.к", "т.д"}
)
_BEFORE_NUMBERS = frozenset({"no", "nr", "fig", "ca", "art", "p", "pp", "vol", "sec"})
_LIST_MARK = re.compile(r"\(?(?:\d{1,3}|[A-Za-z])$")
_TOKEN = re.compile(r"[\w~^/.@-]*$")
_RANGE_NAME = re.compile(
    r"(?:HEAD|main|master|dev|develop|trunk|origin|upstream|v?\d+)(?:[~^]\S*)?$", re.IGNORECASE
)
_NEAR = 64
"""Characters looked at beside a stop; keeps the work linear."""
_CLAUSE = re.compile(
    r" (?:I|i|we|it|you|this|that|these|they|and|but|so|can|could|please|don't|dont|do|let's|lets|"
    r"also|no|yes|just|then|there|what|how|why|if|not sure|maybe|make sure|help)\b"
)


def sentences(text: str, blocks: Sequence[Block]) -> list[Sentence]:
    """Return the sentences of the blocks that hold words of the speaker, in order."""
    found: list[Sentence] = []
    for index, block in enumerate(blocks):
        if block.kind not in SPOKEN:
            continue
        start = block.start
        if block.kind != "table_row":
            for cut in _cuts(text, block):
                _append(found, text[start:cut], start, index)
                start = cut
        _append(found, text[start : block.end], start, index)
    return found


def _append(found: list[Sentence], part: str, start: int, block: int) -> None:
    words = part.strip()
    if words.endswith(" -"):
        words = words.rstrip(" -").rstrip()
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
    start, limit = block.start, block.end
    dashed = text.find(" -", start, limit) >= 0
    for found in (_STOP_OR_DASH if dashed else _STOP).finditer(text, start, limit):
        check = _CHECKS.get(text[found.start()], _at_emoji)
        if check is not None and check(text, start, found, block):
            start = found.end()
            yield start


def _at_line(text: str, start: int, found: re.Match[str], block: Block) -> bool:
    at = found.end()
    while at < block.end and text[at] in " \t\r":
        at += 1
    if goes_on(text, start, at):
        return False
    indented = block.kind == "item" and at > found.end()
    return not (indented and text[at : at + 1].islower())


def _at_dash(text: str, start: int, found: re.Match[str], _block: Block) -> bool:
    """Return whether a dash joins two clauses, as in dictation, and not a name and what it is."""
    before = found.start()
    if before == start or text[before - 1] in "*_`)" or not _CLAUSE.match(text, found.end()):
        return False
    return _words(text[max(start, before - _NEAR) : before]) > CLAUSE_WORDS


def _at_emoji(text: str, start: int, found: re.Match[str], block: Block) -> bool:
    following = text[found.end() : min(found.end() + 2, block.end)].strip()
    said = _WORD.search(text, max(start, found.start() - _NEAR), found.start())
    return following.isupper() and said is not None


def _at_mark(text: str, _start: int, found: re.Match[str], block: Block) -> bool:
    """Return whether a question or exclamation mark ends the sentence."""
    after = found.end()
    if after >= block.end:
        return True
    following = text[after]
    if following.isspace():
        return not _quoted_inside(text, found)
    return following >= _WIDE_FROM or (after - found.start() > 1 and following.isalpha())


def _at_dot(text: str, start: int, found: re.Match[str], block: Block) -> bool:
    """Return whether a full stop or an ellipsis ends the sentence."""
    after = found.end()
    if after >= block.end or text.startswith((".", "…"), found.start() + 1):
        return _trails_off(text, start, found, block.end)
    following = text[after]
    if not following.isspace():
        return following >= _WIDE_FROM
    if text[found.start()] == "…":
        return _trails_off(text, start, found, block.end)
    return not (_abbreviated(text, start, found) or _quoted_inside(text, found))


def _at_wide(text: str, _start: int, found: re.Match[str], block: Block) -> bool:
    after = found.end()
    quoted = _QUOTE_ENDS.search(found[0]) is not None
    return not quoted or after >= block.end or text[after].isspace()


def _quoted_inside(text: str, found: re.Match[str]) -> bool:
    """Return whether the stop is that of a quotation or aside after which the sentence goes on."""
    if found.end() - found.start() == 1 or not _QUOTE_ENDS.search(found[0]):
        return False
    return text[found.end() : found.end() + 2].strip().islower()


def _abbreviated(text: str, start: int, found: re.Match[str]) -> bool:
    stop = found.start()
    before = _BEFORE.search(text[max(start, stop - 12) : stop])
    if before is None:
        return False
    word = before[0].lower()
    following = text[found.end() : found.end() + 2].strip()
    if word in _ABBREVIATIONS:
        return True
    if word in _BEFORE_NUMBERS:
        return following.isdigit()
    if word == "etc" or _INITIALS.match(word):
        return not following.isupper()
    if word.isdigit() or len(word) == 1:
        alone = stop - start <= _NEAR and _LIST_MARK.match(text[start:stop].lstrip())
        return bool(alone)
    return False


def _trails_off(text: str, start: int, found: re.Match[str], end: int) -> bool:
    """Return whether dots end the sentence and are not a pause in it, nor a range or a path."""
    after = found.end()
    if after >= end:
        return True
    following = text[after]
    if following.isspace():
        return text[after : after + 2].strip().isupper() or _between_clauses(
            text, start, found, end
        )
    if not following.isalpha():
        return False
    left = _token_before(text, start, found.start())
    right = text[after : min(end, after + _NEAR)].split(None, 1)[0].rstrip(".,;:!?…")
    if "/" in left or "/" in right or len(left) == 1:
        return False
    return not (_RANGE_NAME.match(left) or _RANGE_NAME.match(right))


def _token_before(text: str, start: int, stop: int) -> str:
    token = _TOKEN.search(text[max(start, stop - _NEAR) : stop])
    return token[0] if token else ""


def _between_clauses(text: str, start: int, found: re.Match[str], end: int) -> bool:
    left = _words(text[max(start, found.start() - _NEAR) : found.start()])
    right = _words(text[found.end() : min(end, found.end() + _NEAR)])
    return left > CLAUSE_WORDS and right >= CLAUSE_WORDS


def _words(text: str) -> int:
    return len(text.split(None, CLAUSE_WORDS + 1))


_CHECKS = {
    "\n": _at_line,
    "`": None,
    " ": _at_dash,
    "!": _at_mark,
    "?": _at_mark,
    ".": _at_dot,
    "…": _at_dot,
    **dict.fromkeys(_WIDE, _at_wide),
}
