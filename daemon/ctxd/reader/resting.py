"""When a reader that failed is left alone, and until when.

A failure of the backend is one for all sessions, so it is noted once, under a name in the ledger:
a restart changes nothing about it. Other settings end a rest at once, and so does the user who asks
for a reading, unless the backend or the budget itself says when it may be asked again.
"""

from __future__ import annotations

import hashlib

import msgspec

from ctxd.ledger import Ledger, Reader
from ctxd.policy.reader import (
    READER_BACKOFF_MOST_SECONDS,
    READER_BACKOFF_SECONDS,
    READER_REST_MOST_SECONDS,
    READER_STANDS_SECONDS,
)
from ctxd.reader.budget import next_day
from ctxd.reader.values import FOR_THE_USER, Choice, Trouble

NAME = "reader_rest"
_FIXED: frozenset[Trouble] = frozenset({"rate", "budget"})
"""Troubles that end at a time which asking changes nothing about."""

_OF_ONE: frozenset[Trouble] = frozenset({"slow", "broken", "malformed"})
"""Troubles that may be of one session alone: the others do not wait for hours."""


class Rest(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why nothing is asked for now."""

    until: float
    """In Unix seconds."""
    since: float
    trouble: Trouble
    message: str
    settings: str
    """Digest of the settings that it came of."""
    times: int = 1
    """How often in a row it went wrong."""

    def holds(self, settings: str, now: float) -> bool:
        """Whether it is not over. A clock that was set back does not make it longer."""
        return self.settings == settings and self.since <= now + 1 and now < self.until

    @property
    def is_fixed(self) -> bool:
        """Whether even the user who asks has to wait for its end."""
        return self.trouble in _FIXED


class Failure(msgspec.Struct, frozen=True):
    """A backend that did not answer."""

    trouble: Trouble
    message: str
    retry_after: float | None = None


def rest_after(failure: Failure, before: Rest | None, settings: str, now: float) -> Rest:
    """The rest that a failure asks for, in the light of the one before."""
    again = before is not None and before.settings == settings and before.trouble != "budget"
    times = before.times + 1 if before is not None and again else 1
    seconds = backoff(times)
    if failure.trouble in _OF_ONE:
        seconds = min(seconds, READER_REST_MOST_SECONDS)
    if failure.trouble in FOR_THE_USER:
        seconds = READER_STANDS_SECONDS
    elif failure.retry_after is not None:
        seconds = min(max(failure.retry_after, 1.0), READER_STANDS_SECONDS)
    until = next_day(now) if failure.trouble == "budget" else now + seconds
    return Rest(until, now, failure.trouble, failure.message, settings, times)


def backoff(times: int) -> float:
    """Seconds to wait after so many failures in a row."""
    return min(READER_BACKOFF_SECONDS * 2.0 ** min(times - 1, 20), READER_BACKOFF_MOST_SECONDS)


def digest_of(choice: Choice, *limits: float) -> str:
    """A digest of the settings that a rest depends on."""
    told = msgspec.json.encode([choice, *limits])
    return hashlib.sha256(told).hexdigest()[:16]


def rest_of(reader: Reader) -> Rest | None:
    """The rest that was noted last; None when the last call went well."""
    text = reader.meta(NAME)
    try:
        return msgspec.json.decode(text, type=Rest) if text else None
    except msgspec.MsgspecError:
        return None


def note(ledger: Ledger, rest: Rest | None) -> None:
    """Keep a rest, or that there is none."""
    text = msgspec.json.encode(rest).decode() if rest else ""
    if (ledger.meta(NAME) or "") != text:
        ledger.set_meta(NAME, text)
