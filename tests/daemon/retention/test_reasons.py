"""Reasons of the judge, as people read them."""

import pytest

from ctxd.retention import judge
from ctxd.retention.reasons import in_words
from ctxd.retention.values import Verdict

REASONS = sorted({why for _, why in judge._REASONS} | {"words"})


@pytest.mark.parametrize("why", REASONS)
def test_every_reason_of_the_judge_is_told_in_a_sentence(why):
    assert len(in_words(Verdict("changed", why=why)).split()) > 2


def test_a_reason_that_is_in_words_stays_as_it_is():
    assert in_words(Verdict("lost", why="not mentioned")) == "not mentioned"
    assert in_words(Verdict("kept")) == ""
