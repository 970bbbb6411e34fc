"""A ledger of any earlier version becomes one of today with everything in it.

`ledgers/` holds one of each version as SQL text; `pytest --regen` writes that of a new version.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from batches import LOG, batch, checkpoint, ids, integrity
from ctxd.exchange import Exchange
from ctxd.item import Evidence, Item
from ctxd.item_log import ItemState, superseded
from ctxd.ledger import (
    Failure,
    Judgement,
    KeptNotice,
    Ledger,
    LedgerVersionError,
    Pending,
    SessionRow,
    WaitingBoundary,
)
from ctxd.ledger.schema import APPLICATION_ID, MIGRATIONS, migrate, version_of
from ctxd.reader.values import Called, Finding, Findings, Spent
from ctxd.retention.values import ItemVerdict, Record, Verdict
from ctxd.signals import Boundary
from ctxd_parsers.events import Unknown
from made_items import item
from session_events import at, compaction, started, user

LEDGERS = Path(__file__).parent / "ledgers"
NOW = 1_800_000_000.0
NEWEST = len(MIGRATIONS)
VERSIONS = range(1, NEWEST + 1)
FAKE = (
    "CREATE TABLE moods (id TEXT PRIMARY KEY, text TEXT)",
    "ALTER TABLE sessions ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'",
    "UPDATE sessions SET mood = 'busy' WHERE turns > 1",
)
"""A version that does not exist yet."""


def fill(ledger):
    """What the stored ledgers hold. Never changed, since they are not either."""
    fill_1(ledger)
    fill_2(ledger)
    fill_3(ledger)
    fill_4(ledger)
    fill_5(ledger)


def fill_1(ledger):
    events = [started("st", 0, cwd="/repo"), user("u1", 1, text="use tabs"), compaction("c", 2)]
    odd = Unknown(agent="a", session="s", id="k", record_kind="odd", client_version="1.0")
    row = SessionRow(agent="a", id="s", cwd="/repo", turns=3, last_event=at(2), spoken=True)
    ledger.record(batch(*events, odd, records=9, sessions=[row], checkpoint=checkpoint(70)))
    ledger.record(batch(user("u1", 1, session="fork"), path=Path("/logs/fork")))
    ledger.set_aside(Path("/logs/bad"), "not permitted", 5, 6)
    ledger.set_meta("fact", "kept")


def fill_2(ledger):
    tabs, spaces = item("use tabs", reason="make wants them"), item("use spaces", 1)
    waiting = Pending("a", "s", Exchange(("m",), ("u2",)))
    ledger.record(batch(path=Path("/logs/two"), pending=[waiting]))
    ledger.settle(
        [
            Judgement(key=("a", "s", "u1"), repository="/repo", items=[tabs]),
            Judgement(
                key=("a", "s", "u3"),
                repository="/repo",
                items=[spaces],
                events=[superseded(tabs.id, spaces)],
            ),
            Judgement(key=("a", "s", "u4"), repository="/repo", uncovered="fi"),
        ]
    )
    ledger.decide("/repo", spaces.id, "edited", "four spaces")


def fill_3(ledger):
    ledger.settle([Judgement(key=("a", "s", "u5"), repository="/repo", items=[item("use vi")])])
    ledger.forget("/repo", item("use vi").id)


def fill_4(ledger):
    tabs = item("use tabs")
    for name, window in (("c", ("u1",)), ("c2", ("c",))):
        waiting = WaitingBoundary(
            agent="a",
            session="s",
            boundary=Boundary(name, at(2), "auto"),
            repository="/repo",
            live=True,
            window_before=window,
            kept=(),
        )
        ledger.record(batch(path=Path("/logs/four"), boundaries=[waiting]))
    verdict = ItemVerdict(
        repository="/repo",
        item=tabs.id,
        kind="decision",
        verdict=Verdict("lost", why="no passage"),
        owed=True,
    )
    ledger.keep_record(
        Record(agent="a", session="s", event="c", time=at(2), live=True, items=[verdict])
    )
    ledger.mark_given("a", "s", [("/repo", "aaaaaaaa")], NOW)
    ledger.keep_notice(KeptNotice(key="k", time=NOW, state="failed", title="dropped"))


def fill_5(ledger):
    ledger.want_reading(("a", "s"), "ended", NOW)
    evidence = Evidence("u1", "user", "use tabs")
    finding = Finding(
        statement="Tabs, not spaces",
        kind="constraint",
        evidence=(evidence,),
        authority="user",
        durability="repo",
    )
    found = Findings(exchange="u1", words="00ff", reader="agent model", found=(finding,))
    ledger.keep_findings(("a", "s"), "d1", [found])
    tabs = item("use tabs", reason="make wants them")
    ledger.settle([Judgement(key=("a", "s", "u1"), repository="/repo", items=[tabs])])
    ledger.count_call("2027-01-15", "agent", Called(spent=Spent(900, 80, 0.02), refused=1))


def has_everything(ledger, version=NEWEST):
    has_1(ledger)
    if version > 1:
        has_2(ledger)
    if version > 2:
        has_3(ledger)
    if version > 3:
        has_4(ledger)
    if version > 4:
        has_5(ledger)


def has_5(ledger):
    [wanted] = ledger.wanted_readings()
    assert (wanted.key, wanted.why, wanted.since) == (("a", "s"), "ended", NOW)
    assert ledger.chunks_read(("a", "s")) == {"d1"}
    assert ledger.findings(("a", "s", "u1")).found[0].statement == "Tabs, not spaces"
    account = ledger.reader_account("2027-01-15")
    assert (account.calls, account.input_tokens, account.refused) == (1, 900, 1)


def has_4(ledger):
    [record] = ledger.records(("a", "s"))
    assert (record.event, record.items[0].verdict.answer) == ("c", "lost")
    [waiting] = ledger._rows("SELECT event FROM boundaries WHERE record IS NULL")
    assert waiting == ("c2",)
    assert [one.answer for one in ledger.item_boundaries("/repo", item("use tabs").id)] == ["lost"]
    assert ledger._rows("SELECT item FROM given") == [("aaaaaaaa",)]
    assert [(found.key, found.state) for found in ledger.notices()] == [("k", "failed")]


def has_3(ledger):
    assert ledger.is_forgotten("/repo", item("use vi").id)
    assert not ledger.is_forgotten("/repo", item("use tabs").id)


def has_2(ledger):
    assert [(known.key, known.since) for known in ledger.pending()] == [(("a", "s", "u2"), NOW)]
    assert ledger.pending()[0].exchange == Exchange(("m",), ("u2",))
    known = {known.item.text: known.state for known in ledger.items("/repo", statuses=())}
    assert known["use tabs"].superseded_by == item("use spaces").id
    assert known["use tabs"].item == item("use tabs", reason="make wants them")
    assert known["use spaces"].text == "four spaces"
    assert [event.type for event in ledger.item_events("/repo")] == [
        "captured",
        "captured",
        "superseded",
        "edited",
    ]
    assert [found.item.text for found in ledger.search("make")] == ["use tabs"]
    assert ledger.uncovered() == {"fi": 1}


def has_1(ledger):
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
            # Made anew where it is missing, and not to be written as SQL text.
            connection.execute("DROP TABLE item_words")
            stored.write_text("\n".join(connection.iterdump()) + "\n", encoding="utf-8")
    assert sorted(file.name for file in LEDGERS.iterdir()) == [f"v{v}.sql" for v in VERSIONS]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_earlier_version_is_brought_up_to_date_whole(tmp_path, version):
    path = tmp_path / "ledger.sqlite3"
    restored(path, version)
    with Ledger.open(path) as ledger:
        has_everything(ledger, version)
    assert integrity(path) == "ok"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_version_to_come_takes_over_from_each_earlier_one(tmp_path, version):
    path = tmp_path / "ledger.sqlite3"
    restored(path, version)
    with Ledger.open(path, migrations=(*MIGRATIONS, FAKE)) as ledger:
        has_everything(ledger, version)
    with closing(sqlite3.connect(path)) as connection:
        assert version_of(connection) == len(MIGRATIONS) + 1
        moods = dict(connection.execute("SELECT id, mood FROM sessions"))
        assert moods == {"s": "busy", "fork": "calm"}
        assert connection.execute("SELECT count(*) FROM moods").fetchone() == (0,)
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


def test_every_item_column_is_a_field_of_an_item_or_of_its_state(tmp_path):
    with Ledger.open(tmp_path / "ledger.sqlite3") as ledger:
        columns = {row[1] for row in ledger._connection.execute("PRAGMA table_info(items)")}
    fields = {*Item.__struct_fields__, *ItemState.__struct_fields__}
    assert columns - fields == {"number", "repository", "exchange", "waiting", "made", "body"}
