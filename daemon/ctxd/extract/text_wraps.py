"""Whether a line goes on in the next one: a wrapped paragraph, or one thought a line.

People who type to an agent end a thought with the line and leave out the full stop; editors and
agents wrap. Joining two thoughts blurs both, and cutting one loses half of it.
"""

from __future__ import annotations

import re

from ctxd.policy.extraction import WRAP_COLUMNS_MAX, WRAP_COLUMNS_MIN

_UNFINISHED = re.compile(
    r"(?:[,(/&+]|\b(?:and|or|but|the|an|of|into|than|my|your|our|their|und|oder|et|ou|les|los))$",
    re.IGNORECASE,
)
_ENDED = re.compile(r"[.!?:;…。！？：][\"')\]*_`”’»」]*$")
_OPENER = re.compile(
    r"(?:also|can|could|should|would|please|pls|okay|ok|then|lets|let's|i|we|it|you|do|don't|dont|"
    r"no|yes|yeah|why|what|how|so|maybe|make|add|fix|use|remove)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\S{1,40}")
_HARD_BREAK = "  "
_TAIL = 8


def goes_on(text: str, start: int, at: int) -> bool:
    """Return whether the line before the one that starts at `at` goes on there.

    `start` is where its block or sentence starts. A line goes on when its last word leaves the
    thought open, or when the next word would not have fitted into it and opens no thought of its
    own.
    """
    stop = text.rfind("\n", start, at)
    if stop < 0:
        return False
    begin = text.rfind("\n", 0, stop) + 1
    line = text[max(begin, start, stop - WRAP_COLUMNS_MAX - 1) : stop].rstrip()
    tail = max(0, len(line) - _TAIL)
    if text.startswith(_HARD_BREAK, stop - 2) or _ENDED.search(line, tail):
        return False
    if _UNFINISHED.search(line, tail):
        return True
    word = _WORD.match(text, at)
    if word is None or not word[0][0].islower() or _OPENER.match(text, at):
        return False
    width = stop - begin
    return width <= WRAP_COLUMNS_MAX and width + 1 + len(word[0]) > WRAP_COLUMNS_MIN
