"""What a reader may still be asked today, and when the next day begins."""

import os
import time

import pytest

from ctxd.ledger.second_values import Account
from ctxd.reader import budget
from ctxd.settings_reader import ReaderSettings

WISHES = ReaderSettings(calls_a_day=10, tokens_a_day=1000, money_a_day=1.0)


@pytest.fixture
def zone():
    """Sets the local time zone."""
    before = os.environ.get("TZ")

    def change(name):
        os.environ["TZ"] = name
        time.tzset()

    yield change
    os.environ.pop("TZ")
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone is the system's there")
@pytest.mark.parametrize(
    ("name", "at", "day", "hours_left"),
    [
        ("UTC", 1_777_766_400 + 23 * 3600, "2026-05-03", 1),
        ("Asia/Tokyo", 1_777_766_400 + 14 * 3600, "2026-05-03", 1),
        ("Asia/Tokyo", 1_777_766_400 + 16 * 3600, "2026-05-04", 23),
        ("Europe/Berlin", 1_774_738_800, "2026-03-29", 23),
        ("Europe/Berlin", 1_792_879_200, "2026-10-25", 25),
    ],
)
def test_a_day_is_one_of_the_local_clock_also_when_it_is_changed(zone, name, at, day, hours_left):
    zone(name)
    assert budget.day_of(at) == day
    assert budget.next_day(at) - at == hours_left * 3600
    assert budget.day_of(budget.next_day(at)) > day
    assert budget.day_of(budget.next_day(at) - 1) == day


def test_what_is_left_is_never_less_than_nothing():
    account = Account(calls=12, input_tokens=900, output_tokens=200, money=3.0)
    assert budget.left(account, WISHES) == budget.Limits(0, 0, 0.0)
    assert budget.left(Account(), WISHES) == budget.Limits(10, 1000, 1.0)


@pytest.mark.parametrize(
    ("account", "can"),
    [
        (Account(), True),
        (Account(calls=9), True),
        (Account(calls=10), False),
        (Account(calls=1, input_tokens=400, output_tokens=100), True),
        (Account(calls=1, input_tokens=400, output_tokens=101), False),
        (Account(calls=1, money=0.5), True),
        (Account(calls=1, money=0.51), False),
    ],
)
def test_one_more_call_may_cost_what_the_others_did(account, can):
    assert budget.can_call(account, WISHES) is can
