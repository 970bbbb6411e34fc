"""The options that a short answer picks.

"A", "2 and 3, not 1", "the second one", "both": the words stand for what somebody else wrote. A
lone letter or number is a label only where an answer has it: at the beginning, after "option" or
"go with", in a list of such, and with nothing behind it that it could count. "2 more tests",
"python 3" and "a bit" pick nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ctxd.extract.cues import labelling as say
from ctxd.extract.cues.tokens import folded
from ctxd.policy.extraction import ANSWERS_REMEMBERED, LABEL_ANSWER_CHARS, LABEL_HIGHEST


@lru_cache(ANSWERS_REMEMBERED)
def labels(text: str) -> tuple[str, ...]:
    """Return the options that a short answer picks, in its order; () when it picks none.

    Letters in upper case and numbers as digits, however they were written; "*both*", "*all*",
    "*none*" and "*last*" for words that name options without telling which.
    """
    if len(text) > LABEL_ANSWER_CHARS:
        return ()
    if not text.isascii():
        text = _DENSE_LETTER.sub(r" \g<0> ", _DENSE.sub(_spelled, folded(text)))
    tokens = [token.lower() for token in _TOKEN.findall(text)]
    wanted: dict[str, bool] = {}
    for label, kept in _mentions(tokens):
        wanted[label] = kept and wanted.get(label, True)
    return tuple(label for label, kept in wanted.items() if kept)


def _spelled(found: re.Match[str]) -> str:
    return say.DENSE[found[0]]


def _mentions(tokens: Sequence[str]) -> list[tuple[str, bool]]:
    """Return every option named, and whether it is wanted."""
    found: list[tuple[str, bool]] = []
    at, led, kept = 0, True, True
    while at < len(tokens):
        token = tokens[at]
        listed = _listed(tokens, at) if token in _STARTS else None
        if listed and (listed.named or led) and _closed(tokens, listed.end):
            found += [(label, kept) for label in listed.labels]
            at, led = listed.end, True
            continue
        if token in say.DROPPING or (led and _all_but(token, found)):
            led, kept = True, False
        elif token in say.LEADING or token in say.STOPS:
            led, kept = True, True
        elif token not in say.OPENING:
            led = False
        at += 1
    return found


def _all_but(word: str, found: Sequence[tuple[str, bool]]) -> bool:
    """Tell whether a "but" drops what follows: it does after "everything"."""
    return word == "but" and list(found[-1:]) == [("*all*", True)]


class _Listed(NamedTuple):
    """Options named in a row."""

    labels: tuple[str, ...]
    end: int
    """The token behind them."""
    named: bool
    """Whether the words themselves tell that options are meant."""


def _listed(tokens: Sequence[str], at: int) -> _Listed | None:
    one = first = _one(tokens, at)
    if first is None:
        return None
    labels, end = list(first.labels), first.end
    while one is not None:
        after = _behind(tokens, end, say.JOINING)
        one = _one(tokens, after) if after > end else None
        if one is not None:
            labels += _through(labels[-1], tokens[end:after], one.labels)
            end = one.end
    return _Listed(tuple(labels), end, first.named)


def _through(before: str, joint: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return the labels of the next option, and of those between when a range is given: "1-3"."""
    if list(joint) != ["-"] or not (before.isdigit() and after[0].isdigit()):
        return list(after)
    return [str(number) for number in range(int(before) + 1, int(after[0]))] + list(after)


def _one(tokens: Sequence[str], start: int) -> _Listed | None:
    """Return the option, or the group of options, whose name begins here."""
    if (pair := " ".join(tokens[start : start + 2])) in say.PAIRS:
        return _Listed((say.PAIRS[pair],), start + 2, named=False)
    at = _behind(tokens, start, say.ARTICLES)
    counted = _ordinal(tokens, start, at)
    if counted:
        return counted
    kind = start < len(tokens) and tokens[start] in say.KINDS
    at = start + kind
    token = tokens[at] if at < len(tokens) else ""
    if kind and token in say.NUMBERS:
        return _Listed((say.NUMBERS[token],), at + 1, named=True)
    if token in say.GROUPS and not kind:
        end = _behind(tokens, at + 1, say.OF_THEM)
        narrowed = end < len(tokens) and tokens[end] in say.NARROWING
        return None if narrowed else _Listed((say.GROUPS[token],), end, named=False)
    if token in _LABELS:
        return _Listed((_plain(token),), at + 1, named=kind)
    return None


def _ordinal(tokens: Sequence[str], start: int, at: int) -> _Listed | None:
    """Return "the second one", or "second" where it is the whole answer."""
    token = tokens[at] if at < len(tokens) else ""
    if token not in say.ORDINALS:
        return None
    many = say.NUMBERS.get(tokens[at + 1]) if at + 1 < len(tokens) else None
    if many and say.ORDINALS[token] == "1":
        return _Listed(tuple(map(str, range(1, int(many) + 1))), at + 2, named=True)
    end = _behind(tokens, at + 1, say.KINDS)
    alone = at == 0 and len(tokens) <= 2  # noqa: PLR2004 - with a mark or a "please"
    if end > at + 1 or at > start or alone:
        return _Listed((say.ORDINALS[token],), end, named=True)
    return None


def _behind(tokens: Sequence[str], at: int, words: frozenset[str]) -> int:
    while at < len(tokens) and tokens[at] in words:
        at += 1
    return at


def _closed(tokens: Sequence[str], at: int) -> bool:
    """Tell whether nothing follows that the number or letter before it could belong to."""
    if at >= len(tokens) or tokens[at] in say.TRAILING or tokens[at] in say.DROPPING:
        return True
    if tokens[at] in say.JUDGING:
        return at + 1 < len(tokens) and tokens[at + 1] in say.PRAISE
    return not tokens[at][0].isalnum() and not _enumerates(tokens, at)


def _enumerates(tokens: Sequence[str], at: int) -> bool:
    """Tell whether the mark makes the label before it the number of a point: "1. yes"."""
    if at + 1 >= len(tokens) or not tokens[at + 1][0].isalnum():
        return False
    return tokens[at] == ")" or (tokens[at] == "." and tokens[at - 1].isdigit())


def _plain(token: str) -> str:
    return str(int(token)) if token.isdigit() else token.upper()


_TOKEN = re.compile(
    r"\d+(?:st|nd|rd|th)\b|[A-Za-z](?:\+\+|#)|w/(?!\w)|[A-Za-z]\b(?![_'#]|/\w\w|\.\w|\+\+)|\d{1,2}\b(?![.:/_]\d)|\w(?:[\w'.:/_-]*\w)?|[^\w\s]"
)
_DENSE_LETTER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_DENSE = re.compile("|".join(sorted(say.DENSE, key=len, reverse=True)))
_LABELS = frozenset("abcdefgh") | frozenset(map(str, range(1, LABEL_HIGHEST + 1)))
_STARTS = (
    _LABELS
    | say.ARTICLES
    | say.KINDS
    | say.GROUPS.keys()
    | say.ORDINALS.keys()
    | {pair.split()[0] for pair in say.PAIRS}
)
