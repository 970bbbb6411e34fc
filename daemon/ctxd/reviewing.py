"""Which items wait for the user's word, and in which order they are asked about."""

from __future__ import annotations

from ctxd.context_files.guard import needs_review
from ctxd.context_files.lines import said
from ctxd.context_files.wishes import fits_a_line
from ctxd.item_log import ItemState
from ctxd.ledger import KeptItem, Reader

_RANKS = {"critical": 0, "normal": 1, "user": 0, "confirmed": 1, "agent": 2} | {
    "repo": 0,
    "task": 1,
    "moment": 2,
}


def to_review(reader: Reader, repository: str | None) -> list[KeptItem]:
    """The items of a repository, of all if none is named, that are written only when the user
    agrees: first those that matter most and are surest."""
    return sorted(
        (kept for kept in reader.items(repository) if is_in_doubt(kept.state)), key=_weight
    )


def is_in_doubt(state: ItemState) -> bool:
    """Whether an item waits for review: it is not plain enough, or what it says is never written
    unasked, such as a command to run."""
    return state.waits or (not state.accepted and fits_a_line(state) and needs_review(said(state)))


def _weight(kept: KeptItem) -> tuple[int, int, int, float, str]:
    item = kept.item
    ranks = (_RANKS[item.severity], _RANKS[item.authority], _RANKS[item.durability])
    return (*ranks, -item.probability, item.id)
