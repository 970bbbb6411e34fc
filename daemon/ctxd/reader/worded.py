"""A line for an item whose statement does not pass: the words quoted, as offline extraction would
word them, where they stand for themselves."""

from __future__ import annotations

import re

from ctxd.extract.scopes import names
from ctxd.extract.terms import content
from ctxd.extract.wording import order, trimmed
from ctxd.policy.extraction import ITEM_CHARS
from ctxd.policy.reader import READER_WORDED_CONTENT
from ctxd.reader.standing import Standing

_POINTS = re.compile(
    r"^\W{0,3}(?:\w+\W+){0,2}(?:it|this|that|them|these|those)\b(?!\s+(?:is|are|was|will)\b)",
    re.IGNORECASE,
)
"""Begins with a word for something that was named before."""

_OPEN = (":", "?", "\uff1f", "\u2026")


def worded(behind: Standing) -> str:
    """Return the line; empty where the words quoted do not stand for themselves."""
    lines = [trimmed(behind.binding.text), trimmed(behind.binding.around)]
    if behind.proposal is not None and not behind.basis.turns_down:
        lines += [order(behind.proposal.text), order(behind.proposal.around)]
    return next((line for line in lines if _stands_alone(line)), "")


def _stands_alone(line: str) -> bool:
    if len(line) > ITEM_CHARS or line.endswith(_OPEN):
        return False
    if _POINTS.match(line) and not names([line]):
        return False
    return len(content(line)) >= READER_WORDED_CONTENT
