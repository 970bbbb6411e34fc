"""Which items wait for the user's word, and in which order they are asked about."""

from __future__ import annotations

from collections.abc import Iterator

from ctxd.context_files.guard import needs_review
from ctxd.context_files.lines import said
from ctxd.context_files.wishes import fits_a_line
from ctxd.item import Item, Kind
from ctxd.item_log import ItemState
from ctxd.ledger import KeptItem, Reader

LIVE_SINCE = "live_since"
"""Name of the stored moment when the daemon first ran: what was said before is history."""

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


def why_it_waits(state: ItemState, live_since: float | None) -> str:
    """Why an item is not written unasked, in words for the user; empty for one that is, or needs
    no more word of the user's. `live_since`: when ctxd began to follow sessions, in Unix seconds.
    """
    if state.status != "active" or state.accepted:
        return ""
    if needs_review(said(state)):
        return "it names an address, or asks to run, fetch or send something"
    return next(_doubts(state.item, live_since)) if state.waits else ""


def _doubts(item: Item, live_since: float | None) -> Iterator[str]:
    """What speaks against writing an item that is not plain, the weightiest first."""
    if item.authority == "agent":
        yield "it is the agent's word alone"
    if item.kind in _OPEN:
        yield f"{_OPEN[item.kind]} is never written unasked"
    if live_since is not None and item.time is not None and item.time.timestamp() < live_since:
        yield "it was said before ctxd ran here"
    if item.durability != "repo":
        yield "it holds for a task or a moment, as far as ctxd can tell"
    yield "it is not plain enough: hedged, said in passing, or ctxd is not sure of it"


_OPEN: dict[Kind, str] = {"question": "an open question", "intent": "an intent"}


def _weight(kept: KeptItem) -> tuple[int, int, int, float, str]:
    item = kept.item
    ranks = (_RANKS[item.severity], _RANKS[item.authority], _RANKS[item.durability])
    return (*ranks, -item.probability, item.id)
