"""Which items an agent is told at which moment. Reads the ledger, and changes nothing.

Once a boundary each: what was told is marked as given by the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import msgspec

from ctxd.context_files import memories
from ctxd.context_files.whereabouts import spot_of
from ctxd.hooks.payloads import Moment
from ctxd.hooks.wording import BEGUN, COMPACTED, DROPPED, KEEP
from ctxd.item import Kind
from ctxd.item_log import ItemState
from ctxd.ledger import Reader
from ctxd.ledger.values import Key
from ctxd.policy.hooks import HOOK_INTENTS, HOOK_QUESTIONS
from ctxd.retention.values import DROPPED as DROPPED_ANSWERS
from ctxd.retention.values import most_binding
from ctxd.window import event_ids

_MIDDLE: frozenset[Moment] = frozenset({"prompt_submitted", "tool_done"})
"""Moments that come often and are told only what is owed."""
_CURRENT: tuple[tuple[Kind, int], ...] = (("intent", HOOK_INTENTS), ("question", HOOK_QUESTIONS))


class Gift(msgspec.Struct, frozen=True, kw_only=True):
    """An item to be told."""

    repository: str
    state: ItemState
    ahead: bool = False
    """For a compaction whose record is not there yet."""

    @property
    def name(self) -> tuple[str, str]:
        """The item's repository and id."""
        return self.repository, self.state.item.id


class Gifts(msgspec.Struct, frozen=True):
    """Items to be told under one heading, the most binding first."""

    heading: str = ""
    items: tuple[Gift, ...] = ()
    key: Key = ("", "")
    """The session they are for."""
    marked: bool = True
    """Whether an item that was told counts as given."""


def gifts(reader: Reader, moment: Moment, keys: Sequence[Key], cwd: str) -> Gifts:
    """What is told at a moment of a session. It is the first of these that is known; nothing is
    known of one that has just begun but its folder."""
    for key in keys:
        if owed := tuple(_owed(reader, key)):
            break
        if moment not in _MIDDLE and reader.session(*key):
            break
    else:
        return _of_repository(reader, cwd) if moment == "session_started" else Gifts()
    if moment == "before_compaction":
        return Gifts(KEEP, tuple(_in_window(reader, key)), key, marked=False)
    if moment == "after_compaction":
        names = {gift.name for gift in owed}
        window = (gift for gift in _in_window(reader, key) if gift.name not in names)
        return Gifts(COMPACTED, tuple(sorted((*owed, *window), key=_binding)), key)
    if owed or moment in _MIDDLE:
        return Gifts(DROPPED, owed, key)
    return _of_repository(reader, cwd, key)


def _owed(reader: Reader, key: Key) -> Iterable[Gift]:
    for one in reader.owed(*key):
        yield Gift(repository=one.repository, state=one.state)


def _in_window(reader: Reader, key: Key) -> list[Gift]:
    """What binds and is in the window now, be it only by a summary that states it."""
    session = reader.session(*key)
    if session is None:
        return []
    ids = frozenset(event_ids(session.window))
    last = reader.last_answers([key])
    found = []
    for kept, said in reader.said_in([key]):
        if kept.state.status != "active" or kept.item.durability == "moment":
            continue
        answer = last.get((kept.repository, kept.id))
        by_summary = (
            answer is not None
            and answer.event in ids
            and (answer.answer not in DROPPED_ANSWERS or answer.given is not None)
        )
        if by_summary or not ids.isdisjoint(said):
            found.append(Gift(repository=kept.repository, state=kept.state, ahead=True))
    return sorted(found, key=_binding)


def _binding(gift: Gift) -> tuple[bool, tuple[bool, int, float]]:
    """What is plain comes before what would wait for review."""
    return gift.state.waits, most_binding(gift.state)


def _of_repository(reader: Reader, cwd: str, key: Key = ("", "")) -> Gifts:
    """What work in a repository is for and what is left open, unless its context file holds it or
    the session itself has said it."""
    spot = spot_of(cwd)
    if spot is None:
        return Gifts()
    known = memories.recall(reader, spot.root)
    held = {item for memory in known.memory.values() for item in memory.seen}
    found: list[Gift] = []
    for kind, most in _CURRENT:
        kept = reversed(reader.items(spot.repository, kinds=(kind,)))
        fresh = (
            Gift(repository=spot.repository, state=one.state)
            for one in kept
            if not one.state.waits
            and one.id not in held
            and (one.item.agent, one.item.session) != key
        )
        found += islice(fresh, most)
    return Gifts(BEGUN, tuple(found), key, marked=False)
