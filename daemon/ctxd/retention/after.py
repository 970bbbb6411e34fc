"""What stands after a compaction, prepared once so that many items are looked for in it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ctxd.policy.retention import (
    ALIKE_CHARS,
    ALIKE_ENDING,
    BESIDE_PASSAGES,
    MEANING_WEIGHT,
)
from ctxd.retention.counted import counted
from ctxd.retention.measured import in_one_unit
from ctxd.retention.passages import Passage, passages
from ctxd.retention.tables import meanings_of
from ctxd.retention.values import Text
from ctxd.retention.words import Words, of_clauses, words

MEANING = "~"
"""Mark of a group among the keys of the index."""


class Unit(NamedTuple):
    """A passage with its words."""

    number: int
    of: Text
    passage: Passage
    words: Words
    numbers: frozenset[str]
    said: str
    """Its text with measures in one unit."""


class After:
    """The texts after a compaction, cut into passages and indexed by stem and meaning."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self.texts = tuple(texts)
        self.units: list[Unit] = []
        for text in texts:
            self.units += _units(text, len(self.units))
        self._postings: dict[str, list[int]] = {}
        for unit in self.units:
            for key in keys(unit.words) | unit.numbers:
                self._postings.setdefault(key, []).append(unit.number)
        single = [unit for unit in self.units if unit.passage.first == unit.passage.last]
        self._spread = Counter(key for unit in single for key in keys(unit.words))
        self._rarities = _rarities(self._spread, max(len(single), 1))
        self._numbers = frozenset().union(*(unit.numbers for unit in single))
        self._aliases: dict[str, str] = {}
        self._by_start: dict[str, list[str]] = {}
        for key in self._spread:
            self._by_start.setdefault(key[:2], []).append(key)

    @classmethod
    def of(cls, texts: Sequence[Text]) -> After:
        """Prepare texts."""
        return cls(texts)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read."""
        return not self.units

    def length(self, number: int) -> int:
        """Return the characters of a passage."""
        return len(self.units[number].passage.text)

    def has(self, stem: str) -> bool:
        """Return whether a word or number stands anywhere in the texts."""
        return stem in self._numbers or self.alias(stem) in self._spread

    def means(self, stem: str) -> bool:
        """Return whether a word of the same meaning stands anywhere in the texts."""
        return any(MEANING + name in self._spread for name in meanings_of(stem))

    def beside(self, unit: Unit) -> frozenset[str]:
        """Return the cues of the sentences that stand right behind a passage in its block."""
        passage, found = unit.passage, frozenset[str]()
        for other in self.units[unit.number + 1 : unit.number + BESIDE_PASSAGES]:
            if other.of is not unit.of or other.passage.block != passage.block:
                break
            if (
                other.passage.first == passage.last + 1
                and other.passage.last == other.passage.first
            ):
                found |= other.words.cues
        return found

    def rarity(self, key: str) -> float:
        """Return how much a key tells of where something is said, from 0 to 1."""
        return self._rarities.get(key, 1.0)

    def alias(self, stem: str) -> str:
        """Return the word of the texts that a word is when it was mistyped or ends otherwise."""
        if stem in self._spread or len(stem) < ALIKE_CHARS:
            return stem
        known = self._aliases.get(stem)
        if known is None:
            near = self._by_start.get(stem[:2], ())
            known = next((word for word in near if _alike(stem, word)), stem)
            self._aliases[stem] = known
        return known

    def having(self, looked_for: Iterable[str]) -> dict[int, float]:
        """Return the passages that have any of these keys, with the sum of how much they tell."""
        found: dict[int, float] = {}
        for key in looked_for:
            weight = self.rarity(key) * (MEANING_WEIGHT if key.startswith(MEANING) else 1.0)
            for number in self._postings.get(self.alias(key), ()):
                found[number] = found.get(number, 0.0) + weight
        return found


def _units(of: Text, number: int) -> list[Unit]:
    """A text's passages; those of several sentences have the words of each."""
    found = passages(of.text)
    single = {one.first: one for one in found if one.first == one.last}
    said = {at: in_one_unit(one.text) for at, one in single.items()}
    told = {at: words(text, whole=True) for at, text in said.items()}
    numbers = {at: counted(text) for at, text in said.items()}
    units: list[Unit] = []
    for passage in found:
        run = range(passage.first, passage.last + 1)
        clauses = tuple(clause for at in run for clause in told[at].clauses)
        both = told[passage.first] if len(run) == 1 else of_clauses(clauses)
        counts = frozenset().union(*(numbers[at] for at in run))
        text = said[passage.first] if len(run) == 1 else in_one_unit(passage.text)
        units.append(Unit(number + len(units), of, passage, both, counts, text))
    return units


def _rarities(spread: Mapping[str, int], count: int) -> dict[str, float]:
    whole = math.log1p(count)
    return {key: math.log1p(count / (1 + times)) / whole for key, times in spread.items()}


def keys(of: Words) -> frozenset[str]:
    """Return what a text is indexed by."""
    return of.stems | {MEANING + name for name in of.meanings}


def _alike(one: str, other: str) -> bool:
    """Whether two words differ by one letter, two letters swapped, or a short ending."""
    if min(len(one), len(other)) < ALIKE_CHARS or not (one.isalpha() and other.isalpha()):
        return False
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if len(longer) - len(shorter) > ALIKE_ENDING:
        return False
    at = next(
        (i for i, (a, b) in enumerate(zip(longer, shorter, strict=False)) if a != b), len(shorter)
    )
    rest, tail = longer[at:], shorter[at:]
    if not tail:
        return True
    if len(rest) == len(tail):
        return rest[1:] == tail[1:] or (rest[:2] == tail[1::-1] and rest[2:] == tail[2:])
    return rest[1:] == tail
