"""Clocks that jump: after a suspend, or because somebody set them, nothing is missed or delayed."""

import threading
import time

import pytest

from ctxd.inventory import Inventory
from ctxd.ledger import Ledger
from ctxd.pipeline import Pipeline
from ctxd.service.asking import Request
from ctxd.service.loop import Loop, Parts
from ctxd.service.timing import Clock
from ctxd.watch import Watcher
from ctxd_parsers.environment import Environment
from ctxd_parsers.registry import PARSERS
from e2e.daemon import wait_until
from e2e.talk import AGENT, Talk

SOON_SECONDS = 15.0
"""Long enough for a busy machine; what is guarded against is the wait for a rescan."""
HOUR = 3600.0
YEAR = 365 * 24 * HOUR


class Hands:
    """A clock whose hands can be moved."""

    def __init__(self):
        self.wall = self.monotonic = 0.0

    def move(self, seconds):
        self.wall += seconds
        self.monotonic += seconds

    def clock(self):
        return Clock(
            monotonic=lambda: time.monotonic() + self.monotonic,
            wall=lambda: time.time() + self.wall,
        )


class CountedInventory(Inventory):
    scans = 0

    def scan(self):
        self.scans += 1
        return super().scan()


class Deaf(Watcher):
    """Watches nothing, so that only looking everywhere finds anything, and says it does."""

    def mend(self):
        return None


class Running:
    """The loop on a thread of its own, with a clock that can be set."""

    def __init__(self, folder):
        self.home = folder / "home"
        self.hands = Hands()
        self.ledger = Ledger.open(folder / "ledger.sqlite3", self.hands.clock().wall)
        self.inventory = CountedInventory(Environment("linux", self.home), PARSERS)
        clock = self.hands.clock()
        parts = Parts(
            self.ledger,
            Pipeline(self.ledger, clock.wall),
            self.inventory,
            Deaf(self.inventory.folders, lambda: None),
            tick=lambda: None,
        )
        self.jumps = 0
        self.loop = Loop(parts, clock)
        self.loop.on_clock_jump = self.count
        self.thread = threading.Thread(target=self.loop.run)
        self.thread.start()
        while not self.loop.submit(Request("ping")).ok or not self.inventory.scans:
            pass

    def count(self):
        self.jumps += 1

    def is_told(self, talk):
        with Ledger.reader(self.ledger.path) as reader:
            told = [event.id for event in reader.events((AGENT, talk.session))]
        return set(talk.ids) <= set(told)

    def beat(self):
        with Ledger.reader(self.ledger.path) as reader:
            return reader.heartbeat()

    def close(self):
        self.loop.stop()
        self.thread.join()
        self.ledger.close()


@pytest.fixture
def running(tmp_path):
    running = Running(tmp_path)
    yield running
    running.close()


@pytest.mark.parametrize("jump", [-HOUR, HOUR, 10 * YEAR, -YEAR], ids=str)
def test_a_clock_that_is_set_delays_nothing(running, jump):
    talk = Talk(running.home)
    talk.write(2)
    running.hands.wall += jump
    wait_until(lambda: running.is_told(talk), SOON_SECONDS, "found at once")
    assert running.jumps == 1
    assert running.inventory.scans == 2
    running.hands.wall -= jump
    talk.write(2)
    wait_until(lambda: running.is_told(talk), SOON_SECONDS, "and when it is set back")
    assert running.jumps == 2


def test_after_a_suspend_everything_is_looked_at_at_once(running):
    """The monotonic clock stands still in a suspend, as the loop does; the wall clock does not."""
    talk = Talk(running.home)
    talk.write(2)
    running.hands.wall += 8 * HOUR
    wait_until(lambda: running.is_told(talk), SOON_SECONDS, "found at once")


def test_a_heartbeat_tells_the_time_that_it_is_now(running):
    wait_until(running.beat, what="a heartbeat")
    running.hands.wall -= HOUR
    running.loop.call(lambda: running.hands.move(10.0))
    wait_until(lambda: running.beat().tick < time.time() - HOUR / 2, 15, "in the new time")


def test_time_that_only_passes_is_no_jump(running):
    running.loop.call(lambda: running.hands.move(20 * HOUR))
    wait_until(lambda: running.inventory.scans >= 2, SOON_SECONDS, "what was due is done")
    assert running.jumps == 0
