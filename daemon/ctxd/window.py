"""What the model of one session can still see, as the ids of the events that hold words.

Promises: after a compaction the window is the summary, what the client keeps word for word, and
whatever follows; after a rewind it is what it was before, as far as that is still known; its size
is bounded. Refuses to guess: where a log does not say what stayed, the window is `unsure`.

Tool calls and their results are not in it. They are the bulk of a window and nobody's word; what
counts here is which words the model still has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Literal

import msgspec

from ctxd.policy.boundaries import NEAR_FULL_PERCENT, NEAR_FULL_SHARE
from ctxd.policy.daemon import COMPACTION_ATTEMPTS, MAX_ID_CHARS, WINDOW_ENTRIES
from ctxd_parsers.events import Compaction, CompactionStarted, Truncated, Usage

Kind = Literal["user", "agent", "answer", "plan", "file", "injected", "summary"]

SPEECH = frozenset({"user", "agent", "answer", "plan"})
"""Kinds of entries in which somebody said something."""


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One event in the window."""

    id: str
    kind: Kind
    order: int
    """Grows with each event added, so that entries can be told to be older or newer."""


class Attempt(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A compaction that is being made. What is added from `order` on will not be in its summary."""

    name: str | None
    order: int


class Window(msgspec.Struct):
    """The window of the user's own conversation; sub-agents have theirs, which are not kept."""

    entries: list[Entry] = []
    next_order: int = 0
    attempts: list[Attempt] = []
    dropped: int = 0
    """Entries left out since the last compaction because the window holds so many events."""
    unsure: bool = False
    """The log does not say exactly what is left: see `Compaction.kept` and `Truncated`."""
    tokens: int | None = None
    measured: datetime | None = None
    """When the tokens were what they are said to be."""
    limit: int | None = None
    """The most tokens it can hold."""
    told_percent: float | None = None
    """Share in use, from clients that tell only that."""
    filled_at: int | None = None
    """Tokens that were in it when the client last compacted by itself: where the limit is not
    known, this is what the next compaction can be foreseen by."""

    nearly_full: bool = False
    """It was said that a compaction is to be expected."""

    @property
    def percent(self) -> float | None:
        """Share of the limit that is in use, 0 to 100; None when it is not known."""
        if self.tokens is not None and self.limit:
            return min(100.0, 100.0 * self.tokens / self.limit)
        return self.told_percent


def add(window: Window, event_id: str, kind: Kind) -> None:
    """Put an event at the end of the window."""
    if len(event_id) > MAX_ID_CHARS:
        window.dropped += 1
        return
    window.entries.append(Entry(event_id, kind, window.next_order))
    window.next_order += 1
    if len(window.entries) > WINDOW_ENTRIES:
        _make_room(window)


def measure(window: Window, usage: Usage) -> None:
    """Note how full the window is after a model response.

    Old ones come when a rewritten log is read anew: the ledger keeps no usage to tell repeats by.
    """
    if not _is_news(window, usage.time):
        return
    parts = (
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.output_tokens,
    )
    known = [part for part in parts if part is not None]
    if usage.context_tokens is not None:
        window.tokens = usage.context_tokens
    elif known:
        window.tokens = sum(known)
    if usage.window_tokens:
        window.limit = usage.window_tokens
    if usage.context_percent is not None:
        window.told_percent = usage.context_percent


def keep_measure(window: Window, before: Window) -> None:
    """Take over how full a window was that is made anew from events: usage is not among them."""
    window.limit, window.filled_at = before.limit, before.filled_at
    if window.measured is None or (before.measured and before.measured >= window.measured):
        window.tokens, window.measured = before.tokens, before.measured
        window.told_percent = before.told_percent


def announce(window: Window, event: CompactionStarted) -> None:
    """Note that a summary is being made of what is in the window now."""
    window.attempts = [
        *window.attempts[1 - COMPACTION_ATTEMPTS :],
        Attempt(event.attempt, window.next_order),
    ]


def give_up(window: Window, attempt: str | None) -> None:
    """Forget a compaction that failed."""
    found = _attempt(window, attempt)
    window.attempts = [other for other in window.attempts if other is not found]


def compact(window: Window, event: Compaction) -> None:
    """Replace the window by a summary, what is kept, and what came after the summary was begun."""
    found = _attempt(window, event.attempt)
    later = found.order if found else window.next_order
    kept = frozenset(event.kept or ())
    survivors = [e for e in window.entries if e.order >= later or e.id in kept]
    if event.trigger == "auto" and event.tokens_before:
        window.filled_at = event.tokens_before
    window.entries = []
    window.attempts = []
    window.dropped = 0
    window.unsure = event.kept is None
    window.nearly_full = False
    add(window, event.id, "summary")
    window.entries += [e for e in survivors if e.id != event.id]
    _refill(window, event.tokens_after, event.time)


def truncate(window: Window, event: Truncated) -> None:
    """Note that messages were dropped, without knowing which: the log tells only how many."""
    window.unsure = window.unsure or bool(event.messages_removed)
    _refill(window, event.tokens_after, event.time)


def clear(window: Window, time: datetime | None) -> None:
    """Empty the window."""
    window.entries, window.attempts = [], []
    window.dropped, window.unsure = 0, False
    _refill(window, None, time)


def said_since_summary(window: Window, kinds: Collection[str] = SPEECH) -> bool:
    """Whether anything of these kinds was said since the last compaction."""
    summaries = [entry.order for entry in window.entries if entry.kind == "summary"]
    since = max(summaries, default=-1)
    return any(entry.order > since and entry.kind in kinds for entry in window.entries)


def take_back(window: Window, since: str, until: str | None) -> list[Entry]:
    """Remove and return the entries from `since` up to `until`, which itself stays.

    Given a `since` that is not in the window, nothing happens: it was never said to the model that
    is listening now, or lies before the last compaction.
    """
    first = next((e.order for e in window.entries if e.id == since), None)
    if first is None:
        return []
    end = next(
        (e.order for e in window.entries if e.id == until and e.order > first), window.next_order
    )
    return _remove(window, lambda entry: first <= entry.order < end)


def withdraw(window: Window, ids: Collection[str]) -> list[Entry]:
    """Remove and return the entries of these events."""
    return _remove(window, lambda entry: entry.id in ids)


def fills_up(window: Window) -> bool:
    """Whether a compaction is to be expected from now on; True once for each filling."""
    was, window.nearly_full = window.nearly_full, _is_nearly_full(window)
    return window.nearly_full and not was


def _is_nearly_full(window: Window) -> bool:
    if window.percent is not None:
        return window.percent >= NEAR_FULL_PERCENT
    full = window.filled_at
    return bool(full and window.tokens and window.tokens >= full * NEAR_FULL_SHARE)


def event_ids(window: Window) -> tuple[str, ...]:
    """Return the ids of the events in the window: the summary, then the others, oldest first."""
    return tuple(entry.id for entry in window.entries)


def _refill(window: Window, tokens: int | None, time: datetime | None) -> None:
    """Note how full the window is after something left it.

    A response to the new window may stand in the log before the compaction that made it.
    """
    if _is_news(window, time):
        window.tokens, window.told_percent = tokens, None


def _is_news(window: Window, time: datetime | None) -> bool:
    if time is None:
        return True
    if window.measured is not None and time < window.measured:
        return False
    window.measured = time
    return True


def _remove(window: Window, goes: Callable[[Entry], bool]) -> list[Entry]:
    gone = [entry for entry in window.entries if goes(entry)]
    if gone:
        window.entries = [entry for entry in window.entries if not goes(entry)]
    return gone


def _attempt(window: Window, name: str | None) -> Attempt | None:
    """Return the attempt of that name; where a log names none, the last one begun."""
    for attempt in reversed(window.attempts):
        if name is None or attempt.name in (None, name):
            return attempt
    return None


def _make_room(window: Window) -> None:
    """Drop the oldest eighth, and of it first what is not the user's word nor their context.

    What the user said in the beginning is what a long session forgets first, and what is asked of
    the window at its next compaction.
    """
    excess = WINDOW_ENTRIES // 8
    going = {e.id for e in [e for e in window.entries if e.kind == "agent"][:excess]}
    if len(going) < excess:
        going |= {e.id for e in window.entries[: excess - len(going)]}
    window.dropped += len(withdraw(window, going))
