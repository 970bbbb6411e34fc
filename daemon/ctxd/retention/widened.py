"""What an item leaves out, and a passage takes in: "only A, B comes later" and "A and B"."""

from __future__ import annotations

import re

from ctxd.policy.retention import COMPARED_PARTS
from ctxd.retention.after import Unit
from ctxd.retention.sought import Sought
from ctxd.retention.words import Clause

_ONLY = re.compile(r"\b(?:only|solely|alone|exclusively)\b", re.IGNORECASE)
_AGAINST = frozenset({"deny", "gone", "only", "except", "lacks", "lifted"})
_LEFT_OUT = frozenset({"deny"})
_LATER = "offscope"


def taken_in(item: Sought, unit: Unit) -> bool:
    """Whether a passage puts what an item leaves out beside what it wants."""
    wanted, left_out = _both(item.words.clauses)
    if not wanted or not left_out or "except" in item.words.cues:
        return False
    return any(_joins(clause, wanted, left_out) for clause in unit.words.clauses[:COMPARED_PARTS])


def let_in(item: Sought, unit: Unit) -> bool:
    """Whether a passage allows alone what an item forbids: "no X" and "X only"."""
    wanted, left_out = _both(item.words.clauses)
    if not left_out or item.words.cues & {"except", "only", "ask"}:
        return False
    return any(
        "only" in clause.cues
        and not clause.cues & (_AGAINST - {"only"})
        and len(clause.stems & left_out) > 1
        and _ONLY.search(unit.said)
        and not clause.stems & wanted
        for clause in unit.words.clauses[:COMPARED_PARTS]
    )


def _both(clauses: tuple[Clause, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Words of what is wanted, and of what is left out or comes later, without common ones."""
    wanted, left_out = frozenset[str](), frozenset[str]()
    for clause in clauses:
        later = _LATER in clause.meanings and "only" not in clause.cues
        if clause.cues & _LEFT_OUT or later:
            left_out |= clause.stems
        elif "remark" not in clause.cues:
            wanted |= clause.stems
    return wanted - left_out, left_out - wanted


def _joins(clause: Clause, wanted: frozenset[str], left_out: frozenset[str]) -> bool:
    if clause.cues & _AGAINST or _LATER in clause.meanings or len(clause.pieces) < 2:  # noqa: PLR2004
        return False
    first, *others = clause.pieces
    return bool(first & wanted) and any(piece & left_out for piece in others)
