"""Stems: words that differ only by ending count as one.

Light suffix rules for English, a microsecond a word and remembered. A stemmer of a library was
measured and left out: it loads thirty-three languages (150 ms) for the one that is needed. Words of
other languages go through the same rules: what matters is that one word always gives one stem.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ctxd.policy.comparing import SHORTEST_STEM_CHARS, STEMS_REMEMBERED

_PLURAL = re.compile(r"(?:(?<=ss)|(?<=x)|(?<=ch)|(?<=sh)|(?<=zz))es$|(?<=[^suiae])s$|(?<=[eao])s$")
_ATE = re.compile(r"(?<=[^e])(?:ations?|ate[sd]?|ating|ators?)$")
_ION = re.compile(r"(?<=[a-z]{4}[st])ions?$")
_PAST = re.compile(r"(?<=[a-z]{2})(?:ed|ing)$")
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")
_VOWEL = re.compile(r"[aeiouy]")


@lru_cache(maxsize=STEMS_REMEMBERED)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of letters and digits are their own."""
    if len(word) <= SHORTEST_STEM_CHARS or not word.isalpha():
        return word
    for shorten in (_without_ate, _without_plural, _without_past, _without_ion, _without_ly):
        shorter = shorten(word)
        if len(shorter) >= SHORTEST_STEM_CHARS:
            word = shorter
    return _ending(word)


def _without_ate(word: str) -> str:
    return _ATE.sub("", word)


def _without_plural(word: str) -> str:
    if word.endswith(("ies", "ied")) and len(word) > SHORTEST_STEM_CHARS + 1:
        return word[:-3] + "y"
    return _PLURAL.sub("", word)


def _without_past(word: str) -> str:
    shorter = _PAST.sub("", word)
    if shorter == word or not _VOWEL.search(shorter):
        return word
    return _DOUBLED.sub(r"\1", shorter)


def _without_ion(word: str) -> str:
    return _ION.sub("", word)


def _without_ly(word: str) -> str:
    return word[:-2] if word.endswith("ly") and len(word) > SHORTEST_STEM_CHARS + 3 else word


def _ending(word: str) -> str:
    if word.endswith("e") and len(word) > SHORTEST_STEM_CHARS:
        return word[:-1]
    return word[:-1] + "i" if word.endswith("y") else word
