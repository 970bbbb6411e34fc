"""What binds, bounds, loosens or merely reports, in an item and in a passage about it."""

from __future__ import annotations

import re
from itertools import chain

from ctxd.retention.after import Unit
from ctxd.retention.matching import Match
from ctxd.retention.sought import Sought

_GAINED = (
    "weak", "soft", "talked", "lifted", "revoked", "foreign", "sofar", "permit", "gone", "except",
)  # fmt: skip
"""Cues that tell most where the item itself has none of them."""
_NEAR = ("deny", "only", "freeze", "lacks", "stay", "bind", "ask")
_OURS = ("only", "except", "ask", "weak")
_CLOSING = frozenset({"deny", "only", "gone", "freeze"})
"""Cues by which a passage may say what is not to be."""


_BOUND = re.compile(
    r"\b(?:no|not|never|nothing|nobody|none)\b(?: [a-z]{2,12}){0,6}? (?:more|less|longer|fewer|"
    r"over|above|under|below|higher|lower|faster|slower|later|earlier|larger|bigger|smaller|older)\b",
    re.IGNORECASE,
)
_BOUNDS = re.compile(
    r"\b(?:under|below|above|over|at (?:most|least)|max|min|maximum|minimum|up to|within|limit|"
    r"limits|limited|cap|caps|capped|more|less|fewer|longer|ceiling|floor|highest|lowest|"
    r"exceed|exceeds|shorter|thinner|latest|once|per)\b|[<>≤≥]",
    re.IGNORECASE,
)


def bounds_alike(item: Sought, unit: Unit) -> bool:
    """Whether "no more than 20" is told by a limit without a ban: "stays under 20"."""
    counted = any(stem[0] == "#" and stem in unit.numbers for stem in item.weights)
    return counted and bool(_BOUND.search(item.text)) and bool(_BOUNDS.search(unit.said))


def force(item: Sought, unit: Unit, found: Match) -> dict[str, float]:
    """Return how firmly a passage says what an item binds."""
    near = frozenset(chain.from_iterable(clause.cues for clause in found.near))
    ours, theirs = item.words.cues, unit.words.cues
    values: dict[str, float] = {f"near {cue}": cue in near for cue in _NEAR}
    values |= {f"item {cue}": cue in ours for cue in _OURS}
    for cue in _GAINED:
        values[f"has {cue}"] = cue in theirs and cue not in ours
        values[f"has {cue} near"] = cue in near and cue not in ours
    limits = frozenset({"deny"}) if bounds_alike(item, unit) else frozenset[str]()
    bans = _bans(item, near | limits, theirs | limits)
    return values | bans | _tells(near, theirs) | _gone(ours, theirs)


def beside(item: Sought, cues: frozenset[str]) -> dict[str, float]:
    """Return what the sentences behind a passage do to it."""
    ours = item.words.cues
    return {
        "then lifted": "lifted" in cues and "lifted" not in ours,
        "then weak": "weak" in cues and "weak" not in ours,
        "then bans": "deny" in cues and "deny" in ours,
        "then only": "only" in cues and "only" in ours,
    }


def _bans(item: Sought, near: frozenset[str], theirs: frozenset[str]) -> dict[str, float]:
    ours = item.words.cues
    asks = "ask" in ours and "ask" in theirs
    forbids = item.slots.modality == "forbid" and "ask" not in ours
    bans = ("deny" in ours and not asks) or forbids
    bounds = bool(ours & {"deny", "only"})
    silent = bans and "deny" not in theirs
    return {
        "bans": bans,
        "bounds": bounds,
        "ban gone": bans and not theirs & _CLOSING,
        "ban near": bans and bool(near & _CLOSING),
        "bound gone": bounds and not bans and not theirs & {"only", "deny"},
        "new ban": not bounds and "deny" in near,
        "permits": bans and "permit" in near and not near & {"deny", "only"},
        "bans nothing": silent and not theirs & {"only", "gone", "freeze", "lacks"},
        "bans by only": silent and "only" in theirs,
        "bans by deed": silent and "gone" in theirs,
        "bans by ask": silent and "ask" in theirs,
    }


def _tells(near: frozenset[str], theirs: frozenset[str]) -> dict[str, float]:
    """Whether a passage reports what happened, and does not say what holds."""
    tells = bool(theirs & {"once", "gone"}) and not theirs & {"stay", "bind"}
    once = "once" in near and not near & {"stay", "bind", "deny", "only"}
    binds = bool(theirs & {"bind", "stay", "deny", "only", "every"})
    return {
        "tells": tells and not theirs & {"deny", "only"},
        "tells deeds": tells and "once" in theirs,
        "once near": once,
        "once unbound": once and not binds,
        "binds": binds,
        "freezes": "freeze" in theirs,
        "wrong": "wrong" in theirs,
    }


def _gone(ours: frozenset[str], theirs: frozenset[str]) -> dict[str, float]:
    return {
        "except gone": "except" in ours and not theirs & {"except", "only", "ask"},
        "ask gone": "ask" in ours and "ask" not in theirs,
        "every gone": "every" in ours and not theirs & {"every", "deny", "only"},
    }
