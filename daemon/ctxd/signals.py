"""What the pipeline reacts to: values that a session's reducer returns, and that do nothing."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ctxd.exchange import Exchange
from ctxd_parsers.events import Start, Trigger


class Boundary(msgspec.Struct, frozen=True, omit_defaults=True):
    """One compaction of a session."""

    event: str
    """Id of the compaction's event."""
    time: datetime | None = None
    trigger: Trigger | None = None
    cause: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    sub_agent: str | None = None
    """Set when it was a sub-agent's window; the user's was not touched then."""
    storm: bool = False
    """It came within `policy.STORM_SECONDS` of the one before and without a word of the user in
    between; where the log tells no times, with nothing said at all in between. Clients retry, and
    one storm deserves one notice. One that the user asked for is none."""


class Signal(msgspec.Struct, frozen=True):
    """What every signal carries."""

    agent: str
    session: str


class SessionBegan(Signal, frozen=True):
    """A session began, or went on after it had ended."""

    how: Start


class ExchangeComplete(Signal, frozen=True):
    """The user said something: a proposal has its answer. An answer of several events (a dialog's
    and the words typed in it) signals for each, every time with all of the answer so far.
    """

    exchange: Exchange


class TurnComplete(Signal, frozen=True):
    """The agent is done, was stopped, or the user went on: nothing is added to this turn."""

    exchange: Exchange
    reason: str | None = None
    """`completed`, `interrupted`, `error`, or None when the log only shows what came next."""


class CompactionAhead(Signal, frozen=True):
    """A summary of the window is being made; the window is still whole."""

    window: tuple[str, ...]
    trigger: Trigger | None = None


class CompactionHappened(Signal, frozen=True):
    """The user's window was replaced by a summary."""

    boundary: Boundary
    window_before: tuple[str, ...]
    """Ids of the events that were in the window, an earlier summary included."""
    kept: tuple[str, ...] | None
    """Those of them that are still in it word for word; None when the log does not tell."""


class SubAgentCompacted(Signal, frozen=True):
    """A sub-agent's window was replaced by a summary, and the user's was not touched."""

    boundary: Boundary


class WindowCut(Signal, frozen=True):
    """Words left the window without a summary."""

    window_before: tuple[str, ...]
    window_after: tuple[str, ...] | None
    """None when the log does not tell which are left; () when the user emptied it."""


class WithdrawnSignal(Signal, frozen=True):
    """The user took back a part of the session."""

    since: str | None
    until: str | None
    ids: tuple[str, ...]
    """Events that this took out of the window."""
    rebuild: bool
    """The window after it cannot be told from the window before it: the transcript was rewritten,
    or the part begins before the last compaction. See `session.rebuild`."""


class SessionClosed(Signal, frozen=True):
    """The session ended, as far as anyone can tell; a resume reopens it."""

    known_by: str
    """See `session_state.KnownBy`."""
    reason: str | None = None
    """The client's own word for it."""
