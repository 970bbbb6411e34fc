"""What a passage does with an item, as numbers: how much of it stands there, and which way round.

Slots decide before likeness: a number in another unit, a name in place of another, a ban without a
ban, a word with its opposite are features of their own beside the share of the words in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from ctxd.extract.slot_compare import compare, equal
from ctxd.extract.slot_numbers import Number
from ctxd.extract.slot_values import Slots
from ctxd.extract.slot_words import RIVALS, SOFT
from ctxd.extract.slots import slots
from ctxd.extract.turned_down import turned_down
from ctxd.policy.retention import TEXTS_REMEMBERED
from ctxd.retention.after import After, Unit, number_key
from ctxd.retention.words import Clause, Words, in_english, meanings_of, opposites_of, units, words

_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_BINDING = frozenset({"deny", "only", "bind", "every", "except", "ask"})


class Sought(NamedTuple):
    """One wording of an item, read once."""

    text: str
    words: Words
    slots: Slots
    weights: Mapping[str, float]
    """Content words, and how much each counts."""
    binding: tuple[Clause, ...]
    """Clauses that say what binds, without remarks."""
    digits: frozenset[str]
    numbers: tuple[Number, ...]
    """Of the clauses that bind."""


class Match(NamedTuple):
    """Which words of an item a passage has."""

    share: float
    """Of the item's words, each by its weight."""
    exact: float
    likeness: Mapping[str, float]
    """Word of the item -> how surely it stands there."""
    near: tuple[Clause, ...]
    """Clauses of the passage with any of them."""


@lru_cache(maxsize=TEXTS_REMEMBERED)
def sought(text: str) -> Sought:
    """Read one wording of an item."""
    read, parts = words(text), slots(in_english(text))
    weights: dict[str, float] = {}
    binding = _binding(read.clauses)
    for clause in read.clauses:
        heavy = 1.0 if clause in binding else 0.4 if "remark" in clause.cues else 0.6
        for stem in clause.stems:
            weight = heavy * (0.5 if stem in SOFT else 1.0)
            weight *= 0.5 if stem in parts.reasons else 1.0
            weight *= 1.5 if stem in parts.identifiers or stem in parts.names else 1.0
            weights[stem] = max(weight, weights.get(stem, 0.0))
    counted = frozenset(stem for clause in binding for stem in clause.stems if stem[0].isdigit())
    numbers = tuple(n for n in parts.numbers if _counts(n, counted))
    for number in numbers:
        weights.pop(f"{number.written:g}", None)
        if not number.denied:
            weights[number_key(number)] = 1.5
    return Sought(text, read, parts, weights, binding, counted, numbers)


def _counts(number: Number, digits: frozenset[str]) -> bool:
    """Whether a number stands in a clause that binds."""
    written = {f"{number.written:g}", f"{number.written:.1f}", f"{number.written:,.0f}"}
    return bool(written & digits) or number.unit in {"date", "clock"} or bool(number.unit and number.written < 21 and not digits)


def _binding(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """Clauses that say what holds: the first one with words, and those that bind and are no remark."""
    filled = [clause for clause in clauses if clause.stems]
    return tuple(
        clause
        for at, clause in enumerate(filled)
        if (at == 0 or clause.cues & _BINDING or any(stem[0].isdigit() for stem in clause.stems))
        and (at == 0 or "remark" not in clause.cues)
    )


def match(item: Sought, unit: Unit, after: After) -> Match:
    """Return which words of an item stand in a passage."""
    theirs, context = unit.words, words(unit.passage.context)
    total = share = exact = 0.0
    likely: dict[str, float] = {}
    for stem, weight in item.weights.items():
        weight *= 0.3 + 0.7 * after.rarity(stem)
        total += weight
        likeness = (stem in unit.numbers) if stem[0] == "#" else _likeness(stem, theirs, after)
        if likeness < 0.5 and stem in context.stems:
            likeness = 0.8
        if likeness > 0:
            likely[stem] = likeness
        if likeness >= 0.85:
            exact += weight
        share += weight * likeness
    total = total or 1.0
    return Match(share / total, exact / total, likely, _near(likely, theirs, after))


def _near(likely: Mapping[str, float], theirs: Words, after: After) -> tuple[Clause, ...]:
    meant = {after.alias(stem) for stem, likeness in likely.items() if likeness >= 0.85}
    groups = {group for stem, sure in likely.items() if sure < 0.85 for group in meanings_of(stem)}
    found = tuple(c for c in theirs.clauses if c.stems & meant)
    return found or tuple(c for c in theirs.clauses if c.meanings & groups)


def _likeness(stem: str, theirs: Words, after: After) -> float:
    if stem in theirs.stems:
        return 1.0
    if after.alias(stem) in theirs.stems:
        return 0.9
    common = meanings_of(stem) & theirs.meanings
    if not common:
        return 0.0
    return 0.1 + 0.4 * max(after.rarity("~" + name) for name in common)


def features(item: Sought, unit: Unit, found: Match, after: After) -> dict[str, float]:
    """Return what a passage does with an item."""
    theirs = slots(unit.passage.text)
    values: dict[str, float] = {
        "share": found.share,
        "exact": found.exact,
        "words": min(len(item.weights), 12) / 12,
        "size": min(len(unit.words.stems), 40) / 40,
        "density": len(found.likeness) / max(len(unit.words.stems), 1),
        **_whole(item, after),
        **_section(unit),
        **_parts(item, unit, found),
        **_force(item, unit, found),
        **_beside(item, after.beside(unit)),
        **_compared(item, unit, theirs, found),
        **_numbers(item, unit, theirs),
        **_signs(item, unit, theirs, found),
        **_rivals(item, unit, theirs, found),
    }
    values |= _together(values, unit.words.cues)
    return {name: float(value) for name, value in values.items()}


def _together(values: Mapping[str, float], cues: frozenset[str]) -> dict[str, float]:
    """What several signs come to."""
    bans = bool(values["bans"]) and "deny" not in cues
    return {
        "clash": any(values[name] for name in CLASHES),
        "bans nothing": bans and not cues & {"only", "gone", "freeze", "lacks"},
        "bans by only": bans and "only" in cues,
        "bans by deed": bans and "gone" in cues,
        "bans by ask": bans and "ask" in cues,
        "once unbound": bool(values["once near"]) and not values["binds"],
        "mild": any(values[name] for name in ("weak near", "then weak", "weaker")),
        "gaps": sum(bool(values[name]) for name in GAPS) / 3,
    }


CLASHES = (
    "conflict number", "number other", "shaped", "rival", "swapped", "counts other", "refused",
    "opposite", "then lifted", "reversed", "spelled other", "unit other", "conflict name",
    "conflict order",
)  # fmt: skip
"""Signs that a passage says something else of what it is about."""

GAPS = (
    "number gone", "number part", "ban gone", "bound gone", "every gone", "except gone", "ask gone",
    "cut",
)  # fmt: skip
"""Signs that a passage leaves out what binds."""


def _whole(item: Sought, after: After) -> dict[str, float]:
    """How much of the item stands anywhere in the texts."""
    total = sum(item.weights.values()) or 1.0
    said = sum(weight for stem, weight in item.weights.items() if after.has(stem))
    meant = sum(weight for s, weight in item.weights.items() if not after.has(s) and after.means(s))
    numbers = [stem for stem in item.weights if stem[0] == "#"]
    named = [s for s in item.weights if s in item.slots.names or s in item.slots.identifiers]
    return {
        "whole share": said / total,
        "whole meant": (said + meant) / total,
        "whole number gone": bool(numbers) and not any(map(after.has, numbers)),
        "whole name gone": any(not after.has(stem) for stem in named),
    }


def _section(unit: Unit) -> dict[str, float]:
    section = unit.passage.section
    return {
        "cut": unit.passage.cut,
        "in said": section == "said",
        "in rules": section == "rules",
        "in deeds": section in {"done", "files", "tools"},
        "in todo": section in {"todo", "now"},
    }


def _parts(item: Sought, unit: Unit, found: Match) -> dict[str, float]:
    """How well each clause that binds is covered: an item may be told by half."""
    shares = [
        sum(found.likeness.get(stem, 0.0) for stem in clause.stems) / len(clause.stems)
        for clause in item.binding
        if clause.stems
    ]
    named = item.slots.names | item.slots.identifiers
    missing = [stem for stem in item.weights if stem in named and stem not in found.likeness]
    strange = [
        stem
        for clause in item.binding
        for stem in clause.stems
        if stem not in found.likeness and not meanings_of(stem) and stem.isalpha()
    ]
    return {
        "strange gone": min(len(strange), 3) / 3,
        "verbatim": _plain(item.text) in _plain(unit.passage.text),
        "first part": shares[0] if shares else 0.0,
        "worst part": min(shares, default=0.0),
        "parts": min(len(shares), 3) / 3,
        "names missing": min(len(missing), 3) / 3,
    }


_NOT_PLAIN = re.compile(r"[^a-z0-9]+")


def _plain(text: str) -> str:
    return _NOT_PLAIN.sub(" ", text.casefold()).strip()


def _force(item: Sought, unit: Unit, found: Match) -> dict[str, float]:
    """What binds, bounds, loosens or merely tells, here and there."""
    near = _union(clause.cues for clause in found.near)
    ours, theirs = item.words.cues, unit.words.cues
    bans = not ("ask" in ours and "ask" in theirs) and "deny" in ours or (item.slots.modality == "forbid" and "ask" not in ours)
    bounds = bool(ours & {"deny", "only"})
    closes = {"deny", "only", "gone", "freeze"}
    tells = bool(theirs & {"once", "gone"}) and not theirs & {"stay", "bind"}
    return {
        "bans": bans,
        "bounds": bounds,
        "ban gone": bans and not theirs & closes,
        "ban near": bans and bool(near & closes),
        "bound gone": bounds and not bans and not theirs & {"only", "deny"},
        "new ban": not bounds and "deny" in near,
        "softer": bool(theirs & {"soft"}) and "soft" not in ours,
        "softer near": bool(near & {"soft"}) and "soft" not in ours,
        "freeze near": "freeze" in near,
        "freezes": "freeze" in theirs,
        "so far": "sofar" in theirs and "sofar" not in ours,
        "so far near": "sofar" in near and "sofar" not in ours,
        "lacks near": "lacks" in near,
        "small words": min(_small_words(unit.passage.text), 10) / 10,
        "weak": "weak" in theirs and "weak" not in ours,
        "weak near": "weak" in near and "weak" not in ours,
        "lifted": "lifted" in theirs and "lifted" not in ours,
        "talked near": "talked" in near and "talked" not in ours,
        "once near": "once" in near and not near & {"stay", "bind", "deny", "only"},
        "deny near": "deny" in near,
        "only near": "only" in near,
        "gone near": "gone" in near and "gone" not in ours,
        "permit near": "permit" in near and "permit" not in ours,
        "stay near": "stay" in near,
        "bind near": "bind" in near,
        "ask near": "ask" in near,
        "item only": "only" in ours,
        "item except": "except" in ours,
        "item ask": "ask" in ours,
        "item weak": "weak" in ours,
        "talked": "talked" in theirs and "talked" not in ours,
        "revoked": "revoked" in theirs and "revoked" not in ours,
        "permits": bans and "permit" in near and not near & {"deny", "only"},
        "tells": tells and not theirs & {"deny", "only"},
        "tells deeds": tells and bool(theirs & {"once"}),
        "binds": bool(theirs & {"bind", "stay", "deny", "only", "every"}),
        "foreign": "foreign" in theirs and "foreign" not in ours,
        "wrong": "wrong" in theirs,
        "except gone": "except" in ours and not theirs & {"except", "only", "ask"},
        "except new": "except" in theirs and "except" not in ours,
        "ask gone": "ask" in ours and "ask" not in theirs,
        "every gone": "every" in ours and not theirs & {"every", "deny", "only"},
    }


def _beside(item: Sought, cues: frozenset[str]) -> dict[str, float]:
    return {
        "then lifted": "lifted" in cues and "lifted" not in item.words.cues,
        "then weak": "weak" in cues and "weak" not in item.words.cues,
        "then bans": "deny" in cues and "deny" in item.words.cues,
        "then only": "only" in cues and "only" in item.words.cues,
    }


def _compared(item: Sought, unit: Unit, theirs: Slots, found: Match) -> dict[str, float]:
    ours = item.slots
    compared = compare(ours, theirs)
    conflicts = compared.conflict
    named = conflicts & {"identifier", "name", "pair", "order", "place"}
    return {
        "conflict": len(named) > 0,
        "conflict name": bool(conflicts & {"identifier", "name"}),
        "conflict order": bool(conflicts & {"order"}),
        "conflict pair": bool(conflicts & {"pair"}),
        "conflict polarity": "polarity" in conflicts,
        "conflict modality": "modality" in conflicts,
        "conflict number": "number" in conflicts
        and not (
            item.numbers and all(number_key(number) in unit.numbers for number in item.numbers)
        ),
        "agree polarity": "polarity" in compared.agree,
        "turned down": bool(turned_down(ours, theirs)),
        "weaker": "modality" in compared.missing and theirs.modality in {"prefer", "allow"},
        "allows": theirs.modality == "allow" and ours.modality in {"forbid", "require"},
    }


def _numbers(item: Sought, unit: Unit, theirs: Slots) -> dict[str, float]:
    ours = [number for number in item.numbers if not number.denied]
    down = [number for number in item.numbers if number.denied]
    same = [
        number
        for number in ours
        if number_key(number) in unit.numbers or any(equal(number, other) for other in theirs.numbers)
    ]
    digits = frozenset(_DIGITS.findall(unit.passage.text))
    counted = len(ours) + len(item.digits)
    hits = len(same) + len(item.digits & digits)
    others = bool(digits - item.digits) or len(theirs.numbers) > len(same)
    return {
        "has number": bool(ours),
        "number kept": hits / counted if counted else 0.0,
        "number gone": bool(ours) and not hits,
        "number other": bool(ours) and not hits and others,
        "unit other": _unit_other(item.text, unit.passage.text),
        "number part": bool(ours) and len(same) < len(ours),
        "refused": any(equal(n, m) for n in down for m in theirs.numbers if not m.denied),
    }


_MEASURE = re.compile(r"(\d+(?:[.,]\d+)?) ?-?((?:km/h|°[cf]|[a-zµ%€£$°]+))", re.IGNORECASE)


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


def _signs(item: Sought, unit: Unit, theirs: Slots, found: Match) -> dict[str, float]:
    """How many of the common words are wanted by both or by neither, and how many opposites."""
    ours, others = _sides(item.words.clauses), _sides(unit.words.clauses)
    same = turned = 0
    for stem in found.likeness:
        if len(ours.get(stem, ())) == 1 and len(others.get(stem, ())) == 1:
            if ours[stem] == others[stem]:
                same += 1
            else:
                turned += 1
    agree, against = _opposed(item.words.clauses, unit.words.clauses)
    denied = item.slots.denied & frozenset(found.likeness)
    return {
        "same side": min(same, 4) / 4,
        "other side": min(turned, 4) / 4,
        "sides": (same - turned) / (same + turned + 1),
        "opposite": against > agree,
        "opposite denied": agree > against,
        "swapped": _swapped(item.words.clauses, unit.words.clauses),
        "ban kept": bool(denied & theirs.denied),
        "ban turned": bool(denied & (theirs.affirmed - theirs.denied)),
        "ban unseen": bool(item.slots.denied) and not denied,
        "want denied": bool(item.slots.affirmed & theirs.denied - item.slots.denied),
        "reversed": bool(denied & theirs.affirmed - theirs.denied)
        and bool(item.slots.affirmed & theirs.denied - item.slots.denied),
        "want seen": bool(item.slots.affirmed & theirs.affirmed),
    }


def _opposed(ours: Sequence[Clause], theirs: Sequence[Clause]) -> tuple[int, int]:
    """How often a word's opposite is denied, and how often it is wanted, of what both are about."""
    agree = against = 0
    for clause in ours:
        for stem in clause.stems:
            for other in opposites_of(stem) - clause.stems:
                for there in theirs:
                    if other not in there.stems or stem in there.stems:
                        continue
                    anchors = (clause.stems & there.stems) or (clause.meanings & there.meanings)
                    if not anchors:
                        continue
                    if _denies(clause) == _denies(there):
                        against += 1
                    else:
                        agree += 1
    return agree, against


def _denies(clause: Clause) -> bool:
    return bool(clause.cues & {"deny", "gone"})


_SMALL = re.compile(r"\b(?:the|a|an|is|are|be|of|to|in|and|that|it|as|by|for|on|with|not|no|must|may)\b", re.IGNORECASE)


def _small_words(text: str) -> int:
    return len(_SMALL.findall(text))


def _sides(clauses: Sequence[Clause]) -> dict[str, frozenset[bool]]:
    sides: dict[str, frozenset[bool]] = {}
    for clause in clauses:
        side = frozenset({bool(clause.cues & {"deny", "gone"})})
        for stem in clause.stems:
            sides[stem] = sides.get(stem, frozenset()) | side
    return sides


def _swapped(ours: Sequence[Clause], theirs: Sequence[Clause]) -> bool:
    """Whether what goes together in two parts goes together crosswise in two others."""
    here = [piece for clause in ours for piece in clause.pieces][:8]
    there = [piece for clause in theirs for piece in clause.pieces][:14]
    for one, other in combinations(here, 2):
        first, second = one - other, other - one
        for left, right in combinations(there, 2):
            a, b = left - right, right - left
            if first & a and second & a and first & b and second & b:
                together = len(first & a) + len(second & b), len(first & b) + len(second & a)
                if not ((first & a) and (first & b) and together[0] == together[1] == 0):
                    return True
    return False


def _rivals(item: Sought, unit: Unit, theirs: Slots, found: Match) -> dict[str, float]:
    """Names and values that stand in the place of those of the item."""
    ours = [s for s in item.slots.affirmed if s in RIVALS and s not in found.likeness]
    rival = any(
        RIVALS[stem] & RIVALS.get(other, frozenset())
        for stem in ours
        for other in unit.words.stems - item.words.stems
    )
    mine, yours = _shapes(item.text), _shapes(unit.passage.text)
    shaped = any(
        mine[shape].isdisjoint(yours[shape]) for shape in mine.keys() & yours.keys()
    )
    return {
        "rival": rival,
        "shaped": shaped,
        "names new": min(len(theirs.names - item.words.stems - item.slots.words), 4) / 4,
        "name other": bool(item.slots.chosen - theirs.words)
        and bool(theirs.chosen - item.slots.words),
        "counts other": _counts_other(item, unit),
        "spelled other": _spelled_other(item.text, unit.passage.text),
    }


_NAMED = re.compile(r"\b[a-z]+(?:[A-Z][A-Za-z0-9]*)+\b|\b[A-Za-z]+_[A-Za-z0-9_]+\b")


def _spelled_other(ours: str, theirs: str) -> bool:
    """Whether a name in code is not there, but another one that is spelled nearly alike."""
    known = set(_NAMED.findall(theirs))
    return any(
        name not in theirs.replace(other, "") and name not in known
        for name in _NAMED.findall(ours)
        for other in known
        if name != other and name[:5].casefold() == other[:5].casefold() and abs(len(name) - len(other)) <= 3
    )


_COUNTED = re.compile(r"(\d+(?:[.,]\d+)*) ?(?:x ?\d+ )?([a-z]{3,})", re.IGNORECASE)


def _counts_other(item: Sought, unit: Unit) -> bool:
    """Whether a number of the item counts something else."""
    ours = {n: _only_stem(noun) for n, noun in _COUNTED.findall(item.text)}
    theirs = {n: _only_stem(noun) for n, noun in _COUNTED.findall(unit.passage.text)}
    return any(
        mine and yours and mine != yours and not (meanings_of(mine) & meanings_of(yours))
        for number, mine in ours.items()
        if (yours := theirs.get(number)) is not None
        if mine not in unit.words.stems and yours not in item.words.stems
    )


def _only_stem(word: str) -> str:
    return next(iter(words(word).stems), "")


_SHAPED = re.compile(r"[A-Za-z0-9]+(?:[-_./:][A-Za-z0-9]+)+|0x[0-9A-Fa-f]+|v\d+|[A-Za-z]+\d+")
_RUN = re.compile(r"[a-z]+|\d+")


def _shapes(text: str) -> dict[str, set[str]]:
    """Identifiers with digits by their build: `eu-west-1` is built like `eu-north-1`."""
    shapes: dict[str, set[str]] = {}
    for name in _SHAPED.findall(text):
        low = name.casefold()
        if low.startswith("0x"):
            shapes.setdefault("0x", set()).add(low)
        elif any(sign.isdigit() for sign in low) and any(sign.isalpha() for sign in low):
            shape = _RUN.sub(lambda run: run[0][:2] if len(run[0]) < 3 and run[0].isalpha() else "a" if run[0][0].isalpha() else "0", low)
            shapes.setdefault(shape, set()).add(low)
    return shapes


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)
