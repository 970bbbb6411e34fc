"""The order of reading: live first, fair, nothing twice, nothing forgotten."""

from pathlib import Path

from ctxd.service.backlog import Backlog
from ctxd_parsers.reading import Transcript


def transcript(name):
    return Transcript(Path("/logs") / name, None)


def drain(backlog, now=0.0):
    order = []
    while taken := backlog.take(now):
        order.append((taken[0].path.name, taken[1]))
    return order


def test_live_changes_come_before_what_is_being_caught_up_with():
    backlog = Backlog()
    backlog.add(transcript("old"))
    backlog.hurry(transcript("live"))
    assert drain(backlog) == [("live", True), ("old", False)]


def test_what_is_caught_up_with_comes_in_the_order_it_was_added():
    backlog = Backlog()
    for name in ("newest", "newer", "old"):
        backlog.add(transcript(name))
    assert [name for name, _ in drain(backlog)] == ["newest", "newer", "old"]


def test_a_transcript_waits_once_however_often_it_changes():
    backlog = Backlog()
    for _ in range(3):
        backlog.add(transcript("a"))
        backlog.hurry(transcript("a"))
    assert len(backlog) == 1
    assert drain(backlog) == [("a", True)]


def test_a_transcript_with_more_to_read_lets_the_others_have_a_turn():
    backlog = Backlog()
    for name in ("a", "b"):
        backlog.add(transcript(name))
    taken, urgent = backlog.take(0)
    backlog.again(taken, urgent=urgent)
    assert [name for name, _ in drain(backlog)] == ["b", "a"]


def test_a_busy_transcript_comes_back_when_its_time_has_come():
    backlog = Backlog()
    backlog.retry(transcript("locked"), at=10)
    assert backlog.due() == 10
    assert backlog.take(9.9) is None
    assert drain(backlog, now=10) == [("locked", True)]
    assert backlog.due() is None


def test_a_rescan_does_not_bring_a_busy_transcript_forward_but_a_live_change_does():
    backlog = Backlog()
    backlog.retry(transcript("locked"), at=10)
    backlog.add(transcript("locked"))
    assert backlog.take(0) is None
    backlog.hurry(transcript("locked"))
    assert drain(backlog) == [("locked", True)]
