"""What status says of items: how many, whose, what waits, and what was not understood."""

from datetime import UTC, datetime

import pytest

from batches import batch, said
from ctxd.exchange import Exchange
from ctxd.item import Item
from ctxd.ledger import Judgement, Ledger, Pending, SessionRow
from ctxd.status import session_status, take_status


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "ledger.sqlite3") as ledger:
        for name in ("s", "t"):
            row = SessionRow(agent="a", id=name, cwd="/repo", spoken=True, state="idle")
            ledger.record(batch(said(name, session=name), sessions=[row], path=tmp_path / name))
        yield ledger


def item(name, session="s", *, plain=True):
    return Item(
        id=name,
        agent="a",
        session=session,
        event=session,
        kind="decision",
        text=name,
        authority="user",
        probability=0.9,
        plain=plain,
    )


def judged(*items, session="s", repository="/repo", uncovered=""):
    return Judgement(
        key=("a", session, session), repository=repository, items=items, uncovered=uncovered
    )


def status(ledger):
    return take_status(ledger, None, datetime.now(UTC))


def test_without_any_all_numbers_are_zero(ledger):
    found = status(ledger).items
    assert (found.active, found.repositories, found.exchanges_to_judge) == (0, 0, 0)


def test_items_are_counted_with_their_repositories_and_those_for_review(ledger):
    ledger.settle(
        [
            judged(item("one"), item("two", plain=False)),
            judged(item("three", "t"), session="t", repository="/other"),
        ]
    )
    found = status(ledger).items
    assert (found.active, found.waiting_for_review, found.repositories) == (3, 1, 2)


def test_each_session_says_how_many_its_words_gave(ledger):
    ledger.settle([judged(item("one"), item("two"))])
    assert {s.session: s.items for s in status(ledger).sessions} == {"s": 2, "t": 0}
    [one] = session_status(ledger, "s")
    assert one.items == 2


def test_exchanges_that_wait_are_counted(ledger):
    waiting = [Pending("a", "s", Exchange(answer=(f"u{n}",))) for n in range(3)]
    ledger.record(batch(said("u0"), pending=waiting))
    assert status(ledger).items.exchanges_to_judge == 3


def test_a_language_that_is_not_covered_is_said_of_its_session_and_of_all(ledger):
    ledger.settle([judged(uncovered="pl")])
    [uncovered] = status(ledger).items.uncovered
    assert (uncovered.language, uncovered.sessions, uncovered.exchanges) == ("pl", 1, 1)
    languages = {s.session: s.uncovered_language for s in status(ledger).sessions}
    assert languages == {"s": "pl", "t": None}
