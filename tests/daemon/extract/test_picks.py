"""Which options a short answer picks."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd.extract.acts import labels


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("A", ["A"]),
        ("b", ["B"]),
        ("a.", ["A"]),
        ("(c)", ["C"]),
        ("2", ["2"]),
        ("#2", ["2"]),
        ("2 please", ["2"]),
        ("2 yes!", ["2"]),
        ("yup, A and c", ["A", "C"]),
        ("1,2", ["1", "2"]),
        ("1-3", ["1", "2", "3"]),
        ("A+B", ["A", "B"]),
        ("A/B", ["A", "B"]),
        ("let's do 2 + 3", ["2", "3"]),
        ("1 and 3, not 2", ["1", "3"]),
        ("1, 2 and 4 without 2", ["1", "4"]),
        ("option 2 but without the cache", ["2"]),
        ("option two", ["2"]),
        ("Option B please", ["B"]),
        ("number 2 fits us better", ["2"]),
        ("I'd go with 2", ["2"]),
        ("go with B, please", ["B"]),
        ("i'd pick C since it's simpler", ["C"]),
        ("3 is better", ["3"]),
        ("B seems right to me", ["B"]),
        ("B seems the right one", ["B"]),
        ("the second one", ["2"]),
        ("second", ["2"]),
        ("the 2nd option", ["2"]),
        ("the former", ["1"]),
        ("the latter", ["*last*"]),
        ("let's go with the last one", ["*last*"]),
        ("first two", ["1", "2"]),
        ("both", ["*both*"]),
        ("both please", ["*both*"]),
        ("I like both", ["*both*"]),
        ("all of them", ["*all*"]),
        ("all three", ["*all*"]),
        ("everything but 3", ["*all*"]),
        ("all except 2", ["*all*"]),
        ("go w/ A", ["A"]),
        ("I guess A", ["A"]),
        ("neither", ["*none*"]),
        ("none of them", ["*none*"]),
        ("nimm 2", ["2"]),
        ("die zweite", ["2"]),
        ("beide", ["*both*"]),
        ("Variante B", ["B"]),
        ("la segunda", ["2"]),
        ("los dos", ["*both*"]),
        ("les deux", ["*both*"]),
        ("l'option 2", ["2"]),
        ("la deuxième", ["2"]),
        ("opção 2", ["2"]),
        ("as duas", ["*both*"]),
        ("второй вариант", ["2"]),
        ("вариант 2", ["2"]),
        ("оба", ["*both*"]),
        ("选A", ["A"]),
        ("用第二个", ["2"]),
        ("两个都要", ["*both*"]),
        ("2番で", ["2"]),
        ("Bで", ["B"]),
        ("両方", ["*both*"]),
    ],
)
def test_the_options_picked_are_told(answer, expected):
    assert labels(answer) == tuple(expected)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "a bit",
        "a lot",
        "I",
        "I think so",
        "2 more tests",
        "3 files",
        "v2",
        "python 3",
        "at 5 pm",
        "it took 2 seconds",
        "both tests fail",
        "all good",
        "that's all",
        "A file is missing",
        "is A better?",
        "A or B?",
        "not A",
        "1. yes",
        "2) no",
        "step 2 is done",
        "version 2 of the api",
        "change it to 3",
        "make it 4",
        "line 3",
        "1.5",
        "12:30",
        "2024-01-02",
        "first run the tests",
        "one more thing",
        "e.g. this",
        "C++ is fine",
        "D/Sync: account",
    ],
)
def test_numbers_and_letters_that_count_something_pick_nothing(answer):
    assert labels(answer) == ()


@given(st.text(max_size=60))
def test_any_text_gives_labels_without_repeats(text):
    picked = labels(text)
    assert len(set(picked)) == len(picked)
    assert all(label.startswith("*") or label.isdigit() or label in "ABCDEFGH" for label in picked)


@given(st.lists(st.integers(1, 12), min_size=1, max_size=6, unique=True))
def test_a_list_of_numbers_is_picked_whole_and_in_its_order(numbers):
    assert labels(", ".join(map(str, numbers))) == tuple(map(str, numbers))


@pytest.mark.parametrize("piece", ["a ", "1,", "both ", "the ", "1-", "option ", "a"])
def test_a_long_answer_takes_no_time(piece):
    start = time.process_time()
    labels(piece * (100_000 // len(piece)))
    labels((piece * 300)[:300])
    assert time.process_time() - start < 0.1
