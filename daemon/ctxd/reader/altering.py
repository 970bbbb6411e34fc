"""Whether a statement alters what its words say while it uses the same words.

A unit, a bound, before and after, an exception left out, what may be that must be, later that is
now, one place that is everywhere, and the same words in another order. Where this errs the words
that were said take the statement's place, so nothing is lost by it.
"""

from __future__ import annotations

import re

from ctxd.extract.terms import content

_UNIT = re.compile(
    r"(\d+(?:[.,]\d+)*) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|days?|weeks?"
    r"|months?|years?|b|bytes?|kb|mb|gb|tb|kib|mib|gib|px|pixels?|rem|em|pt|vh|vw|percent|%)(?!\w)",
    re.IGNORECASE,
)
_SAME_UNIT = {
    "millisecond": "ms", "sec": "s", "second": "s", "min": "m", "minute": "m", "hour": "h",
    "byte": "b", "pixel": "px", "percent": "%",
}  # fmt: skip
_LEAST = (
    r"\b(?:at least|no less|no fewer|minimum|min|above|over|(?<!no )more than|(?<!no )longer"
    r"|greater|exceeds?)\b"
)
_MOST = (
    r"\b(?:at most|no more|no longer than|not more|maximum|max|below|under|(?<!no )less than"
    r"|shorter|up to"
    r"|within)\b"
)
_OPPOSITES = tuple(
    (re.compile(one, re.IGNORECASE), re.compile(other, re.IGNORECASE))
    for one, other in (
        (_LEAST, _MOST),
        (r"\bbefore\b", r"\bafter\b"),
        (r"\b(?:increas|rais)\w*", r"\b(?:decreas|reduc|lower)\w*"),
        (r"\b(?:keep|continue)\b", r"\b(?:stop|drop|quit)\b"),
        (r"\benabl\w*", r"\bdisabl\w*"),
        (r"\b(?:includ\w*|also|too|as well)\b", r"\b(?:except|exclud\w*|only|unless|apart from)\b"),
        (r"\bnow\b", r"\b(?:later|some day|eventually|afterwards)\b"),
    )
)
"""What stands for the opposite of each other."""
_HEDGED = re.compile(
    r"\b(?:may|maybe|might|could|can|perhaps|possibly|ideally|optional(?:ly)?|preferably)\b",
    re.IGNORECASE,
)
_FORCED = re.compile(r"\b(?:must|shall|has to|have to|always|required|mandatory)\b", re.IGNORECASE)
_EVERYWHERE = re.compile(
    r"\b(?:everywhere|all|any|every|each|whole|entire|always)\b", re.IGNORECASE
)
_BOUND = re.compile(
    r"\b(?:except|unless|apart from|other than|only|later|until|after|before)\b", re.IGNORECASE
)
_KEEPS_BOUND = re.compile(
    r"\b(?:except\w*|unless|apart from|other than|only|solely|just|later|until|after|before|but|if"
    r"|when|where|once|first|then|not|no|never|without|exclud\w*|limited to|alone|defer\w*"
    r"|postpon\w*)\b",
    re.IGNORECASE,
)


def alters(statement: str, quote: str, text: str) -> bool:
    """Whether a statement alters the words quoted, or those that it rests on as a whole."""
    return (
        _units(statement) - _units(text) != set()
        or any(
            _turned(statement, text, *pair) for pair in (*_OPPOSITES, *map(_swapped, _OPPOSITES))
        )
        or _forces(statement, text)
        or _widens(statement, text)
        or _is_unbound(statement, quote)
        or _reorders(statement, quote)
    )


def _units(text: str) -> set[tuple[str, str]]:
    found = ((number, unit.casefold()) for number, unit in _UNIT.findall(text))
    plain = ((number, unit if unit in ("s", "ms") else unit.rstrip("s")) for number, unit in found)
    return {(number, _SAME_UNIT.get(unit, unit)) for number, unit in plain}


def _swapped(pair: tuple[re.Pattern[str], re.Pattern[str]]) -> tuple[re.Pattern[str], ...]:
    return pair[1], pair[0]


def _turned(statement: str, text: str, one: re.Pattern[str], other: re.Pattern[str]) -> bool:
    says = one.search(statement) is not None and other.search(statement) is None
    return says and one.search(text) is None and other.search(text) is not None


def _forces(statement: str, text: str) -> bool:
    forced = _FORCED.search(statement) is not None and _FORCED.search(text) is None
    return forced and _HEDGED.search(text) is not None and _HEDGED.search(statement) is None


def _widens(statement: str, text: str) -> bool:
    return _EVERYWHERE.search(statement) is not None and _EVERYWHERE.search(text) is None


def _is_unbound(statement: str, quote: str) -> bool:
    """Whether a short quote has an exception, a condition or a time, and the statement none."""
    short = len(content(quote)) <= _ONE_POINT
    if short and _UNLESS.search(quote) and not _KEEPS_UNLESS.search(statement):
        return True
    return short and _BOUND.search(quote) is not None and _KEEPS_BOUND.search(statement) is None


_UNLESS = re.compile(r"\bunless\b", re.IGNORECASE)
_KEEPS_UNLESS = re.compile(r"\b(?:unless|except\w*|only|if|but|until|without)\b", re.IGNORECASE)
_ONE_POINT = 8
"""Content words of a quote that makes one point: in a longer one the bound may be another's."""


def _reorders(statement: str, quote: str) -> bool:
    """Whether a statement has the words of its quote, no other, in another order."""
    ours, theirs = _words(statement), _words(quote)
    return ours != theirs and len(ours) >= _SEVERAL and sorted(ours) == sorted(theirs)


_SEVERAL = 2
_WORD = re.compile(r"[^\W_]+")
_FILLERS = frozenset(
    {"the", "a", "an", "please", "and", "ok", "so", "is", "are", "be", "we", "must", "should", "s"}
)


def _words(text: str) -> list[str]:
    return [one for one in _WORD.findall(text.casefold()) if one not in _FILLERS]
