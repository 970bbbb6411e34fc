"""How one statement stands to another: the same, more precise, against it, or about something else.

Unsure means something else: a duplicate is seen and costs a line, while a rule that was merged into
another is lost. So one statement takes the place of another only if nothing that binds is missing
from it: no exception, no number, no name, no "only".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from ctxd.extract.slot_compare import Comparison, SlotName, compare
from ctxd.extract.slot_values import Slots
from ctxd.extract.slot_words import SOFT
from ctxd.policy import (
    BROADER_SHARE,
    NARROWER_SHARE,
    REFINED_WORDS,
    SOFT_WORD_WEIGHT,
    SPARE_WORDS,
)

Stands = Literal["new", "same", "refines", "against", "partly against"]


class Relatedness(NamedTuple):
    """How a new statement stands to a known one."""

    stands: Stands
    why: str = ""
    """The slot that decided."""
    likeness: float = 0.0
    """Share of content words in common, for choosing among several."""


NEW = Relatedness("new")
_NAMING: frozenset[SlotName] = frozenset({"name", "identifier", "place"})
_BINDING: frozenset[SlotName] = _NAMING | {"exception", "number", "scope"}


def relate(known: Slots, new: Slots) -> Relatedness:
    """Return how the new statement stands to the known one."""
    if not _share(known, new):
        return NEW
    found = compare(known, new)
    left, right = _weight(found.left), _weight(found.right)
    shared = _weight(found.shared)
    total = shared + left + right
    likeness = shared / total if total else 1.0
    if swapped := _swapped(found, known, new):
        return Relatedness("against", swapped, likeness)
    if (left > SPARE_WORDS and right > SPARE_WORDS) or "place" in found.conflict:
        return NEW
    if found.conflict:
        return _against(found, likeness)
    if not _deeds_agree(known, new):
        return NEW
    stands, why = _compatible(found, known, new, (left, right, shared))
    return Relatedness(stands, why, likeness)


def _share(known: Slots, new: Slots) -> bool:
    return bool(known.words & new.words) or (len(known.words) == 1 and len(new.words) == 1)


def _swapped(found: Comparison, known: Slots, new: Slots) -> str:
    """Whether each names one thing that the other does not, and they are alike in all the rest."""
    left = [word for word in found.left if word not in SOFT]
    right = [word for word in found.right if word not in SOFT]
    if len(left) != 1 or len(right) != 1 or not found.shared or found.added & {"place"}:
        return ""
    named = left[0] in known.chosen and right[0] in new.chosen
    both_wanted = left[0] in known.affirmed and right[0] in new.affirmed
    return "name" if named and both_wanted else ""


def _weight(words: Iterable[str]) -> float:
    return sum(SOFT_WORD_WEIGHT if word in SOFT else 1.0 for word in words)


def _against(found: Comparison, likeness: float) -> Relatedness:
    left, right, shared = (_weight(words) for words in (found.left, found.right, found.shared))
    why = found.why or ""
    if not found.shared and (left or right):
        return NEW
    if left > max(shared, 1.0) or right > max(shared, 1.0):
        return NEW
    narrower = right > SPARE_WORDS or bool(
        found.added & {"name", "identifier", "place", "exception"}
    )
    if narrower and why in {"polarity", "modality"}:
        return Relatedness("new", "exception", likeness)
    if narrower or (left > SPARE_WORDS and why in {"polarity", "modality"}):
        return Relatedness("partly against", why, likeness)
    return Relatedness("against", why, likeness)


def _deeds_agree(known: Slots, new: Slots) -> bool:
    ours, theirs = known.deeds - {"use"}, new.deeds - {"use"}
    return not (ours and theirs) or bool(ours & theirs)


def _compatible(
    found: Comparison, known: Slots, new: Slots, weights: tuple[float, float, float]
) -> tuple[Stands, str]:
    left, right, shared = weights
    lost, gained = found.missing & _BINDING, found.added & _BINDING
    if left <= SPARE_WORDS and right <= SPARE_WORDS:
        reason = bool(new.reasons) and not known.reasons
        return _same_words(found, lost, gained, reason=reason)
    if left <= SPARE_WORDS:
        enough = len(found.shared) >= REFINED_WORDS and right <= shared * BROADER_SHARE
        if lost or not enough or _narrows_a_ban(found, new):
            return "new", ""
        return "refines", next(iter(sorted(gained)), "words")
    covered = shared >= NARROWER_SHARE * (shared + left)
    if gained or not covered or lost & _NAMING:
        return "new", ""
    if "forbid" in {known.modality, new.modality}:
        return "new", ""
    return "same", "words"


def _same_words(
    found: Comparison, lost: frozenset[SlotName], gained: frozenset[SlotName], *, reason: bool
) -> tuple[Stands, str]:
    decides = next(iter(sorted(gained or lost)), "words")
    if lost & _NAMING or (gained and lost):
        return "new", decides
    if gained:
        return "refines", decides
    if lost:
        return "same", decides
    if "modality" in found.added:
        return "refines", "modality"
    return ("refines", "reason") if reason else ("same", "words")


def _narrows_a_ban(found: Comparison, new: Slots) -> bool:
    """Whether words before the forbidden thing make it a smaller one ("force-push to main")."""
    extra = found.right & new.denied
    common = [at for at, word in enumerate(new.line) if word in found.shared]
    return bool(common) and any(word in extra for word in new.line[: common[-1]])
