"""How one statement stands to another: the same, more precise, against it, or about something else.

Unsure means something else: a duplicate is seen and costs a line, while a rule that was merged into
another is lost. So one statement takes the place of another only if nothing that binds is missing
from it: no exception, no number, no name, no "only".
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ctxd.extract.slot_compare import Comparison, SlotName, compare
from ctxd.extract.slot_values import Slots
from ctxd.extract.slot_words import SOFT
from ctxd.extract.turned_down import turned_down, weight
from ctxd.policy.comparing import (
    BROADER_SHARE,
    NARROWER_SHARE,
    REFINED_WORDS,
    RESTATED_WORDS,
    SPARE_WORDS,
)

Stands = Literal["new", "same", "refines", "against"]


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
    left, right = weight(found.left), weight(found.right)
    shared = weight(found.shared) + ("number" in found.agree)
    total = shared + left + right
    likeness = shared / total if total else 1.0
    if why := turned_down(known, new) or _swapped(found, known, new):
        return Relatedness("against", why, likeness)
    if (left > SPARE_WORDS and right > SPARE_WORDS) or "place" in found.conflict:
        return NEW
    weights = (left, right, shared)
    if found.conflict:
        stands, why = _against(found, weights)
    elif found.turned or not _deeds_agree(known, new):
        return NEW
    elif _only_remarks(known, found):
        stands, why = _compatible(found, known, new, (0.0, right, shared))
        stands = stands if stands == "same" else "new"
    else:
        stands, why = _compatible(found, known, new, weights)
    if new.also and stands != "same":
        return NEW
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
    listed = found.shared & known.chosen & new.chosen
    if listed or known.modality == new.modality == "allow":
        return ""
    both_wanted = left[0] in known.affirmed and right[0] in new.affirmed
    return "name" if named and both_wanted else ""


def _only_remarks(known: Slots, found: Comparison) -> bool:
    """Whether all that the known one says alone stands in clauses that say nothing else."""
    beside = (clause for clause in known.clauses if clause & found.left)
    return bool(found.left) and not any(clause & found.shared for clause in beside)


def _against(found: Comparison, weights: tuple[float, float, float]) -> tuple[Stands, str]:
    """Two that conflict, of which one may hold in a smaller place only: then both hold."""
    left, right, shared = weights
    why = found.why or ""
    if right > SPARE_WORDS or found.added & (_NAMING | {"exception"}):
        return "new", "exception"
    if left > max(shared, 1.0) or (left > SPARE_WORDS and why in {"polarity", "modality"}):
        return "new", ""
    if not found.shared and left:
        return "new", ""
    return "against", why


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
        firmer = "modality" in found.added and new.modality in {"require", "forbid"}
        return _same_words(lost, gained, firmer=firmer, reason=reason)
    if left <= SPARE_WORDS:
        enough = shared >= REFINED_WORDS and right <= shared * BROADER_SHARE
        if lost or not enough or _narrows_a_ban(found, new):
            return "new", ""
        return "refines", next(iter(sorted(gained)), "words")
    covered = shared >= RESTATED_WORDS and shared >= NARROWER_SHARE * (shared + left)
    if gained or not covered or lost & _NAMING:
        return "new", ""
    if "forbid" in {known.modality, new.modality}:
        return "new", ""
    return "same", "words"


def _same_words(
    lost: frozenset[SlotName], gained: frozenset[SlotName], *, firmer: bool, reason: bool
) -> tuple[Stands, str]:
    decides = next(iter(sorted(gained or lost)), "words")
    if lost & _NAMING or (gained and lost):
        return "new", decides
    if gained:
        return "refines", decides
    if lost:
        return "same", decides
    if firmer:
        return "refines", "modality"
    return ("refines", "reason") if reason else ("same", "words")


def _narrows_a_ban(found: Comparison, new: Slots) -> bool:
    """Whether words before the forbidden thing make it a smaller one ("force-push to main")."""
    extra = found.right & new.denied
    common = [at for at, word in enumerate(new.line) if word in found.shared]
    return bool(common) and any(word in extra for word in new.line[: common[-1]])
