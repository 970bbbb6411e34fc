"""A ledger of any earlier version becomes one of today with everything in it.

`ledgers/` holds one of each version as SQL text; `pytest --regen` writes that of a new version.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from batches import LOG, batch, checkpoint, ids, integrity
from ctxd.ledger import Failure, Ledger, LedgerVersionError, SessionRow
from ctxd.ledger.schema import APPLICATION_ID, MIGRATIONS, migrate, version_of
from ctxd_parsers.events import Unknown
from session_events import at, compaction, started, user

LEDGERS = Path(__file__).parent / "ledgers"
NOW = 1_800_000_000.0
VERSIONS = range(1, len(MIGRATIONS) + 1)
FAKE = (
    "CREATE TABLE items (id TEXT PRIMARY KEY, text TEXT)",
    "ALTER TABLE sessions ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'",
    "UPDATE sessions SET mood = 'busy' WHERE turns > 1",
)
"""A version that does not exist yet."""


def fill(ledger):
    """What the stored ledgers hold. Never changed, since they are not either."""
    events = [started("st", 0, cwd="/repo"), user("u1", 1, text="use tabs"), compaction("c", 2)]
    odd = Unknown(agent="a", session="s", id="k", record_kind="odd", client_version="1.0")
    row = SessionRow(agent="a", id="s", cwd="/repo", turns=3, last_event=at(2), spoken=True)
    ledger.record(batch(*events, odd, records=9, sessions=[row], checkpoint=checkpoint(70)))
    ledger.record(batch(user("u1", 1, session="fork"), path=Path("/logs/fork")))
    ledger.set_aside(Path("/logs/bad"), "not permitted", 5, 6)
    ledger.set_meta("fact", "kept")


def has_everything(ledger):
    assert ids(ledger) == ["st", "u1", "c"]
    assert [event.text for event in ledger.events(("a", "fork"))] == ["use tabs"]
    assert ledger.compactions(("a", "s"))[0].time == at(2)
    assert [(row.id, row.cwd, row.turns, row.last_event) for row in ledger.sessions()] == [
        ("s", "/repo", 3, at(2))
    ]
    assert [(oddity.kind, oddity.number) for oddity in ledger.oddities()] == [("odd", 1)]
    assert ledger.failures() == [Failure(Path("/logs/bad"), "not permitted", 5, 6, NOW, NOW, 1)]
    assert ledger.meta("fact") == "kept"
    assert ledger.rebuilt() is None
    # A new form of the checkpoint may forget how far a log was read: it is read again.
    assert ledger.checkpoint(LOG) in [checkpoint(70), None]


def restored(path, version):
    """A ledger of that version, as it was."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((LEDGERS / f"v{version}.sql").read_text(encoding="utf-8"))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {version}")


def test_a_ledger_of_the_newest_version_is_stored_for_later(tmp_path, regen):
    path = tmp_path / "ledger.sqlite3"
    with Ledger.open(path, lambda: NOW) as ledger:
        fill(ledger)
        has_everything(ledger)
    stored = LEDGERS / f"v{len(MIGRATIONS)}.sql"
    if regen and not stored.exists():
        with closing(sqlite3.connect(path)) as connection:
            stored.write_text("\n".join(connection.iterdump()) + "\n", encoding="utf-8")
    assert sorted(file.name for file in LEDGERS.iterdir()) == [f"v{v}.sql" for v in VERSIONS]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_earlier_version_is_brought_up_to_date_whole(tmp_path, version):
    path = tmp_path / "ledger.sqlite3"
    restored(path, version)
    with Ledger.open(path) as ledger:
        has_everything(ledger)
    assert integrity(path) == "ok"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_version_to_come_takes_over_from_each_earlier_one(tmp_path, version):
    path = tmp_path / "ledger.sqlite3"
    restored(path, version)
    with Ledger.open(path, migrations=(*MIGRATIONS, FAKE)) as ledger:
        has_everything(ledger)
    with closing(sqlite3.connect(path)) as connection:
        assert version_of(connection) == len(MIGRATIONS) + 1
        moods = dict(connection.execute("SELECT id, mood FROM sessions"))
        assert moods == {"s": "busy", "fork": "calm"}
        assert connection.execute("SELECT count(*) FROM items").fetchone() == (0,)
    with pytest.raises(LedgerVersionError):
        Ledger.open(path)


def test_a_version_that_fails_halfway_changes_nothing(tmp_path):
    path = tmp_path / "ledger.sqlite3"
    with Ledger.open(path, lambda: NOW) as ledger:
        fill(ledger)
    broken = (*FAKE, "UPDATE nothing SET x = 1")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection, (*MIGRATIONS, broken))
        assert version_of(connection) == len(MIGRATIONS)
        assert not connection.in_transaction
    with Ledger.open(path) as ledger:
        has_everything(ledger)


def test_bringing_up_to_date_twice_is_bringing_up_to_date_once(tmp_path):
    path = tmp_path / "ledger.sqlite3"
    with Ledger.open(path, lambda: NOW) as ledger:
        fill(ledger)
        migrate(ledger._connection)
        has_everything(ledger)


def test_every_field_of_a_session_row_has_its_column(tmp_path):
    with Ledger.open(tmp_path / "ledger.sqlite3") as ledger:
        columns = {row[1] for row in ledger._connection.execute("PRAGMA table_info(sessions)")}
    assert {field.name for field in msgspec.structs.fields(SessionRow)} <= columns
