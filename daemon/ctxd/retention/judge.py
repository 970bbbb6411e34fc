"""Whether an item is still stated after a compaction.

The passages that share most with the item are compared with it slot by slot: numbers with units,
names, polarity and the force of what is said decide before any likeness does.
"""

from __future__ import annotations

from ctxd.extract.slots import compare, slots
from ctxd.extract.turned_down import turned_down
from ctxd.retention.after import After, Unit, keys
from ctxd.retention.values import Answer, Stated, Verdict
from ctxd.retention.words import words

__all__ = ["After", "judge"]


def judge(item: Stated, after: After) -> Verdict:
    """Return whether an item is stated in what stands after a compaction."""
    if after.is_empty:
        return Verdict("unknown", why="nothing to read")
    looked_for = keys(words(" ".join((item.text, *item.quotes))))
    whole = sum(map(after.rarity, looked_for)) or 1.0
    found = after.having(looked_for)
    best = max(found, key=lambda n: (found[n], -len(after.units[n].passage.text)), default=None)
    if best is None or found[best] < 0.3 * whole:
        return Verdict("lost", why="not mentioned")
    return _compared(item, after.units[best], found[best] / whole)


def _compared(item: Stated, unit: Unit, share: float) -> Verdict:
    ours, theirs = slots(item.text), slots(unit.passage.text)
    found = compare(ours, theirs)
    why = found.why or turned_down(ours, theirs)
    if why:
        return _verdict("changed", unit, why)
    if "number" in found.missing or "modality" in found.missing:
        return _verdict("weakened", unit, "number" if "number" in found.missing else "modality")
    return _verdict("kept" if share > 0.5 else "lost", unit, "words")


def _verdict(answer: Answer, unit: Unit, why: str) -> Verdict:
    return Verdict(answer, unit.passage.text, unit.of.kind, unit.of.name, why)
