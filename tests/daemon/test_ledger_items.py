"""The ledger keeps what was understood, from the exchange that waits to the item that stays."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from batches import all_bytes, batch, ids, said
from ctxd.exchange import Exchange
from ctxd.item import Evidence
from ctxd.item_log import (
    captured,
    contradicted,
    refined,
    restated,
    state,
    superseded,
    verdict,
)
from ctxd.ledger import Judgement, Ledger, Pending, SessionRow, writer
from ctxd.ledger.schema import MIGRATIONS
from ctxd_parsers.events import Withdrawn
from made_items import at_hour, item
from session_events import NOON

REPO = "/home/dev/api"
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


class FakeClock:
    def __init__(self):
        self.now = NOON.timestamp() + 86_400

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def ledger(tmp_path, clock):
    with Ledger.open(tmp_path / "state" / "ledger.sqlite3", clock) as opened:
        yield opened


def key(name, session="s"):
    return "a", session, name


def waiting(name, *more, session="s"):
    return Pending("a", session, Exchange(("proposal",), (name, *more)))


def judged(name, *items, events=(), repository=REPO, **more):
    return Judgement(key=key(name), repository=repository, items=items, events=events, **more)


def texts(ledger, **more):
    return [known.state.text for known in ledger.items(**more)]


def one(ledger, words):
    [known] = ledger.items_by_id(words.id)
    return known.state


def withdrawn(name, since, session="s"):
    return Withdrawn(agent="a", session=session, id=name, since=since, reason="rewind")


class TestWaiting:
    def test_an_exchange_waits_from_the_step_that_completed_it(self, ledger, clock):
        ledger.record(batch(said("u1"), said("u2"), pending=[waiting("u1"), waiting("u2")]))
        found = ledger.pending()
        assert [(known.key, known.since) for known in found] == [
            (key("u1"), clock.now),
            (key("u2"), clock.now),
        ]
        assert found[0].exchange == Exchange(("proposal",), ("u1",))

    def test_a_step_that_fails_leaves_nothing_waiting(self, ledger):
        broken = said(2, turn="\ud800")
        with pytest.raises(UnicodeEncodeError):
            ledger.record(batch(broken, pending=[waiting("u1")]))
        assert ledger.pending() == []

    def test_an_exchange_that_grows_waits_once_and_as_it_is_now(self, ledger, clock):
        ledger.record(batch(said("u1"), pending=[waiting("u1")]))
        clock.now += 5
        ledger.record(batch(said("u2"), pending=[waiting("u1", "u2")]))
        [found] = ledger.pending()
        assert found.exchange.answer == ("u1", "u2")
        assert found.since == clock.now - 5

    def test_what_waits_longest_comes_first(self, ledger, clock):
        for name in ("u1", "u2", "u3"):
            ledger.record(batch(said(name), pending=[waiting(name)]))
            clock.now -= 60
        assert [known.key[2] for known in ledger.pending()] == ["u3", "u2", "u1"]

    def test_it_waits_until_it_is_judged_whatever_it_came_to(self, ledger):
        ledger.record(batch(said("u1"), said("u2"), pending=[waiting("u1"), waiting("u2")]))
        ledger.settle([judged("u1", item())])
        assert [known.key for known in ledger.pending()] == [key("u2")]
        ledger.settle([judged("u2")])
        assert ledger.pending() == []

    def test_an_exchange_waits_over_a_restart(self, ledger, clock):
        ledger.record(batch(said("u1"), pending=[waiting("u1")]))
        ledger.close()
        with Ledger.open(ledger.path, clock) as again:
            assert [known.key for known in again.pending()] == [key("u1")]

    def test_the_texts_of_an_exchange_are_read_by_their_ids(self, ledger):
        ledger.record(batch(*(said(number, f"words {number}") for number in range(900))))
        wanted = [str(number) for number in range(899, 0, -2)]
        found = ledger.some_events(("a", "s"), [*wanted, "unknown"])
        assert [event.id for event in found] == wanted[::-1]
        assert ledger.some_events(("a", "s"), []) == []

    def test_texts_that_were_taken_back_are_not_read(self, ledger):
        gone = Withdrawn(agent="a", session="s", id="w", since="2", reason="rewind")
        ledger.record(batch(said(1), said(2), gone))
        assert [event.id for event in ledger.some_events(("a", "s"), ["1", "2"])] == ["1"]


class TestSettling:
    def test_an_item_comes_back_as_it_was_understood(self, ledger):
        known = item(reason="because of make", rejected=("spaces",), scope=("Makefile",))
        ledger.settle([judged("u1", known)])
        [found] = ledger.items()
        assert (found.item, found.repository, found.exchange) == (known, REPO, key("u1"))
        assert found.state == state([captured(known)])[known.id]
        assert ledger.item_events(REPO) == [captured(known)]

    def test_judging_twice_is_judging_once(self, ledger):
        old, new = item("use tabs"), item("use spaces", 1)
        judgements = [
            judged("u1", old),
            judged("u2", new, events=[superseded(old.id, new)]),
        ]
        ledger.settle(judgements)
        items, events = ledger.items(statuses=()), ledger.item_events(REPO)
        ledger.settle(judgements)
        ledger.settle(judgements[1:])
        assert (ledger.items(statuses=()), ledger.item_events(REPO)) == (items, events)

    def test_an_exchange_judged_anew_gives_what_it_gives_now(self, ledger):
        ledger.settle([judged("u1", item("use tabs"), item("no Windows"))])
        ledger.settle(
            [judged("u1", item("use tabs", reason="make wants them"), item("Linux only"))]
        )
        assert sorted(texts(ledger)) == ["Linux only", "use tabs"]
        assert one(ledger, item("use tabs")).item.reason == "make wants them"
        assert len(ledger.item_events(REPO)) == 2
        ledger.settle([judged("u1")])
        assert ledger.items(statuses=()) == ledger.item_events(REPO) == []

    def test_what_an_exchange_did_to_other_items_goes_with_its_judgement(self, ledger):
        old, new = item("use tabs"), item("use spaces", 1)
        ledger.settle([judged("u1", old)])
        ledger.settle([judged("u2", new, events=[superseded(old.id, new)])])
        assert one(ledger, old).status == "superseded"
        ledger.settle([judged("u2", new)])
        assert one(ledger, old).status == "active"

    def test_what_an_older_exchange_learns_from_a_newer_one_goes_with_its_own_judgement(
        self, ledger
    ):
        newer = item("use spaces", 5, session="t", event="u5")
        older = item("use tabs")
        ledger.record(batch(said("u5", session="t"), path=Path("/logs/t")))
        ledger.settle([Judgement(key=key("u5", "t"), repository=REPO, items=[newer])])
        ledger.settle([judged("u1", older, events=[superseded(older.id, newer)])])
        assert one(ledger, older).superseded_by == newer.id
        ledger.record(batch(said("u5", session="t"), withdrawn("w", "u5", session="t")))
        assert one(ledger, older).status == "active"
        ledger.settle([judged("u1", older)])
        assert [event.type for event in ledger.item_events(REPO, older.id)] == [
            "captured",
            "withdrawn",
        ]

    @pytest.mark.parametrize("kind", ["accepted", "edited", "rejected"])
    def test_an_item_that_the_user_judged_stays_when_its_exchange_is_judged_anew(
        self, ledger, kind
    ):
        known = item("use tabs")
        ledger.settle([judged("u1", known)])
        ledger.decide(REPO, known.id, kind, "Tabs!")
        before = one(ledger, known)
        ledger.settle([judged("u1", item("other words"))])
        assert one(ledger, known) == before

    def test_an_exchange_that_moved_to_another_repository_leaves_nothing_behind(self, ledger):
        ledger.settle([judged("u1", item())])
        ledger.settle([judged("u1", item(), repository="/elsewhere")])
        assert [known.repository for known in ledger.items(statuses=())] == ["/elsewhere"]
        assert ledger.item_events(REPO) == []

    def test_forty_restatements_are_one_item(self, ledger):
        known = item()
        ledger.settle([judged("u0", known)])
        for number in range(1, 41):
            again = item("use tabs", number, event=f"again {number}")
            ledger.settle([judged(f"u{number}", events=[restated(known.id, again)])])
        assert one(ledger, known).restated == 40
        assert len(ledger.items(statuses=())) == 1

    def test_the_same_words_in_two_repositories_are_two_items(self, ledger):
        ledger.settle([judged("u1", item()), judged("u2", item(), repository="/other")])
        ledger.decide(REPO, item().id, "rejected")
        assert [known.repository for known in ledger.items()] == ["/other"]
        assert len(ledger.items_by_id(item().id)) == 2

    def test_a_settlement_that_fails_changes_nothing(self, ledger):
        ledger.record(batch(said("u1"), pending=[waiting("u1")]))
        broken = item("lone half \ud800", kind="decision")
        with pytest.raises(UnicodeEncodeError):
            ledger.settle([judged("u0", item()), judged("u1", broken)])
        assert ledger.items(statuses=()) == []
        assert len(ledger.pending()) == 1

    def test_no_secret_is_stored_whoever_brought_it(self, ledger):
        known = item(
            f"use {SECRET}",
            event="u1",
            reason=f"since {SECRET} works",
            filled=(SECRET,),
            rejected=(SECRET,),
            scope=(f"config/{SECRET}",),
            evidence=(Evidence("e", "user", f"it is {SECRET}"),),
        )
        ledger.settle([judged("u1", known)])
        ledger.decide(REPO, known.id, "edited", f"never {SECRET}")
        ledger.add_item_events(REPO, [verdict(known.id, "edited", NOON, SECRET)])
        [found] = ledger.items()
        assert found.state.text == "never [redacted:github-token]"
        assert found.item.scope == ("config/[redacted:github-token]",)
        ledger._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert SECRET.encode() not in all_bytes(ledger.path.parent)
        assert [event.id for event in ledger.item_events(REPO) if event.content] != [
            captured(known).id
        ]

    def test_thousands_of_exchanges_are_settled_in_moments(self, ledger):
        import time

        judgements = [
            judged(f"u{number}", item(f"rule {number}", number)) for number in range(2000)
        ]
        begin = time.perf_counter()
        for start in range(0, 2000, 50):
            ledger.settle(judgements[start : start + 50])
        assert time.perf_counter() - begin < 4
        assert len(ledger.items()) == 2000


class TestVerdicts:
    def test_what_the_user_rejected_survives_that_everything_is_read_again(self, ledger):
        known = item()
        ledger.settle([judged("u1", known)])
        ledger.decide(REPO, known.id, "rejected")
        for _ in range(3):
            ledger.settle([judged("u1", known)])
            ledger.settle([judged("u7", item("use tabs", 50, event="said again"))])
        assert one(ledger, known).status == "rejected"
        assert ledger.items() == []

    def test_a_rejection_made_before_the_item_is_known_counts(self, ledger):
        ledger.decide(REPO, item().id, "rejected")
        ledger.settle([judged("u1", item())])
        assert one(ledger, item()).status == "rejected"

    def test_the_last_verdict_counts_even_when_the_clock_goes_back(self, ledger, clock):
        ledger.settle([judged("u1", item())])
        for kind in ("rejected", "restored", "rejected", "accepted"):
            ledger.decide(REPO, item().id, kind)
            clock.now -= 3600
        assert (one(ledger, item()).status, one(ledger, item()).accepted) == ("active", True)

    def test_what_was_rejected_gives_back_what_it_superseded(self, ledger):
        old, new = item("use tabs"), item("use spaces", 1)
        ledger.settle([judged("u1", old), judged("u2", new, events=[superseded(old.id, new)])])
        ledger.decide(REPO, new.id, "rejected")
        assert texts(ledger) == ["use tabs"]
        ledger.settle([judged("u1", old)])
        assert texts(ledger) == ["use tabs"]

    def test_the_users_wording_is_what_is_listed_and_found(self, ledger):
        ledger.settle([judged("u1", item())])
        ledger.decide(REPO, item().id, "edited", "Makefiles need hard tabulators")
        assert texts(ledger) == ["Makefiles need hard tabulators"]
        for words in ("tabulators", "use tabs"):
            assert [known.id for known in ledger.search(words)] == [item().id]

    def test_events_from_elsewhere_come_to_the_same_in_any_order(self, ledger, tmp_path, clock):
        old, new = item("use tabs"), item("use spaces", 1)
        events = [
            captured(old),
            captured(new),
            contradicted(old.id, new),
            refined(new.id, item("use 4 spaces", 2)),
            verdict(old.id, "restored", at_hour(3)),
        ]
        ledger.add_item_events(REPO, events)
        ledger.add_item_events(REPO, events[:2])
        with Ledger.open(tmp_path / "other.sqlite3", clock) as other:
            for event in reversed(events):
                other.add_item_events(REPO, [event])
            assert other.item_events(REPO) == ledger.item_events(REPO)
            expected = {known.id: known.state for known in ledger.items(statuses=())}
            assert {known.id: known.state for known in other.items(statuses=())} == expected
        assert expected == state(events)

    def test_a_log_read_after_its_items_came_from_elsewhere_adds_nothing(self, ledger):
        ledger.add_item_events(REPO, [captured(item())])
        ledger.settle([judged("u1", item())])
        assert len(ledger.item_events(REPO)) == 1
        assert ledger.items()[0].exchange == key("u1")


class TestWithdrawal:
    def rewound(self, ledger):
        """A session in which the second exchange was taken back."""
        first, second = item("use tabs", event="u1"), item("use spaces", 1, event="u2")
        row = SessionRow(agent="a", id="s", spoken=True)
        ledger.record(batch(said("u1"), said("u2"), sessions=[row]))
        ledger.settle(
            [judged("u1", first), judged("u2", second, events=[superseded(first.id, second)])]
        )
        assert texts(ledger) == ["use spaces"]
        ledger.record(batch(withdrawn("w", "u2"), offset=200))
        return first, second

    def test_an_item_goes_with_its_words_and_gives_back_what_it_superseded(self, ledger):
        first, second = self.rewound(ledger)
        assert one(ledger, second).status == "withdrawn"
        assert texts(ledger) == ["use tabs"]
        assert one(ledger, first).status == "active"

    def test_it_comes_back_when_its_words_stand_in_the_log_again(self, ledger):
        self.rewound(ledger)
        ledger.record(batch(said("u1"), said("u2"), again=True, offset=300))
        assert texts(ledger) == ["use spaces"]
        assert ids(ledger) == ["u1", "u2", "w"]

    def test_it_goes_again_when_they_are_taken_back_once_more_at_the_same_moment(self, ledger):
        _, second = self.rewound(ledger)
        for _ in range(3):
            ledger.record(batch(said("u1"), said("u2"), again=True, offset=300))
            assert one(ledger, second).status == "active"
            ledger.record(batch(withdrawn("w", None), again=True, offset=400))
            assert one(ledger, second).status == "withdrawn"

    def test_an_exchange_judged_after_its_words_were_taken_back_holds_nothing(self, ledger):
        ledger.record(batch(said("u1"), withdrawn("w", "u1")))
        ledger.settle([judged("u1", item(event="u1"))])
        assert one(ledger, item()).status == "withdrawn"

    def test_words_of_another_session_are_not_touched(self, ledger):
        ledger.record(batch(said("u2", session="other"), path=Path("/logs/other")))
        elsewhere = item("use tabs", session="other", event="u2")
        ledger.settle([Judgement(key=key("u2", "other"), repository=REPO, items=[elsewhere])])
        ledger.record(batch(said("u2"), withdrawn("w", "u2")))
        assert one(ledger, elsewhere).status == "active"

    def test_what_was_pruned_was_not_taken_back(self, ledger, monkeypatch):
        for number in range(3):
            name = f"s{number}"
            row = SessionRow(
                agent="a", id=name, spoken=True, state="ended", last_event=at_hour(number)
            )
            words = said(f"u{number}", "words " * 900, name)
            path = Path(f"/logs/{name}")
            ledger.record(batch(words, path=path, sessions=[row]))
            known = item(f"rule {number}", session=name, event=f"u{number}")
            ledger.settle([Judgement(key=key(f"u{number}", name), repository=REPO, items=[known])])
        monkeypatch.setattr(writer, "LEDGER_BYTES", 0)
        assert ledger.prune(NOON.timestamp()).sessions == 1
        assert ids(ledger, "s0") == []
        ledger.settle([judged("u9", item("other"))])
        assert texts(ledger) == ["rule 0", "rule 1", "rule 2", "other"]


def happens(ledger, choice, rules, step):
    """Any one thing that can happen to items."""
    rule, other = choice.sample(rules, 2)
    where = choice.choice([REPO, "/other"])
    event = choice.choice([restated, refined, superseded, contradicted])(rule.id, other)
    name = f"u{choice.randrange(5)}"
    kind = choice.choice(["accepted", "edited", "rejected", "retracted", "restored"])
    anything = [
        lambda: ledger.settle([judged(name, rule, events=[event], repository=where)]),
        lambda: ledger.settle([judged(name, events=[event], repository=where)]),
        lambda: ledger.settle([judged(name), judged("u9", rule, repository=where)]),
        lambda: ledger.decide(where, rule.id, kind, f"wording {step}"),
        lambda: ledger.add_item_events(where, [captured(rule), event]),
        lambda: ledger.record(batch(withdrawn(f"w{step}", name), offset=step)),
        lambda: ledger.record(batch(said(name), again=True, offset=step)),
    ]
    choice.choice(anything)()


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_items_are_what_their_history_comes_to(ledger, clock, seed):
    choice = random.Random(seed)
    rules = [item(f"rule {number}", number % 4, event=f"u{number % 5}") for number in range(8)]
    ledger.record(batch(*(said(f"u{number}") for number in range(5))))
    for step in range(60):
        clock.now += choice.choice([-5, 0, 5])
        happens(ledger, choice, rules, step)
        for repository in (REPO, "/other"):
            known = {one.id: one.state for one in ledger.items(repository, statuses=())}
            assert known == state(ledger.item_events(repository))
            assert {one.id for one in ledger.search("rule", repository)} == set(known)


class TestReading:
    def fill(self, ledger):
        self.tabs = item("use tabs", 0, kind="constraint")
        self.redis = item("Redis for the limiter", 1, session="t", plain=False)
        self.blue = item("make it blue", 2, kind="intent", authority="confirmed")
        old = item("use spaces", -1, kind="constraint")
        ledger.settle(
            [
                judged("u1", old, self.tabs, events=[superseded(old.id, self.tabs)]),
                Judgement(key=key("u2", "t"), repository=REPO, items=[self.redis]),
                judged("u3", self.blue, repository="/other"),
            ]
        )

    def test_items_are_picked_by_where_what_and_how_they_stand(self, ledger):
        self.fill(ledger)
        assert texts(ledger) == ["use tabs", "Redis for the limiter", "make it blue"]
        assert texts(ledger, repository=REPO) == ["use tabs", "Redis for the limiter"]
        assert texts(ledger, repository="/nowhere") == []
        assert texts(ledger, session=("a", "t")) == ["Redis for the limiter"]
        assert texts(ledger, kinds=["intent", "constraint"]) == ["use tabs", "make it blue"]
        assert texts(ledger, statuses=["superseded"]) == ["use spaces"]
        assert texts(ledger, repository=REPO, session=("a", "s"), statuses=()) == [
            "use spaces",
            "use tabs",
        ]

    def test_a_session_has_the_items_that_it_restated(self, ledger):
        self.fill(ledger)
        again = item("use tabs", 5, session="t", event="again")
        ledger.settle(
            [Judgement(key=key("u9", "t"), repository=REPO, events=[restated(self.tabs.id, again)])]
        )
        assert texts(ledger, session=("a", "t")) == ["use tabs", "Redis for the limiter"]
        assert texts(ledger, session=("a", "s"), repository=REPO) == ["use tabs"]

    def test_an_item_is_found_by_the_start_of_its_id(self, ledger):
        self.fill(ledger)
        for prefix in (self.redis.id, self.redis.id[:4], self.redis.id[:4].upper()):
            assert [known.item for known in ledger.items_by_id(prefix)] == [self.redis]
        assert len(ledger.items_by_id("")) == 4
        for nothing in ("zzzzzzzz", "%", "____", self.redis.id + "a"):
            assert ledger.items_by_id(nothing) == []
        assert ledger.item_ids() == sorted(known.id for known in ledger.items(statuses=()))

    def test_items_are_counted_by_where_and_what_they_are(self, ledger):
        self.fill(ledger)
        rows = [
            (count.repository, count.session, count.kind, count.authority, count.number)
            for count in ledger.item_counts()
        ]
        assert rows == [
            (REPO, "s", "constraint", "user", 1),
            (REPO, "t", "decision", "user", 1),
            ("/other", "s", "intent", "confirmed", 1),
        ]
        assert [count.waiting for count in ledger.item_counts(REPO)] == [0, 1]
        ledger.decide(REPO, self.redis.id, "accepted")
        assert [count.waiting for count in ledger.item_counts(REPO)] == [0, 0]

    def test_the_history_of_an_item_is_told_in_its_order(self, ledger):
        self.fill(ledger)
        ledger.decide(REPO, self.tabs.id, "accepted")
        assert [event.type for event in ledger.item_events(REPO, self.tabs.id)] == [
            "captured",
            "accepted",
        ]
        assert len(ledger.item_events(REPO)) == 5

    def test_languages_that_could_not_be_judged_are_counted(self, ledger):
        for number in range(3):
            ledger.settle([judged(f"u{number}", uncovered="fi")])
        ledger.settle([judged("u8", uncovered="hu"), judged("u9", repository="/x", uncovered="fi")])
        assert ledger.uncovered(REPO) == {"fi": 3, "hu": 1}
        assert ledger.uncovered() == {"fi": 4, "hu": 1}
        ledger.settle([judged("u0", item()), judged("u1", uncovered="fi")])
        assert ledger.uncovered(REPO) == {"fi": 2, "hu": 1}

    def test_a_reader_sees_what_the_writer_settled(self, ledger):
        self.fill(ledger)
        with Ledger.reader(ledger.path) as reader:
            assert reader.items() == ledger.items()
            assert reader.search("limiter") == ledger.search("limiter") != []

    def test_an_item_damaged_in_place_is_left_out(self, ledger):
        self.fill(ledger)
        ledger._connection.execute("UPDATE items SET body = x'c1' WHERE text = 'use tabs'")
        assert texts(ledger, repository=REPO) == ["Redis for the limiter"]

    def test_items_of_thousands_are_never_pruned_and_the_newest_is_always_there(
        self, ledger, monkeypatch
    ):
        for start in range(0, 5000, 500):
            ledger.settle(
                [judged(f"u{n}", item(f"rule {n}", n)) for n in range(start, start + 500)]
            )
        monkeypatch.setattr(writer, "LEDGER_BYTES", 0)
        ledger.prune(NOON.timestamp())
        found = texts(ledger)
        assert len(found) == 5000
        assert found[-1] == "rule 4999"


def test_every_column_of_an_item_says_what_its_body_says(ledger):
    known = item(durability="task", severity="critical", plain=False, authority="agent")
    ledger.settle([judged("u1", known)])
    names = "agent, session, event, kind, authority, durability, severity, plain, probability, made"
    row = ledger._connection.execute(f"SELECT {names}, waiting, status FROM items").fetchone()
    fields = [getattr(known, name) for name in names.split(", ")[:-1]]
    assert list(row) == [*fields, NOON.timestamp(), 1, "active"]


class TestSearching:
    @pytest.fixture(params=["with the index", "without it"])
    def ledger(self, request, ledger, monkeypatch):
        if request.param == "without it":
            without_fts5(monkeypatch)
        return ledger

    def found(self, ledger, text, **more):
        return [known.state.text for known in ledger.search(text, **more)]

    def test_words_are_found_wherever_they_stand(self, ledger):
        quoted = Evidence("e", "user", "yes, the second one please")
        ledger.settle(
            [
                judged("u1", item("Redis for the limiter", reason="memory is lost on restart")),
                judged("u2", item("Postgres for sessions", evidence=(quoted,))),
                judged("u3", item("no mocks", scope=("tests/unit_tests.py",), rejected=("fakes",))),
            ]
        )
        for text, expected in {
            "redis": "Redis for the limiter",
            "REDIS limit": "Redis for the limiter",
            "restart": "Redis for the limiter",
            "second one": "Postgres for sessions",
            "unit_tests.py": "no mocks",
            "fakes": "no mocks",
        }.items():
            assert self.found(ledger, text) == [expected], text
        for nothing in ("redis postgres", "kafka", "", "  ", "-- '", '"', "\0", "NOT", "NEAR(a b)"):
            assert self.found(ledger, nothing) == [], nothing

    def test_what_holds_comes_before_what_does_not(self, ledger):
        old, new = item("cache: Redis", 3), item("cache of ours in memory, without Redis", 1)
        ledger.settle([judged("u1", old, new)])
        ledger.decide(REPO, old.id, "rejected")
        assert self.found(ledger, "redis cache") == [new.text, old.text]

    def test_one_repository_can_be_searched(self, ledger):
        ledger.settle(
            [judged("u1", item("a limit")), judged("u2", item("no limit"), repository="/x")]
        )
        assert self.found(ledger, "limit", repository="/x") == ["no limit"]
        assert len(self.found(ledger, "limit")) == 2
        assert len(self.found(ledger, "limit", limit=1)) == 1

    def test_scripts_without_spaces_are_searched_too(self, ledger):
        ledger.settle(
            [judged("u1", item("我们使用缓存来限制请求")), judged("u2", item("Größe zählt"))]
        )
        assert self.found(ledger, "缓存") == ["我们使用缓存来限制请求"]
        assert self.found(ledger, "größe") == ["Größe zählt"]
        assert self.found(ledger, "存缓") == []

    def test_words_that_an_item_no_longer_has_do_not_find_it(self, ledger):
        ledger.settle([judged("u1", item("use tabs", reason="make wants it"))])
        ledger.settle([judged("u1", item("use tabs", reason="the editor does"))])
        assert self.found(ledger, "make") == []
        assert self.found(ledger, "editor") == ["use tabs"]
        ledger.settle([judged("u1")])
        assert self.found(ledger, "tabs") == []


def without_fts5(monkeypatch):
    """As in a build of SQLite that has no FTS5."""
    from ctxd.ledger import item_words

    monkeypatch.setattr(item_words, "_MAKE", "CREATE VIRTUAL TABLE item_words USING fts55(text)")


def test_an_index_left_behind_by_a_build_without_it_is_made_anew(ledger, monkeypatch):
    ledger.settle([judged("u1", item("use tabs"))])
    with monkeypatch.context() as patch:
        without_fts5(patch)
        ledger._connection.execute("DROP TABLE item_words")
        ledger.settle([judged("u2", item("use spaces"))])
        assert [known.state.text for known in ledger.search("spaces")] == ["use spaces"]
        assert not index_size(ledger)
    ledger.settle([judged("u3", item("no mocks"))])
    assert index_size(ledger) == 3
    assert [known.state.text for known in ledger.search("spaces")] == ["use spaces"]


def index_size(ledger):
    try:
        return ledger._connection.execute("SELECT count(*) FROM item_words").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_a_damaged_index_costs_nothing_but_itself(ledger):
    ledger.settle([judged("u1", item("use tabs")), judged("u2", item("no mocks"))])
    ledger._connection.execute("UPDATE item_words_data SET block = x'ffffffffffff'")
    assert [known.state.text for known in ledger.search("tabs")] == ["use tabs"]
    for number in range(5):
        ledger.settle([judged("u1", item("use tabs", reason=f"reason {number}"))])
    assert [known.state.text for known in ledger.search("reason")] == ["use tabs"]
    assert ledger.rebuilt() is None
    assert index_size(ledger) == 2


def test_items_survive_when_the_schema_is_brought_up_to_date(ledger, clock):
    ledger.settle([judged("u1", item())])
    before = ledger.items()
    ledger.close()
    with Ledger.open(ledger.path, clock, (*MIGRATIONS, ("CREATE TABLE later (x)",))) as later:
        assert later.items() == before


def test_a_ledger_with_an_index_is_used_by_a_build_that_knows_none(ledger, clock):
    ledger.settle([judged("u1", item("use tabs"))])
    ledger.close()
    rename_fts5(ledger.path, "fts5", "fts55")
    with Ledger.open(ledger.path, clock) as again:
        assert again.rebuilt() is None
        again.settle([judged("u2", item("no mocks"))])
        assert [known.state.text for known in again.search("mocks")] == ["no mocks"]
        assert [known.state.text for known in again.search("tabs")] == ["use tabs"]
    rename_fts5(ledger.path, "fts55", "fts5")
    with Ledger.reader(ledger.path) as reader:
        assert [known.state.text for known in reader.search("mocks")] == ["no mocks"]


def rename_fts5(path, old, new):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        change = "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'item_words'"
        connection.execute(change, (f"USING {old}(", f"USING {new}("))


def test_a_repository_is_known_without_the_secret_in_its_path(ledger):
    where = f"https://x:{SECRET}@host/api"
    ledger.settle([judged("u1", item("use tabs"), repository=where)])
    ledger.settle([judged("u3", repository=where, uncovered="fi")])
    ledger.add_item_events(where, [captured(item("no mocks"))])
    ledger.decide(where, item("no mocks").id, "rejected")
    assert texts(ledger, repository=where) == ["use tabs"]
    assert len(ledger.item_events(where)) == 3
    assert ledger.search("tabs", where)
    assert ledger.uncovered(where) == {"fi": 1}
    ledger._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert SECRET.encode() not in all_bytes(ledger.path.parent)
