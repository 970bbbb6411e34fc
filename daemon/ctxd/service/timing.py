"""Time for the loop: deadlines by the monotonic clock, so that a changed wall clock moves nothing.

The wall clock is watched only to notice that it parted from the monotonic one: after a suspend, or
when somebody set it, file events may have been lost and calendar jobs must be planned anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from ctxd.policy.daemon import CLOCK_JUMP_SECONDS


class Clock(msgspec.Struct, frozen=True):
    """Both clocks, injected so that tests can move them."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


class Every:
    """Says when something that is done every so many seconds is due."""

    def __init__(self, seconds: float, now: float) -> None:
        self.seconds = seconds
        self.next = now

    def due(self, now: float) -> bool:
        """Whether it is time; if so the next time is planned from now, without catching up."""
        if now < self.next:
            return False
        self.next = now + self.seconds
        return True


class JumpDetector:
    """Notices that wall and monotonic time parted since the last look."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._apart = clock.wall() - clock.monotonic()

    def jumped(self) -> float:
        """Seconds by which the wall clock jumped, 0 if it did not."""
        apart = self._clock.wall() - self._clock.monotonic()
        jump = apart - self._apart
        if abs(jump) < CLOCK_JUMP_SECONDS:
            return 0.0
        self._apart = apart
        return jump
