"""What failed is told once, left alone, and forgiven."""

import logging
from pathlib import Path

from ctxd.policy.daemon import DEFECTS_LOGGED
from ctxd.service.aside import Aside, Defects
from ctxd.service.recheck import Recheck
from ctxd_parsers.reading import Transcript

ONE, OTHER = Path("/logs/one"), Path("/logs/other")


def test_a_file_that_failed_is_left_alone_until_its_time():
    aside = Aside({})
    aside.put(ONE, "broken", until=10)
    assert aside.until(ONE, now=9) == 10
    assert aside.until(ONE, now=10) is None
    assert aside.until(OTHER, now=9) is None


def test_how_often_a_file_failed_in_the_same_way_is_counted_and_another_way_is_news():
    aside = Aside({})
    assert [aside.put(ONE, why, 0) for why in ("a", "a", "b", "b", "b")] == [1, 2, 1, 2, 3]


def test_a_forgiven_file_is_like_any_other():
    aside = Aside({})
    assert not aside.forgive(ONE)
    aside.put(ONE, "broken", until=10)
    assert aside.forgive(ONE)
    assert aside.until(ONE, now=9) is None
    assert aside.put(ONE, "broken", 0) == 1


def test_what_could_not_be_looked_at_is_told_once_and_again_when_it_is_well():
    aside = Aside({})
    assert aside.looked({ONE: "closed"}) == ({ONE: "closed"}, [])
    assert aside.looked({ONE: "closed"}) == ({}, [])
    assert aside.looked({ONE: "broken"}) == ({ONE: "broken"}, [])
    assert aside.looked({}) == ({}, [ONE])
    assert aside.looked({}) == ({}, [])


def test_what_an_earlier_run_told_is_no_news_and_over_when_it_is_well():
    aside = Aside({ONE: "closed", OTHER: "closed"})
    assert aside.looked({ONE: "closed"}) == ({}, [OTHER])


def test_a_file_that_can_be_looked_at_but_not_read_is_not_well():
    aside = Aside({ONE: "broken"})
    aside.put(ONE, "broken", 0)
    assert aside.looked({}) == ({}, [])


def test_a_defect_is_logged_once_and_not_more_of_them_than_anybody_reads(caplog):
    defects = Defects()
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            defects.note(ValueError("the same"))
        for number in range(2 * DEFECTS_LOGGED):
            defects.note(ValueError(f"another {number}"))
    assert len(caplog.records) == DEFECTS_LOGGED


def test_a_recheck_is_due_once_at_the_time_set_last():
    recheck = Recheck()
    transcript = Transcript(ONE, None)
    recheck.put(transcript, at=5)
    recheck.put(transcript, at=8)
    assert recheck.next() == 8
    assert recheck.take(7) == []
    assert recheck.take(8) == [transcript]
    assert recheck.take(9) == []
    assert recheck.next() is None


def test_a_recheck_that_is_dropped_never_comes():
    recheck = Recheck()
    recheck.put(Transcript(ONE, None), at=5)
    recheck.drop(ONE)
    recheck.drop(OTHER)
    assert recheck.take(9) == []
