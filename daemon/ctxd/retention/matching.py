"""Which words of an item stand in a passage, and how surely."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ctxd.policy.retention import (
    ALIAS_LIKENESS,
    COMMON_WEIGHT,
    CONTEXT_LIKENESS,
    EXACT_LIKENESS,
    MEANING_LIKENESS,
    RARE_WEIGHT,
)
from ctxd.retention.after import MEANING, After, Unit
from ctxd.retention.sought import Sought
from ctxd.retention.tables import meanings_of
from ctxd.retention.words import Clause, Words, words


class Match(NamedTuple):
    """Which words of an item a passage has."""

    share: float
    """Of the item's words, each by its weight."""
    exact: float
    """The same of those that stand there themselves, not only another word of their meaning."""
    likeness: Mapping[str, float]
    """Word of the item -> how surely it stands there."""
    near: tuple[Clause, ...]
    """Clauses of the passage with any of them."""


def match(item: Sought, unit: Unit, after: After) -> Match:
    """Return which words of an item stand in a passage."""
    context = words(unit.passage.context).stems
    total = share = exact = 0.0
    likely: dict[str, float] = {}
    for stem, told in item.weights.items():
        weight = told * (COMMON_WEIGHT + RARE_WEIGHT * after.rarity(stem))
        total += weight
        likeness = _likeness(stem, unit, after)
        if likeness < CONTEXT_LIKENESS and stem in context:
            likeness = CONTEXT_LIKENESS
        if likeness > 0:
            likely[stem] = likeness
        if likeness >= EXACT_LIKENESS:
            exact += weight
        share += weight * likeness
    total = total or 1.0
    return Match(share / total, exact / total, likely, _near(likely, unit.words, after))


def _near(likely: Mapping[str, float], theirs: Words, after: After) -> tuple[Clause, ...]:
    exact = {stem for stem, likeness in likely.items() if likeness >= EXACT_LIKENESS}
    meant = {after.alias(stem) for stem in exact}
    groups = {group for stem in likely.keys() - exact for group in meanings_of(stem)}
    found = tuple(clause for clause in theirs.clauses if clause.stems & meant)
    return found or tuple(clause for clause in theirs.clauses if clause.meanings & groups)


def _likeness(stem: str, unit: Unit, after: After) -> float:
    if stem[0] == "#":
        return float(stem in unit.numbers)
    if stem in unit.words.stems:
        return 1.0
    if after.alias(stem) in unit.words.stems:
        return ALIAS_LIKENESS
    common = meanings_of(stem) & unit.words.meanings
    if not common:
        return 0.0
    least, more = MEANING_LIKENESS
    return least + more * max(after.rarity(MEANING + name) for name in common)
