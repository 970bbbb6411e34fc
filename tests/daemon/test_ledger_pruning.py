"""Over its size, the ledger gives up the oldest ended sessions' events, and nothing else."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from batches import LOG, batch, checkpoint, ids, integrity, said
from ctxd.item_log import captured
from ctxd.ledger import Judgement, Ledger, Pruned, SessionRow, writer
from ctxd.policy.ledger import EVENT_DAYS, SESSIONS_NEVER_PRUNED
from made_items import item
from session_events import NOON

DAY = 86_400
NOW = NOON.timestamp() + 1000 * DAY


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "ledger.sqlite3") as opened:
        yield opened


def add(ledger, name, days_ago, repository="o/r", state="ended"):
    """A session that was last active so many days ago."""
    last = datetime.fromtimestamp(NOW - days_ago * DAY, UTC)
    row = SessionRow(
        agent="a",
        id=name,
        repository=repository,
        state=state,
        last_event=last,
        turns=7,
        spoken=True,
        body=b"\x80",
    )
    said_in_it = [said(f"{name}.{n}", "words " * 300, name) for n in range(20)]
    path = Path(f"/logs/{name}")
    ledger.record(batch(*said_in_it, path=path, checkpoint=checkpoint(5), sessions=[row]))


def left(ledger):
    """Sessions that still have events."""
    return sorted(row.id for row in ledger.sessions() if ids(ledger, row.id))


def full(monkeypatch, ledger, share=0.0):
    """Make the ledger's present size too large, and say down to which share it should go."""
    monkeypatch.setattr(writer, "LEDGER_BYTES", ledger.size - 1)
    monkeypatch.setattr(writer, "LEDGER_KEPT_SHARE", share)


def test_nothing_is_pruned_below_the_size(ledger):
    for days in (500, 600, 700, 800):
        add(ledger, f"s{days}", days)
    assert ledger.prune(NOW) == Pruned()
    assert len(left(ledger)) == 4


def test_ended_and_forgotten_sessions_lose_their_events(ledger, monkeypatch):
    for days in (1, 2, 3, 4):
        add(ledger, f"ended{days}", days)
    add(ledger, "live", 5, state="live")
    add(ledger, "forgotten", EVENT_DAYS + 1, state="live")
    full(monkeypatch, ledger)
    pruned = ledger.prune(NOW)
    assert left(ledger) == ["ended1", "ended2", "live"]
    assert (pruned.sessions, pruned.events) == (3, 60)
    assert pruned.bytes > 0


def test_the_oldest_go_first_and_only_as_many_as_needed(ledger, monkeypatch):
    for days in range(1, 11):
        add(ledger, f"s{days:02}", days)
    full(monkeypatch, ledger, share=0.7)
    ledger.prune(NOW)
    assert left(ledger)[0] == "s01"
    assert 4 <= len(left(ledger)) <= 8
    assert left(ledger) == [f"s{days:02}" for days in range(1, len(left(ledger)) + 1)]


def test_the_last_sessions_of_each_repository_stay_however_old(ledger, monkeypatch):
    for repository in ("o/one", "o/two", None):
        for days in (900, 800, 700):
            add(ledger, f"{repository}{days}", days, repository)
    full(monkeypatch, ledger)
    ledger.prune(NOW)
    kept = [f"{repository}{days}" for repository in ("o/one", "o/two", None) for days in (700, 800)]
    assert left(ledger) == sorted(kept)
    assert SESSIONS_NEVER_PRUNED == 2


def test_a_pruned_session_is_still_listed_and_its_log_is_not_read_again(ledger, monkeypatch):
    for days in (100, 200, 300):
        add(ledger, f"s{days}", days)
    full(monkeypatch, ledger)
    ledger.prune(NOW)
    pruned = next(row for row in ledger.sessions() if row.id == "s300")
    assert pruned.turns == 7
    assert ids(ledger, "s300") == []
    assert ledger.session("a", "s300") is None
    assert ledger.checkpoint(Path("/logs/s300")) == checkpoint(5)


def test_what_a_fork_shares_with_a_pruned_session_stays_in_the_fork(ledger, monkeypatch):
    add(ledger, "parent", 900)
    copies = [said(f"parent.{n}", "words " * 300, "fork") for n in range(20)]
    ledger.record(batch(*copies, path=LOG))
    for days in (1, 2):
        add(ledger, f"s{days}", days)
    before = list(ledger.events(("a", "fork")))
    full(monkeypatch, ledger)
    ledger.prune(NOW)
    assert ids(ledger, "parent") == []
    assert list(ledger.events(("a", "fork"))) == before == copies


def test_the_file_becomes_smaller(ledger, monkeypatch):
    for days in range(1, 30):
        add(ledger, f"s{days}", days)
    ledger._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = ledger.path.stat().st_size
    full(monkeypatch, ledger, share=0.3)
    assert ledger.prune(NOW).sessions > 15
    ledger._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert ledger.path.stat().st_size < before / 2
    assert integrity(ledger.path) == "ok"


def test_a_pruned_session_that_goes_on_is_recorded_again(ledger, monkeypatch):
    for days in (100, 200, 300):
        add(ledger, f"s{days}", days)
    full(monkeypatch, ledger)
    ledger.prune(NOW)
    assert ledger.record(batch(said("s300.0", session="s300"), said("new", session="s300"))) == 2
    assert ids(ledger, "s300") == ["s300.0", "new"]


def test_items_are_never_among_what_is_pruned(ledger, monkeypatch):
    known = item(session="s300", event="s300.0")
    for days in (100, 200, 300):
        add(ledger, f"s{days}", days)
    ledger.settle([Judgement(key=("a", "s300", "s300.0"), repository="/r", items=[known])])
    full(monkeypatch, ledger)
    assert ledger.prune(NOW).sessions == 1
    assert ids(ledger, "s300") == []
    assert [found.item for found in ledger.items()] == [known]
    assert ledger.item_events("/r") == [captured(known)]
