"""Whether an item is still stated after a compaction.

Passages that share content with the item are looked at closely, slot by slot: numbers with their
units, names, polarity and force, exceptions, opposites; two small forests weigh what was found. One
says which passage decides, one what that passage says of the item. Likeness alone decides nothing.

Words of another language are put into English where they are known. What is not known counts as
missing, so an item in a language without a table is rather `lost` than `changed`: it is told again,
which costs a line, while a false contradiction would be a lie about what the agent wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxd.policy.retention import (
    CLASHING_SHARE,
    DECIDING_PASSAGES,
    DECIDING_POWER,
    KEPT_SHARE,
    QUOTE_WORDS,
    QUOTED_SHARE,
    THIN,
    THIN_SHARE,
    THIN_WORDS,
    VERBATIM,
)
from ctxd.retention.after import After
from ctxd.retention.candidates import Candidate, candidates
from ctxd.retention.forest import Model, shipped
from ctxd.retention.sought import Sought, sought
from ctxd.retention.values import Answer, Stated, Verdict

__all__ = ["After", "judge"]

_ANSWERS: tuple[Answer, ...] = ("changed", "weakened", "lost")


def judge(item: Stated, after: After, model: Model | None = None) -> Verdict:
    """Return whether an item is stated in what stands after a compaction.

    Of several wordings the one counts that is most surely kept.
    """
    if after.is_empty:
        return Verdict("unknown", why="nothing to read")
    weighing = model or shipped()
    found = _judged(sought(item.text), after, weighing)
    for quote in map(sought, item.quotes):
        if found.verdict.answer == "kept":
            break
        if len(quote.weights) >= QUOTE_WORDS:
            other = _judged(quote, after, weighing)
            if other.share >= QUOTED_SHARE:
                found = max(found, other, key=lambda one: one.kept)
    return found.verdict


class _Judged(NamedTuple):
    kept: float
    share: float
    verdict: Verdict


def _judged(item: Sought, after: After, model: Model) -> _Judged:
    found = candidates(item, after)
    if not found:
        return _Judged(0.0, 0.0, Verdict("lost", why="not mentioned"))
    sure = [(model.deciding.shares(one.features)["yes"], -at) for at, one in enumerate(found)]
    found = [found[-at] for _, at in sorted(sure, reverse=True)[:DECIDING_PASSAGES]]
    weights = [yes**DECIDING_POWER for yes, _ in sorted(sure, reverse=True)[:DECIDING_PASSAGES]]
    shares = [model.judging.shares(one.features) for one in found]
    total = sum(weights) or 1.0
    mixed: dict[Answer, float] = {
        answer: sum(w * share.get(answer, 0.0) for w, share in zip(weights, shares, strict=True))
        / total
        for answer in ("kept", *_ANSWERS)
    }
    best = found[0]
    if len(item.weights) >= THIN_WORDS and best.match.share < THIN_SHARE:
        mixed["kept"] *= THIN
    mixed["kept"] *= min(
        (weight for name, weight in VETOES if best.features.get(name)), default=1.0
    )
    if all(best.features.get(name) for name in ASKING) and best.match.share >= CLASHING_SHARE:
        mixed["kept"] = max(mixed["kept"], KEPT_SHARE)
    if best.features.get("verbatim") and not any(best.features.get(name) for name in REVOKED):
        mixed["kept"] = max(mixed["kept"], VERBATIM)
    if mixed["kept"] >= KEPT_SHARE:
        return _Judged(mixed["kept"], best.match.share, _verdict("kept", best))
    answer = _alarm(mixed, best)
    return _Judged(mixed["kept"], best.match.share, _verdict(answer, best))


def _alarm(mixed: dict[Answer, float], best: Candidate) -> Answer:
    """Which of the answers that are none of `kept`: what clashes is changed."""
    if best.features.get("clash") and best.match.share >= CLASHING_SHARE:
        return "changed"
    return max(_ANSWERS, key=mixed.__getitem__)


ASKING = ("item ask", "near ask", "binds")
"""To have to ask before something is kept by whoever has to ask, in whatever words."""

REVOKED = ("then lifted", "has lifted", "cut", "has foreign", "wrong")
"""What undoes a statement that stands there word for word."""

VETOES = (("clash", 0.4), ("has weak near", 0.6), ("cut", 0.3), ("number gone", 0.7),
    ("once unbound", 0.7))
"""What a passage that decides may hardly do and still keep an item, and what that leaves of it."""


def _verdict(answer: Answer, of: Candidate) -> Verdict:
    return Verdict(
        answer, of.unit.passage.text, of.unit.of.kind, of.unit.of.name, _why(of.features)
    )


_REASONS: Sequence[tuple[str, str]] = (
    ("conflict number", "number"), ("number other", "number"), ("rival", "name"),
    ("shaped", "identifier"), ("conflict", "name"), ("opposite", "opposite"),
    ("turned down", "turned down"), ("ban gone", "polarity"), ("except gone", "exception"),
    ("has weak near", "modality"), ("unit other", "unit"),
    ("then lifted", "taken back"), ("number gone", "number"), ("cut", "cut off"),
)  # fmt: skip


def _why(values: dict[str, float]) -> str:
    return next((why for name, why in _REASONS if values.get(name)), "words")
