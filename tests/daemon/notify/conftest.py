"""A session bus for tests that speak to one."""

import tempfile
from pathlib import Path

import pytest

from ctxd.ledger import Ledger
from private_bus import private_bus
from session_events import NOON


@pytest.fixture
def bus():
    """A folder of its own: pytest's have paths that are too long for a socket on some systems."""
    with tempfile.TemporaryDirectory(prefix="ctxd-bus-") as folder, private_bus(Path(folder)) as it:
        yield it


@pytest.fixture
def clock():
    return Moving()


@pytest.fixture
def ledger(tmp_path, clock):
    with Ledger.open(tmp_path / "state" / "ledger.sqlite3", clock.wall) as opened:
        yield opened


class Moving:
    """Both clocks, moved by hand."""

    def __init__(self):
        self.now = 1000.0
        self.apart = NOON.timestamp() + 86_400

    def monotonic(self):
        return self.now

    def wall(self):
        return self.now + self.apart
