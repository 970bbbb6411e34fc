"""Questions to a reader: within the budget, once more where an answer does not pass, each told."""

import pytest

from ctxd.reader import costs
from ctxd.reader.asking import Asking
from ctxd.reader.values import (
    Ask,
    Begun,
    Called,
    Choice,
    Over,
    Prices,
    Read,
    ReaderError,
    Refusal,
    Reply,
    Work,
)

WORK = Work(
    choice=Choice(backend="codex", model="m"),
    agent="a",
    session="s",
    ledger="",
    folder="",
    calls=100,
    tokens=1_000_000,
    money=100.0,
    seconds=10.0,
)
ASK = Ask(instructions="Read this.", text="The log.", schema={}, answer_tokens=1000)
GOOD = Reply(text="good", input_tokens=500, output_tokens=100, money=0.25)
BAD = Reply(text="bad", input_tokens=500, output_tokens=100, money=0.25)
NONE = Reply(text="", input_tokens=500, output_tokens=100, money=0.25)
FAULT = Refusal("items[0].quote", "is not there")


def trouble(kind, **more):
    return ReaderError(kind, f"it is {kind}", **more)


class Task:
    """Takes what is `good`, refuses a part of what is `bad`, and of all else says it is none."""

    def __init__(self, digest):
        self.digest = digest
        self.taken = []

    def ask(self):
        return ASK

    def take(self, reply, reader):
        if not reply.text:
            raise trouble("malformed")
        self.taken.append((reply.text, reader))
        return [FAULT] if reply.text == "bad" else []

    def told(self):
        return Read(digest=self.digest, findings=())


class Asked:
    """Questions asked with these answers, one after the other."""

    def __init__(self, *answers, tasks=1, **work):
        self.answers = list(answers)
        self.asked = []
        self.told = []
        self.tasks = [Task(f"d{number}") for number in range(tasks)]
        given = WORK if not work else replaced(WORK, **work)
        Asking(given, self._call, self.told.append).ask_all(self.tasks)

    def _call(self, ask):
        self.asked.append(ask)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def read(self):
        return [word.digest for word in self.told if isinstance(word, Read)]

    @property
    def called(self):
        return [word for word in self.told if isinstance(word, Called)]

    @property
    def over(self):
        [over] = [word for word in self.told if isinstance(word, Over)]
        assert self.told[-1] is over
        return over


def replaced(work, **more):
    fields = {name: getattr(work, name) for name in work.__struct_fields__}
    return Work(**fields | more)


def test_each_call_is_told_when_it_begins_and_when_it_is_over():
    asked = Asked(GOOD, GOOD, tasks=2)
    kinds = [type(word) for word in asked.told]
    assert kinds == [Begun, Called, Read, Begun, Called, Read, Over]
    assert asked.told[0].input_tokens == costs.sent_tokens(ASK)
    spent = asked.called[0].spent
    assert (spent.input_tokens, spent.output_tokens, spent.money) == (500, 100, 0.25)
    assert asked.over == Over(chunks=2)
    assert asked.tasks[0].taken == [("good", "codex m")]


def test_the_model_is_named_as_the_backend_names_it():
    named = Reply(text="good", model="m-2026-05")
    assert Asked(named).tasks[0].taken == [("good", "codex m-2026-05")]


def test_what_was_read_is_not_asked_again():
    asked = Asked(GOOD, tasks=2, known=("d0",))
    assert asked.read == ["d1"]


def test_what_cannot_be_done_in_time_is_not_begun():
    asked = Asked(tasks=3, within=100.0, pace=40.0)
    assert asked.told == [Over(chunks=0, left=3)]
    assert Asked(GOOD, GOOD, tasks=2, within=100.0, pace=40.0).over.chunks == 2


def test_an_answer_with_faults_is_asked_for_once_more_with_what_was_wrong():
    asked = Asked(BAD, GOOD)
    assert asked.asked[0] == ASK
    assert FAULT.why in asked.asked[1].text
    assert [(word.again, word.refused) for word in asked.called] == [(False, 1), (True, 0)]
    assert asked.read == ["d0"]


def test_faults_are_told_to_the_reader_once_only():
    asked = Asked(BAD, BAD)
    assert len(asked.asked) == 2
    assert asked.read == ["d0"]
    assert asked.over == Over(chunks=1)


@pytest.mark.parametrize("second", [GOOD, NONE, trouble("refused"), trouble("long")])
def test_what_is_no_answer_is_asked_for_once_more_and_then_done_with(second):
    asked = Asked(NONE, second)
    assert len(asked.asked) == 2
    assert asked.called[0].trouble == "malformed"
    assert asked.read == ["d0"]


@pytest.mark.parametrize("kind", ["rate", "broken", "slow", "budget", "key"])
def test_a_failure_after_an_answer_with_faults_leaves_what_passed_of_it(kind):
    asked = Asked(BAD, trouble(kind))
    assert asked.read == ["d0"]
    assert asked.tasks[0].taken == [("bad", "codex m")]
    assert asked.over == Over(chunks=1)


def test_a_failure_after_what_was_no_answer_leaves_the_question_for_later():
    asked = Asked(NONE, trouble("rate", retry_after=30.0))
    assert not asked.read
    assert (asked.over.left, asked.over.trouble, asked.over.retry_after) == (1, "rate", 30.0)


@pytest.mark.parametrize("kind", ["refused", "long"])
def test_what_a_reader_does_not_want_is_not_asked_again(kind):
    asked = Asked(trouble(kind), GOOD, tasks=2)
    assert asked.read == ["d0", "d1"]
    assert [word.trouble for word in asked.called] == [kind, None]
    assert asked.over == Over(chunks=2)


def test_an_answer_that_was_cut_off_is_asked_for_shorter():
    asked = Asked(Reply(text="", cut=True), Reply(text="good"))
    assert asked.called[0].trouble == "malformed"
    assert asked.read == ["d0"]
    cut = Asked(Reply(text="bad", cut=True), GOOD)
    assert cut.read == ["d0"]


@pytest.mark.parametrize("kind", ["rate", "missing", "key", "account"])
def test_what_is_wrong_with_all_calls_ends_the_reading(kind):
    asked = Asked(GOOD, trouble(kind), tasks=4)
    assert asked.read == ["d0"]
    assert (asked.over.chunks, asked.over.left, asked.over.trouble) == (1, 3, kind)
    assert asked.called[1].spent.input_tokens == 0


@pytest.mark.parametrize("kind", ["slow", "broken", "malformed"])
def test_a_failure_costs_its_question_and_two_in_a_row_the_rest(kind):
    asked = Asked(trouble(kind), GOOD, trouble(kind), GOOD, tasks=4)
    assert asked.read == ["d1", "d3"]
    assert (asked.over.chunks, asked.over.left, asked.over.trouble) == (2, 2, kind)
    assert asked.called[0].spent.input_tokens == costs.sent_tokens(ASK)
    asked = Asked(trouble(kind), trouble(kind), tasks=4)
    assert (len(asked.asked), asked.over.left) == (2, 4)


@pytest.mark.parametrize("told", [10**40, 2**63, -1])
def test_what_a_call_cannot_have_cost_is_estimated(told):
    reply = Reply(text="good", input_tokens=told, output_tokens=told)
    [called] = Asked(reply).called
    assert called.spent == costs.spent_for(ASK, Reply(text="good"), Prices())


@pytest.mark.parametrize("told", [float("nan"), float("inf"), -0.5, 1e9])
def test_money_that_a_call_cannot_have_cost_is_estimated(told):
    reply = Reply(text="good", input_tokens=500_000, output_tokens=0, money=told)
    [called] = Asked(reply, prices=Prices(2.0, 0.0)).called
    assert called.spent.money == 1.0


def test_a_defect_is_a_failure_as_any_other(caplog):
    asked = Asked(KeyError("secret words"), GOOD, tasks=2)
    assert asked.read == ["d1"]
    assert asked.over.message == "internal error: KeyError"


def test_calls_are_counted_against_the_budget():
    asked = Asked(GOOD, GOOD, tasks=5, calls=2)
    assert (asked.over.chunks, asked.over.left, asked.over.trouble) == (2, 3, "budget")
    asked = Asked(BAD, tasks=1, calls=1)
    assert asked.read == ["d0"], "with no call left for asking again, what passed stands"


def test_no_call_is_made_that_could_cost_more_tokens_than_are_left():
    most = costs.sent_tokens(ASK) + ASK.answer_tokens
    assert Asked(tasks=1, tokens=most - 1).over.trouble == "budget"
    asked = Asked(GOOD, tasks=2, tokens=most)
    assert (asked.over.chunks, asked.over.trouble) == (1, "budget")


def test_a_call_is_expected_to_cost_what_the_dearest_did():
    asked = Asked(GOOD, tasks=3, money=0.45)
    assert (asked.over.chunks, asked.over.trouble) == (1, "budget")
    asked = Asked(GOOD, GOOD, tasks=3, money=0.55)
    assert (asked.over.chunks, asked.over.trouble) == (2, "budget")


def test_money_is_counted_by_the_prices_where_the_backend_tells_none():
    prices = Prices(million_in=10.0, million_out=100.0)
    asked = Asked(Reply(text="good", input_tokens=1000, output_tokens=200), prices=prices)
    assert asked.called[0].spent.money == pytest.approx(0.01 + 0.02)
    asked = Asked(Reply(text="good"), prices=prices)
    spent = asked.called[0].spent
    assert spent.input_tokens == costs.sent_tokens(ASK)
    assert spent.output_tokens == costs.tokens_of("good")
    dear = Asked(tasks=1, prices=prices, money=0.05)
    assert dear.over.trouble == "budget"
