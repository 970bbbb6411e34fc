"""What decides the meaning of a statement is read out, however it is written."""

import pytest

from ctxd.extract.slots import compare, slots


def number(text):
    (found,) = slots(text).numbers
    return found


@pytest.mark.parametrize(
    "texts",
    [
        ("at most 4k rows", "no more than 4,000 rows", "4000 rows max", "up to 4000 rows"),
        ("wait 72 h", "wait three days", "wait 3d", "wait 259200 seconds"),
        ("a 2 MB upload", "a 2mb upload", "a 2 megabyte upload"),
        ("10 per minute", "10/min", "10 calls a minute"),
        ("95%", "95 percent", "95 pct"),
        ("at 4am", "at 4 a.m.", "at 04:00"),
        ("until 30 March", "until March 30"),
    ],
)
def test_a_number_is_the_same_however_it_is_written(texts):
    first, *others = (number(text) for text in texts)
    for other in others:
        assert (other.value, other.unit, other.per) == (first.value, first.unit, first.per)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10 requests per hour", "10 requests per day"),
        ("a timeout of 4 s", "a timeout of 4 ms"),
        ("retry 3 times", "retry 5 times"),
        ("port 8080", "port 8081"),
        ("at most 5 workers", "at least 5 workers"),
        ("keep it until 30 March", "keep it until 13 March"),
        ("return 409, not 422", "return 422"),
    ],
)
def test_another_number_unit_rate_or_limit_is_a_conflict(one, other):
    assert "number" in compare(slots(one), slots(other)).conflict
    assert "number" in compare(slots(other), slots(one)).conflict
