"""The options that a short answer picks.

"A", "2 and 3, not 1", "the second one", "both": the words stand for what somebody else wrote. A
lone letter or number is a label only where an answer has it: at the beginning, after "option" or
"go with", in a list of such, and with nothing behind it that it could count. "2 more tests",
"python 3" and "a bit" pick nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ctxd.extract.cues import labelling as say
from ctxd.policy import LABEL_ANSWER_CHARS


def labels(text: str) -> tuple[str, ...]:
    """Return the options that a short answer picks, in its order; () when it picks none.

    Letters in upper case and numbers as digits, however they were written; "*both*", "*all*",
    "*none*" and "*last*" for words that name options without telling which.
    """
    if len(text) > LABEL_ANSWER_CHARS:
        return ()
    tokens = [token.lower() for token in _TOKEN.findall(text)]
    wanted: dict[str, bool] = {}
    for label, kept in _mentions(tokens):
        wanted[label] = kept and wanted.get(label, True)
    return tuple(label for label, kept in wanted.items() if kept)


def _mentions(tokens: Sequence[str]) -> list[tuple[str, bool]]:
    """Return every option named, and whether it is wanted."""
    found: list[tuple[str, bool]] = []
    at, led, kept = 0, True, True
    while at < len(tokens):
        listed = _listed(tokens, at)
        if listed and (listed.named or led) and _closed(tokens, listed.end):
            found += [(label, kept) for label in listed.labels]
            at, led = listed.end, True
            continue
        token = tokens[at]
        if token in say.DROPPING:
            led, kept = True, False
        elif token in say.LEADING or token in say.STOPS:
            led, kept = True, True
        elif token not in say.OPENING:
            led = False
        at += 1
    return found


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
        after = end
        while after < len(tokens) and tokens[after] in say.JOINING:
            after += 1
        one = _one(tokens, after) if after > end else None
        if one is not None:
            labels += one.labels
            end = one.end
    return _Listed(tuple(labels), end, first.named)


def _one(tokens: Sequence[str], at: int) -> _Listed | None:
    """Return the option, or the group of options, whose name begins here."""
    start = at
    while at < len(tokens) and tokens[at] in say.ARTICLES:
        at += 1
    kind = at < len(tokens) and tokens[at] in say.KINDS
    if kind:
        at += 1
    token = tokens[at] if at < len(tokens) else ""
    if kind and token in say.NUMBERS:
        return _Listed((say.NUMBERS[token],), at + 1, named=True)
    if token in say.GROUPS and not kind:
        return _Listed((say.GROUPS[token],), _behind(tokens, at + 1, say.OF_THEM), named=False)
    if token in say.ORDINALS:
        end = _behind(tokens, at + 1, say.KINDS)
        if end > at + 1 or at > start:
            return _Listed((say.ORDINALS[token],), end, named=True)
    if _LABEL.fullmatch(token) and (kind or at == start):
        return _Listed((_plain(token),), at + 1, named=kind)
    return None


def _behind(tokens: Sequence[str], at: int, words: frozenset[str]) -> int:
    while at < len(tokens) and tokens[at] in words:
        at += 1
    return at


def _closed(tokens: Sequence[str], at: int) -> bool:
    """Tell whether nothing follows that the number or letter before it could belong to."""
    if at >= len(tokens) or tokens[at] in say.TRAILING:
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
    r"\d+(?:st|nd|rd|th)\b|[A-Za-z]\b(?![_']|/\w\w)|\d{1,2}\b(?![.:/_-]\d)|[\w'.:/_-]*\w|[^\w\s]"
)
_LABEL = re.compile(r"[a-h]|[1-9]|1[0-2]")
