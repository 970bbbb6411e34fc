"""Passages that say the very opposite of an item, in the item's own words.

A summary that turns "A, not B" round has every word of it, and so does one that adds the exception
which an item rules out. Such a passage states nothing of the item, however like it is. Only signs
that none of the statements kept in the development pairs shows are taken.
"""

from __future__ import annotations

import re

from ctxd.extract.slots import compare, slots
from ctxd.extract.stems import stem
from ctxd.policy.retention import CLASHING_SHARE, OPPOSED_SHARE, REPLACEMENT_CHARS
from ctxd.retention.matching import Match
from ctxd.retention.sought import Sought

_INSTEAD = re.compile(
    r"\buse\s+([^\s,;.()]{1,40}(?:\s[^\s,;.()]{1,40})?)\s+instead\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]{2,}")
_COMMON = frozenset(
    [
        "use",
        "instead",
        "avoid",
        "no",
        "not",
        "never",
        "don",
        "do",
        "always",
        "the",
        "in",
        "of",
        "to",
    ]
)


def opposed(item: Sought, said: str, match: Match) -> str:
    """Why a passage says the opposite; empty when it does not."""
    if _replaced(item.text, said):
        return "name"
    if match.share < CLASHING_SHARE:
        return ""
    ours, theirs = item.slots, slots(said)
    found = compare(ours, theirs)
    if "pair" in found.conflict:
        return "changed places"
    if ours.modality == "forbid" and "exception" in found.added and not ours.excepted:
        return "exception"
    if {"polarity", "modality"} <= found.conflict and match.exact >= OPPOSED_SHARE:
        return "polarity"
    return ""


def _replaced(ours: str, theirs: str) -> bool:
    """Whether each names another thing to use instead of the same."""
    mine = _uses(ours)
    yours = _INSTEAD.search(theirs[:REPLACEMENT_CHARS])
    if not mine or not yours:
        return False
    said = _stems(theirs)
    turned_down = _stems(ours) - mine - _COMMON
    return mine.isdisjoint(said) and bool(turned_down & said)


def _uses(text: str) -> frozenset[str]:
    """The words that an item has used instead of what it turns down."""
    found = _INSTEAD.search(text[:REPLACEMENT_CHARS])
    return _stems(found[1] if found else _chosen(text))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word.lower()) for word in _WORD.findall(text[:REPLACEMENT_CHARS]))


_AVOIDED = re.compile(
    r"\b(?:avoid|no|never|don'?t|do not)\b[^.;]{1,80}[.;,]\s*(?:always )?use\s+([^\s,;.()]{1,40})",
    re.IGNORECASE,
)


def _chosen(text: str) -> str:
    found = _AVOIDED.search(text[:REPLACEMENT_CHARS])
    return found[1] if found else ""
