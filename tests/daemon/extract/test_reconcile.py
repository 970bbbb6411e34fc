"""New items against known ones: the last word wins, and nothing agreed is lost."""

from datetime import UTC, datetime, timedelta

import pytest

from ctxd.extract.reconcile import Known, reconcile
from ctxd.item import Item, item_id
from statement_pairs import PAIRS

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def item(text, minute=0, authority="user", kind="constraint", **fields):
    return Item(
        id=item_id([text, str(minute), authority]),
        agent="codex",
        session=fields.pop("session", "s1"),
        event=f"e{minute}",
        time=fields.pop("time", NOON + timedelta(minutes=minute)),
        kind=kind,
        text=text,
        authority=authority,
        probability=0.9,
        **fields,
    )


RELATIONS = {"against": "supersedes"}


@pytest.mark.parametrize(("stands", "known", "new"), PAIRS)
def test_the_second_of_a_pair_stands_to_the_first_as_a_reader_would_say(stands, known, new):
    outcome = reconcile([item(known)], item(new, minute=1))
    assert outcome.relation == RELATIONS.get(stands, stands)


def test_the_last_word_of_the_user_wins():
    known = item("retry failed uploads 3 times")
    outcome = reconcile([known], item("retry failed uploads 5 times", minute=5))
    assert (outcome.relation, outcome.of, outcome.why) == ("supersedes", known.id, "number")


def test_a_word_of_the_past_that_is_read_late_does_not_overrule_the_present():
    known = item("retry failed uploads 3 times", minute=9)
    assert reconcile([known], item("retry failed uploads 5 times")).relation == "superseded"


def test_an_agent_alone_never_overrules_the_user():
    known = item("retry failed uploads 3 times")
    new = item("retry failed uploads 5 times", minute=5, authority="agent")
    assert reconcile([known], new).relation == "contradicts"


def test_words_of_which_nobody_knows_the_later_are_both_shown():
    known = item("retry failed uploads 3 times", time=None)
    assert reconcile([known], item("retry failed uploads 5 times")).relation == "contradicts"


def test_what_the_user_rejected_stays_out():
    rejected = item("use Redis for the cache")
    outcome = reconcile([], item("redis for the cache", minute=3), rejected=[rejected])
    assert (outcome.relation, outcome.of, outcome.why) == ("same", rejected.id, "rejected")


def test_an_item_fed_again_changes_nothing():
    items = [item(text, minute) for minute, (_, _, text) in enumerate(PAIRS)]
    known, counts = Known(), []
    for _ in range(5):
        for one in items:
            if known.reconcile(one).relation == "new":
                known.add(one)
        counts.append(len(known))
    assert counts == [counts[0]] * 5
