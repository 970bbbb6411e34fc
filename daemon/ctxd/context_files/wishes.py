"""Which items a context file is to hold, and which of them need a new line there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec

from ctxd.context_files.budget import Claim, said_at
from ctxd.context_files.drafting import TITLE_OF
from ctxd.context_files.elsewhere import Elsewhere
from ctxd.context_files.guard import needs_review
from ctxd.context_files.inert import inert
from ctxd.context_files.lines import render, said
from ctxd.context_files.values import Memory, Notice, Rules
from ctxd.item import Item
from ctxd.item_log import ItemState

_ID = re.compile(r"[a-z2-7]{8}")


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What a file is to hold."""

    path: str
    states: Mapping[str, ItemState]
    """All items that are known."""
    here: frozenset[str]
    """Those of them that belong into this file."""
    is_told: Callable[[Item], bool]
    """Whether a human's rule says an item already."""
    rules: Rules


class Adding(msgspec.Struct, frozen=True):
    """Items without a line that are to have one, and those that turned out not to need it."""

    claims: tuple[Claim, ...]
    marked: Mapping[str, str]
    """Lines of the items that are said somewhere already, by id."""
    notices: tuple[Notice, ...]

    def remembered(self, memory: Memory) -> Memory:
        """The memory with those that need none."""
        return msgspec.structs.replace(memory, written={**memory.written, **self.marked})


def fits_a_line(state: ItemState) -> bool:
    """Whether an item is one that a context file tells: it holds for later sessions, and is the
    user's own word or agreed to."""
    item = state.item
    return (
        state.status == "active"
        and item.kind in TITLE_OF
        and _ID.fullmatch(item.id) is not None
        and (state.accepted or (item.durability == "repo" and item.authority != "agent"))
        and inert(state.text) != ""
    )


def adding(
    wishes: Wishes, states: Mapping[str, ItemState], memory: Memory, outside: Elsewhere
) -> Adding:
    """The items that are to have a line and never had one here, the oldest first."""
    claims: list[Claim] = []
    marked: dict[str, str] = {}
    notices = []
    for state in _new(wishes, states, memory):
        item, text = state.item.id, said(state)
        why = _why_not(state, text, outside, wishes)
        if why is None:
            claims.append(Claim(state, render(state)))
            continue
        if why.code != "item.review":
            marked[item] = render(state)
        if why.code != "item.there":
            notices.append(why)
    return Adding(tuple(claims), marked, tuple(notices))


def _new(wishes: Wishes, states: Mapping[str, ItemState], memory: Memory) -> list[ItemState]:
    only = wishes.rules.only
    found = [
        states[item]
        for item in wishes.here
        if not memory.written.get(item)
        and item not in memory.seen
        and (only is None or item in only)
        and fits_a_line(states[item])
    ]
    return sorted(found, key=lambda state: (said_at(state.item), state.item.id))


def _why_not(state: ItemState, text: str, outside: Elsewhere, wishes: Wishes) -> Notice | None:
    """Why an item gets no line."""
    ids = (state.item.id,)
    if outside.holds(state.item.id, text):
        return Notice("item.there", wishes.path, "it stands outside the block", ids)
    if not state.accepted and needs_review(text):
        why = "it names an address, or asks to run, fetch or send something"
        return Notice("item.review", wishes.path, why, ids)
    if wishes.is_told(state.item):
        return Notice("item.told", wishes.path, "a context file already says it", ids)
    return None
