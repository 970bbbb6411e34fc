"""However fast items change, a context file is written seldom, and ends up as it should."""

import time
from types import SimpleNamespace

import pytest

from batches import batch, said
from ctxd.context_files import apply as applying
from ctxd.context_files.keeper import Keeper
from ctxd.context_files.receipts import Receipts
from ctxd.exchange import Exchange
from ctxd.ledger import Judgement, Ledger, Pending, SessionRow
from ctxd.policy.context_files import CONTEXT_WRITE_SECONDS
from git_repos import commit, new_repository
from made_items import item

TICK_SECONDS = 0.01
"""A hundred changes a second."""


class Clock:
    """Time that the test lets pass."""

    def __init__(self):
        self.passed = 0.0

    def monotonic(self):
        return self.passed

    def wall(self):
        return time.time() + self.passed


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(applying, "time", SimpleNamespace(time=clock.wall))
    return clock


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = new_repository(tmp_path.resolve() / "shop")
    commit(root, {"AGENTS.md": "# Shop\n"})
    return root


@pytest.fixture
def ledger(tmp_path, clock, root):
    with Ledger.open(tmp_path / "state" / "ledger.sqlite3", clock.wall) as ledger:
        session = SessionRow(agent="a", id="s", cwd=str(root), spoken=True)
        waits = Pending("a", "s", Exchange((), ("words",)))
        ledger.record(batch(said("words"), sessions=[session], pending=[waits]))
        yield ledger


def test_a_hundred_changes_a_second_are_a_write_in_ten(tmp_path, clock, root, ledger):
    made = [item(f"rule number {number} holds", kind="constraint") for number in range(5)]
    ledger.settle([Judgement(key=("a", "s", "words"), repository=str(root), items=made)])
    receipts = Receipts(tmp_path / "receipts")
    keeper = Keeper(ledger, receipts, lambda _: "auto", (clock.monotonic, clock.wall))
    for change in range(3000):
        one = made[change % len(made)]
        ledger.decide(str(root), one.id, "edited", f"wording {change} holds")
        while keeper.step():
            pass
        clock.passed += TICK_SECONDS
    span = 3000 * TICK_SECONDS
    writes = len(receipts.all())
    assert 1 < writes <= 1 + span / CONTEXT_WRITE_SECONDS
    clock.passed += 2 * CONTEXT_WRITE_SECONDS
    while keeper.step():
        pass
    text = (root / "AGENTS.md").read_text(encoding="utf-8")
    assert all(f"wording {change} holds" in text for change in range(2995, 3000))
    assert text.startswith("# Shop\n")
