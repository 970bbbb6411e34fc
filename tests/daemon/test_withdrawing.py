"""A rewind that began a new file takes back what it left in others, in whatever order they come."""

import itertools
from pathlib import Path

import msgspec
import pytest

from batches import batch
from ctxd.ledger import Ledger
from ctxd_parsers.events import UserMessage
from parsers.codex_logs import recorded

FILES = recorded("0.171.0/rewinds")
KEY = (FILES[0][0].agent, FILES[0][0].session)
MIGRATED = "0.171.0/migrated"
LEFT = ["First prompt changed: use DuckDB.", "Resumed: go on."]


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "state" / "ledger.sqlite3") as opened:
        yield opened


def record(ledger, number, events=None, **more):
    ledger.record(batch(*(events or FILES[number]), path=Path(f"/{number}.jsonl"), **more))


def words(ledger):
    return sorted(event.text for event in ledger.events(KEY, (UserMessage,)))


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_in_whatever_order_its_files_are_read(ledger, order):
    for number in order:
        record(ledger, number)
    assert words(ledger) == sorted(LEFT)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_what_no_file_takes_back_stands(ledger, order):
    for number in order:
        record(ledger, number)
    assert words(ledger) == [
        "First prompt: use SQLite.",
        "Second prompt changed: integer cents, never floats.",
        "Third prompt changed: command line only.",
    ]


def test_when_files_are_read_in_steps_between_each_other(ledger):
    for step in range(0, 12, 2):
        for number in (3, 2, 1, 0):
            part = FILES[number][step : step + 2]
            if part:
                record(ledger, number, part)
    assert words(ledger) == sorted(LEFT)


def test_a_file_that_is_read_anew_brings_nothing_back(ledger):
    for number in range(4):
        record(ledger, number)
    record(ledger, 0, again=True)
    assert words(ledger) == sorted(LEFT)


def test_a_migration_that_leaves_out_what_was_taken_back_changes_nothing(ledger):
    (_, before), (_, after) = (recorded(case) for case in ("0.144.0/fork_rollback", MIGRATED))
    key = (before[0].agent, before[0].session)
    record(ledger, 0, before)
    told = [event.text for event in ledger.events(key, (UserMessage,))]
    record(ledger, 0, after, again=True)
    assert [event.text for event in ledger.events(key, (UserMessage,))] == told
    assert "Money in floats." not in told


def test_other_sessions_keep_theirs(ledger):
    other = [msgspec.structs.replace(e, session="other", id=f"other {e.id}") for e in FILES[0]]
    record(ledger, 9, other)
    for number in range(4):
        record(ledger, number)
    kept = ledger.events((KEY[0], "other"), (UserMessage,))
    assert [event.text for event in kept] == [
        e.text for e in FILES[0] if isinstance(e, UserMessage)
    ]
