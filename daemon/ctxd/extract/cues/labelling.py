"""The words around the options that an answer picks; `phrases/labels.toml` tells what each is."""

from __future__ import annotations

from ctxd.extract.cues.tables import phrases

_TABLE = phrases("labels")


def _set(name: str) -> frozenset[str]:
    return frozenset(_TABLE[name].split())


def _labels(name: str, separator: str | None = None) -> dict[str, str]:
    """Return word -> label."""
    pairs = ((label, text.split(separator)) for label, text in _TABLE[name].items())
    return {word.strip(): label for label, words in pairs for word in words}


OPENING = _set("opening")
LEADING = _set("leading")
DROPPING = _set("dropping")
STOPS = _set("stops")
JOINING = _set("joining")
ARTICLES = _set("articles")
KINDS = _set("kinds")
OF_THEM = _set("of_them")
NARROWING = _set("narrowing")
JUDGING = _set("judging")
PRAISE = _set("praise")
TRAILING = _set("trailing")
NUMBERS = _labels("numbers")
ORDINALS = _labels("ordinals")
GROUPS = _labels("groups")
PAIRS = _labels("pairs", ";")
DENSE = {word: f" {plain} " for word, plain in _labels("dense").items()}
