"""What a second reader found is kept and counts, is forgotten and pruned; what it cost is told."""

import msgspec
import pytest

from batches import batch, checkpoint, integrity, said
from ctxd.exchange import Exchange
from ctxd.item import Evidence
from ctxd.ledger import Account, Judgement, Ledger, SessionRow
from ctxd.policy.reader import READER_PACES_KEPT
from ctxd.reader.values import Called, Finding, Findings, Spent
from ctxd_parsers.events import AssistantMessage, Cleared, ToolCall, Withdrawn
from made_items import item

S = ("a", "s")
DAY, NEXT_DAY = "2027-01-15", "2027-01-16"


class Clock:
    """Unix seconds, as they were set."""

    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(tmp_path, clock):
    with Ledger.open(tmp_path / "ledger.sqlite3", clock) as opened:
        yield opened


def agent(name, text="an agent's words", session="s", **more):
    return AssistantMessage(agent="a", session=session, id=name, text=text, **more)


def call(name, session="s"):
    return ToolCall(agent="a", session=session, id=name, call=name, name="edit")


def finding(quote, event, statement=None, **more):
    facts = {"kind": "constraint", "authority": "user", "durability": "repo"} | more
    evidence = Evidence(event, "user", quote)
    return Finding(statement=statement or quote, evidence=(evidence,), **facts)


def findings(exchange, *found, words="w1"):
    return Findings(exchange=exchange, words=words, reader="agent model", found=found)


def keep(ledger, *found, digest="d1", session=S):
    ledger.keep_findings(session, digest, list(found))


def stored(ledger):
    """All that the file says of findings."""
    return b"".join(body for (body,) in ledger._rows("SELECT body FROM findings"))


def test_findings_come_back_as_they_were_kept(ledger):
    one = findings("u1", finding("use tabs", "u1", reason="make wants them"))
    keep(ledger, one)
    assert ledger.findings(("a", "s", "u1")) == one
    assert ledger.findings(("a", "s", "u2")) is None
    assert ledger.findings(("a", "other", "u1")) is None
    assert ledger.chunks_read(S) == {"d1"}
    assert ledger.chunks_read(("a", "other")) == frozenset()


def test_findings_of_other_words_of_an_exchange_stand_beside_each_other(ledger):
    first = findings("u1", finding("use tabs", "u1"), words="w1")
    later = findings("u1", finding("use spaces", "u1"), words="w2")
    keep(ledger, first)
    keep(ledger, later, digest="d2")
    assert ledger.findings(("a", "s", "u1"), "w1") == first
    assert ledger.findings(("a", "s", "u1"), "w2") == later
    assert ledger.findings(("a", "s", "u1"), "w3") is None
    assert ledger.findings(("a", "s", "u1")) == later


def test_keeping_the_same_findings_again_changes_nothing(ledger):
    one = findings("u1", finding("use tabs", "u1"))
    for _ in range(2):
        keep(ledger, one)
    assert ledger.findings(("a", "s", "u1")) == one
    assert ledger._rows("SELECT count(*) FROM findings") == [(1,)]


def test_exchanges_that_were_read_wait_to_be_judged_with_what_led_to_them(ledger):
    ledger.record(
        batch(
            said("u1", "make a parser"),
            agent("m1", "shall I use A or B?"),
            call("t1"),
            said("u2", "B"),
            said("u3", "and quickly"),
            agent("m2", "done"),
        )
    )
    keep(ledger, findings("u2"), findings("u1"))
    found = {pending.key: pending.exchange for pending in ledger.pending()}
    assert found[("a", "s", "u1")] == Exchange(answer=("u1",))
    assert found[("a", "s", "u2")] == Exchange(("m1", "t1"), ("u2", "u3"), (), ("u1",))
    assert len(found) == 2


def test_an_exchange_behind_a_cleared_window_does_not_reach_back(ledger):
    cleared = Cleared(agent="a", session="s", id="cleared")
    ledger.record(batch(said("u1"), agent("m1"), cleared, said("u2")))
    keep(ledger, findings("u2"))
    assert [pending.exchange for pending in ledger.pending()] == [Exchange(answer=("u2",))]


def test_what_sub_agents_say_is_in_no_exchange(ledger):
    ledger.record(batch(said("u1"), agent("m1", sub_agent="x"), agent("m2"), said("u2")))
    keep(ledger, findings("u2"))
    assert [pending.exchange.proposal for pending in ledger.pending()] == [("m2",)]


def test_words_that_were_taken_back_do_not_wait(ledger):
    back = Withdrawn(agent="a", session="s", id="back", since="u2")
    ledger.record(batch(said("u1"), agent("m1"), said("u2"), back, said("u3")))
    keep(ledger, findings("u2"), findings("u3"))
    assert [pending.exchange for pending in ledger.pending()] == [
        Exchange(("m1",), ("u3",), (), ("u1",))
    ]


def test_a_chunk_in_which_nothing_was_said_is_read_nevertheless(ledger):
    keep(ledger)
    assert ledger.chunks_read(S) == {"d1"}
    assert ledger.pending() == []


def test_findings_are_stored_without_secrets(ledger):
    token = "ghp_" + "a1B2" * 9
    one = finding(
        f"the token is {token}", "u1", reason=token, rejected=(token,), scope=(f"x/{token}",)
    )
    keep(ledger, findings("u1", one))
    assert token.encode() not in stored(ledger)


def test_a_crash_while_findings_are_stored_leaves_neither_them_nor_their_digest(
    ledger, monkeypatch
):
    ledger.record(batch(said("u1")))

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("ctxd.ledger.item_writing.write_pending", fail)
    with pytest.raises(KeyboardInterrupt):
        keep(ledger, findings("u1", finding("words", "u1")))
    assert ledger.chunks_read(S) == frozenset()
    assert ledger.findings(("a", "s", "u1")) is None


def test_a_damaged_finding_is_none(ledger):
    keep(ledger, findings("u1", finding("use tabs", "u1")))
    ledger._connection.execute("UPDATE findings SET body = x'c1'")
    assert ledger.findings(("a", "s", "u1")) is None


# Forgetting


def known(ledger, text, event="u1", session="s", repository="/repo"):
    """An item that was said, understood and found."""
    one = msgspec.structs.replace(
        item(text), session=session, event=event, evidence=(Evidence(event, "user", text),)
    )
    path = ledger.path.with_name(f"log of {session}")
    ledger.record(batch(said(event, text, session), path=path))
    key = ("a", session, event)
    ledger.settle([Judgement(key=key, repository=repository, items=[one])])
    return one


def test_forgetting_an_item_leaves_no_words_of_it_in_findings(ledger, tmp_path):
    one = known(ledger, "never deploy to Atlantis")
    other = finding("keep the port", "u2")
    keep(
        ledger,
        findings("u1", finding("deploy to Atlantis", "u1", "Production is off limits"), other),
        findings("u2", finding("as I said", "u2", "Never deploy to  atlantis."), other),
        findings("u3", finding("no", "u3", "Stay away from it", candidate=one.id), other),
    )
    ledger.forget("/repo", one.id)
    assert [len(ledger.findings(("a", "s", name)).found) for name in ("u1", "u2", "u3")] == [1] * 3
    assert ledger.findings(("a", "s", "u1")).found == (other,)
    assert b"tlantis" not in stored(ledger)
    assert b"off limits" not in stored(ledger)
    assert b"Stay away" not in stored(ledger)
    ledger.close()
    for file in tmp_path.iterdir():
        assert b"tlantis" not in file.read_bytes()


def test_forgetting_leaves_the_findings_of_other_repositories_alone(ledger):
    one = known(ledger, "never deploy to Atlantis")
    known(ledger, "the port is 8080", "o1", "other", "/elsewhere")
    keep(ledger, findings("o2", finding("never deploy to Atlantis", "o2")), session=("a", "other"))
    keep(ledger, findings("n1", finding("never deploy to Atlantis", "n1")), session=("a", "new"))
    ledger.forget("/repo", one.id)
    assert ledger.findings(("a", "other", "o2")).found
    assert not ledger.findings(("a", "new", "n1")).found, "nobody knows whose session that is"


def test_what_is_forgotten_while_it_is_read_is_not_stored(ledger):
    one = known(ledger, "never deploy to Atlantis")
    ledger.forget("/repo", one.id)
    ledger.record(batch(said("u2", "keep the port")))
    other = finding("keep the port", "u2")
    keep(
        ledger,
        findings("u1", finding("deploy to Atlantis", "u1"), finding("x", "u9", candidate=one.id)),
        findings("u2", other),
    )
    assert ledger.findings(("a", "s", "u1")).found == ()
    assert ledger.findings(("a", "s", "u2")).found == (other,)


# Pruning and beginning anew


def test_findings_go_with_the_events_of_a_pruned_session(ledger, monkeypatch):
    for number in range(4):
        name = f"s{number}"
        row = SessionRow(
            agent="a", id=name, repository="o/r", state="ended", turns=1, spoken=True, body=b"\x80"
        )
        events = [said(f"{name}.{n}", "words " * 300, name) for n in range(20)]
        path = ledger.path.with_name(name)
        ledger.record(batch(*events, path=path, checkpoint=checkpoint(5), sessions=[row]))
        ledger.want_reading(("a", name), "ended", 0)
        keep(ledger, findings(f"{name}.1", finding("words", f"{name}.1")), session=("a", name))
    monkeypatch.setattr("ctxd.ledger.writer.LEDGER_BYTES", ledger.size - 1)
    monkeypatch.setattr("ctxd.ledger.writer.LEDGER_KEPT_SHARE", 0.0)
    assert ledger.prune(ledger._clock()).sessions == 2
    left = {name for (name,) in ledger._rows("SELECT session FROM findings")}
    assert left == {"s2", "s3"}
    assert {one.session for one in ledger.wanted_readings()} == left
    assert ledger.chunks_read(("a", "s0")) == frozenset()
    late = findings("s0.1", finding("words", "s0.1"))
    keep(ledger, late, session=("a", "s0"))
    assert ledger.findings(("a", "s0", "s0.1")) is None, "it was read while it was pruned"
    assert ledger.chunks_read(("a", "s0")) == frozenset()
    assert integrity(ledger.path) == "ok"


def test_a_ledger_that_was_begun_anew_takes_findings(tmp_path):
    path = tmp_path / "ledger.sqlite3"
    path.write_bytes(b"no database at all" * 100)
    with Ledger.open(path) as ledger:
        assert ledger.rebuilt() is not None
        assert ledger.reader_account(DAY) == Account()
        ledger.want_reading(S, "ended", 0)
        keep(ledger, findings("u1", finding("use tabs", "u1")))
        assert ledger.findings(("a", "s", "u1")) is not None


# What waits to be read


def waits(ledger):
    return [(one.session, one.why, one.at, one.tries) for one in ledger.wanted_readings()]


def test_the_most_urgent_session_waits_first(ledger):
    for name, why, at in (
        ("late", "ended", 30),
        ("soon", "ended", 10),
        ("ahead", "ahead", 40),
        ("asked", "asked", 50),
    ):
        ledger.want_reading(("a", name), why, at)
    assert [name for name, *_ in waits(ledger)] == ["asked", "ahead", "soon", "late"]


def test_a_session_that_is_wanted_twice_waits_once_for_the_more_urgent_reason(ledger, clock):
    since = clock.now
    ledger.want_reading(S, "ended", 10)
    clock.now += 5
    ledger.want_reading(S, "ahead", 20)
    ledger.want_reading(S, "ended", 5)
    assert waits(ledger) == [("s", "ahead", 5, 0)]
    assert ledger.wanted_readings()[0].since == since


def test_a_session_that_failed_waits_longer_and_says_why(ledger):
    ledger.want_reading(S, "ended", 10)
    ledger.end_reading(S, again_at=70, message="too many calls")
    ledger.end_reading(S, again_at=190, message="too many calls")
    assert waits(ledger) == [("s", "ended", 190, 2)]
    assert ledger.wanted_readings()[0].message == "too many calls"


def test_wanting_a_session_that_failed_does_not_try_it_sooner(ledger):
    ledger.want_reading(S, "ended", 10)
    ledger.end_reading(S, again_at=70, message="too many calls")
    ledger.want_reading(S, "ahead", 20)
    assert waits(ledger) == [("s", "ahead", 70, 1)]


def test_a_session_that_the_user_asks_for_is_tried_at_once(ledger):
    ledger.want_reading(S, "ended", 10)
    ledger.end_reading(S, again_at=70, message="too many calls")
    ledger.want_reading(S, "asked", 20)
    assert waits(ledger) == [("s", "asked", 20, 0)]


def test_a_session_that_was_read_waits_no_longer(ledger):
    ledger.want_reading(S, "asked", 10)
    ledger.end_reading(S, again_at=None)
    assert ledger.wanted_readings() == []


def test_a_session_that_was_wanted_while_it_was_read_is_read_again(ledger, clock):
    ledger.want_reading(S, "ended", 10)
    begun = clock.now + 1
    clock.now += 60
    ledger.want_reading(S, "ended", 90)
    ledger.end_reading(S, again_at=None, begun=begun)
    assert waits(ledger) == [("s", "ended", 10, 0)]
    ledger.end_reading(S, again_at=None, begun=clock.now)
    assert ledger.wanted_readings() == []


def test_a_message_is_kept_without_secrets(ledger):
    token = "ghp_" + "a1B2" * 9
    ledger.want_reading(S, "ended", 10)
    ledger.end_reading(S, again_at=70, message=f"bad key {token}")
    assert token not in ledger.wanted_readings()[0].message


# What it cost


def begin(ledger, tokens, day=DAY, backend="agent"):
    ledger.count_call(day, backend, Called(spent=Spent(tokens)), begun=True)


def end(ledger, *spent, day=DAY, backend="agent", **more):
    ledger.count_call(day, backend, Called(spent=Spent(*spent), **more))


def test_a_day_without_calls_has_an_empty_account(ledger):
    assert ledger.reader_account(DAY) == Account()
    assert ledger.reader_paces() == []


def test_a_call_that_is_begun_and_over_is_counted_once_with_what_it_cost(ledger, clock):
    begin(ledger, 1000)
    assert ledger.reader_account(DAY) == Account(calls=1, input_tokens=1000)
    clock.now += 20
    end(ledger, 1200, 300, 0.05, refused=2)
    assert ledger.reader_account(DAY) == Account(
        calls=1, input_tokens=1200, output_tokens=300, money=0.05, refused=2, last_at=clock.now
    )
    assert ledger.reader_paces() == [20.0]


def test_a_call_of_which_nothing_more_is_heard_stays_counted(ledger):
    begin(ledger, 1000)
    begin(ledger, 500)
    end(ledger, 600)
    account = ledger.reader_account(DAY)
    assert (account.calls, account.input_tokens) == (2, 1600)


def test_a_call_counts_to_the_day_on_which_it_began(ledger):
    begin(ledger, 1000)
    end(ledger, 1200, 300, day=NEXT_DAY)
    assert ledger.reader_account(NEXT_DAY) == Account()
    assert ledger.reader_account(DAY).output_tokens == 300


def test_troubles_are_counted_and_the_last_one_is_told_until_a_call_goes_well(ledger, clock):
    end(ledger, trouble="rate", message="too many calls", retry_after=60.0)
    end(ledger, trouble="rate", message="too many calls")
    account = ledger.reader_account(DAY)
    assert (account.failed, account.troubles) == (2, {"rate": 2})
    assert (account.last_trouble, account.last_message) == ("rate", "too many calls")
    end(ledger, 10)
    account = ledger.reader_account(DAY)
    assert (account.calls, account.failed, account.last_trouble) == (3, 2, "")
    assert ledger.reader_paces() == [], "it was not told when that call began"


def test_the_account_of_a_day_is_that_of_all_backends(ledger, clock):
    end(ledger, 10, trouble="key", message="no key", backend="b")
    clock.now += 1
    end(ledger, 5, backend="a")
    account = ledger.reader_account(DAY)
    assert (account.calls, account.input_tokens, account.last_trouble) == (2, 15, "")


def test_the_latest_paces_are_known_over_days_and_no_more_than_needed(ledger, clock):
    for day, seconds in ((DAY, range(1, 9)), (NEXT_DAY, range(11, 19))):
        for second in seconds:
            begin(ledger, 1, day)
            clock.now += second
            end(ledger, 1, day=day)
    assert ledger.reader_paces() == [7.0, 8.0, *map(float, range(11, 19))]
    assert len(ledger.reader_paces()) == READER_PACES_KEPT


def test_a_call_that_failed_or_over_which_the_clock_was_set_back_tells_no_pace(ledger, clock):
    begin(ledger, 1)
    clock.now += 180
    end(ledger, 1, trouble="slow")
    begin(ledger, 1)
    clock.now -= 3600
    end(ledger, 1)
    assert ledger.reader_paces() == []


def test_accounts_of_old_days_go(ledger, monkeypatch):
    monkeypatch.setattr("ctxd.ledger.second_writing.READER_DAYS_KEPT", 2)
    for number in range(1, 5):
        begin(ledger, 1, f"2027-01-0{number}")
    assert ledger.reader_account("2027-01-02") == Account()
    assert ledger.reader_account("2027-01-03").calls == 1
