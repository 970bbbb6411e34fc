"""What stands after a compaction, prepared once so that many items are looked for in it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from ctxd.retention.passages import Passage, passages
from ctxd.retention.values import Text
from ctxd.retention.words import Words, words

_MEANING = "~"
"""Mark of a group among the keys of the index."""


class Unit:
    """A passage with its words."""

    __slots__ = ("number", "of", "passage", "words")

    def __init__(self, number: int, of: Text, passage: Passage) -> None:
        self.number = number
        self.of = of
        self.passage = passage
        self.words: Words = words(passage.text)


class After:
    """The texts after a compaction, cut into passages and indexed by stem and meaning."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self.texts = tuple(texts)
        self.units = [
            Unit(number, of, passage)
            for number, (of, passage) in enumerate(
                (text, passage) for text in texts for passage in passages(text.text)
            )
        ]
        self._postings: dict[str, list[int]] = {}
        for unit in self.units:
            for key in keys(unit.words):
                self._postings.setdefault(key, []).append(unit.number)
        single = [unit for unit in self.units if unit.passage.first == unit.passage.last]
        self._count = max(len(single), 1)
        self._spread = Counter(key for unit in single for key in keys(unit.words))

    @classmethod
    def of(cls, texts: Sequence[Text]) -> After:
        """Prepare texts."""
        return cls(texts)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read."""
        return not self.units

    def rarity(self, key: str) -> float:
        """Return how much a key tells of where something is said, from 0 to 1."""
        spread = self._spread.get(key, 0)
        return math.log1p(self._count / (1 + spread)) / math.log1p(self._count)

    def having(self, looked_for: Iterable[str]) -> dict[int, float]:
        """Return the passages that have any of these keys, with the sum of how much they tell."""
        found: dict[int, float] = {}
        for key in looked_for:
            weight = self.rarity(key)
            for number in self._postings.get(key, ()):
                found[number] = found.get(number, 0.0) + weight
        return found


def keys(of: Words) -> frozenset[str]:
    """Return what a text is indexed by."""
    return of.stems | {_MEANING + name for name in of.meanings}
