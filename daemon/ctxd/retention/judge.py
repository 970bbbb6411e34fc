"""Whether an item is still stated after a compaction.

Passages that share content with the item are looked at closely, slot by slot: numbers with their
units, names, polarity and force, exceptions, opposites; two small forests weigh what was found. One
says which passage decides, one what that passage says of the item. Likeness alone decides nothing.

Words of another language are put into English where they are known. What is not known counts as
missing, so an item in a language without a table is rather `lost` than `changed`: it is told again,
which costs a line, while a false contradiction would be a lie about what the agent wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ctxd.policy.retention import (
    BARE_SHARE,
    CHANGED_SHARE,
    CLASHING_SHARE,
    COUNTING_SHARE,
    DECIDING_PASSAGES,
    DECIDING_POWER,
    KEPT_SHARE,
    LEANING,
    QUOTE_WORDS,
    QUOTED_SHARE,
    THIN,
    THIN_SHARE,
    THIN_WORDS,
    VERBATIM,
    VERBATIM_WORDS,
    VETOES,
)
from ctxd.retention.after import After
from ctxd.retention.candidates import Candidate, candidates
from ctxd.retention.features import CLASHES
from ctxd.retention.forest import Model, shipped
from ctxd.retention.opposed import opposed
from ctxd.retention.sought import Sought, sought
from ctxd.retention.values import Answer, Stated, Verdict

__all__ = ["After", "judge"]


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
        if len(quote.weights) >= VERBATIM_WORDS:
            other = _judged(quote, after, weighing)
            whole = len(quote.weights) >= QUOTE_WORDS or other.kept >= VERBATIM
            if whole and other.share >= QUOTED_SHARE:
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
    likely, best = _weighed(found, model)
    if not _hearsay(best.features):
        against = opposed(item, best.unit.said, best.match)
        if against:
            unit = best.unit
            verdict = Verdict("changed", unit.passage.text, unit.of.kind, unit.of.name, against)
            return _Judged(0.0, best.match.share, verdict)
    kept = _kept(likely["kept"], item, best)
    answer = "kept" if kept >= KEPT_SHARE else _dropped(likely, best)
    return _Judged(kept, best.match.share, _verdict(answer, best))


def _weighed(found: Sequence[Candidate], model: Model) -> tuple[dict[str, float], Candidate]:
    """How likely each answer is, and the passage that decides."""
    sure = [(model.deciding.shares(one.features)["yes"], -at) for at, one in enumerate(found)]
    first = [(yes**DECIDING_POWER, found[-at]) for yes, at in sorted(sure, reverse=True)]
    told = [
        (weight, model.judging.shares(one.features)) for weight, one in first[:DECIDING_PASSAGES]
    ]
    total = sum(weight for weight, _ in told) or 1.0
    likely = {
        answer: sum(weight * shares[answer] for weight, shares in told) / total
        for answer in model.judging.answers
    }
    return likely, first[0][1]


def _kept(likely: float, item: Sought, best: Candidate) -> float:
    """How likely an item is kept, after what the passage that decides may not do."""
    share, signs = best.match.share, best.features
    if len(item.weights) >= THIN_WORDS and share < THIN_SHARE:
        likely *= THIN
    likely *= min((left for name, left in VETOES.items() if signs[name]), default=1.0)
    if all(signs[name] for name in _ASKING) and share >= CLASHING_SHARE:
        likely = max(likely, KEPT_SHARE)
    if signs["wholly"] or signs["measured"]:
        likely = max(likely, KEPT_SHARE)
    if signs["verbatim"] and not any(signs[name] for name in _REVOKED):
        likely = max(likely, VERBATIM)
    return likely


def _dropped(likely: Mapping[str, float], best: Candidate) -> Answer:
    """Which of the other answers: what clashes is changed, what is softer weakened."""
    share, signs = best.match.share, best.features
    if signs["cut"] or share < BARE_SHARE:
        return "lost"
    if _contradicts(best) and share >= CLASHING_SHARE:
        return "changed"
    if any(signs[name] for name in _SOFTENING):
        return "weakened"
    told = signs["reported"] or _hearsay(signs)
    if told or likely["changed"] < max(likely["kept"], CHANGED_SHARE):
        return max(_MILDER, key=lambda answer: likely[answer] * LEANING[answer])
    return max(_DROPPED, key=lambda answer: likely[answer] * LEANING[answer])


def _contradicts(best: Candidate) -> bool:
    """Whether a passage says that something else holds; not what was measured once or is told."""
    signs = best.features
    if _hearsay(signs):
        return False
    near = best.match.exact >= COUNTING_SHARE and not signs["reported"]
    if signs["binds"] or near:
        return bool(signs["clash"])
    return any(signs[name] for name in CLASHES if name not in _COUNTING)


def _hearsay(signs: Mapping[str, float]) -> bool:
    """Whether a passage reports what somebody else said, or what was talked about."""
    return bool(signs["has foreign"] or signs["has talked near"])


_COUNTING = frozenset({"conflict number", "number other", "counts other", "unit other"})
"""Signs of another number: two numbers that measure two things contradict nothing."""
_DROPPED: tuple[Answer, ...] = ("changed", "weakened", "lost")
_MILDER: tuple[Answer, ...] = ("weakened", "lost")
"""What nothing shows to be changed, and rather kept than that: no false contradiction."""
_SOFTENING = ("has weak near", "then weak", "has talked near")
"""Signs that what binds became a wish or a topic."""
_ASKING = ("item ask", "near ask", "binds")
"""To have to ask before something is kept by whoever has to ask, in whatever words."""
_REVOKED = ("then lifted", "has lifted", "cut", "has foreign", "wrong")
"""What undoes a statement that stands there word for word."""


def _verdict(answer: Answer, of: Candidate) -> Verdict:
    """The answer with its passage; one that is lost has none, unless the matter is there."""
    if answer == "lost" and of.match.share < CLASHING_SHARE:
        return Verdict(answer, why="not stated")
    unit = of.unit
    return Verdict(answer, unit.passage.text, unit.of.kind, unit.of.name, _why(answer, of.features))


_REASONS = (
    ("conflict number", "number"), ("number other", "number"), ("unit other", "unit"),
    ("rival", "name"), ("shaped", "identifier"), ("spelled other", "identifier"),
    ("then lifted", "taken back"), ("has lifted", "taken back"), ("opposite", "opposite"),
    ("reversed", "changed places"), ("crossed", "changed places"),
    ("label other", "name"), ("taken in", "scope"), ("let in", "turned down"),
    ("verb denied", "polarity"),
    ("swapped", "changed places"), ("cut", "cut off"),
    ("has weak near", "modality"), ("except gone", "exception"), ("ban gone", "polarity"),
    ("number gone", "number"),
)  # fmt: skip


def _why(answer: Answer, signs: Mapping[str, float]) -> str:
    if answer == "kept":
        return "word for word" if signs["verbatim"] else "in other words"
    return next((why for name, why in _REASONS if signs[name]), "words")
