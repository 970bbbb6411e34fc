"""What happened to items comes to the same however it is put together, and the user's word counts
most."""

import random
import time
from datetime import timedelta, timezone

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxd.item_log import (
    ItemEvent,
    Said,
    captured,
    contradicted,
    identified,
    refined,
    restated,
    state,
    superseded,
    taken_back,
    verdict,
    withdrawal,
)
from made_items import at_hour, item
from session_events import NOON

TABS = item("use tabs")
SPACES = item("use spaces", 1)


def of(*events, words=TABS):
    """What the events make of an item."""
    return state(events).get(words.id)


def tabs_again(hour, event):
    return item("use tabs", hour, event=event)


class TestWords:
    def test_what_was_captured_is_active_as_it_was_understood(self):
        found = of(captured(TABS))
        assert (found.item, found.text, found.status) == (TABS, "use tabs", "active")
        assert (found.restated, found.accepted, found.edited) == (0, False, False)

    def test_nothing_happened_to_nothing(self):
        assert state([]) == {}

    def test_what_is_superseded_names_what_holds_instead(self):
        found = of(captured(TABS), captured(SPACES), superseded(TABS.id, SPACES))
        assert (found.status, found.superseded_by) == ("superseded", SPACES.id)

    def test_of_two_that_contradict_each_other_the_newer_one_holds(self):
        events = [captured(TABS), captured(SPACES), contradicted(TABS.id, SPACES)]
        assert of(*events).superseded_by == SPACES.id
        assert of(*events, words=SPACES).status == "active"

    def test_what_is_said_once_more_after_it_was_superseded_holds_again(self):
        back = tabs_again(2, "second thoughts")
        events = [
            captured(TABS),
            captured(SPACES),
            superseded(TABS.id, SPACES),
            restated(TABS.id, back),
            superseded(SPACES.id, back),
        ]
        assert of(*events).status == "active"
        assert of(*events, words=SPACES).superseded_by == TABS.id

    def test_an_older_session_read_later_does_not_overturn_a_newer_one(self):
        old = item("use spaces", -5)
        assert of(captured(TABS), superseded(TABS.id, old)).status == "active"

    def test_words_can_take_an_item_back_with_nothing_in_its_place(self):
        found = of(captured(TABS), taken_back(TABS.id, Said("a", "s", "later"), at_hour(1)))
        assert (found.status, found.superseded_by) == ("retracted", None)

    def test_forty_restatements_are_one_item(self):
        again = [tabs_again(hour, f"again {hour}") for hour in range(1, 41)]
        found = state([captured(TABS), *(restated(TABS.id, words) for words in again)])
        assert [(known.restated, known.text) for known in found.values()] == [(40, "use tabs")]

    def test_the_same_words_read_in_another_session_are_a_restatement(self):
        elsewhere = item("use tabs", 3, session="other")
        assert of(captured(TABS), captured(elsewhere)).restated == 1

    def test_what_was_refined_has_the_newer_content_under_its_old_id(self):
        narrower = item("use tabs in Makefiles only", 1)
        found = of(captured(TABS), refined(TABS.id, narrower))
        assert (found.text, found.item.id, found.status) == (narrower.text, TABS.id, "active")
        assert found.item.evidence == narrower.evidence

    @pytest.mark.parametrize("number", range(6))
    def test_of_the_same_words_what_a_second_reader_made_of_them_last_counts(self, number):
        alone = msgspec.structs.replace(TABS, probability=0.5 + number / 100)
        read = msgspec.structs.replace(alone, probability=0.9, read_at=1_800_000_000)
        anew = msgspec.structs.replace(read, text="Use tabs", read_at=1_800_000_060)
        events = list(map(captured, (alone, anew, read)))
        assert of(*events).item == of(*reversed(events)).item == anew
        assert of(*events[::2]).item == read

    def test_an_event_of_an_item_that_nothing_tells_of_makes_no_item(self):
        assert state([superseded(TABS.id, SPACES), verdict(TABS.id, "accepted", NOON)]) == {}

    def test_without_any_time_a_denial_counts(self):
        old, new = item("use tabs", None), item("use spaces", None)
        assert of(captured(old), superseded(old.id, new)).status == "superseded"


class TestTheUser:
    @pytest.mark.parametrize(
        ("kind", "status"), [("rejected", "rejected"), ("retracted", "retracted")]
    )
    def test_what_the_user_turned_down_never_comes_back_by_itself(self, kind, status):
        events = [captured(TABS), verdict(TABS.id, kind, at_hour(1))]
        later = [
            captured(tabs_again(2, "said again")),
            restated(TABS.id, tabs_again(3, "and again")),
            refined(TABS.id, item("use tabs, really", 4)),
        ]
        assert of(*events, *later).status == status

    def test_what_the_user_turned_down_stays_so_when_its_words_are_taken_back_and_return(self):
        where = Said.of(TABS)
        events = [captured(TABS), verdict(TABS.id, "rejected", at_hour(1))]
        moves = [
            withdrawal(TABS.id, where, at_hour(2)),
            withdrawal(TABS.id, where, NOON, back=True),
        ]
        assert of(*events, *moves).status == "rejected"

    def test_the_user_can_take_a_rejection_back(self):
        events = [captured(TABS), verdict(TABS.id, "rejected", at_hour(1))]
        assert of(*events, verdict(TABS.id, "restored", at_hour(2))).status == "active"

    def test_the_last_of_several_verdicts_counts(self):
        kinds = ("rejected", "accepted", "retracted", "accepted", "rejected")
        events = [captured(TABS)]
        events += [verdict(TABS.id, kind, at_hour(hour)) for hour, kind in enumerate(kinds)]
        assert (of(*events).status, of(*events).accepted) == ("rejected", False)
        assert (of(*events[:-1]).status, of(*events[:-1]).accepted) == ("active", True)

    def test_the_users_wording_stays_whatever_is_understood_later(self):
        events = [captured(TABS), verdict(TABS.id, "edited", at_hour(1), "Tabs. Always.")]
        found = of(*events, refined(TABS.id, item("use tabs but in YAML", 2)))
        assert (found.text, found.edited, found.accepted) == ("Tabs. Always.", True, True)

    def test_the_users_last_wording_counts(self):
        wordings = [verdict(TABS.id, "edited", at_hour(hour), f"v{hour}") for hour in (2, 3, 1)]
        assert of(captured(TABS), *wordings).text == "v3"

    def test_the_users_wording_is_shown_as_doubtful_and_not_taken_away(self):
        wording = verdict(TABS.id, "edited", at_hour(1), "Tabs!")
        found = of(captured(TABS), wording, superseded(TABS.id, item("use spaces", 2)))
        assert (found.status, found.superseded_by) == ("active", SPACES.id)

    def test_what_was_accepted_can_be_superseded_by_a_later_word(self):
        events = [captured(TABS), verdict(TABS.id, "accepted", at_hour(1))]
        assert of(*events, superseded(TABS.id, item("use spaces", 2))).status == "superseded"
        assert of(*events, superseded(TABS.id, item("use spaces", 0.5))).status == "active"

    def test_what_a_rejected_item_superseded_holds_again(self):
        events = [captured(TABS), captured(SPACES), superseded(TABS.id, SPACES)]
        assert of(*events, verdict(SPACES.id, "rejected", at_hour(3))).status == "active"
        assert of(*events, verdict(SPACES.id, "accepted", at_hour(3))).status == "superseded"

    def test_only_what_is_not_plain_and_not_accepted_waits_for_review(self):
        unsure = item("maybe tabs", plain=False)
        assert not of(captured(TABS)).waits
        assert of(captured(unsure), words=unsure).waits
        for kind in ("accepted", "edited", "rejected"):
            judged = of(captured(unsure), verdict(unsure.id, kind, NOON, "x"), words=unsure)
            assert not judged.waits


class TestWithdrawal:
    def test_an_item_goes_with_its_words_and_comes_back_with_them(self):
        where = Said.of(TABS)
        events = [captured(TABS), withdrawal(TABS.id, where, at_hour(1))]
        assert of(*events).status == "withdrawn"
        events.append(withdrawal(TABS.id, where, at_hour(2), back=True))
        assert of(*events).status == "active"
        events.append(withdrawal(TABS.id, where, at_hour(3)))
        assert of(*events).status == "withdrawn"

    def test_an_item_stands_as_long_as_it_was_said_anywhere_else(self):
        events = [captured(TABS), restated(TABS.id, tabs_again(1, "again"))]
        found = of(*events, withdrawal(TABS.id, Said.of(TABS), at_hour(2)))
        assert (found.status, found.restated) == ("active", 0)

    def test_what_taken_back_words_superseded_holds_again(self):
        events = [captured(TABS), captured(SPACES), superseded(TABS.id, SPACES)]
        events += [withdrawal(known.id, Said.of(SPACES), at_hour(2)) for known in (TABS, SPACES)]
        assert of(*events).status == "active"
        assert of(*events, words=SPACES).status == "withdrawn"

    def test_an_item_that_was_superseded_before_its_words_went_is_withdrawn(self):
        events = [captured(TABS), captured(SPACES), superseded(TABS.id, SPACES)]
        assert of(*events, withdrawal(TABS.id, Said.of(TABS), at_hour(2))).status == "withdrawn"

    def test_what_taken_back_words_refined_is_as_it_was(self):
        narrower = item("use tabs in Makefiles only", 1)
        events = [captured(TABS), refined(TABS.id, narrower)]
        assert of(*events, withdrawal(TABS.id, Said.of(narrower), at_hour(2))).text == "use tabs"

    def test_an_item_that_the_user_accepted_does_not_go_with_its_words(self):
        events = [captured(TABS), withdrawal(TABS.id, Said.of(TABS), at_hour(2))]
        assert of(*events, verdict(TABS.id, "accepted", at_hour(1))).status == "active"


class TestIds:
    def test_the_same_event_has_the_same_id_wherever_it_is_made(self):
        assert captured(TABS) == captured(item("use tabs"))

    @pytest.mark.parametrize(
        "change",
        [
            {"item": "other"},
            {"type": "restated"},
            {"by": "user"},
            {"time": at_hour(1)},
            {"of": "other"},
            {"said": Said("a", "s", "other")},
            {"content": SPACES},
            {"text": "other"},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_any_difference_makes_another_id(self, change):
        event = captured(TABS)
        assert identified(msgspec.structs.replace(event, **change)).id != event.id

    def test_an_event_survives_being_written_and_read(self):
        for event in (captured(TABS), verdict(TABS.id, "edited", NOON, "Tabs!")):
            read = msgspec.json.decode(msgspec.json.encode(event), type=ItemEvent)
            assert identified(read) == read == event


WORDS = [item(f"rule {number}", number % 3) for number in range(4)]
HOURS = st.sampled_from([None, 0, 1, 2, 3])


def learned():
    words = st.builds(
        lambda words, hour, event: msgspec.structs.replace(words, time=at_hour(hour), event=event),
        st.sampled_from(WORDS),
        HOURS,
        st.sampled_from(["e1", "e2", "e3"]),
    )
    known = st.sampled_from([word.id for word in WORDS])
    return st.one_of(
        words.map(captured),
        *(st.builds(make, known, words) for make in (restated, refined, superseded, contradicted)),
    )


def decided():
    kinds = st.sampled_from(["accepted", "edited", "rejected", "retracted", "restored"])
    known = st.sampled_from([word.id for word in WORDS])
    hours = st.integers(0, 4).map(at_hour)
    return st.builds(verdict, known, kinds, hours, st.sampled_from(["x", "y", "", None]))


def moved():
    known = st.sampled_from([word.id for word in WORDS])
    said = st.builds(Said, st.just("a"), st.just("s"), st.sampled_from(["e1", "e2", "e3"]))
    hours = st.integers(0, 4).map(at_hour)
    return st.builds(
        lambda known, said, hour, back: withdrawal(known, said, hour, back=back),
        known,
        said,
        hours,
        st.booleans(),
    )


def forged():
    """Events whose parts do not fit together, or that share an id with another one."""
    return st.builds(
        lambda event, by, id_: msgspec.structs.replace(event, by=by, id=id_),
        learned() | decided(),
        st.sampled_from(["user", "ctxd", "withdrawal"]),
        st.sampled_from(["same", "other"]),
    )


HISTORIES = st.lists(st.one_of(learned(), decided(), moved(), forged()), max_size=30)


@settings(max_examples=400, deadline=None)
@given(HISTORIES, st.randoms(use_true_random=False))
def test_any_order_and_repetition_of_events_comes_to_the_same(events, choice):
    shuffled = events + choice.choices(events, k=len(events)) if events else []
    choice.shuffle(shuffled)
    assert state(shuffled) == state(events)
    assert list(state(shuffled)) == list(state(events))


@settings(max_examples=200, deadline=None)
@given(HISTORIES, HISTORIES)
def test_histories_are_merged_by_putting_them_together(mine, theirs):
    assert state([*mine, *theirs]) == state([*theirs, *mine])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(learned(), moved()), max_size=20), st.lists(learned(), max_size=10))
def test_nothing_that_is_learned_revives_what_the_user_turned_down(before, after):
    rejected = [verdict(word.id, "rejected", at_hour(2)) for word in WORDS]
    found = state([*before, *rejected, *after])
    assert {known.status for known in found.values()} <= {"rejected"}


@settings(max_examples=200, deadline=None)
@given(HISTORIES)
def test_the_zone_in_which_a_time_is_written_does_not_count(events):
    east = timezone(timedelta(hours=9))
    moved_east = [
        msgspec.structs.replace(event, time=event.time and event.time.astimezone(east))
        for event in events
        if event.id not in {"same", "other"}
    ]
    here = [event for event in events if event.id not in {"same", "other"}]
    assert state(moved_east) == state(here)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="POSIX only")
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles"])
def test_a_time_without_a_zone_is_taken_as_utc_wherever_one_is(monkeypatch, zone):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    for hour, status in ((0, "superseded"), (2, "active")):
        words = captured(item("use tabs", hour))
        naive = msgspec.structs.replace(words, time=words.time.replace(tzinfo=None))
        assert of(naive, superseded(TABS.id, SPACES)).status == status
    monkeypatch.undo()
    time.tzset()


def test_a_long_history_is_told_in_moments():
    choice = random.Random(1)
    words = [item(f"rule {number}") for number in range(2000)]
    events = [captured(word) for word in words]
    events += [restated(choice.choice(words).id, choice.choice(words)) for _ in range(8000)]
    begin = time.perf_counter()
    assert len(state(events)) == 2000
    assert time.perf_counter() - begin < 2
