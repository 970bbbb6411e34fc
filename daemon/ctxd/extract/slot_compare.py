"""Two statements compared slot by slot: where they agree, conflict, or one says more."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Literal

import msgspec

from ctxd.extract.slot_numbers import Number
from ctxd.extract.slot_values import Slots
from ctxd.extract.slot_words import RIVALS
from ctxd.policy.comparing import (
    ALIGNED_STEM_CHARS,
    NUMBER_TOLERANCE,
    POLARITY_SHARE,
    TURNED_DOWN_SHARE,
)

SlotName = Literal[
    "number", "identifier", "name", "place", "polarity", "modality", "pair", "order", "exception",
    "scope",
]  # fmt: skip


class Comparison(msgspec.Struct, frozen=True):
    """How a statement stands to another, which may be a longer text."""

    agree: frozenset[SlotName]
    conflict: frozenset[SlotName]
    missing: frozenset[SlotName]
    """Slots of which the first says something that the second does not."""
    added: frozenset[SlotName]
    """Slots of which only the second says something."""
    shared: frozenset[str]
    """Content words of both."""
    left: frozenset[str]
    """Content words of the first alone, without values that the second has in another form."""
    right: frozenset[str]
    turned: frozenset[str] = frozenset()
    """Common words that one side wants and the other does not."""

    @property
    def why(self) -> SlotName | None:
        """The slot that decides, when there is a conflict."""
        return next((name for name in _DECIDING if name in self.conflict), None)


_DECIDING: tuple[SlotName, ...] = (
    "pair", "polarity", "modality", "number", "identifier", "name", "order", "place",
)  # fmt: skip
_SHAPE = re.compile(r"[a-z]+|\d+")


class _Verdict:
    def __init__(self) -> None:
        self.agree: set[SlotName] = set()
        self.conflict: set[SlotName] = set()
        self.missing: set[SlotName] = set()
        self.added: set[SlotName] = set()

    def note(self, name: SlotName, *, here: bool, there: bool, same: bool) -> None:
        """Note a slot that either side may fill."""
        if here and there and same:
            self.agree.add(name)
            return
        if here:
            self.missing.add(name)
        if there:
            self.added.add(name)


def compare(first: Slots, second: Slots) -> Comparison:
    """Compare two statements slot by slot; the second may be a longer text."""
    verdict = _Verdict()
    shared = first.words & second.words
    left, right = first.words - shared, second.words - shared
    left, right, aligned = _aligned(left, right)
    values_left, values_right = _rivals(first, second, left, right)
    if values_left:
        verdict.conflict.add("name")
    shapes_left, shapes_right = _same_shape(first, second, left, right)
    if shapes_left:
        verdict.conflict.add("identifier")
    left, right = left - values_left - shapes_left, right - values_right - shapes_right
    turned = _polarity(first, second, verdict)
    left, right = left - _chosen_over(first, second), right - _chosen_over(second, first)
    _modality(first, second, verdict)
    _numbers(first.numbers, second.numbers, verdict)
    _places(first, second, verdict)
    _exceptions(first, second, verdict)
    verdict.note("scope", here=first.only, there=second.only, same=True)
    verdict.note("identifier", here=bool(left & first.identifiers),
                 there=bool(right & second.identifiers), same=False)  # fmt: skip
    verdict.note("name", here=bool(left & first.names), there=bool(right & second.names),
                 same=False)  # fmt: skip
    if order_turned(first, second):
        if turned:
            verdict.conflict.discard("polarity")
        else:
            verdict.conflict.add("order")
    return Comparison(
        agree=frozenset(verdict.agree),
        conflict=frozenset(verdict.conflict),
        missing=frozenset(verdict.missing),
        added=frozenset(verdict.added),
        shared=shared | aligned,
        left=left,
        right=right,
        turned=turned,
    )


def order_turned(first: Slots, second: Slots) -> bool:
    """Whether one puts first what the other puts last; "not before" is "after"."""
    return any(
        (before - earlier) & later and (after - later) & earlier
        for before, after in first.orders
        for earlier, later in second.orders
    )


def _aligned(
    left: frozenset[str], right: frozenset[str]
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Words of either side that are one word with a typo or another ending."""
    pairs = [(a, b) for a in left for b in right if a[0] == b[0] and _alike(a, b)]
    taken = frozenset(word for pair in pairs for word in pair)
    taken |= _compounds(left, right) | _compounds(right, left)
    return left - taken, right - taken, frozenset(left & taken)


def _compounds(words: frozenset[str], parts: frozenset[str]) -> frozenset[str]:
    """Words written in one piece here and in two there, with these."""
    return frozenset(
        word
        for whole in words
        for head in parts
        if whole.startswith(head) and (tail := whole[len(head) :]) in parts
        for word in (whole, head, tail)
    )


def _alike(one: str, other: str) -> bool:
    if min(len(one), len(other)) < ALIGNED_STEM_CHARS or not (one + other).isalpha():
        return False
    if one in RIVALS or other in RIVALS:
        return False
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if same is None:
        return len(longer) - len(shorter) <= 2  # noqa: PLR2004
    rest, tail = longer[same:], shorter[same:]
    if len(rest) == len(tail):
        return rest[1:] == tail[1:] or (rest[:2] == tail[1::-1] and rest[2:] == tail[2:])
    return rest[1:] == tail


def _rivals(
    first: Slots, second: Slots, left: frozenset[str], right: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Words of either side of which one excludes the other."""
    if _both_allow(first, second):
        return frozenset(), frozenset()
    ours = _families((left & first.affirmed) - first.topics - first.beside)
    theirs = _families((right & second.affirmed) - second.topics - second.beside)
    common = ours.keys() & theirs.keys()
    kept = _families(first.affirmed & second.affirmed).keys()
    return (
        frozenset(word for family in common - kept for word in ours[family]),
        frozenset(word for family in common - kept for word in theirs[family]),
    )


def _families(words: Iterable[str]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for word in words:
        for family in RIVALS.get(word, ()):
            found.setdefault(family, set()).add(word)
    return found


def _same_shape(
    first: Slots, second: Slots, left: frozenset[str], right: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Identifiers built alike with other letters or digits, each of them chosen: `v1` and `v2`."""
    if _both_allow(first, second):
        return frozenset(), frozenset()
    picked, others = _picked(first), _picked(second)
    if picked & others:
        return frozenset(), frozenset()
    ours = {_shape(word): word for word in left & picked}
    theirs = {_shape(word): word for word in right & others}
    both = {shape for shape in ours.keys() & theirs.keys() if "0" in shape}
    return frozenset(ours[s] for s in both), frozenset(theirs[s] for s in both)


def _picked(slots: Slots) -> frozenset[str]:
    return slots.identifiers & slots.chosen & slots.affirmed


def _both_allow(first: Slots, second: Slots) -> bool:
    """Whether both permit something: a permission takes nothing away."""
    return first.modality == second.modality == "allow"


def _shape(identifier: str) -> str:
    return _SHAPE.sub(lambda run: "a" if run[0].isalpha() else "0", identifier)


def _polarity(first: Slots, second: Slots, verdict: _Verdict) -> frozenset[str]:
    both = (first.affirmed & first.denied) | (second.affirmed & second.denied)
    turned = ((first.affirmed & second.denied) | (first.denied & second.affirmed)) - both
    kept = ((first.affirmed & second.affirmed) | (first.denied & second.denied)) - both
    if _chosen_over(first, second) or _chosen_over(second, first):
        verdict.conflict.add("pair")
    elif turned and len(turned) > POLARITY_SHARE * len(turned | kept):
        verdict.conflict.add("polarity")
    elif kept:
        verdict.agree.add("polarity")
    return turned


def _chosen_over(one: Slots, other: Slots) -> frozenset[str]:
    """What one chose instead of something that the other wants."""
    found: frozenset[str] = frozenset()
    for chosen, down in one.pairs:
        hits = (down & other.affirmed) - one.affirmed
        if hits and len(hits) >= TURNED_DOWN_SHARE * len(down):
            kept = chosen & (other.affirmed - other.topics)
            found |= frozenset() if kept else chosen
    return found


_STRENGTH = {"allow": 0, "prefer": 1, "plain": 2, "require": 2, "forbid": 2}
_STRICT = frozenset({"forbid", "require"})


def _modality(first: Slots, second: Slots, verdict: _Verdict) -> None:
    ours, theirs = first.modality, second.modality
    if "allow" in {ours, theirs} and {ours, theirs} & _STRICT and first.words & second.words:
        verdict.conflict.add("modality")
    elif _STRENGTH[ours] > _STRENGTH[theirs]:
        verdict.missing.add("modality")
    elif _STRENGTH[ours] < _STRENGTH[theirs]:
        verdict.added.add("modality")
    else:
        verdict.agree.add("modality")


def _numbers(ours: Collection[Number], theirs: Collection[Number], verdict: _Verdict) -> None:
    unmatched = [n for n in ours if not any(equal(n, m) for m in theirs)]
    spare = [m for m in theirs if not any(equal(n, m) for n in ours)]
    turned = any(equal(n, m) and n.denied != m.denied for n in ours for m in theirs)
    if turned or any(_rival(n, m) for n in unmatched for m in spare):
        verdict.conflict.add("number")
        return
    if len(unmatched) < len(ours):
        verdict.agree.add("number")
    if any(not n.denied for n in unmatched):
        verdict.missing.add("number")
    if any(not m.denied for m in spare):
        verdict.added.add("number")


def equal(one: Number, other: Number) -> bool:
    """Whether two numbers are one, as far as both say."""
    close = abs(one.value - other.value) <= NUMBER_TOLERANCE * max(one.value, other.value)
    units = one.unit == other.unit or not (one.unit and other.unit)
    pers = one.per == other.per or not (one.per and other.per)
    bounds = one.bound == other.bound or not (one.bound and other.bound)
    return close and units and pers and bounds


def _rival(one: Number, other: Number) -> bool:
    """Whether two different numbers are about the same thing."""
    if one.denied or other.denied or one.beside or other.beside:
        return False
    if one.of and other.of and one.of != other.of and not one.unit:
        return False
    as_written = one.written == other.written
    return one.unit == other.unit or as_written or not (one.unit and other.unit)


def _places(first: Slots, second: Slots, verdict: _Verdict) -> None:
    here, there = first.places - second.words, second.places - first.words
    if here and there:
        verdict.conflict.add("place")
    elif first.places & second.places:
        verdict.agree.add("place")
    if here:
        verdict.missing.add("place")
    if there:
        verdict.added.add("place")


def _exceptions(first: Slots, second: Slots, verdict: _Verdict) -> None:
    same = bool(first.excepted & second.excepted)
    verdict.note("exception", here=bool(first.excepted), there=bool(second.excepted), same=same)
