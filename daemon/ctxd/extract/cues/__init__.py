"""Cue phrases, a file a language, and the names of the cues they show.

A cue is finer than an act: "from now on" shows `permanence`, whatever the sentence does. The same
names serve every language, so that rules and features need not know which one it is.
"""

from __future__ import annotations

from typing import NamedTuple

NAMES: tuple[str, ...] = (
    # Openers: they count where a sentence begins, and it is still at its beginning after them.
    "yes",
    "ok",
    "no",
    "wait",
    "filler",
    "thanks",
    "polite",
    "wish",
    "approval",
    # What is done to a proposal.
    "refusal",
    "rollback",
    "pick",
    "correction",
    "reproach",
    # What is to hold.
    "prohibition",
    "obligation",
    "permanence",
    "limit",
    "exception",
    "keep",
    "preference",
    "suggestion",
    "instead",
    "design_order",
    "scope",
    "later",
    # What is asked for or told.
    "order",
    "navigation",
    "question_word",
    "inquiry",
    "offer",
    "report",
    "guess",
    "expectation",
    "background",
    "example",
    "delegation",
    "status",
    # How it is said.
    "reason",
    "hedge",
    "musing",
    "unsure",
    "condition",
    "contrast",
    "evaluation",
    "complaint",
    "confusion",
    "goal",
    "indifference",
    "negation",
    "first_person",
    "agent_addressed",
    # Words of one field or the other.
    "operation",
    "design",
    # Shapes.
    "question",
    "code",
    "number",
    "label_word",
    "label",
    "short",
    "bare_ok",
)
"""Every cue, in the order of its bits."""

BIT = {name: 1 << place for place, name in enumerate(NAMES)}



def mask(names: str) -> int:
    """Return the bits of some cues."""
    return sum(BIT[name] for name in names.split())


OPENERS = ("yes", "ok", "no", "wait", "filler", "thanks", "polite", "wish", "approval")


class Language(NamedTuple):
    """The cue phrases of one language; see `ctxd.extract.cues.lexicon` for their notation."""

    opening: dict[str, str]
    """Count only where nothing but openers went before."""
    clause: dict[str, str]
    """Count where a clause begins: at the opening, after a mark, after "and" or "please"."""
    anywhere: dict[str, str]
    words: dict[str, str]
    """Single words, counted wherever they stand, also inside a phrase."""
    starters: str
    """Words after which a clause begins."""
