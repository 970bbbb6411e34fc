"""From an exchange to its items: the whole of extraction but what needs what is known already."""

from __future__ import annotations

from collections.abc import Iterator

from ctxd.extract.candidates import Reading, readings
from ctxd.extract.classify import Model, judged, shipped
from ctxd.extract.exchange import Spoken
from ctxd.extract.items import assemble
from ctxd.item import Item
from ctxd.policy.extraction import LEAST_PROBABILITY


def judge(spoken: Spoken, model: Model | None = None) -> list[Item]:
    """Return the items of an exchange, in the order of the user's words.

    Those below `policy.LEAST_PROBABILITY` are left out; which of the others are plain enough to be
    written unasked is said in each.
    """
    weights = model or shipped()
    found = [item for reading in readings(spoken) for item in _items(reading, weights)]
    once = {item.id: item for item in reversed(found)}
    return [item for item in found if once.get(item.id) is item]


def _items(reading: Reading, model: Model) -> Iterator[Item]:
    likely = [one for one in judged(reading, model) if one.probability >= LEAST_PROBABILITY]
    likely.sort(key=lambda one: (one.candidate.first, one.candidate.last))
    for one in likely:
        yield assemble(reading, one, model)
