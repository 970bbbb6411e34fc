"""What was not shown on the desktop is told by `ctxd status`, with the reason."""

from datetime import UTC, datetime

import pytest

from ctxd.ledger import KeptNotice
from ctxd.policy.notices import NOTICE_KEPT_SECONDS, NOTICES_NAMED
from ctxd.status import take_status

SESSION = "5b0e6a7c-0000-4000-8000-000000000001"


@pytest.fixture
def kept(ledger, clock):
    def keep(state, why="", title="Compaction dropped 1 constraint", number=0, **more):
        notice = KeptNotice(
            key=f"k{number}",
            time=clock.wall() - more.get("age", 60.0),
            state=state,
            why=why,
            title=title,
            body="never push to main\nshop-api: see: ctxd compactions",
            agent="a",
            session=more.get("session", SESSION),
        )
        ledger.keep_notice(notice)

    return keep


@pytest.fixture
def warnings(ledger, clock):
    def taken():
        found = take_status(ledger, None, datetime.fromtimestamp(clock.wall(), UTC)).warnings
        return [one for one in found if one.code == "notice.not_shown"]

    return taken


def test_a_notice_that_failed_is_told_with_its_words_and_the_reason(kept, warnings):
    kept("failed", "the notification daemon does not answer within 5 s")
    [warning] = warnings()
    assert warning.message == (
        "Compaction dropped 1 constraint: never push to main (session 5b0e6a7c); "
        "it was not shown on the desktop: the notification daemon does not answer within 5 s"
    )
    assert "`ctxd compactions 5b0e6a7c`" in warning.hint
    assert "`ctxd doctor --notify`" in warning.hint


def test_on_a_machine_without_a_desktop_it_is_told_too(kept, warnings):
    kept("none", "there is no session bus")
    [warning] = warnings()
    assert warning.message.endswith("it was not shown on the desktop: there is no session bus")


def test_one_that_is_held_back_is_told_until_it_is_sent(kept, warnings):
    kept("held", "held back in quiet hours")
    assert warnings()[0].message.endswith("it was held back: in quiet hours")
    kept("dispatched", "D-Bus (stub 1)")
    assert warnings() == []


def test_what_was_shown_or_is_about_to_be_is_nothing_to_tell(kept, warnings):
    kept("dispatched", "D-Bus (stub 1)")
    kept("waiting", number=1)
    assert warnings() == []


def test_it_is_told_for_a_day(kept, warnings):
    kept("failed", "x", age=NOTICE_KEPT_SECONDS + 1)
    assert warnings() == []


def test_of_many_the_last_are_named_and_the_others_counted(kept, warnings):
    for number in range(NOTICES_NAMED + 2):
        kept("none", "there is no session bus", number=number)
    found = warnings()
    assert len(found) == NOTICES_NAMED + 1
    assert found[-1].message == "2 more notices were not shown"


def test_files_that_are_left_to_the_user_are_told_without_a_session(kept, warnings):
    kept("failed", "it hangs", title="ctxd does not write to shop", session="")
    [warning] = warnings()
    assert "session" not in warning.message
    assert warning.hint.startswith("`ctxd diff`")


def test_what_is_hostile_in_it_does_nothing(kept, warnings):
    kept("failed", "\x1b]0;x\x07\u202e", title="a\nb\x9b")
    assert warnings()[0].message.isprintable()
