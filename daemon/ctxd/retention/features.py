"""What a passage does with an item, as numbers: how much of it stands there, and which way round.

Slots decide before likeness: a number in another unit, a name in place of another, a ban without a
ban, a word with its opposite are features of their own beside the share of the words in common.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ctxd.extract.slots import slots
from ctxd.policy.retention import MEASURED_SHARE, WHOLE_SHARE
from ctxd.retention.after import After, Unit
from ctxd.retention.crossed import crossed, label_other
from ctxd.retention.force import beside, force
from ctxd.retention.matching import Match
from ctxd.retention.quantities import names, quantities
from ctxd.retention.sides import compared, sides
from ctxd.retention.sought import Sought
from ctxd.retention.tables import meanings_of
from ctxd.retention.widened import let_in, taken_in

CLASHES = (
    "conflict number", "number other", "shaped", "rival", "swapped", "counts other", "refused",
    "opposite", "then lifted",
    "has lifted", "reversed", "spelled other", "unit other", "conflict name",
    "conflict order", "crossed", "label other", "taken in", "let in", "verb denied",
)  # fmt: skip
"""Signs that a passage says something else of what it is about."""

GAPS = (
    "number gone", "number part", "ban gone", "bound gone", "every gone", "except gone", "ask gone",
    "cut",
)  # fmt: skip
"""Signs that a passage leaves out what binds."""

_MARRING = (
    *CLASHES, *GAPS, "new ban", "has foreign", "bans nothing", "bans by only", "bans by deed",
    "has weak", "has talked near",
)  # fmt: skip
"""Signs without which all words of an item say what it says."""

_SMALL = re.compile(
    r"\b(?:the|a|an|is|are|be|of|to|in|and|that|it|as|by|for|on|with|not|no|must|may)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:yesterday|last (?:run|night|week|month)|formerly|before that|scanned|took)\b",
    re.IGNORECASE,
)
"""What is told of one run, not of what shall be."""
_NOT_PLAIN = re.compile(r"[\W_]+")


def features(item: Sought, unit: Unit, found: Match, after: After) -> dict[str, float]:
    """Return what a passage does with an item."""
    theirs = slots(unit.said)
    values: dict[str, float] = {
        "share": found.share,
        "exact": found.exact,
        "words": min(len(item.weights), 12) / 12,
        "size": min(len(unit.words.stems), 40) / 40,
        "density": len(found.likeness) / max(len(unit.words.stems), 1),
        "small words": min(len(_SMALL.findall(unit.said)), 10) / 10,
        "verbatim": f" {_plain(item.text)} " in f" {_plain(unit.said)} ",
        "reported": _REPORTED.search(unit.said) is not None,
        **_whole(item, after),
        **_section(unit),
        **_parts(item, found),
        **force(item, unit, found),
        **beside(item, after.beside(unit)),
        **compared(item, unit, theirs),
        **quantities(item, unit, theirs),
        **sides(item, unit, theirs, found),
        **names(item, unit, theirs, found),
        "crossed": crossed(item.text, unit.said),
        "label other": label_other(item.text, unit.said),
        "taken in": taken_in(item, unit),
        "let in": let_in(item, unit),
    }
    return {name: float(value) for name, value in (values | _together(values)).items()}


def _together(values: Mapping[str, float]) -> dict[str, float]:
    """What several signs come to."""
    return {
        "clash": any(values[name] for name in CLASHES),
        "gaps": sum(bool(values[name]) for name in GAPS) / 3,
        "wholly": values["exact"] >= WHOLE_SHARE and not any(values[name] for name in _MARRING),
        "measured": _measured(values),
        "mild": any(values[name] for name in ("has weak near", "then weak", "weaker")),
    }


def _measured(values: Mapping[str, float]) -> bool:
    """Whether the measures of an item stand there, with what is measured and nothing against it."""
    whole = values["measures kept"] and values["share"] >= MEASURED_SHARE
    return bool(whole) and not any(values[name] for name in _MARRING)


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


def _parts(item: Sought, found: Match) -> dict[str, float]:
    """How well each clause that binds is covered: an item may be told by half."""
    parts = [clause.stems for clause in item.binding if clause.stems]
    shares = [sum(found.likeness.get(s, 0.0) for s in stems) / len(stems) for stems in parts]
    missing = frozenset().union(*parts) - found.likeness.keys()
    named = (item.slots.names | item.slots.identifiers) & item.weights.keys()
    strange = [stem for stem in missing if stem.isalpha() and not meanings_of(stem)]
    return {
        "first part": shares[0] if shares else 0.0,
        "worst part": min(shares, default=0.0),
        "parts": min(len(shares), 3) / 3,
        "names missing": min(len(named - found.likeness.keys()), 3) / 3,
        "strange gone": min(len(strange), 3) / 3,
    }


def _plain(text: str) -> str:
    return _NOT_PLAIN.sub(" ", text.casefold()).strip()
