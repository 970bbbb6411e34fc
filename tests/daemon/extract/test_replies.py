"""The points of a numbered reply."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd.extract.acts import parts


@pytest.mark.parametrize(
    "text",
    [
        "1. yes 2. no, use the file 3. later",
        "1. yes\n2. no, use the file\n3. later",
        "1) yes\n2) no, use the file\n3) later",
        "1: yes\n\n2: no, use the file\n\n3: later",
        "Q1: yes\nQ2: no, use the file\nQ3: later",
        "A1 yes\nA2 no, use the file\nA3 later",
        "for 1: yes, for 2: no, use the file; for 3: later",
        "1 yes\n2 no, use the file\n3 later",
        "**1.** yes\n**2.** no, use the file\n**3.** later",
        "- 1: yes\n- 2: no, use the file\n- 3: later",
        "1 - yes, 2 - no, use the file, 3 - later",
        "1.yes 2.no, use the file 3.later",
        "ok so:\n1. yes\n2. no, use the file\n3. later\n",
        "1、yes 2、no, use the file 3、later",
    ],
)
def test_each_point_of_a_numbered_reply_is_a_part(text):
    found = [(part.label, text[part.start : part.end]) for part in parts(text)]
    assert found == [("1", "yes"), ("2", "no, use the file"), ("3", "later")]


def test_letters_count_as_well_as_numbers_do():
    assert [part.label for part in parts("a) keep it b) drop it")] == ["A", "B"]
    assert [part.label for part in parts("A: keep it, B: drop it")] == ["A", "B"]


def test_points_may_be_left_out():
    assert [part.label for part in parts("1. yes\n4. no")] == ["1", "4"]


def test_a_reply_may_begin_with_a_number():
    text = "1. 5 seconds\n2. 10 seconds"
    assert [text[part.start : part.end] for part in parts(text)] == ["5 seconds", "10 seconds"]


def test_short_answers_on_one_line_need_no_marks():
    assert [part.label for part in parts("1 yes, 2 no, 3 later")] == ["1", "2", "3"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1. yes",
        "see v1.2 and 3.4",
        "I have 2 files and 3 tests",
        "the 2. one and the 3. one",
        "12:30 or 13:45",
        "no\n1 more thing\n2 tests fail",
        "2 files, 3 tests",
        "a bit of this\nb is fine",
        "3. comes first\n1. comes last",
        "1. only this\n9. is another number",
        "1.\n2.\n3.",
    ],
)
def test_a_text_with_other_numbers_is_no_numbered_reply(text):
    assert parts(text) == []


@given(
    st.lists(st.sampled_from(["1.", "2)", " yes", "\n", "no ", "a)", "Q1:", "3", ",", "for 2:"]))
)
def test_parts_follow_each_other_and_hold_words(pieces):
    text = "".join(pieces)
    found = parts(text)
    assert len(found) != 1
    for part in found:
        assert text[part.start : part.end].strip() == text[part.start : part.end] != ""
    assert all(part.end <= after.start for part, after in pairwise(found))


@pytest.mark.parametrize("piece", ["1. ", "1 ", "\n", " ", "for 1: ", "a) ", "- ", "((", "1.)"])
def test_a_long_text_takes_no_time(piece):
    start = time.process_time()
    parts(piece * (100_000 // len(piece)))
    assert time.process_time() - start < 0.5
