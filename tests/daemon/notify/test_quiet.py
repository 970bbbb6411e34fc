"""Hours in which nothing is shown, and how often something is."""

import time
from datetime import datetime

import pytest

from ctxd.notify.pace import Pace
from ctxd.notify.quiet import hours_of, is_quiet
from ctxd.policy.notices import NOTICE_COOLDOWN_SECONDS, NOTICE_HOUR_SECONDS


def at(hour, minute=0):
    return datetime(2026, 3, 14, hour, minute).timestamp()  # noqa: DTZ001 - the clock on the wall


@pytest.mark.parametrize(
    ("text", "quiet", "not_quiet"),
    [
        ("22:00-07:00", [(22, 0), (23, 59), (0, 0), (6, 59)], [(7, 0), (12, 0), (21, 59)]),
        ("12:30-13:30", [(12, 30), (13, 29)], [(12, 29), (13, 30), (0, 0)]),
        ("00:00-06:00", [(0, 0), (5, 59)], [(6, 0), (23, 59)]),
        ("", [], [(0, 0), (12, 0)]),
    ],
)
def test_quiet_hours_begin_and_end_to_the_minute_and_may_go_over_midnight(text, quiet, not_quiet):
    hours = hours_of(text)
    assert [is_quiet(hours, at(*moment)) for moment in quiet] == [True] * len(quiet)
    assert [is_quiet(hours, at(*moment)) for moment in not_quiet] == [False] * len(not_quiet)


@pytest.mark.parametrize(
    "text", ["22-7", "22:00", "25:00-07:00", "22:60-07:00", "7:00-8:00", "07:00-07:00", "night"]
)
def test_other_text_is_refused(text):
    with pytest.raises(ValueError):
        hours_of(text)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="POSIX only")
def test_they_are_by_the_clock_on_the_wall(monkeypatch):
    midnight = 1_773_446_400  # 2026-03-14T00:00:00Z
    hours = hours_of("22:00-07:00")
    for zone, quiet in (("UTC0", True), ("XXX-12", False)):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        assert is_quiet(hours, midnight) is quiet
    monkeypatch.undo()
    time.tzset()


def test_the_first_notice_is_free_and_the_next_one_after_the_cooldown():
    pace = Pace()
    assert pace.free_at("normal") < 0
    pace.note("normal", 100.0)
    assert pace.free_at("normal") == 100.0 + NOTICE_COOLDOWN_SECONDS


def test_the_fourth_notice_waits_until_an_hour_after_the_first():
    pace = Pace()
    for moment in (0.0, 100.0, 200.0):
        pace.note("normal", moment)
    assert pace.free_at("normal") == NOTICE_HOUR_SECONDS
    pace.note("normal", NOTICE_HOUR_SECONDS)
    assert pace.free_at("normal") == 100.0 + NOTICE_HOUR_SECONDS


def test_a_critical_notice_does_not_wait_because_of_lesser_ones():
    pace = Pace()
    for moment in (0.0, 100.0, 200.0):
        pace.note("normal", moment)
    assert pace.free_at("critical") < 200.0
