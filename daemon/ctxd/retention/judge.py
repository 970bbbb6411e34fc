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

from ctxd.policy.retention import DECIDING_POWER, KEPT_SHARE
from ctxd.retention.after import After
from ctxd.retention.candidates import Candidate, candidates
from ctxd.retention.features import Sought, sought
from ctxd.retention.forest import Model, shipped
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
    wordings = [sought(text) for text in dict.fromkeys((item.text, *item.quotes)) if text.strip()]
    telling = [one for one in wordings if len(one.weights) > 1] or wordings
    judged = [_judged(one, after, weighing) for one in telling]
    return max(judged, key=lambda pair: pair[0])[1] if judged else Verdict("unknown", why="no words")


def _judged(item: Sought, after: After, model: Model) -> tuple[float, Verdict]:
    found = candidates(item, after)
    if not found:
        return 0.0, Verdict("lost", why="not mentioned")
    weights = [model.deciding.shares(one.features)["yes"] ** DECIDING_POWER for one in found]
    shares = [model.judging.shares(one.features) for one in found]
    total = sum(weights) or 1.0
    mixed = {
        answer: sum(w * share.get(answer, 0.0) for w, share in zip(weights, shares, strict=True)) / total
        for answer in ("kept", *_ANSWERS)
    }
    best = found[max(range(len(found)), key=weights.__getitem__)]
    if mixed["kept"] >= KEPT_SHARE:
        return mixed["kept"], _verdict("kept", best)
    answer = max(_ANSWERS, key=mixed.__getitem__)
    return mixed["kept"], _verdict(answer, best)


def _verdict(answer: Answer, of: Candidate) -> Verdict:
    return Verdict(answer, of.unit.passage.text, of.unit.of.kind, of.unit.of.name, _why(of.features))


_REASONS: Sequence[tuple[str, str]] = (
    ("conflict number", "number"), ("number other", "number"), ("rival", "name"),
    ("shaped", "identifier"), ("conflict", "name"), ("opposite", "opposite"),
    ("turned down", "turned down"), ("ban gone", "polarity"), ("except gone", "exception"),
    ("weak near", "modality"), ("number gone", "number"), ("cut", "cut off"),
)  # fmt: skip


def _why(values: dict[str, float]) -> str:
    return next((why for name, why in _REASONS if values.get(name)), "words")
