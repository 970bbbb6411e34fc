"""Reversals that name nothing, or little, find what they take back."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd.extract.exchange import Spoken
from ctxd.extract.overturn import overturned
from ctxd.extract.reversals import reversals
from ctxd.item import Evidence, Item, item_id
from ctxd_parsers.events import AssistantMessage, ToolCall, UserMessage

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def item(text, event, minute=0, **fields):
    return Item(
        id=item_id([text]),
        agent="codex",
        session=fields.pop("session", "s1"),
        event=event,
        time=NOON + timedelta(minutes=minute),
        kind=fields.pop("kind", "decision"),
        text=text,
        authority="user",
        probability=0.9,
        evidence=fields.pop("evidence", (Evidence(event=event, speaker="user", quote=text),)),
        **fields,
    )


def user(text, event):
    return UserMessage(agent="codex", session="s1", id=event, text=text)


def agent(text, event):
    return AssistantMessage(agent="codex", session="s1", id=event, text=text)


CACHE = item("use SQLite for the thumbnail cache", "u1", 1)
RENAME = item("rename Watcher to Follower", "u2", 2, scope=("src/follower.py",))
RETRIES = item("retry failed uploads 3 times", "u3", 3)
OTHER = item("keep the changelog by hand", "x9", 30, session="s2")
KNOWN = [CACHE, RENAME, RETRIES, OTHER]


def exchange(*proposal, answered="u3"):
    earlier = tuple(
        event
        for n in range(1, int(answered[1:]) + 1)
        for event in (agent(f"done {n}", f"a{n}"), user(f"answer {n}", f"u{n}"))
    )
    return Spoken("codex", "s1", (user("?", "u9"),), proposal, earlier)


DONE = exchange(agent("Failed uploads are retried 3 times now.", "a8"))

TAKES_BACK_THE_LAST = [
    "nah, let's roll that back",
    "roll it back please",
    "revert that",
    "hm no, undo this",
    "Undo.",
    "ok, can you revert this again?",
    "scratch that",
    "on second thought, no",
    "actually no",
    "never mind that",
    "I changed my mind",
    "sorry, take that back",
    "no, remove this again, the risk is too big",
    "let's go back",
    "forget it",
    "mach das rückgängig",
    "算了",
]


@pytest.mark.parametrize("text", TAKES_BACK_THE_LAST)
def test_a_bare_reversal_takes_back_what_was_settled_last(text):
    assert overturned(KNOWN, text, DONE) == [RETRIES.id]


NAMED = [
    ("undo the rename", RENAME),
    ("revert the Follower rename please", RENAME),
    ("forget what I said about the thumbnail cache", CACHE),
    ("I changed my mind about the cache", CACHE),
    ("let's roll the retries back", RETRIES),
    ("forget about SQLite", CACHE),
    ("never mind what I said about the changelog", OTHER),
]


@pytest.mark.parametrize(("text", "meant"), NAMED)
def test_a_reversal_that_names_a_topic_takes_back_the_latest_on_it(text, meant):
    assert overturned(KNOWN, text, DONE) == [meant.id]


NOTHING = [
    "revert the commit",
    "undo the last migration in the database",
    "should we revert that?",
    "don't revert that",
    "why did you undo that?",
    "the revert button should be red",
    "undo must work in the editor",
    "never roll that back",
    "stop reverting things",
    "no need to roll that back",
    "did the transaction roll back?",
    "git revert is not allowed here",
    "forget the boss level",
    "undo the login page",
    "keep going",
    "",
]


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_reversal_of_a_decision_takes_nothing_back(text):
    far = Spoken("codex", "s1", (user(text, "u9"),), (), (user("thanks", "u8"),))
    assert overturned(KNOWN, text, far) == []


def test_a_command_on_code_takes_back_the_decision_that_stands_near():
    assert overturned(KNOWN, "revert the commit", DONE) == [RETRIES.id]


def test_words_of_another_session_are_taken_back_only_by_name():
    assert overturned([OTHER], "roll that back", DONE) == []
    assert overturned([OTHER], "undo the changelog", DONE) == []


def test_of_two_points_settled_at_once_the_one_the_work_was_about_is_meant():
    first, second = item("name the flag --dry-run", "u3", 3), item("log to stderr", "u3", 3)
    work = exchange(agent("The flag is named --dry-run now, on all commands.", "a8"))
    assert overturned([first, second], "no, revert that", work) == [first.id]


def test_of_two_points_that_cannot_be_told_apart_none_is_taken_back():
    first, second = item("name the flag --dry-run", "u3", 3), item("log to stderr", "u3", 3)
    assert overturned([first, second], "no, revert that", exchange()) == []


def test_an_older_decision_is_meant_when_the_last_edits_were_on_its_files():
    call = ToolCall(agent="codex", session="s1", id="t1", call="c", name="edit",
                    paths=("src/follower.py",))  # fmt: skip
    far = Spoken("codex", "s1", (user("undo that", "u9"),), (call,), (user("go on", "u8"),))
    assert overturned(KNOWN, "undo that", far) == [RENAME.id]


def test_questions_and_intents_are_nothing_to_take_back():
    question = item("should uploads be retried?", "u3", 3, kind="question")
    assert overturned([question], "revert that", DONE) == []


@given(st.permutations(KNOWN), st.sampled_from(TAKES_BACK_THE_LAST + [text for text, _ in NAMED]))
def test_the_order_in_which_items_are_known_does_not_matter(known, text):
    assert overturned(known, text, DONE) == overturned(KNOWN, text, DONE)


@given(st.text(max_size=300))
def test_no_text_raises(text):
    reversals(text)
