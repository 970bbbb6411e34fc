"""One wording of an item, read once: what it is about, what binds, how much each word tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ctxd.extract.slot_numbers import Number
from ctxd.extract.slot_values import Slots
from ctxd.extract.slot_words import SOFT
from ctxd.extract.slots import slots
from ctxd.policy.retention import (
    ASIDE_WEIGHT,
    NAME_WEIGHT,
    REMARK_WEIGHT,
    SPELLED_NUMBERS,
    TEXTS_REMEMBERED,
    VAGUE_WEIGHT,
)
from ctxd.retention.counted import number_key
from ctxd.retention.measured import in_one_unit
from ctxd.retention.words import Clause, Words, in_english, words

_BINDING = frozenset({"deny", "only", "bind", "every", "except", "ask"})


class Sought(NamedTuple):
    """One wording of an item."""

    text: str
    words: Words
    slots: Slots
    weights: Mapping[str, float]
    """Content words and numbers, and how much each counts."""
    binding: tuple[Clause, ...]
    """Clauses that say what binds, without remarks."""
    digits: frozenset[str]
    numbers: tuple[Number, ...]
    """Of the clauses that bind."""


@lru_cache(maxsize=TEXTS_REMEMBERED)
def sought(text: str) -> Sought:
    """Read one wording of an item."""
    text = in_one_unit(text)
    read, parts = words(text), slots(in_english(text))
    binding = _binding(read.clauses)
    weights = _weights(read.clauses, binding, parts)
    digits = frozenset(stem for clause in binding for stem in clause.stems if stem[0].isdigit())
    aside = frozenset(stem for stem in read.stems if stem[0].isdigit()) - digits
    numbers = tuple(number for number in parts.numbers if _counts(number, digits, aside))
    for number in numbers:
        weights.pop(f"{number.written:g}", None)
        if not number.denied:
            weights[number_key(number)] = NAME_WEIGHT
    return Sought(text, read, parts, weights, binding, digits, numbers)


def _weights(
    clauses: Sequence[Clause], binding: Sequence[Clause], parts: Slots
) -> dict[str, float]:
    weights: dict[str, float] = {}
    for clause in clauses:
        aside = REMARK_WEIGHT if "remark" in clause.cues else ASIDE_WEIGHT
        heavy = 1.0 if clause in binding else aside
        for stem in clause.stems:
            weight = heavy * (VAGUE_WEIGHT if stem in SOFT or stem in parts.reasons else 1.0)
            weight *= NAME_WEIGHT if stem in parts.identifiers or stem in parts.names else 1.0
            weights[stem] = max(weight, weights.get(stem, 0.0))
    return weights


def _counts(number: Number, digits: frozenset[str], aside: frozenset[str]) -> bool:
    """Whether a number stands in a clause that binds; one that is spelled is taken to do so."""
    written = {f"{number.written:g}", f"{number.written:.1f}", f"{number.written:,.0f}"}
    spelled = bool(number.unit) and number.written < SPELLED_NUMBERS and not (digits or aside)
    return bool(written & digits) or number.unit in {"date", "clock"} or spelled


def _binding(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """Clauses that say what holds: the first one, and those that bind and are no remark."""
    filled = [clause for clause in clauses if clause.stems]
    return tuple(clause for at, clause in enumerate(filled) if at == 0 or _binds(clause))


def _binds(clause: Clause) -> bool:
    counted = any(stem[0].isdigit() for stem in clause.stems)
    return (counted or bool(clause.cues & _BINDING)) and "remark" not in clause.cues
