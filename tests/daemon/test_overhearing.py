"""Exchanges from a transcript's events alone: each once, whole, and only those of a person."""

from hypothesis import given
from hypothesis import strategies as st

from ctxd.listening import of_a_person
from ctxd.overhearing import Overhearing
from ctxd.policy.items import SESSIONS_OVERHEARD
from ctxd.policy.ledger import EXCHANGE_EVENTS, TEXT_CHARS
from ctxd.signals import ExchangeComplete
from ctxd_parsers.events import Cleared, QuestionAnswered, SessionStarted, Withdrawn
from session_events import agent, base, call, reduced, started, user


def overheard(*events):
    hearing = Overhearing()
    found = [said for event in events for _, said in hearing.take(event)]
    return found + [said for _, said in hearing.rest()]


def names(said):
    parts = (said.earlier, said.proposal, said.answer)
    return tuple(tuple(event.id for event in part) for part in parts)


def test_an_exchange_is_given_once_when_the_agent_goes_on():
    found = overheard(user("u1"), agent("a1"), user("u2"), user("u3"), agent("a2"), call("c"))
    assert [names(said) for said in found] == [
        ((), (), ("u1",)),
        (("u1",), ("a1",), ("u2", "u3")),
    ]
    assert [said.opening for said in found] == [True, False]


def test_the_last_exchange_is_given_although_nothing_came_after_it():
    assert [names(said)[2] for said in overheard(user("u1"), agent("a1"), user("u2"))] == [
        ("u1",),
        ("u2",),
    ]


def test_repeated_records_are_heard_once():
    events = [user("u1"), agent("a1"), user("u2"), agent("a2")]
    assert len(overheard(*events, *events)) == 2


def test_what_agents_say_to_their_sub_agents_is_nobodys_word():
    assert overheard(user("u1", sub_agent="x"), agent("a1", sub_agent="x")) == []
    assert overheard(started(how="sub_agent"), user("u1"), agent("a1")) == []


def test_the_prompts_of_a_program_are_nobodys_word_but_a_dialogs_answer_is():
    dialog = QuestionAnswered(question="Which?", chosen=("A",), **base("q"))
    found = overheard(
        started(client="sdk-py"), user("u1"), agent("a1"), user("u2"), call("c"), dialog
    )
    assert [names(said)[2] for said in found] == [("q",)]


def test_a_persons_front_end_is_heard():
    [said] = overheard(started(client="cli"), user("u1"))
    assert of_a_person(said, "startup", "cli") is said


def test_words_taken_back_are_no_answer():
    back = Withdrawn(since="u2", **base("w"))
    found = overheard(user("u1"), agent("a1"), user("u2"), back, user("u3"), agent("a2"))
    assert [names(said)[2] for said in found] == [("u1",), ("u3",)]


def test_which_events_a_withdrawal_took_back_can_be_asked_of_any_earlier_one():
    hearing = Overhearing()
    back = Withdrawn(since="a1", until="u3", **base("w"))
    for event in (user("u1"), agent("a1"), user("u2"), user("u3"), back):
        hearing.take(event)
    gone = hearing.taken_back(back)
    assert [gone(name) for name in ("u1", "a1", "u2", "u3", "w", "unknown")] == [
        False,
        True,
        True,
        False,
        False,
        False,
    ]


def test_memory_is_bounded_in_the_length_of_a_turn_of_a_text_and_in_sessions():
    hearing = Overhearing()
    for number in range(2000):
        hearing.take(call(f"c{number}"))
    hearing.take(user("long", text="x" * 10 * TEXT_CHARS))
    [(session, said)] = hearing.rest()
    assert len(session.texts) <= 4 * EXCHANGE_EVENTS
    assert len(said.answer[0].text) == TEXT_CHARS


def test_of_sessions_that_nothing_came_after_none_is_lost_however_many_there_are():
    number = 3 * SESSIONS_OVERHEARD
    many = [user(f"u{number}", session=f"s{number}") for number in range(number)]
    assert len(overheard(*many)) == number


EVENTS = st.sampled_from(
    [
        lambda name: user(name),
        lambda name: agent(name),
        lambda name: call(name),
        lambda name: Cleared(**base(name)),
        lambda name: SessionStarted(how="resume", **base(name)),
    ]
)


@given(st.lists(EVENTS, max_size=60))
def test_what_is_overheard_is_what_a_session_signals_last_of_each_answer(makers):
    events = [make(f"e{number}") for number, make in enumerate(makers)]
    signalled = {
        signal.exchange.answer[0]: signal.exchange
        for signal in reduced(*events)[1]
        if isinstance(signal, ExchangeComplete)
    }
    assert [names(said) for said in overheard(*events)] == [
        (exchange.earlier, exchange.proposal, exchange.answer) for exchange in signalled.values()
    ]
