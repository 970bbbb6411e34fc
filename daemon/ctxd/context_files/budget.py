"""Which items a block has room for.

Agents send the block with every request, so it holds no more than a budget of tokens. Critical
items are the last to leave, questions and old items the first; what a human has worded stays. A
full block is brought well below its budget at once, since each line that leaves changes all that
stands below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from ctxd.context_files.tokens import at_most, counts
from ctxd.item import Item
from ctxd.item_log import ItemState
from ctxd.policy.context_files import CONTEXT_LOW_WATER_SHARE


class Claim(msgspec.Struct, frozen=True):
    """An item that wants a line."""

    state: ItemState
    line: str
    is_new: bool = True
    """Whether it has none yet."""
    is_held: bool = False
    """Whether its line is a human's, and so not to be taken away."""


class Fit(msgspec.Struct, frozen=True):
    """Who gets a line, and who does not, both in the order of the claims."""

    shown: tuple[str, ...]
    left_out: tuple[str, ...]


def fit(claims: Sequence[Claim], limit: int, other_lines: Sequence[str] = ()) -> Fit:
    """The items that get a line in a block of so many tokens, of which other lines take some."""
    lines = [claim.line for claim in claims]
    if at_most(lines) + at_most(other_lines) <= limit:
        return Fit(tuple(claim.state.item.id for claim in claims), ())
    sizes = dict(zip((claim.state.item.id for claim in claims), counts(lines), strict=True))
    room = limit - sum(counts(other_lines))
    ranked = sorted(claims, key=_rank)
    kept = _kept(ranked, sizes, room)
    if any(not claim.is_new and claim.state.item.id not in kept for claim in claims):
        kept = _kept(ranked, sizes, int(room * CONTEXT_LOW_WATER_SHARE))
    ids = [claim.state.item.id for claim in claims]
    return Fit(
        tuple(item for item in ids if item in kept),
        tuple(item for item in ids if item not in kept),
    )


def said_at(item: Item) -> datetime:
    """When an item was said; long ago where nobody knows."""
    if item.time is None:
        return datetime.min.replace(tzinfo=UTC)
    return item.time if item.time.tzinfo else item.time.replace(tzinfo=UTC)


def _kept(ranked: Sequence[Claim], sizes: dict[str, int], room: int) -> set[str]:
    """The first ones for which there is room. A human's wording is never taken away."""
    kept = {c.state.item.id for c in ranked if c.is_held}
    room -= sum(sizes[item] for item in kept)
    for claim in ranked:
        item = claim.state.item.id
        if item not in kept and sizes[item] <= room:
            kept.add(item)
            room -= sizes[item]
    return kept


def _rank(claim: Claim) -> tuple[bool, bool, bool, float, str]:
    """Sorts who stays first to the front: critical, then no question, then the newest."""
    item = claim.state.item
    critical = item.severity == "critical"
    age = (datetime.max.replace(tzinfo=UTC) - said_at(item)).total_seconds()
    return not claim.is_held, not critical, item.kind == "question", age, item.id
