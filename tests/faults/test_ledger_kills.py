"""Killed at any instant, the ledger loses nothing that was recorded and repeats nothing."""

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from batches import batch, ids, integrity, said
from ctxd.ledger import Ledger, LedgerInUseError
from ctxd.ledger.schema import MIGRATIONS
from ledger_faults import check, expected_ids, last_number, start, strace, system_calls

UPGRADE = (
    "ALTER TABLE events ADD COLUMN weight INTEGER",
    "UPDATE events SET weight = length(body)",
    "CREATE TABLE weights AS SELECT number, weight FROM events",
    "CREATE INDEX event_weights ON events (weight)",
)
"""A version that does not exist, large enough to be killed within."""
UPGRADING = """
import sys
from pathlib import Path
from ctxd.ledger import Ledger
from ctxd.ledger.schema import MIGRATIONS
print("go", flush=True)
Ledger.open(Path(sys.argv[1]), migrations=(*MIGRATIONS, eval(sys.argv[2]))).close()
print("done", flush=True)
"""
HOLDING = """
import sys
from pathlib import Path
from ctxd.ledger import Ledger, LedgerInUseError
sys.stdin.readline()
try:
    ledger = Ledger.open(Path(sys.argv[1]))
except LedgerInUseError:
    print("refused", flush=True)
else:
    print("open", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.long)])
def test_killed_at_random_instants_while_it_records(tmp_path, kills):
    path = tmp_path / "ledger.sqlite3"
    choice = random.Random(kills)
    recorded = 0
    for _ in range(kills):
        child = start(path)
        first = child.stdout.readline()
        time.sleep(choice.uniform(0, 0.05))
        child.kill()
        rest, errors = child.communicate()
        assert errors == ""
        recorded = max(recorded, last_number([first, *rest.splitlines()]))
        recorded = check(path, recorded)
    with Ledger.open(path) as ledger:
        assert ledger.rebuilt() is None
        assert ids(ledger) == expected_ids(recorded)
        assert recorded > kills


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
@pytest.mark.parametrize("stride", [29, pytest.param(1, marks=pytest.mark.long)])
def test_killed_at_each_system_call(tmp_path, stride):
    path = tmp_path / "state" / "ledger.sqlite3"
    calls = system_calls(path, 3)
    assert len(calls) > 200
    for name, number in calls[::stride]:
        path.parent.mkdir()
        inject = ("-e", f"inject={name}:signal=KILL:when={number}")
        child = start(path, 3, strace(path, tmp_path / "log", *inject))
        out, errors = child.communicate()
        assert child.returncode in {0, -signal.SIGKILL}, errors
        if path.exists():
            check(path, last_number(out.splitlines()))
        finish(path)
        assert check(path) == 3
        shutil.rmtree(path.parent)


def finish(path):
    """Let a child that nobody kills do the rest."""
    child = start(path, 3)
    out, errors = child.communicate()
    assert child.returncode == 0, errors
    assert out.splitlines()[-1] == "done"


@pytest.mark.parametrize("kills", [8, pytest.param(50, marks=pytest.mark.long)])
def test_killed_while_it_is_brought_up_to_date(tmp_path, kills):
    old = tmp_path / "old.sqlite3"
    with Ledger.open(old) as ledger:
        for number in range(20):
            ledger.record(batch(*(said(f"{number}.{n}", "text " * 20) for n in range(500))))
    path = tmp_path / "ledger.sqlite3"
    choice = random.Random(kills)
    began = time.monotonic()
    upgrade(old, path, choice, None)
    whole = time.monotonic() - began
    versions = set()
    for _ in range(kills):
        upgrade(old, path, choice, whole)
        versions.add(version_after(path))
        with Ledger.open(path, migrations=(*MIGRATIONS, UPGRADE)):
            assert version_after(path) == len(MIGRATIONS) + 1
    assert versions <= {len(MIGRATIONS), len(MIGRATIONS) + 1}


def upgrade(old, path, choice, whole):
    for file in path.parent.glob("ledger.sqlite3*"):
        file.unlink()
    shutil.copy(old, path)
    child = subprocess.Popen(
        [sys.executable, "-c", UPGRADING, str(path), repr(UPGRADE)], stdout=subprocess.PIPE
    )
    assert child.stdout.readline() == b"go\n"
    if whole is not None:
        time.sleep(choice.uniform(0, whole / 2))
        child.kill()
    child.communicate()


def version_after(path):
    """The version, once everything in the ledger has been found to be of it."""
    assert integrity(path) == "ok"
    with closing(sqlite3.connect(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        assert connection.execute("SELECT count(*) FROM events").fetchone()[0] == 10_000
        columns = {row[1] for row in connection.execute("PRAGMA table_info(events)")}
        assert ("weight" in columns) == (version > len(MIGRATIONS))
        if version > len(MIGRATIONS):
            weighed = "SELECT count(*), count(weight) FROM events"
            assert connection.execute(weighed).fetchone() == (10_000, 10_000)
            assert connection.execute("SELECT count(*) FROM weights").fetchone()[0] == 10_000
    return version


def test_of_many_that_start_together_one_gets_it_and_a_killed_one_gives_it_up(tmp_path):
    path = tmp_path / "ledger.sqlite3"
    for _ in range(3):
        children = [
            subprocess.Popen(
                [sys.executable, "-c", HOLDING, str(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(7)
        ]
        for child in children:
            child.stdin.write("\n")
            child.stdin.flush()
        answers = [child.stdout.readline().strip() for child in children]
        assert sorted(answers) == ["open", *["refused"] * 6]
        with pytest.raises(LedgerInUseError):
            Ledger.open(path)
        children[answers.index("open")].kill()
        for child in children:
            child.communicate()
    with Ledger.open(path) as ledger:
        assert ledger.record(batch(said(1))) == 1


def test_the_child_used_here_does_what_it_says(tmp_path):
    path = tmp_path / "ledger.sqlite3"
    finish(path)
    assert check(path, 3) == 3
