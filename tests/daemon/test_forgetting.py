"""What the user has ctxd forget is gone from the ledger's files, and does not come back."""

import pytest

from batches import all_bytes, batch, integrity, said
from ctxd.item import Evidence, item_id
from ctxd.item_log import captured, refined, restated, superseded
from ctxd.ledger import Judgement, Ledger
from ctxd_parsers.events import AssistantMessage, Option, QuestionAnswered
from made_items import item

REPO = "/home/dev/api"
TEXT = "never mention project Bluefinch"
SECRET = item(TEXT, event="u1", reason="Bluefinch is confidential", rejected=("Bluefinch two",))
OTHER = item("use tabs", event="u2")


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "state" / "ledger.sqlite3") as opened:
        yield opened


def judged(name, *items, events=(), repository=REPO):
    return Judgement(key=("a", "s", name), repository=repository, items=items, events=events)


def texts(ledger, **more):
    return [known.state.text for known in ledger.items(statuses=(), **more)]


def test_nothing_of_it_is_left_in_the_files(ledger):
    ledger.record(batch(said("u1", f"please {TEXT}, Bluefinch is confidential"), said("u2", "ok")))
    ledger.settle([judged("u1", SECRET), judged("u2", OTHER)])
    ledger.decide(REPO, SECRET.id, "edited", "Bluefinch stays unnamed")
    assert b"luefinch" in all_bytes(ledger.path.parent)
    ledger.forget(REPO, SECRET.id)
    assert b"luefinch" not in all_bytes(ledger.path.parent)
    assert texts(ledger) == ["use tabs"]
    assert ledger.search("bluefinch") == []
    assert [found.id for found in ledger.search("tabs")] == [OTHER.id]
    assert integrity(ledger.path) == "ok"


def test_the_message_keeps_its_place_and_its_other_words(ledger):
    ledger.record(batch(said("u1", f"first, {TEXT}. Then go on")))
    ledger.settle([judged("u1", SECRET)])
    ledger.forget(REPO, SECRET.id)
    [event] = ledger.events(("a", "s"))
    crossed = "".join(" " if sign == " " else "█" for sign in TEXT)
    assert event.text == f"first, {crossed}. Then go on"


def test_it_is_crossed_out_in_dialogs_and_proposals_and_in_forks(ledger):
    dialog = QuestionAnswered(
        agent="a", session="s", id="q", question=TEXT, options=(Option(TEXT),), chosen=(TEXT,)
    )
    proposal = AssistantMessage(agent="a", session="s", id="m", text=f"I suggest: {TEXT}")
    ledger.record(batch(proposal, dialog))
    ledger.record(batch(AssistantMessage(agent="a", session="fork", id="m", text=TEXT)))
    evidence = (Evidence("q", "user", TEXT), Evidence("m", "agent", TEXT))
    ledger.settle([judged("q", item(TEXT, event="q", evidence=evidence))])
    ledger.forget(REPO, item_id([TEXT]))
    assert TEXT.encode() not in all_bytes(ledger.path.parent)
    assert "I suggest: █" in next(iter(ledger.events(("a", "fork")))).text


def test_reading_its_words_again_does_not_bring_it_back(ledger):
    ledger.settle([judged("u1", SECRET)])
    ledger.forget(REPO, SECRET.id)
    for _ in range(2):
        ledger.settle([judged("u1", SECRET, OTHER)])
        ledger.add_item_events(REPO, [captured(SECRET), restated(SECRET.id, item(TEXT, 5))])
        ledger.decide(REPO, SECRET.id, "restored")
        assert texts(ledger) == ["use tabs"]
        assert ledger.item_events(REPO, SECRET.id) == []


def test_it_stays_forgotten_when_the_ledger_is_opened_again(ledger, tmp_path):
    ledger.settle([judged("u1", SECRET)])
    ledger.forget(REPO, SECRET.id)
    ledger.close()
    with Ledger.open(ledger.path) as again:
        assert again.is_forgotten(REPO, SECRET.id)
        again.settle([judged("u1", SECRET)])
        assert texts(again) == []


def test_what_said_the_same_in_other_words_does_not_come_back_on_its_own(ledger):
    other, exact = item("Bluefinch is not named", 1), item("do not name Bluefinch in logs", 2)
    events = [restated(SECRET.id, other), refined(SECRET.id, exact)]
    ledger.settle([judged("u1", SECRET), judged("u2", events=events)])
    ledger.forget(REPO, SECRET.id)
    ledger.settle([judged("u2", other, exact)])
    assert texts(ledger) == []


def test_what_it_superseded_does_not_hold_again(ledger):
    ledger.settle(
        [judged("u2", OTHER), judged("u1", SECRET, events=[superseded(OTHER.id, SECRET)])]
    )
    ledger.forget(REPO, SECRET.id)
    [left] = ledger.items(REPO, statuses=())
    assert (left.id, left.state.status) == (OTHER.id, "superseded")


def test_the_same_words_in_another_repository_are_another_item(ledger):
    ledger.settle([judged("u1", SECRET), judged("u9", SECRET, repository="/srv/other")])
    ledger.forget(REPO, SECRET.id)
    assert [known.repository for known in ledger.items(statuses=())] == ["/srv/other"]


def test_nothing_changes_when_a_record_only_tells_of_what_is_forgotten(ledger):
    ledger.settle([judged("u1", SECRET)])
    ledger.forget(REPO, SECRET.id)
    ledger.changed_repositories.clear()
    changes = ledger.item_changes
    ledger.add_item_events(REPO, [captured(SECRET)])
    assert (ledger.item_changes, ledger.changed_repositories) == (changes, set())
