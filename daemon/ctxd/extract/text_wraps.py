"""Whether a line goes on in the next one: a wrapped paragraph, or one thought a line."""

from __future__ import annotations

import re

from ctxd.policy import WRAP_COLUMNS_MAX, WRAP_COLUMNS_MIN

_UNFINISHED = re.compile(
    r"(?:[,(/&+–—-]|\b(?:and|or|but|the|a|an|of|to|in|on|at|for|with|from|by|as|that|which|if|is|are|be|"
    r"not|no|than|into|und|oder|der|die|das|zu|mit|et|ou|de|la|le|les|y|o|el))$",
    re.IGNORECASE,
)
_ENDED = re.compile(r"[.!?:;…。！？][\"')\]*_`”’»」]*$")
_OPENER = re.compile(
    r"(?:also|can|could|should|would|please|pls|ok|okay|then|lets|let's|i|we|it|you|do|don't|dont|no|"
    r"yes|yeah|and then|what|why|how|so|maybe|make|add|fix|use|remove)\b",
    re.IGNORECASE,
)


def goes_on(text: str, start: int, at: int) -> bool:
    """Return whether the line before the one at `at` goes on there.

    `start` is where its block starts. A line is taken as wrapped when it is about as long as
    editors wrap, when its last word leaves the thought open, or when the next one starts in lower
    case without opening a thought of its own.
    """
    stop = text.rfind("\n", start, at)
    if stop < 0:
        return False
    begin = text.rfind("\n", start, stop) + 1 or start
    line = text[begin:stop].rstrip()
    if _ENDED.search(line, max(0, len(line) - 8)):
        return False
    if _UNFINISHED.search(line, max(0, len(line) - 8)):
        return True
    following = text[at : at + 24]
    if not WRAP_COLUMNS_MIN <= len(line) <= WRAP_COLUMNS_MAX:
        return False
    return following[:1].islower() and not _OPENER.match(following)
