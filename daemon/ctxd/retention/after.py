"""What stands after a compaction, prepared once so that many items are looked for in it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ctxd.extract.slot_numbers import Number
from ctxd.extract.slots import slots
from ctxd.policy.retention import TEXTS_REMEMBERED
from ctxd.retention.passages import Passage, passages
from ctxd.retention.values import Text
from ctxd.retention.words import Words, meanings_of, words

_MEANING = "~"
"""Mark of a group among the keys of the index."""


class Unit:
    """A passage with its words."""

    __slots__ = ("number", "numbers", "of", "passage", "words")

    def __init__(self, number: int, of: Text, passage: Passage) -> None:
        self.number = number
        self.of = of
        self.passage = passage
        self.words: Words = words(passage.text)
        self.numbers: frozenset[str] = frozenset()


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
        self._count_up()
        self._postings: dict[str, list[int]] = {}
        for unit in self.units:
            for key in keys(unit.words) | unit.numbers:
                self._postings.setdefault(key, []).append(unit.number)
        single = [unit for unit in self.units if unit.passage.first == unit.passage.last]
        self._count = max(len(single), 1)
        self._spread = Counter(key for unit in single for key in keys(unit.words))
        self.numbers = frozenset().union(*(unit.numbers for unit in self.units))
        whole = math.log1p(self._count)
        self._rarest = 1.0
        self._rarities = {
            key: math.log1p(self._count / (1 + spread)) / whole for key, spread in self._spread.items()
        }
        self._aliases: dict[str, str] = {}
        self._by_start: dict[str, list[str]] = {}
        for key in self._spread:
            self._by_start.setdefault(key[:2], []).append(key)

    def _count_up(self) -> None:
        """Give each passage the numbers of its sentences, and what follows it in its block."""
        told = {
            (id(unit.of), unit.passage.first): counted(unit.passage.text)
            for unit in self.units
            if unit.passage.first == unit.passage.last and _NUMBER.search(unit.passage.text)
        }
        for unit in self.units:
            run = range(unit.passage.first, unit.passage.last + 1)
            unit.numbers = frozenset().union(*(told.get((id(unit.of), n), ()) for n in run))

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
        return stem in self.numbers or self.alias(stem) in self._spread

    def means(self, stem: str) -> bool:
        """Return whether a word of the same meaning stands anywhere in the texts."""
        return any(_MEANING + name in self._spread for name in meanings_of(stem))

    def beside(self, unit: Unit) -> frozenset[str]:
        """Return the cues of the sentences that stand right behind a passage in its block."""
        passage, found = unit.passage, frozenset[str]()
        for other in self.units[unit.number + 1 : unit.number + 8]:
            if other.of is not unit.of or other.passage.block != passage.block:
                break
            if other.passage.first == passage.last + 1 and other.passage.last == other.passage.first:
                found |= other.words.cues
        return found

    def rarity(self, key: str) -> float:
        """Return how much a key tells of where something is said, from 0 to 1."""
        return self._rarities.get(key, self._rarest)

    def alias(self, stem: str) -> str:
        """Return the word of the texts that a word is when it was mistyped or ends otherwise."""
        if stem in self._spread or len(stem) < 5:
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
            weight = self.rarity(key) * (0.5 if key.startswith(_MEANING) else 1.0)
            for number in self._postings.get(self.alias(key), ()):
                found[number] = found.get(number, 0.0) + weight
        return found


_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|"
    r"forty|fifty|sixty|ninety|hundred|dozen|half|once|twice|a (?:day|week|month|year|minute|hour)|"
    r"zero|hourly|daily|weekly|monthly|yearly|nightly|noon|midnight)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=TEXTS_REMEMBERED)
def counted(text: str) -> frozenset[str]:
    """Return the numbers of a text as keys that are one whatever the unit they are given in."""
    found = {number_key(number) for number in slots(text).numbers}
    found |= {f"#s:{1 / float(rate):.6g}" for rate in _FRACTION.findall(text) if float(rate)}
    found |= {f"#s:{1 / float(rate):.6g}" for rate in _HERTZ.findall(text) if float(rate)}
    for some, of in _SPOKEN.findall(text):
        found.add(f"#s:{_SOME[some.casefold()] * _SECONDS[of.casefold()]:.6g}")
    if _ZERO.search(text):
        found.add("#:0")
    return frozenset(found)


_FRACTION = re.compile(r"(?<![\d/.])1/(\d{1,6})(?![\d/])")
_HERTZ = re.compile(r"(?<![\d.])(\d{1,6}) ?hz\b", re.IGNORECASE)
_SPOKEN = re.compile(
    r"\b(half an?|a quarter of an|once (?:an?|each|every|per)|twice an?|every|each) "
    r"(second|minute|hour|day|week)\b",
    re.IGNORECASE,
)
_SOME = {
    "half a": 0.5, "half an": 0.5, "a quarter of an": 0.25, "twice a": 0.5, "twice an": 0.5,
    **dict.fromkeys(("every", "each", "once a", "once an", "once each", "once every", "once per"), 1),
}  # fmt: skip
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_ZERO = re.compile(r"\bzero\b|(?<![\w.,])0(?![\w.,])", re.IGNORECASE)


def number_key(number: Number) -> str:
    """Return a number as a key."""
    per = f"/{number.per}" if number.per else ""
    return f"#{number.unit}{per}:{number.value:.6g}"


def keys(of: Words) -> frozenset[str]:
    """Return what a text is indexed by."""
    return of.stems | {_MEANING + name for name in of.meanings}


def _alike(one: str, other: str) -> bool:
    """Whether two words differ by one letter, two letters swapped, or a short ending."""
    if min(len(one), len(other)) < 5 or not (one.isalpha() and other.isalpha()):
        return False
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if len(longer) - len(shorter) > 3:
        return False
    at = next((i for i, (a, b) in enumerate(zip(longer, shorter)) if a != b), len(shorter))
    rest, tail = longer[at:], shorter[at:]
    if not tail:
        return True
    if len(rest) == len(tail):
        return rest[1:] == tail[1:] or (rest[:2] == tail[1::-1] and rest[2:] == tail[2:])
    return rest[1:] == tail
