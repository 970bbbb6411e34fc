"""When the loop judges exchanges: those of now at once, history while there is nothing to read.

In steps, so that a stop, a live line or a request never waits for long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from ctxd.ledger import ExchangeKey, Pending
from ctxd.listening import Key
from ctxd.policy.daemon import PENDING_MOST
from ctxd.policy.items import JUDGED_AT_ONCE
from ctxd.service.guard import Guard
from ctxd.session import Signal
from ctxd.signals import CompactionAhead, CompactionHappened, SessionClosed
from ctxd.understanding import Understanding

_AT_ONCE = (CompactionAhead, CompactionHappened, SessionClosed)
"""After these, whoever goes on needs what was said before."""


class Judging:
    """Keeps what waits small, and never lets what is said now wait."""

    def __init__(self, understanding: Understanding, guard: Guard) -> None:
        self._understanding = understanding
        self._guard = guard
        self._next: dict[ExchangeKey, Pending] = {}
        """Exchanges that come before all others that wait, as they were heard of last."""
        self._history = 0
        """How many others were left waiting since nothing did."""
        self._may_wait = True
        """Whether the ledger may have some that wait: an earlier run may have left them."""

    @property
    def waits(self) -> bool:
        """Whether there may be something to judge."""
        return bool(self._next) or self._may_wait

    @property
    def hurries(self) -> bool:
        """Whether what waits is of now, or was hurried."""
        return bool(self._next)

    @property
    def presses(self) -> bool:
        """Whether it comes before more of history is read."""
        return bool(self._next) or self._history > PENDING_MOST

    def take(self, pending: Sequence[Pending], *, urgent: bool) -> None:
        """Judge what is of now, as much of it as is done in one step; what is of history waits.

        A live change is of now whatever time its log tells: clocks are wrong at times.
        """
        of_now = [one for one in pending if urgent or self._understanding.is_of_now(one)]
        self._next |= {one.key: one for one in of_now}
        self._judge(of_now[:JUDGED_AT_ONCE])
        left = len(pending) - len(of_now)
        self._history += left
        self._may_wait = self._may_wait or left > 0

    def at_boundaries(self, signals: Iterable[Signal]) -> None:
        """Let come first what waits of sessions whose words are, or were, about to be needed."""
        self.hurry({(s.agent, s.session) for s in signals if isinstance(s, _AT_ONCE)})
        self._judge_next()

    def hurry(self, keys: Iterable[Key]) -> None:
        """Let come first what waits of some sessions."""
        for key in keys:
            first = {one.key: one for one in self._understanding.waiting(key)}
            self._next = first | {k: one for k, one in self._next.items() if k not in first}

    def step(self) -> bool:
        """Judge some of what waits; whether there was anything to do."""
        if self._next:
            self._judge_next()
            return True
        if not self._may_wait:
            return False
        if self._guard.run(self._some):
            self._history = max(0, self._history - JUDGED_AT_ONCE)
        else:  # what is a defect would only be met again
            self._may_wait = bool(self._guard.trouble)
        return True

    def _judge_next(self) -> None:
        self._judge(list(islice(self._next.values(), JUDGED_AT_ONCE)))

    def _judge(self, part: Sequence[Pending]) -> None:
        """Judge exchanges; those that cannot be stored now go on waiting in the ledger."""
        if part and not self._guard.run(lambda: self._understanding.judge(part)):
            self._may_wait = True
        for one in part:
            self._next.pop(one.key, None)

    def _some(self) -> None:
        self._may_wait = self._understanding.step()
        if not self._may_wait:
            self._history = 0
