"""What is written for an item says what was said: over all training exchanges, and made-up ones.

The checks stand in `item_invariants`; `tests.bench.invariants` runs them over transcripts.
"""

import string

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import item_invariants
from ctxd.extract.classify import shipped
from ctxd.extract.judge import judge
from ctxd.item import Evidence
from item_invariants import problems, problems_of_judging
from talks import command, edit, exchange, picked
from train.material import examples
from wanted_items import GROUPS

LENIENT = msgspec.structs.replace(
    shipped(), candidate=msgspec.structs.replace(shipped().candidate, bias=12.0)
)
"""A model that keeps nearly everything: what it keeps must be worded right as well."""
EXAMPLES = examples()
_WORDS = """
never always don't do not must only except unless no yes keep drop use instead of because so that
without from now on it this that them option 2 1. 2) A B) the second both please wait actually
`load()` src/app.py TenantGuard 3.11 180 kB v2 10:30 **bold** _it_ [link](https://x.example/a) > - *
nicht nie kein nunca sans jamais não никогда не 不要 別 しないで cache token retry parser date rows
"""
WORDS = _WORDS.split()
MESSAGES = st.lists(
    st.sampled_from(
        [*WORDS, ",", ".", ". ", "?", "\n", "\n\n", "- ", "1. ", "(", ")", "…", "“", "”"]
    )
    | st.text(string.printable, max_size=6)
    | st.text(max_size=4),
    max_size=40,
).map(" ".join)
OFFER = "Two ways:\n\n1. **Redis** - fast, but one more service.\n2. A table.\n\nWhich one?"


@pytest.mark.parametrize("model", [shipped(), LENIENT], ids=["shipped", "lenient"])
@pytest.mark.parametrize("start", range(8))
def test_what_training_exchanges_come_to_says_what_was_said(start, model):
    wrong = {}
    for example in EXAMPLES[start::8]:
        found = problems(example.spoken, judge(example.spoken, model))
        if found:
            wrong[example.id] = found
    assert not wrong


def test_judging_twice_gives_the_same():
    for example in EXAMPLES[::7]:
        assert judge(example.spoken) == judge(example.spoken)


@settings(max_examples=3000, deadline=None)
@given(MESSAGES, MESSAGES, st.sampled_from(["typed", "queued", "refusal", "plan_feedback"]))
def test_whatever_is_typed_is_worded_as_it_was_said(user, agent, origin):
    spoken = exchange(user, agent, edit("src/app.py"), command("make"), origin=origin, call="c")
    assert not problems_of_judging(spoken, LENIENT)


@settings(max_examples=3000, deadline=None)
@given(MESSAGES)
def test_whatever_answers_a_choice_is_worded_as_it_was_said(user):
    for words in (user, f"2, {user}", f"no, {user}", f"1. {user}\n2. no"):
        assert not problems_of_judging(exchange(words, OFFER), LENIENT)


@settings(max_examples=3000, deadline=None)
@given(MESSAGES, MESSAGES, st.none() | MESSAGES)
def test_whatever_a_dialog_shows_is_worded_as_it_was_said(question, told, text):
    spoken = picked(
        question, {"Redis": told, "A table (Recommended)": question}, "Redis", text=text
    )
    assert not problems_of_judging(spoken, LENIENT)


@pytest.mark.parametrize("group", GROUPS)
def test_ids_do_not_change_with_time_session_or_case(group):
    for case in GROUPS[group]:
        spoken = case.spoken
        later = msgspec.structs.replace(spoken, session="other", agent="b")
        assert [item.id for item in judge(later)] == [item.id for item in judge(spoken)]


class TestTheChecksThemselves:
    """A check that finds nothing wrong in what is wrong proves nothing."""

    SPOKEN = exchange("Never log request bodies, at most 3 lines of them.", "I added logging.")

    @pytest.mark.parametrize(
        ("changed", "told"),
        [
            ({"text": "Log request bodies, at most 3 lines of them."}, "negation is lost"),
            ({"text": "Never log request bodies, at most 5 lines of them."}, "number"),
            ({"text": "Never log request bodies (3 lines."}, "brackets"),
            ({"text": "Never log\nrequest bodies, 3"}, "more than one line"),
            ({"text": "Never log \u202erequest bodies, 3"}, "control character"),
            ({"text": "Never log 3 " + "x" * 300}, "too long"),
            ({"text": ""}, "no text"),
            ({"id": "aaaaaaaa"}, "id is not"),
            ({"filled": ("a.py",)}, "not there"),
            ({"evidence": ()}, "does not begin"),
            ({"evidence": (Evidence("u", "user", "Always log", 0),)}, "at its place"),
            ({"evidence": (Evidence("gone", "user", "Never", 0),)}, "not there"),
        ],
    )
    def test_they_find_what_is_wrong(self, changed, told):
        [item] = judge(self.SPOKEN)
        assert not problems(self.SPOKEN, [item])
        wrong = problems(self.SPOKEN, [msgspec.structs.replace(item, **changed)])
        assert any(told in name for name in wrong), wrong

    def test_two_items_of_one_id_are_found(self):
        [item] = judge(self.SPOKEN)
        assert "two items of one id" in problems(self.SPOKEN, [item, item])

    @pytest.mark.parametrize("language", item_invariants.NEGATIONS)
    def test_every_covered_language_has_its_negations(self, language):
        words = {"en": "never", "de": "niemals", "es": "nunca", "fr": "ne touche pas", "pt": "não"}
        words |= {"ru": "никогда", "zh": "不要", "ja": "しないで"}
        assert item_invariants._NEGATION[language].search(words[language])
