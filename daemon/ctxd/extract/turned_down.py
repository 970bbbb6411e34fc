"""Whether a statement turns down, in so many words, what another one wants.

People seldom overturn a decision by restating it: they say what is to be instead and name, in
passing, what it is instead of. So the words that a statement denies are looked for among those that
the other one wants, however much else either of them says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ctxd.extract.slot_compare import equal, order_turned
from ctxd.extract.slot_values import Slots
from ctxd.extract.slot_words import SOFT
from ctxd.policy.comparing import (
    BANNED_FEW_SHARE,
    BANNED_MANY_WORDS,
    BANNED_SHARE,
    BANNED_WANTED_SHARE,
    BANNED_WORDS,
    SOFT_WORD_WEIGHT,
    SPARE_WORDS,
    TURNED_DOWN_SHARE,
)


def turned_down(known: Slots, new: Slots) -> str:
    """Return the slot by which the new statement turns down the known one, or an empty string."""
    if known.topics and new.topics and not known.words & new.words & (known.topics | new.topics):
        return ""
    topic = (known.affirmed & new.affirmed) or (known.topics & new.words)
    if topic and (_named_down(known, new) or _revived(known, new)):
        return "pair"
    if topic and _number_down(known, new):
        return "number"
    return "polarity" if _banned(known, new) else ""


def weight(words: Iterable[str]) -> float:
    """How much content words tell of what a statement is about."""
    return sum(SOFT_WORD_WEIGHT if word in SOFT else 1.0 for word in words)


def _named_down(known: Slots, new: Slots) -> bool:
    """Whether it wants something "instead of" what the known one wants."""
    told = known.affirmed & new.words
    if weight(told) < BANNED_WANTED_SHARE * weight(known.affirmed):
        return False
    for down in (*(down for _, down in new.pairs), *new.options):
        hits = down & known.affirmed
        telling = weight(hits) >= BANNED_WORDS or hits & (known.names | known.places)
        if telling and not hits <= new.affirmed and _covers(hits, down, TURNED_DOWN_SHARE):
            return True
    return False


def _revived(known: Slots, new: Slots) -> bool:
    """Whether it wants, and hardly anything else, an option that was turned down for the known."""
    spare = new.affirmed - known.words
    return any(
        option & spare and option <= new.affirmed and weight(spare - option) <= SPARE_WORDS
        for option in known.options
    )


def _covers(hits: Collection[str], words: Collection[str], share: float) -> bool:
    total = weight(words)
    return bool(hits) and weight(hits) >= share * total and total >= 1


def _number_down(known: Slots, new: Slots) -> bool:
    """Whether it says "not 20" where the known one says 20 of the same thing."""
    told = weight(known.words & new.words)
    if told < BANNED_WANTED_SHARE * weight(known.words):
        return False
    wanted = [number for number in known.numbers if not number.denied]
    return any(number.denied and any(equal(number, w) for w in wanted) for number in new.numbers)


def _banned(known: Slots, new: Slots) -> bool:
    """Whether it forbids the most of what the known one wants, and hardly anything else."""
    if order_turned(known, new):
        return False
    banned = new.denied - new.conditions
    hits = banned & known.affirmed
    others = banned - hits
    if others & (new.names | new.places) or not _covers(hits, banned, BANNED_SHARE):
        return False
    telling = weight(hits) >= BANNED_WORDS or bool(hits & known.identifiers)
    share = weight(hits) / weight(known.affirmed)
    few = BANNED_FEW_SHARE if weight(hits) < BANNED_MANY_WORDS else BANNED_WANTED_SHARE
    return telling and share >= few
