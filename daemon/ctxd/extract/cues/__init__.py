"""The cues of a sentence: what they are called, and where the phrases that show them are kept.

A cue is finer than an act: "from now on" shows `permanence`, whatever the sentence does. The same
names serve every language, so that rules and features need not know which one it is.
"""

from __future__ import annotations

OPENERS = ("yes", "ok", "no", "wait", "filler", "thanks", "polite", "wish", "approval")
"""Cues after which a sentence, or a clause, is still at its beginning."""

NAMES: tuple[str, ...] = (
    *OPENERS,
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
    # What is wished.
    "preference",
    "norm",
    "suggestion",
    "deliberation",
    "instead",
    "design_order",
    "scope",
    "later",
    "goal",
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
    "indifference",
    "idiom",
    # Words, and shapes.
    "negation",
    "first_person",
    "agent_addressed",
    "operation",
    "design",
    "number",
    "label_word",
    "label",
    "question",
    "code",
    "short",
    "bare_ok",
)
"""Every cue, in the order of its bits.

`norm` says how something should be, `deliberation` asks whether it should, `reproach` is a
correction with heat, `offer` asks for leave, `idiom` uses up words that would mislead ("never
mind"), `bare_ok` is an "ok" with nothing behind it."""

BIT = {name: 1 << place for place, name in enumerate(NAMES)}


def mask(names: str) -> int:
    """Return the bits of some cues."""
    return sum(BIT[name] for name in names.split())
