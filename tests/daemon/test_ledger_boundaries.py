"""What the ledger keeps of compactions: without secrets, bounded, and gone with what it is of."""

import pytest

from batches import LOG, all_bytes, batch
from ctxd.ledger import Judgement, KeptNotice, Ledger, SessionRow, WaitingBoundary
from ctxd.policy.boundaries import (
    FILES_KEPT,
    GIVEN_AHEAD_SECONDS,
    NOTICES_KEPT,
    RECORD_PASSAGE_CHARS,
    WHY_CHARS,
)
from ctxd.retention.values import ItemVerdict, Record, Verdict
from ctxd.signals import Boundary
from losing import REPO, keep, record, verdict
from made_items import item
from session_events import at, compaction, started, user

KEY = ("a", "s")
NOW = at(0).timestamp()
SECRET = "ghp_" + "a1B2c3D4e5" * 4


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.sqlite3"


@pytest.fixture
def ledger(path):
    with Ledger.open(path, lambda: NOW) as ledger:
        yield ledger


def waiting(name="c1", session="s", **more):
    return WaitingBoundary(
        agent="a", session=session, boundary=Boundary(name, at(2), "auto"), repository=REPO, **more
    )


def owed(ledger):
    return [one.state.text for one in ledger.owed(*KEY)]


class TestWaiting:
    def test_it_comes_and_goes_with_its_record(self, ledger):
        ledger.record(batch(compaction("c1", 2), boundaries=[waiting(window_before=("u1",))]))
        assert ledger.boundaries_waiting(9) == [waiting(window_before=("u1",))]
        ledger.record(batch(offset=200, boundaries=[waiting(window_before=())]))
        assert ledger.boundaries_of(KEY) == [waiting(window_before=("u1",))], "known already"
        ledger.keep_record(record([], "c1"))
        assert ledger.boundaries_waiting(9) == []
        assert not ledger.is_boundary_waiting()
        assert [one.event for one in ledger.records()] == ["c1"]

    def test_a_batch_that_fails_leaves_none(self, ledger):
        broken = batch(compaction("c1", 2), boundaries=[waiting()], parser=object())
        with pytest.raises(Exception, match="type"):
            ledger.record(broken)
        assert not ledger.is_boundary_waiting()

    def test_one_of_a_fork_that_proves_to_be_its_parents_goes(self, ledger):
        [one] = keep(ledger, "never push")
        fork = waiting(session="fork")
        ledger.record(batch(boundaries=[fork, waiting("c2", "fork")]))
        ledger.keep_record(record([one], "c1", "fork"))
        ledger.record(batch(offset=200, disowned=[fork.key]))
        assert ledger.records() == []
        assert ledger.item_boundaries(REPO, one.id) == []
        assert [w.boundary.event for w in ledger.boundaries_of(("a", "fork"))] == ["c2"]


class TestRecords:
    def test_they_are_found_by_session_and_repository_in_their_order(self, ledger):
        for name, session in (("c1", "s"), ("d1", "t"), ("c2", "s")):
            ledger.record(batch(boundaries=[waiting(name, session)]))
            ledger.keep_record(record([], name, session))
        assert [one.event for one in ledger.records()] == ["c1", "d1", "c2"]
        assert [one.event for one in ledger.records(KEY)] == ["c1", "c2"]
        assert [one.event for one in ledger.records(KEY, limit=1)] == ["c2"]
        assert [one.event for one in ledger.records(repository=REPO, limit=2)] == ["d1", "c2"]
        assert ledger.records(repository="/elsewhere") == []

    def test_no_secret_is_stored(self, ledger, path):
        [one] = keep(ledger, "never push")
        leaky = ItemVerdict(
            repository=REPO,
            item=one.id,
            kind="constraint",
            verdict=Verdict("changed", f"use {SECRET}", "file", f"/x/{SECRET}", f"not {SECRET}"),
        )
        found = record([leaky], files_unnamed=[f"a/{SECRET}.txt"], request_missing=f"use {SECRET}")
        ledger.keep_record(found)
        notice = KeptNotice(
            key="k", time=1.0, state="failed", title=SECRET, body=SECRET, why=SECRET
        )
        ledger.keep_notice(notice)
        assert SECRET.encode() not in all_bytes(path.parent)
        assert SECRET not in repr(ledger.records()) + repr(ledger.notices())

    def test_long_texts_and_lists_are_cut(self, ledger):
        [one] = keep(ledger, "never push")
        long = verdict(one, "changed", passage="p" * 9999)
        long = ItemVerdict(
            repository=REPO,
            item=one.id,
            kind="constraint",
            verdict=Verdict("changed", "p" * 9999, "summary", "c", "w" * 9999),
        )
        files = [f"f{number}" for number in range(FILES_KEPT + 9)]
        ledger.keep_record(record([long], files_unnamed=files, request_missing="r" * 9999))
        [kept] = ledger.records()
        assert len(kept.items[0].verdict.passage) == RECORD_PASSAGE_CHARS
        assert len(kept.items[0].verdict.why) == WHY_CHARS
        assert len(kept.request_missing) == RECORD_PASSAGE_CHARS
        assert list(kept.files_unnamed) == files[9:], "those touched last say most"

    def test_history_counts_as_told(self, ledger):
        ledger.keep_record(record([], "c1", live=False))
        ledger.keep_record(record([], "c2", live=True))
        assert [one.event for one in ledger.untold(9)] == ["c2"]
        ledger.tell(ledger.untold(9)[0])
        assert ledger.untold(9) == []

    def test_how_often_there_was_each_answer_is_told_without_reading_them(self, ledger):
        one, two = keep(ledger, "never push", "always pull")
        ledger.keep_record(record([one, verdict(two, "kept")], "c1"))
        ledger.keep_record(record([], "c2", live=False))
        ledger.record(batch(boundaries=[waiting("c3")]))
        assert ledger.answers(KEY) == {"c1": {"lost": 1, "kept": 1}, "c2": {}}
        numbers = ledger.boundary_numbers()
        assert (numbers.judged, numbers.waiting, numbers.dropped, numbers.given) == (2, 1, 1, 0)


class TestGiving:
    def test_what_was_given_is_owed_no_more(self, ledger):
        one, two = keep(ledger, "never push", "always pull")
        ledger.keep_record(record([verdict(one, owed=True), verdict(two, owed=True)]))
        assert owed(ledger) == ["always pull", "never push"]
        ledger.mark_given(*KEY, [(REPO, one.id)], 5.0)
        assert owed(ledger) == ["always pull"]
        assert ledger.item_boundaries(REPO, one.id)[0].given == 5.0
        ledger.mark_given(*KEY, [(REPO, one.id)], 9.0)
        assert ledger.item_boundaries(REPO, one.id)[0].given == 5.0, "the first time counts"

    @pytest.mark.parametrize(
        ("apart", "counts"),
        [(0, True), (-GIVEN_AHEAD_SECONDS, True), (3, True), (-GIVEN_AHEAD_SECONDS - 1, False)],
    )
    def test_what_was_given_around_a_compaction_counts_at_it(self, ledger, apart, counts):
        """A client may run its hooks before it writes the summary down."""
        [one] = keep(ledger, "never push")
        when = at(2).timestamp() + apart
        ledger.mark_given(*KEY, [(REPO, one.id)], when, ahead=True)
        ledger.keep_record(record([verdict(one, owed=True)], time=at(2)))
        assert (owed(ledger) == []) is counts

    def test_what_was_given_ahead_pays_no_older_debt(self, ledger):
        [one] = keep(ledger, "never push")
        ledger.keep_record(record([verdict(one, owed=True)], "c1", time=at(2)))
        ledger.mark_given(*KEY, [(REPO, one.id)], at(600).timestamp(), ahead=True)
        assert owed(ledger) == ["never push"]
        ledger.keep_record(record([verdict(one, owed=True)], "c2", time=at(601)))
        assert owed(ledger) == []

    def test_what_was_given_counts_at_one_compaction_only(self, ledger):
        """Two compactions may follow each other within seconds: the second drops it again."""
        [one] = keep(ledger, "never push")
        ledger.mark_given(*KEY, [(REPO, one.id)], at(2).timestamp(), ahead=True)
        first = record([verdict(one, owed=True)], "c1", time=at(2))
        ledger.keep_record(first)
        ledger.keep_record(record([verdict(one, owed=True)], "c2", time=at(4)))
        assert owed(ledger) == ["never push"]
        ledger.keep_record(first)
        assert [row.given for row in ledger.item_boundaries(REPO, one.id)].count(None) == 1

    def test_the_last_compaction_that_judged_an_item_says_whether_it_is_owed(self, ledger):
        [one] = keep(ledger, "never push")
        ledger.keep_record(record([verdict(one, owed=True)], "c1"))
        ledger.keep_record(record([], "c2"))
        assert owed(ledger) == ["never push"]
        ledger.keep_record(record([verdict(one, "kept")], "c3"))
        assert owed(ledger) == []

    def test_another_session_owes_nothing(self, ledger):
        [one] = keep(ledger, "never push")
        ledger.keep_record(record([verdict(one, owed=True)], session="other"))
        assert owed(ledger) == []

    def test_nobody_is_told_again_what_does_not_hold_any_more(self, ledger):
        [one] = keep(ledger, "never push")
        ledger.keep_record(record([verdict(one, owed=True)]))
        ledger.decide(REPO, one.id, "rejected")
        assert owed(ledger) == []

    def test_the_most_binding_comes_first(self, ledger):
        made = [
            *keep(ledger, "which cache?", kind="question"),
            *keep(ledger, "use sqlite", kind="decision"),
            *keep(ledger, "tabs, please", kind="constraint"),
            *keep(ledger, "never push", kind="decision", severity="critical"),
        ]
        ledger.keep_record(record([verdict(one, owed=True) for one in made]))
        assert owed(ledger) == ["never push", "tabs, please", "use sqlite", "which cache?"]


class TestNotices:
    def test_one_of_a_key_is_kept_and_the_newest_comes_first(self, ledger):
        for number, key in enumerate(("one", "two", "one")):
            ledger.keep_notice(
                KeptNotice(key=key, time=float(number), state="waiting", title=f"t{number}")
            )
        assert [(one.key, one.title) for one in ledger.notices()] == [("one", "t2"), ("two", "t1")]
        assert ledger.notice("two").title == "t1"
        assert ledger.notice("three") is None
        assert len(ledger.notices(1)) == 1

    def test_the_oldest_go(self, ledger):
        for number in range(NOTICES_KEPT + 3):
            ledger.keep_notice(
                KeptNotice(key=f"k{number}", time=float(number), state="none", title="t")
            )
        assert len(ledger.notices()) == NOTICES_KEPT
        assert ledger.notice("k2") is None


class TestForgetting:
    WORDS = "never name the customer Bluefinch"

    def test_nothing_of_an_item_is_left(self, ledger, path):
        summary = compaction("c1", 2, summary="They must not mention Bluefinch by name. CSV.")
        said = user("u1", 1, text=self.WORDS)
        ledger.record(batch(started("st", 0, cwd=REPO), said, summary, boundaries=[waiting()]))
        one = item(self.WORDS, event="u1", kind="constraint")
        ledger.settle([Judgement(key=("a", "s", "u1"), repository=REPO, items=[one])])
        [other] = keep(ledger, "export as CSV")
        found = Verdict("kept", "They must not mention Bluefinch by name.", "summary", "c1")
        ledger.keep_record(
            record(
                [
                    ItemVerdict(repository=REPO, item=one.id, kind="constraint", verdict=found),
                    verdict(other),
                ],
                request_missing=f"remember: {self.WORDS}",
            )
        )
        ledger.mark_given(*KEY, [(REPO, one.id)], 1.0, ahead=True)
        cut = self.WORDS[:30] + "\N{HORIZONTAL ELLIPSIS}"
        body = f"{cut}\nit now says: {found.passage[:34]}\napi: see"
        ledger.keep_notice(KeptNotice(key="k", time=1.0, state="none", title="t", body=body))
        ledger.forget(REPO, one.id)
        [kept] = ledger.records()
        assert [verdict.item for verdict in kept.items] == [other.id]
        assert "CSV" in ledger.compactions(KEY)[0].summary
        assert ledger.notice("k").body.endswith("api: see")
        ledger.close()
        assert b"Bluefinch" not in all_bytes(path.parent)
        assert b"customer" not in all_bytes(path.parent)

    def test_it_is_not_recorded_ever_again(self, ledger):
        [one] = keep(ledger, "never push")
        ledger.forget(REPO, one.id)
        ledger.keep_record(record([verdict(one, owed=True)]))
        assert ledger.records()[0].items == []
        assert ledger.item_boundaries(REPO, one.id) == []


def test_what_a_session_loses_its_events_of_goes_with_them(ledger, monkeypatch):
    from ctxd.ledger import writer

    [one] = keep(ledger, "never push")
    for number in range(4):
        name = f"s{number}"
        row = SessionRow(
            agent="a", id=name, cwd=REPO, last_event=at(number), spoken=True, state="ended"
        )
        event = compaction(f"c{number}", number)
        told = type(event)(
            **{f: getattr(event, f) for f in event.__struct_fields__} | {"session": name}
        )
        ledger.record(
            batch(
                told,
                path=LOG.with_name(name),
                sessions=[row],
                boundaries=[waiting(f"c{number}", name)],
            )
        )
        ledger.mark_given("a", name, [(REPO, one.id)], 1.0, ahead=True)
        ledger.keep_record(record([verdict(one)], f"c{number}", name))
    monkeypatch.setattr(writer, "LEDGER_BYTES", 0)
    ledger.prune(NOW + 10**9)
    assert [one.session for one in ledger.records()] == ["s2", "s3"]
    assert len(ledger.item_boundaries(REPO, one.id)) == 2
    assert ledger._rows("SELECT DISTINCT session FROM given ORDER BY 1") == [("s2",), ("s3",)]


def test_a_record_of_a_form_given_up_is_passed_over(ledger):
    ledger.keep_record(Record(agent="a", session="s", event="c1"))
    ledger._connection.execute("UPDATE boundaries SET record = x'00ff'")
    assert ledger.records() == []
