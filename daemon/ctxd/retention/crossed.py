"""Two things that changed places, and names of one letter: signs that need the order of words.

"Web first, desktop after" against "desktop first, the web follows"; "one beep: fine, two: error"
against "one for an error, two for a good scan"; dock A against dock B.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from ctxd.policy.comparing import SLOT_TEXT_CHARS
from ctxd.policy.retention import COMPARED_PARTS, TEXTS_REMEMBERED
from ctxd.retention.tables import meanings_of, stem_of
from ctxd.retention.words import words

_PARTS = re.compile(r"[,;:()\n]|\.(?=\s|$)|\b(?:and|but|while|whereas)\b", re.IGNORECASE)
_ANCHORS = {
    word: name
    for name, said in {
        "1st": "first firstly earliest",
        "2nd": "after afterwards then later follow follows followed second secondly next last",
        "1": "one once single",
        "2": "two twice double",
        "3": "three thrice triple",
        "up": "up left above raise raises raised",
        "down": "down right below lower lowers lowered",
    }.items()
    for word in said.split()
}
_ANCHORED = frozenset(map(stem_of, _ANCHORS))
_WORD = re.compile(r"[a-z\d]+", re.IGNORECASE)
_LABELLED = re.compile(r"\b([A-Za-z]{3,20}) ([A-HJ-Z])(?![\w'\u2019/&+#-]|\.\w)")

Anchored = Mapping[str, frozenset[str]]


def crossed(ours: str, theirs: str) -> bool:
    """Whether what is first in one text is second in the other, or the like."""
    mine = _anchored(ours)
    yours = _anchored(theirs) if len(mine) > 1 else {}
    both = sorted(mine.keys() & yours.keys())
    for at, one in enumerate(both):
        for other in both[at + 1 :]:
            here, there = mine[one] - mine[other], mine[other] - mine[one]
            left, right = yours[one] - yours[other], yours[other] - yours[one]
            across = len(here & right) + len(there & left)
            if across > len(here & left) + len(there & right) and not _alike(here, left):
                return True
    return False


def label_other(ours: str, theirs: str) -> bool:
    """Whether a thing with a letter for its name is another one of these: dock A, dock B."""
    mine = _labels(ours)
    yours = _labels(theirs) if mine else {}
    return any(mine[noun].isdisjoint(yours[noun]) for noun in mine.keys() & yours.keys())


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether other words of the same meaning stand where they should."""
    return any(meanings_of(stem) & meanings_of(word) for stem in one - other for word in other)


@lru_cache(maxsize=TEXTS_REMEMBERED)
def _anchored(text: str) -> Anchored:
    """Words that tell which (first, two, left) with what stands in the same part."""
    found: dict[str, frozenset[str]] = {}
    for part in _PARTS.split(text[:SLOT_TEXT_CHARS])[:COMPARED_PARTS]:
        spelled = _WORD.findall(part.casefold())
        names = {_ANCHORS[word] for word in spelled if word in _ANCHORS}
        if len(names) == 1:
            name = names.pop()
            found[name] = found.get(name, frozenset()) | (words(part).stems - _ANCHORED)
    return found


@lru_cache(maxsize=TEXTS_REMEMBERED)
def _labels(text: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for noun, letter in _LABELLED.findall(text[:SLOT_TEXT_CHARS]):
        stem = stem_of(noun.casefold())
        found[stem] = found.get(stem, frozenset()) | {letter}
    return found
