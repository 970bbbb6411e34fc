"""Deadlines follow the monotonic clock whatever the wall clock does."""

from ctxd.policy.daemon import CLOCK_JUMP_SECONDS
from ctxd.service.timing import Clock, Every, JumpDetector


class Hands:
    """Two clocks that tests turn."""

    def __init__(self):
        self.wall, self.monotonic = 1_000_000.0, 50.0

    def pass_time(self, seconds):
        self.wall += seconds
        self.monotonic += seconds

    @property
    def clock(self):
        return Clock(lambda: self.monotonic, lambda: self.wall)


def test_something_regular_is_due_at_once_and_then_after_each_interval():
    every = Every(10, now=100)
    assert [every.due(now) for now in (100, 105, 109.9, 110, 119, 120)] == [
        True,
        False,
        False,
        True,
        False,
        True,
    ]


def test_missed_times_are_not_caught_up():
    every = Every(10, now=100)
    every.due(100)
    assert [every.due(now) for now in (1000, 1001, 1010)] == [True, False, True]


def test_time_that_passes_is_no_jump():
    hands = Hands()
    jumps = JumpDetector(hands.clock)
    for _ in range(100):
        hands.pass_time(60)
        assert jumps.jumped() == 0


def test_a_clock_set_back_or_forward_and_a_suspend_are_each_noticed_once():
    for jump in (-3600, 3600, 10 * 365 * 86400, CLOCK_JUMP_SECONDS):
        hands = Hands()
        jumps = JumpDetector(hands.clock)
        hands.wall += jump
        assert jumps.jumped() == jump
        assert jumps.jumped() == 0


def test_small_corrections_of_the_clock_are_no_jump():
    hands = Hands()
    jumps = JumpDetector(hands.clock)
    hands.wall += CLOCK_JUMP_SECONDS - 1
    assert jumps.jumped() == 0
