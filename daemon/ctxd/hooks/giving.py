"""Which items an agent is told at which moment. Reads the ledger, and changes nothing.

Each once a boundary: whoever tells them marks them as given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import islice

import msgspec

from ctxd.context_files import memories
from ctxd.context_files.whereabouts import spot_of
from ctxd.hooks.payloads import Moment
from ctxd.hooks.wording import BEGUN, COMPACTED, DROPPED, KEEP
from ctxd.item import Kind
from ctxd.item_log import ItemState
from ctxd.ledger import Reader, WaitingBoundary
from ctxd.ledger.values import Key
from ctxd.policy.boundaries import BOUNDARIES_AT_ONCE
from ctxd.policy.hooks import HOOK_INTENTS, HOOK_QUESTIONS
from ctxd.retention.surroundings import SessionView
from ctxd.retention.values import InWindow, most_binding
from ctxd.session_state import Session
from ctxd.signals import Boundary
from ctxd.window import Window, event_ids, said_since_summary
from ctxd_parsers.events import Trigger

_MIDDLE: frozenset[Moment] = frozenset({"prompt_submitted", "tool_done"})
"""Moments that come often and are told only what is owed."""
_CURRENT: tuple[tuple[Kind, int], ...] = (("intent", HOOK_INTENTS), ("question", HOOK_QUESTIONS))


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wants to know."""

    moment: Moment
    keys: Sequence[Key]
    """Sessions that it may be about; the first that is known counts."""
    cwd: str
    now: datetime
    trigger: Trigger | None = None
    """Of the compaction, where it is known."""
    is_logged: bool = False
    """After a compaction: whether the log may have its summary already."""
    compacts_at: float | None = None
    """Share of the window from which on a prompt is sent after a compaction."""
    is_late: Callable[[], bool] = lambda: False
    """Whether there is no time left to find out more."""


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
    items: Sequence[Gift] = ()
    key: Key = ("", "")
    """The session they are for."""
    marked: bool = True
    """Whether an item that was told counts as given."""
    window: str = ""
    """The window that is expected to be compacted at once, by its last summary or its session."""


def gifts(reader: Reader, asked: Asked) -> Gifts:
    """What is told. Of a session that has just begun nothing is known but its folder."""
    moment = asked.moment
    if any((session := reader.session(*key)) and session.own for key in asked.keys):
        return Gifts()
    for key in asked.keys:
        if owed := _owed(reader, key):
            break
        if (moment not in _MIDDLE or _is_full(reader, key, asked)) and reader.session(*key):
            break
    else:
        return _of_repository(reader, asked.cwd) if moment == "session_started" else Gifts()
    if moment == "before_compaction":
        return Gifts(KEEP, _about_to_go(reader, key, asked), key, marked=False)
    is_full = _is_full(reader, key, asked)
    if moment == "after_compaction" or is_full:
        names = {gift.name for gift in owed}
        window = [gift for gift in _gone(reader, key, asked) if gift.name not in names]
        name = _name(reader, key) if is_full else ""
        return Gifts(COMPACTED, sorted((*owed, *window), key=_binding), key, window=name)
    if owed or moment in _MIDDLE:
        return Gifts(DROPPED, owed, key)
    return _of_repository(reader, asked.cwd, key)


def _owed(reader: Reader, key: Key) -> list[Gift]:
    return [Gift(repository=one.repository, state=one.state) for one in reader.owed(*key)]


def _is_full(reader: Reader, key: Key, asked: Asked) -> bool:
    """Whether the client compacts the window before it sends the prompt."""
    if asked.compacts_at is None or asked.moment != "prompt_submitted":
        return False
    session = reader.session(*key)
    percent = session.window.percent if session else None
    return percent is not None and percent >= asked.compacts_at


def _name(reader: Reader, key: Key) -> str:
    session = reader.session(*key)
    entries = session.window.entries if session else []
    return next((one.id for one in reversed(entries) if one.kind == "summary"), key[1])


def _about_to_go(reader: Reader, key: Key, asked: Asked) -> list[Gift]:
    """What binds and is in the window, which is whole."""
    session = reader.session(*key)
    return _of(SessionView(reader, key), _now(session, asked)) if session else []


def _gone(reader: Reader, key: Key, asked: Asked) -> list[Gift]:
    """What was in the window and is not before the agent by a file that it surely reads again, as
    far as there is time to see that. Whether the summary states it is not known yet; once it is,
    what was dropped is owed."""
    session = reader.session(*key)
    if session is None:
        return []
    boundary = _now(session, asked)
    if asked.is_logged and _is_fresh(session.window):
        waiting = reader.boundaries_waiting(BOUNDARIES_AT_ONCE)
        same = [one for one in waiting if (one.agent, one.session) == key]
        if not same:
            return []
        boundary = same[-1]
    view = SessionView(reader, key)
    files = [_flat(text.text) for text in view.files_after(boundary).texts]
    return [gift for gift in _of(view, boundary) if asked.is_late() or not _stands(gift, files)]


def _stands(gift: Gift, files: Sequence[str]) -> bool:
    """Whether a file states an item for sure: by its id, or word for word. Likeness is no proof:
    what is told twice costs a line, and what is not told is lost."""
    marks = (f"[{gift.state.item.id}]", _flat(gift.state.text))
    return any(mark in text for text in files for mark in marks)


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


def _of(view: SessionView, boundary: WaitingBoundary) -> list[Gift]:
    return sorted(map(_gift, view.in_window(boundary)), key=_binding)


def _now(session: Session, asked: Asked) -> WaitingBoundary:
    """A compaction of the window as it is known now."""
    return WaitingBoundary(
        agent=session.agent,
        session=session.id,
        boundary=Boundary("", asked.now, asked.trigger),
        live=True,
        window_before=event_ids(session.window),
    )


def _is_fresh(window: Window) -> bool:
    """Whether a summary stands in it, and nothing was said since."""
    is_there = any(entry.kind == "summary" for entry in window.entries)
    return is_there and not said_since_summary(window)


def _gift(one: InWindow) -> Gift:
    return Gift(repository=one.repository, state=one.state, ahead=True)


def _binding(gift: Gift) -> tuple[bool, tuple[bool, int, float]]:
    """What is plain comes before what would wait for review."""
    return gift.state.waits, most_binding(gift.state)


def _of_repository(reader: Reader, cwd: str, key: Key = ("", "")) -> Gifts:
    """What work in a repository is for and what is left open, unless its context file holds it or
    the session itself has said it. Only what was said on this machine is quoted as the user's: a
    repository's own record may hold anything."""
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
            and (said := (one.item.agent, one.item.session)) != key
            and reader.session(*said)
        )
        found += islice(fresh, most)
    return Gifts(BEGUN, found, key, marked=False)
