"""What a careful reader would keep of an exchange: there to be chosen, worded right, mostly kept.

How likely each is, is for the model to say, and moves with its training: so what an item would be
like is tested one by one, and how many are kept over all.
"""

import pytest

from ctxd.extract.candidates import readings
from ctxd.extract.classify import Judged, shipped
from ctxd.extract.items import assemble
from ctxd.extract.judge import judge
from talks import exchange
from wanted_items import GROUPS, NUMBERED, NUMBERS, misses

CASES = [case for group in GROUPS.values() for case in group]
WANTED = [(case, wanted) for case in CASES for wanted in case.wanted]
LEAST_FOUND = 0.8
"""0.92 were found when this was written; a share moves by 0.013 with each that is not."""
LEAST_KINDS = 0.6
"""0.79 of those with one right kind were of it."""


def possible(spoken):
    """What each candidate of an exchange would be as an item."""
    return [
        assemble(reading, Judged(candidate, 0.5, 0.0, {}), shipped())
        for reading in readings(spoken)
        for candidate in reading.candidates
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_wanted_is_there_to_be_chosen_with_the_right_values(case):
    found = possible(case.spoken)
    for wanted in case.wanted:
        missed = [misses(wanted, item) for item in found]
        assert [] in missed, (wanted.says, missed)


def test_most_of_it_is_kept():
    found = [
        any(not misses(wanted, item) for item in judge(case.spoken)) for case, wanted in WANTED
    ]
    assert sum(found) >= LEAST_FOUND * len(found)


def test_most_of_it_is_of_the_right_kind():
    told = [
        item.kind in wanted.kinds
        for case, wanted in WANTED
        if wanted.kinds
        for item in judge(case.spoken)
        if not misses(wanted, item)
    ]
    assert len(told) > 20
    assert sum(told) >= LEAST_KINDS * len(told)


def test_no_point_of_a_numbered_reply_is_mixed_up_with_another():
    for case in NUMBERS[:4]:
        for item in possible(case.spoken):
            quotes = [quote.quote for quote in item.evidence]
            if len(quotes) > 1 and item.authority != "agent":
                assert quotes[1] in item.text or quotes[1].startswith(("Where", "Should", "Rename"))


def test_each_point_of_a_numbered_reply_rests_on_its_own_words():
    found = possible(exchange("1. keychain\n2. no\n3. yes", NUMBERED))
    quotes = [[quote.quote for quote in item.evidence] for item in found]
    assert [words for words, _ in quotes] == ["keychain", "no", "yes"]
    assert [point.split()[0] for _, point in quotes] == ["Where", "Should", "Rename"]
    assert len({item.id for item in found}) == 3


@pytest.mark.parametrize(
    "words",
    [
        "1. start the server\n2. open the page\n3. click save",
        "it failed at step 2, and 3 was never reached",
        'two names: "laptop (1)" and "laptop (2)"',
        "7. yes\n8. no",
    ],
)
def test_numbers_that_answer_no_question_are_no_reply(words):
    plan = "What I did:\n\n1. moved the parser\n2. adapted the callers\n3. ran the tests"
    assert not [reading for reading in readings(exchange(words, plan)) if reading.replied]


def test_words_beside_a_numbered_reply_are_read_for_themselves():
    words = "1. keychain\n2. no\n3. yes\n\nand never log the token, not even masked"
    found = judge(exchange(words, NUMBERED))
    assert any(item.text == "never log the token, not even masked" for item in found)
