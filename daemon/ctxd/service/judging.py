"""When the loop judges exchanges: those of now at once, history while there is nothing to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxd.ledger import Pending
from ctxd.policy import JUDGED_AT_ONCE, PENDING_MOST
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
        self.waits = True
        """Whether an exchange may wait: an earlier run may have left some."""
        self._history = 0
        """How many were left waiting since nothing did."""

    @property
    def presses(self) -> bool:
        """Whether so many wait that they come before what else is read of history."""
        return self._history > PENDING_MOST

    def take(self, pending: Sequence[Pending]) -> None:
        """Judge what is of now; what is of history waits."""
        of_now = [one for one in pending if self._understanding.is_of_now(one)]
        self._judge(of_now)
        left = len(pending) - len(of_now)
        if left:
            self.waits = True
            self._history += left

    def at_boundaries(self, signals: Iterable[Signal]) -> None:
        """Judge all that waits of sessions whose words are about to be needed, or have been."""
        for key in {(s.agent, s.session) for s in signals if isinstance(s, _AT_ONCE)}:
            self._guard.run(lambda key=key: self._judge(self._understanding.waiting(key)))  # type: ignore[misc]

    def step(self) -> bool:
        """Judge some of what waits longest; whether there was anything to do."""
        if not self.waits:
            return False
        if self._guard.run(self._some):
            self._history = max(0, self._history - JUDGED_AT_ONCE)
        else:  # what is a defect would only be met again
            self.waits = bool(self._guard.trouble)
        return True

    def _some(self) -> None:
        self.waits = self._understanding.step()
        if not self.waits:
            self._history = 0

    def _judge(self, pending: Sequence[Pending]) -> None:
        for start in range(0, len(pending), JUDGED_AT_ONCE):
            part = pending[start : start + JUDGED_AT_ONCE]
            if not self._guard.run(lambda part=part: self._understanding.judge(part)):  # type: ignore[misc]
                self.waits = True
