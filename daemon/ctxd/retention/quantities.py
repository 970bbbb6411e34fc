"""Numbers, units and names: whether a passage has those of an item, or others in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxd.extract.slot_compare import equal
from ctxd.extract.slot_numbers import Number
from ctxd.extract.slot_values import Slots
from ctxd.extract.slot_words import LABELLED, RIVALS
from ctxd.policy.retention import ALIKE_LETTERS, ALIKE_START
from ctxd.retention.after import Unit
from ctxd.retention.counted import number_key
from ctxd.retention.matching import Match
from ctxd.retention.sought import Sought
from ctxd.retention.tables import meanings_of, units
from ctxd.retention.words import words

_AGAINST = frozenset({"deny", "gone", "talked", "lifted"})
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_MEASURE = re.compile(r"(\d+(?:[.,]\d+)?) ?-?((?:km/h|°[cf]|[a-zµ%€£$°]+))", re.IGNORECASE)
_COUNTED = re.compile(
    r"(?:([a-z]+) )?(?<![a-z\d.])(\d+(?:[.,]\d+)*) ?(?:x ?\d+ )?([a-z]{3,})", re.IGNORECASE
)
_NAMED = re.compile(r"\b[a-z]+(?:[A-Z][A-Za-z0-9]*)+\b|\b[A-Za-z]+_[A-Za-z0-9_]+\b")
_SHAPED = re.compile(r"[A-Za-z0-9]+(?:[-_./:][A-Za-z0-9]+)+|0x[0-9A-Fa-f]+|v\d+|[A-Za-z]+\d+")
_RUN = re.compile(r"[a-z]+|\d+")


def quantities(item: Sought, unit: Unit, theirs: Slots) -> dict[str, float]:
    """Return whether the numbers of an item stand in a passage."""
    ours = [number for number in item.numbers if not number.denied]
    down = [number for number in item.numbers if number.denied]
    same = [
        number
        for number in ours
        if number_key(number) in unit.numbers or any(equal(number, n) for n in theirs.numbers)
    ]
    measured = [number for number in ours if number.unit or number.per]
    digits = frozenset(_DIGITS.findall(unit.said))
    known = len(ours) + len(item.digits)
    hits = len(same) + len(item.digits & digits)
    others = bool(digits - item.digits) or len(theirs.numbers) > len(same)
    return {
        "has number": bool(ours),
        "number kept": hits / known if known else 0.0,
        "measures kept": bool(measured) and all(number in same for number in measured),
        "number gone": bool(ours) and not hits,
        "number other": bool(ours) and not hits and others,
        "number part": bool(ours) and len(same) < len(ours),
        "refused": any(
            equal(n, m) and not _ruled_out(n, unit)
            for n in down
            for m in theirs.numbers
            if not m.denied
        ),
        "unit other": _unit_other(item.text, unit.said),
        "counts other": _counts_other(item, unit),
    }


def _ruled_out(number: Number, unit: Unit) -> bool:
    """Whether a clause with a number says that it is out."""
    digits = f"{number.written:g}"
    return any(digits in one.stems and one.cues & _AGAINST for one in unit.words.clauses)


def names(item: Sought, unit: Unit, theirs: Slots, found: Match) -> dict[str, float]:
    """Return whether names stand in a passage in the place of those of an item."""
    ours = [s for s in item.slots.affirmed if s in RIVALS and s not in found.likeness]
    others = unit.words.stems - item.words.stems
    mine, yours = _shapes(item.text), _shapes(unit.said)
    strangers = theirs.names - item.words.stems - item.slots.words
    left, came = item.slots.chosen - theirs.words, theirs.chosen - item.slots.words
    return {
        "rival": any(RIVALS[s] & RIVALS.get(other, frozenset()) for s in ours for other in others),
        "shaped": any(mine[s].isdisjoint(yours[s]) for s in mine.keys() & yours.keys()),
        "spelled other": _spelled_other(item.text, unit.said),
        "names new": min(len(strangers), 4) / 4,
        "name other": bool(left and came),
    }


def _unit_other(ours: str, theirs: str) -> bool:
    """Whether a number is given in another unit, and in that of the item nowhere."""
    mine, yours = _measures(ours), _measures(theirs)
    return any(mine[n].isdisjoint(yours[n]) for n in mine.keys() & yours.keys())


def _measures(text: str) -> dict[str, set[str]]:
    known, found = units(), dict[str, set[str]]()
    for number, unit in _MEASURE.findall(text):
        if (name := known.get(unit.casefold())) is not None:
            found.setdefault(number.replace(",", ""), set()).add(name)
    return found


def _counts_other(item: Sought, unit: Unit) -> bool:
    """Whether a number of the item counts something else."""
    theirs = dict(_nouns(unit.said))
    for number, mine in _nouns(item.text):
        yours = theirs.get(number, "")
        apart = mine and yours and mine != yours and not meanings_of(mine) & meanings_of(yours)
        if apart and mine not in unit.words.stems and yours not in item.words.stems:
            return True
    return False


def _nouns(text: str) -> Iterator[tuple[str, str]]:
    """Yield numbers and what they count; behind some words a number is a name ("level 2")."""
    for before, number, noun in _COUNTED.findall(text):
        if before.casefold() not in LABELLED:
            yield number, _stem(noun)


def _stem(word: str) -> str:
    return next(iter(words(word).stems), "")


def _spelled_other(ours: str, theirs: str) -> bool:
    """Whether a name in code is not there, but another one that is spelled nearly alike."""
    known = set(map(str.casefold, _NAMED.findall(theirs)))
    text = theirs.casefold()
    return any(
        _nearly(name, other) and name not in text.replace(other, "")
        for name in set(map(str.casefold, _NAMED.findall(ours))) - known
        for other in known
    )


def _nearly(name: str, other: str) -> bool:
    return (
        name[:ALIKE_START] == other[:ALIKE_START] and abs(len(name) - len(other)) <= ALIKE_LETTERS
    )


def _shapes(text: str) -> dict[str, set[str]]:
    """Identifiers with digits by their build: `eu-west-1` is built like `eu-north-1`."""
    shapes: dict[str, set[str]] = {}
    for name in map(str.casefold, _SHAPED.findall(text)):
        if name.startswith("0x"):
            shapes.setdefault("0x", set()).add(name)
        elif any(map(str.isdigit, name)) and any(map(str.isalpha, name)):
            shapes.setdefault(_RUN.sub(_run, name), set()).add(name)
    return shapes


def _run(run: re.Match[str]) -> str:
    """A run of letters or digits as a sign; one or two letters stand for themselves."""
    if run[0].isdigit():
        return "0"
    return run[0] if len(run[0]) <= 2 else "a"  # noqa: PLR2004
