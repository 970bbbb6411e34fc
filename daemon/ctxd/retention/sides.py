"""Which way round a passage says what it shares with an item: wanted, denied, or the opposite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, product

from ctxd.extract.slot_compare import compare
from ctxd.extract.slot_values import Slots
from ctxd.extract.turned_down import turned_down
from ctxd.policy.retention import COMPARED_PARTS, SWAPPED_WORDS
from ctxd.retention.after import Unit
from ctxd.retention.counted import number_key
from ctxd.retention.matching import Match
from ctxd.retention.sought import Sought
from ctxd.retention.tables import meanings_of, opposites_of, stem_of
from ctxd.retention.words import Clause

_NAMING = frozenset({"identifier", "name", "pair", "order", "place"})
_EXCEPTING = frozenset({"deny", "only", "except", "ask", "gone"})
_NOT_DONE = re.compile(
    r"\b(?:does|do|will|is|are|need|needs|would)(?:n't| not| never)(?: be)? ([a-z]{3,20})\b"
    r"(?! (?:more|less|over|until|before|unless|except|without|longer|only|any))",
    re.IGNORECASE,
)
_DENYING = frozenset({"deny", "gone"})


def sides(item: Sought, unit: Unit, theirs: Slots, found: Match) -> dict[str, float]:
    """Return how many of the common words are wanted by both or by neither, and what is turned."""
    same, turned = _agreeing(item.words.clauses, unit.words.clauses, found)
    agree, against = _opposed(item.words.clauses, unit.words.clauses)
    denied = item.slots.denied & frozenset(found.likeness)
    banned = bool(denied & (theirs.affirmed - theirs.denied))
    wanted = bool(item.slots.affirmed & theirs.denied - item.slots.denied)
    return {
        "same side": min(same, 4) / 4,
        "other side": min(turned, 4) / 4,
        "sides": (same - turned) / (same + turned + 1),
        "opposite": against > agree,
        "opposite denied": agree > against,
        "swapped": _swapped(item.words.clauses, unit.words.clauses),
        "ban kept": bool(denied & theirs.denied),
        "ban turned": banned,
        "ban unseen": bool(item.slots.denied) and not denied,
        "want denied": wanted,
        "reversed": banned and wanted,
        "verb denied": _verb_denied(item, unit),
        "want seen": bool(item.slots.affirmed & theirs.affirmed),
    }


def _verb_denied(item: Sought, unit: Unit) -> bool:
    """Whether what an item wants is what does not happen: "does not fail because of them"."""
    if item.words.cues & _EXCEPTING:
        return False
    ours = item.words.stems
    meant = item.words.meanings
    return any(
        (stem := stem_of(verb.casefold())) in ours or bool(meanings_of(stem) & meant)
        for verb in _NOT_DONE.findall(unit.said)
    )


def compared(item: Sought, unit: Unit, theirs: Slots) -> dict[str, float]:
    """Return what the comparison slot by slot finds."""
    ours, found = item.slots, compare(item.slots, theirs)
    conflicts = found.conflict
    counted = item.numbers and all(number_key(number) in unit.numbers for number in item.numbers)
    return {
        "conflict": bool(conflicts & _NAMING),
        "conflict name": bool(conflicts & {"identifier", "name"}),
        "conflict order": "order" in conflicts,
        "conflict pair": "pair" in conflicts,
        "conflict polarity": "polarity" in conflicts,
        "conflict modality": "modality" in conflicts,
        "conflict number": "number" in conflicts and not counted,
        "agree polarity": "polarity" in found.agree,
        "turned down": bool(turned_down(ours, theirs)),
        "weaker": "modality" in found.missing and theirs.modality in {"prefer", "allow"},
        "allows": theirs.modality == "allow" and ours.modality in {"forbid", "require"},
    }


def _agreeing(ours: Sequence[Clause], theirs: Sequence[Clause], found: Match) -> tuple[int, int]:
    mine, yours = _sides(ours), _sides(theirs)
    told = [
        (mine[stem], yours[stem])
        for stem in found.likeness
        if len(mine.get(stem, ())) == 1 and len(yours.get(stem, ())) == 1
    ]
    same = sum(one == other for one, other in told)
    return same, len(told) - same


def _sides(clauses: Sequence[Clause]) -> dict[str, frozenset[bool]]:
    sides: dict[str, frozenset[bool]] = {}
    for clause in clauses:
        side = frozenset({_denies(clause)})
        for stem in clause.stems:
            sides[stem] = sides.get(stem, frozenset()) | side
    return sides


def _denies(clause: Clause) -> bool:
    return bool(clause.cues & _DENYING)


def _opposed(ours: Sequence[Clause], theirs: Sequence[Clause]) -> tuple[int, int]:
    """How often a word's opposite is denied, and how often wanted, of what both are about."""
    own = _stems(ours)
    agree = against = 0
    for here, there in product(ours[:COMPARED_PARTS], theirs[:COMPARED_PARTS]):
        if not (here.stems & there.stems or here.meanings & there.meanings):
            continue
        turned = sum(
            len((opposites_of(stem) & there.stems) - own) for stem in here.stems - there.stems
        )
        if _denies(here) == _denies(there):
            against += turned
        else:
            agree += turned
    return agree, against


def _stems(clauses: Sequence[Clause]) -> frozenset[str]:
    return frozenset().union(*(clause.stems for clause in clauses))


def _swapped(ours: Sequence[Clause], theirs: Sequence[Clause]) -> bool:
    """Whether what goes together in two parts goes together crosswise in two others."""
    if len(_stems(ours) & _stems(theirs)) < SWAPPED_WORDS:
        return False
    here = [piece for clause in ours for piece in clause.pieces][:COMPARED_PARTS]
    there = [piece for clause in theirs for piece in clause.pieces][:COMPARED_PARTS]
    for one, other in combinations(here, 2):
        first, second = one - other, other - one
        for left, right in combinations(there, 2):
            if all(
                mine & yours for mine in (first, second) for yours in (left - right, right - left)
            ):
                return True
    return False
