"""When something is said on the desktop: once a compaction, seldom, and never of what is past."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from ctxd.ledger import Ledger
from ctxd.notify.notifier import Means, Notifier
from ctxd.notify.values import Dispatched, Notice
from ctxd.policy.notices import (
    NOTICE_COOLDOWN_SECONDS,
    NOTICE_FRESH_SECONDS,
    NOTICE_GRACE_SECONDS,
    NOTICE_HOUR_SECONDS,
    NOTICE_KEPT_SECONDS,
    NOTICE_SETTLE_SECONDS,
    NOTICES_AN_HOUR,
    QUIET_LOOK_SECONDS,
)
from ctxd.retention.values import Opinion, Verdict
from ctxd.settings import NotifySettings
from losing import REPO, dropped, keep

DISPATCHED = Dispatched("dispatched", "D-Bus (stub 1)")


class Desktop:
    """Takes notices as a test has it, and notes them."""

    def __init__(self):
        self.sent = []
        self.answer = DISPATCHED
        self.closed = 0

    def __call__(self, notice):
        self.sent.append(notice)
        return self

    def outcome(self):
        return self.answer

    def close(self):
        self.closed += 1

    @property
    def bodies(self):
        return [notice.body.splitlines()[0] for notice in self.sent]


@pytest.fixture
def desktop():
    return Desktop()


class Case:
    """A notifier, and the time that goes by."""

    def __init__(self, ledger, clock, desktop):
        self.ledger, self.clock, self.desktop = ledger, clock, desktop
        self.wishes = NotifySettings()
        self.done = lambda record, losses: ""
        self.notifier = None
        self.begin()
        self.items = 0

    def begin(self):
        """Start the notifier, anew if there was one."""
        means = Means(
            lambda: self.wishes,
            self.clock.monotonic,
            self.clock.wall,
            lambda record, losses: self.done(record, losses),
            self.desktop,
        )
        self.notifier = Notifier(self.ledger, means)

    def lose(self, words=None, event=None, **more):
        """A compaction drops an item; None means one that no other test step has."""
        self.items += 1
        item_more = {"severity": more.pop("severity")} if "severity" in more else {}
        items = keep(self.ledger, words or f"rule number {self.items}", **item_more)
        found = dropped(items, event or f"c{self.items}", **more)
        self.notifier.at(found)
        return found

    def run(self, seconds=NOTICE_SETTLE_SECONDS + 1):
        """Let time go by as the loop does, and return how often it came by."""
        until, steps = self.clock.now + seconds, 0
        while self.notifier.next <= until:
            self.clock.now = max(self.clock.now, self.notifier.next)
            assert self.notifier.step(), "was due, and did nothing"
            steps += 1
            assert steps < 1100, "runs in circles"
        self.clock.now = until
        return steps

    def states(self):
        return [kept.state for kept in reversed(self.ledger.notices(100))]


@pytest.fixture
def case(ledger, clock, desktop):
    return Case(ledger, clock, desktop)


def test_a_live_loss_is_told_as_soon_as_it_has_settled(case, desktop, ledger):
    case.lose("never push to main")
    assert desktop.sent == []
    case.run()
    assert desktop.bodies == ["never push to main"]
    [kept] = ledger.notices(10)
    assert (kept.key, kept.state, kept.why) == ("a:s:c1", "dispatched", "D-Bus (stub 1)")
    assert (kept.agent, kept.session, kept.title) == ("a", "s", desktop.sent[0].title)


def test_what_was_done_is_asked_for_when_the_notice_is_sent(case, desktop):
    case.done = lambda record, losses: f"put back: AGENTS.md ({len(losses)})"
    case.lose()
    case.run()
    assert desktop.sent[0].body.endswith("shop-api - put back: AGENTS.md (1)")


def test_where_that_cannot_be_told_the_loss_is_told_all_the_same(case, desktop):
    def broken(record, losses):
        raise LookupError("no such file")

    case.done = broken
    case.lose("never push to main", session="5b0e6a7c-1")
    case.run()
    assert desktop.sent[0].body == ("never push to main\nshop-api - see: ctxd compactions 5b0e6a7c")


def test_ten_losses_at_one_boundary_are_one_notice(case, desktop, ledger):
    case.notifier.at(dropped(keep(ledger, *(f"rule {n}" for n in range(10)))))
    case.run(10 * NOTICE_HOUR_SECONDS)
    assert [notice.title for notice in desktop.sent] == ["Compaction dropped 10 constraints"]


def test_a_boundary_that_is_told_of_again_is_one_notice(case, desktop):
    found = case.lose()
    case.notifier.at(found)
    case.run()
    case.notifier.at(found)
    case.run(NOTICE_HOUR_SECONDS)
    assert len(desktop.sent) == 1


def test_no_restart_says_a_notice_again(case, desktop):
    found = case.lose()
    case.run()
    case.clock.now += NOTICE_HOUR_SECONDS
    case.begin()
    case.notifier.at(found)
    case.run(NOTICE_HOUR_SECONDS)
    assert len(desktop.sent) == 1


def test_fifty_old_boundaries_at_a_restart_are_no_notices(case, desktop, ledger):
    for number in range(50):
        case.lose(event=f"old {number}", live=False)
    case.run(NOTICE_HOUR_SECONDS)
    assert desktop.sent == []
    assert ledger.notices(10) == []


def test_right_after_the_start_what_happened_before_is_no_news(case, desktop, clock):
    now = datetime.fromtimestamp(clock.wall(), UTC)
    case.lose("old rule", time=now - timedelta(seconds=NOTICE_FRESH_SECONDS + 1))
    case.lose("new rule", time=now - timedelta(seconds=3))
    case.run()
    assert desktop.bodies == ["new rule"]


def test_later_on_a_log_with_a_wrong_clock_is_believed_to_be_live(case, desktop, clock):
    clock.now += NOTICE_GRACE_SECONDS + 1
    case.lose(time=datetime.fromtimestamp(clock.wall(), UTC) - timedelta(hours=1))
    case.run()
    assert len(desktop.sent) == 1


def test_a_second_boundary_within_the_cooldown_is_told_after_it(case, desktop):
    case.lose("first rule")
    case.run(10)
    case.lose("second rule", session="other")
    case.run(10)
    assert desktop.bodies == ["first rule"]
    assert case.states() == ["dispatched", "held"]
    case.run(NOTICE_COOLDOWN_SECONDS)
    assert desktop.bodies == ["first rule", "second rule"]
    assert case.states() == ["dispatched", "dispatched"]


def test_several_within_the_cooldown_are_one_digest(case, desktop):
    for number in range(6):
        case.lose(f"rule {number}", session=f"s{number}")
        case.run(5)
    case.run(NOTICE_COOLDOWN_SECONDS)
    assert [notice.title for notice in desktop.sent] == [
        "Compaction dropped 1 constraint",
        "5 compactions dropped what was agreed",
    ]
    assert case.states() == ["dispatched"] * 6


def test_a_critical_loss_waits_for_no_lesser_one(case, desktop):
    case.lose("a rule")
    case.run(5)
    case.lose("never drop the users table", severity="critical")
    case.run(5)
    assert desktop.bodies == ["a rule", "never drop the users table"]
    assert desktop.sent[1].urgency == "critical"


def test_in_an_hour_there_are_no_more_than_some_notices_and_then_a_digest(case, desktop, clock):
    began = clock.now
    for number in range(20):
        case.lose(f"rule {number}", session=f"s{number}")
        case.run(2 * NOTICE_COOLDOWN_SECONDS)
    assert clock.now < began + NOTICE_HOUR_SECONDS
    assert len(desktop.sent) == NOTICES_AN_HOUR
    case.run(NOTICE_HOUR_SECONDS)
    assert [notice.title for notice in desktop.sent[3:]] == [
        "17 compactions dropped what was agreed"
    ]


def test_a_thousand_losses_do_not_keep_the_loop_busy(case, desktop, ledger):
    items = keep(ledger, "never push to main")
    for number in range(1000):
        case.notifier.at(dropped(items, f"c{number}", session=f"s{number}"))
    steps = 0
    while case.notifier.next < float("inf"):
        steps += case.run(NOTICE_HOUR_SECONDS)
        assert steps < 3000
    assert len(desktop.sent) == 2
    assert set(case.states()) == {"dispatched"}


def test_a_storm_is_one_notice(case, desktop, ledger):
    items = keep(ledger, "never push to main")
    case.notifier.at(dropped(items, "c1"))
    for number in range(2, 6):
        case.run(1)
        case.notifier.at(dropped(items, f"c{number}", storm=True))
    case.run(NOTICE_HOUR_SECONDS)
    assert len(desktop.sent) == 1


def test_a_storm_whose_first_boundary_lost_nothing_is_told_all_the_same(case, desktop, ledger):
    case.notifier.at(dropped([], "c1"))
    case.lose(event="c2", storm=True)
    case.run()
    assert len(desktop.sent) == 1


def test_what_was_forgotten_before_it_was_told_is_not_told(case, desktop, ledger):
    [one] = keep(ledger, "never push to main")
    case.notifier.at(dropped([one]))
    ledger.forget(REPO, one.id)
    case.run()
    assert desktop.sent == []
    assert "waiting" not in case.states()


class TestQuietHours:
    @pytest.fixture
    def night(self, case, clock):
        """It is 23:00, and quiet until seven."""
        eleven = datetime(2026, 3, 20, 23)  # noqa: DTZ001 - the clock on the wall
        clock.apart = eleven.timestamp() - clock.now
        case.wishes = NotifySettings(quiet_hours="22:00-07:00")
        return case

    def test_nothing_is_shown_and_all_of_it_is_told_in_the_morning(self, night, desktop):
        for number in range(3):
            night.lose(f"rule {number}", session=f"s{number}")
            night.run(NOTICE_HOUR_SECONDS)
        night.run(4.9 * 3600)
        assert desktop.sent == []
        assert night.states() == ["held"] * 3
        night.run(0.1 * 3600 + QUIET_LOOK_SECONDS)
        assert [notice.title for notice in desktop.sent] == [
            "3 compactions dropped what was agreed"
        ]
        assert night.states() == ["dispatched"] * 3

    def test_not_even_what_is_critical(self, night, desktop):
        night.lose(severity="critical")
        night.run(7.9 * 3600)
        assert desktop.sent == []

    def test_what_is_held_survives_a_restart(self, night, desktop):
        night.lose("rule one")
        night.run(60)
        night.begin()
        night.run(9 * 3600)
        assert desktop.bodies == ["rule one"]

    def test_the_loop_is_not_kept_busy(self, night):
        night.lose()
        assert night.run(8 * 3600) <= 8 * 3600 / QUIET_LOOK_SECONDS + 3

    def test_what_was_held_for_more_than_a_day_is_not_told_any_more(self, night, desktop, clock):
        night.lose()
        night.run(60)
        clock.now += NOTICE_KEPT_SECONDS + 60
        night.wishes = NotifySettings()
        night.begin()
        night.run(60)
        assert desktop.sent == []
        assert night.states() == ["none"]

    def test_what_the_user_has_forgotten_meanwhile_is_not_told_in_the_morning(
        self, night, desktop, ledger
    ):
        for number in range(2):
            night.lose(f"the secret plan number {number}", session=f"s{number}")
        night.run(60)
        for known in ledger.items(repository=REPO):
            ledger.forget(REPO, known.id)
        night.run(9 * 3600)
        assert "secret plan" not in repr([desktop.sent, ledger.notices(10)])

    @pytest.mark.parametrize("found", ["kept", "lost"])
    def test_an_alarm_that_a_reader_took_back_meanwhile_is_not_told_in_the_morning(
        self, night, desktop, ledger, found
    ):
        [one] = keep(ledger, "never push to main")
        happened = dropped([one])
        ledger.keep_record(happened.record)
        night.notifier.at(happened)
        night.run(60)
        told = Opinion(reader="r", verdict=Verdict(found))
        items = [replace(of, verdict=Verdict(found), second=told) for of in happened.record.items]
        ledger.revise(replace(happened.record, items=items), tell=False)
        night.run(9 * 3600)
        assert len(desktop.sent) == (found == "lost")
        assert night.states() == ["none" if found == "kept" else "dispatched"]


class TestTrouble:
    @pytest.mark.parametrize("state", ["failed", "none"])
    def test_a_notice_that_was_not_shown_is_not_tried_again(self, case, desktop, ledger, state):
        desktop.answer = Dispatched(state, why="there is no session bus")
        case.lose()
        case.run(10 * NOTICE_HOUR_SECONDS)
        assert len(desktop.sent) == 1
        [kept] = ledger.notices(10)
        assert (kept.state, kept.why) == (state, "there is no session bus")

    def test_the_log_tells_of_it_and_not_what_was_said(self, case, desktop, caplog):
        caplog.set_level("INFO")
        desktop.answer = Dispatched("failed", why="the desktop hangs")
        case.lose("never push to main")
        case.run()
        [line] = [one for one in caplog.records if "failed" in one.getMessage()]
        assert "the desktop hangs" in line.getMessage()
        assert "never push" not in caplog.text

    def test_while_one_is_under_way_nothing_else_is_sent_and_nobody_waits(self, case, desktop):
        desktop.answer = None
        case.lose("rule one")
        case.lose("never drop it", severity="critical")
        case.run(1)
        assert desktop.bodies == ["rule one"]
        desktop.answer = DISPATCHED
        case.run(1)
        assert desktop.bodies == ["rule one", "never drop it"]

    def test_what_was_under_way_at_the_end_is_told_as_not_sent(self, case, desktop, ledger):
        desktop.answer = None
        case.lose()
        case.run(1)
        case.notifier.close()
        assert desktop.closed == 1
        case.begin()
        [kept] = ledger.notices(10)
        assert (kept.state, kept.why) == ("failed", "ctxd was ended before it was sent")
        case.run(NOTICE_HOUR_SECONDS)
        assert len(desktop.sent) == 1

    def test_a_restart_starts_no_new_hour(self, case, desktop):
        for number in range(NOTICES_AN_HOUR):
            case.lose(session=f"s{number}")
            case.run(2 * NOTICE_COOLDOWN_SECONDS)
        case.begin()
        case.lose(session="later")
        case.run(2 * NOTICE_COOLDOWN_SECONDS)
        assert len(desktop.sent) == NOTICES_AN_HOUR

    def test_a_clock_that_was_set_back_holds_nothing_back_for_ever(self, case, desktop, clock):
        case.lose()
        case.run()
        clock.apart -= 30 * 86_400
        case.begin()
        case.lose(session="later")
        case.run(2 * NOTICE_HOUR_SECONDS)
        assert len(desktop.sent) == 2

    def test_with_notices_off_nothing_is_kept(self, case, desktop, ledger):
        case.wishes = NotifySettings(level="off")
        case.lose(severity="critical")
        case.run()
        assert (desktop.sent, ledger.notices(10)) == ([], [])

    def test_a_notice_is_plain_data_for_the_process_that_sends_it(self, case, desktop):
        import msgspec

        case.lose("never push \u202e to main")
        case.run()
        assert json.loads(msgspec.json.encode(desktop.sent[0]))["key"] == "a:s:c1"


class TestOtherMatters:
    NOTICE = Notice("conflict:/home/dev/shop:1", "ctxd does not write to shop", "it changed\nshop")

    def test_they_are_told_once(self, case, desktop, ledger):
        for _ in range(3):
            case.notifier.tell(self.NOTICE)
            case.run(NOTICE_HOUR_SECONDS)
        case.begin()
        case.notifier.tell(self.NOTICE)
        case.run(NOTICE_HOUR_SECONDS)
        assert desktop.sent == [self.NOTICE]
        assert case.states() == ["dispatched"]

    @pytest.mark.parametrize("level", ["critical", "off"])
    def test_they_are_not_told_where_only_worse_is_wanted(self, case, desktop, level):
        case.wishes = NotifySettings(level=level)
        case.notifier.tell(self.NOTICE)
        case.run()
        assert desktop.sent == []

    def test_they_keep_to_the_same_hours_and_pace(self, case, desktop):
        case.lose()
        case.run(5)
        case.notifier.tell(self.NOTICE)
        case.run(5)
        assert len(desktop.sent) == 1
        case.run(NOTICE_COOLDOWN_SECONDS)
        assert desktop.sent[1] == self.NOTICE


def test_with_nothing_to_tell_the_loop_need_not_come_by(case):
    assert case.notifier.next == float("inf")
    assert not case.notifier.step()


def test_the_ledger_is_written_before_anything_is_sent(tmp_path, clock):
    """A crash right behind the call must not have it said twice."""
    path = tmp_path / "ledger.sqlite3"
    seen = []
    with Ledger.open(path, clock.wall) as ledger:

        def send(notice):
            with Ledger.reader(path) as reader:
                seen.append(reader.notice(notice.key).state)
            return Desktop()

        means = Means(NotifySettings, clock.monotonic, clock.wall, send=send)
        notifier = Notifier(ledger, means)
        notifier.at(dropped(keep(ledger, "never push")))
        clock.now += NOTICE_SETTLE_SECONDS
        notifier.step()
    assert seen == ["waiting"]
