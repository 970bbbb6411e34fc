"""When exchanges are judged: those of now at once, in steps, and never an outdated form of one."""

from ctxd.errors import CtxdError
from ctxd.exchange import Exchange
from ctxd.ledger import Pending
from ctxd.policy.daemon import PENDING_MOST
from ctxd.policy.items import JUDGED_AT_ONCE
from ctxd.service.guard import Guard
from ctxd.service.judging import Judging
from ctxd.service.timing import Clock
from ctxd.signals import CompactionAhead, SessionBegan


class Understood:
    """An understanding that only keeps account of what it is given; sessions named `old` are of
    history."""

    def __init__(self):
        self.stored = {}
        self.judged = []
        self.largest = 0
        self.fails = None

    def is_of_now(self, pending):
        return pending.session != "old"

    def waiting(self, session):
        return [one for one in self.stored.values() if (one.agent, one.session) == session]

    def judge(self, waiting):
        if self.fails:
            raise self.fails
        self.largest = max(self.largest, len(waiting))
        self.judged += [one.exchange.answer for one in waiting]
        for one in waiting:
            self.stored.pop(one.key, None)

    def step(self):
        waiting = list(self.stored.values())[:JUDGED_AT_ONCE]
        self.judge(waiting)
        return len(waiting) == JUDGED_AT_ONCE


class Case:
    def __init__(self):
        self.understood = Understood()
        self.guard = Guard(Clock())
        self.judging = Judging(self.understood, self.guard)
        while self.judging.step():
            pass

    def take(self, number, session="s", first=0, *, urgent=False):
        pending = [
            Pending("a", session, Exchange(answer=(f"{session}{name}",)))
            for name in range(first, first + number)
        ]
        self.understood.stored |= {one.key: one for one in pending}
        self.judging.take(pending, urgent=urgent)

    def judged(self):
        return len(self.understood.judged)

    def finish(self):
        steps = 0
        while self.judging.step():
            steps += 1
            assert steps < 1000
        return steps


def test_what_is_of_now_is_judged_at_once_and_history_in_later_steps():
    case = Case()
    case.take(3)
    assert case.judged() == 3
    case.take(3, "old")
    assert case.judged() == 3
    assert case.judging.waits
    case.finish()
    assert case.judged() == 6
    assert not case.judging.waits


def test_a_live_change_is_of_now_whatever_time_its_log_tells():
    case = Case()
    case.take(3, "old", urgent=True)
    assert case.judged() == 3


def test_no_step_judges_more_than_so_many():
    case = Case()
    case.take(5 * JUDGED_AT_ONCE)
    assert case.judged() == JUDGED_AT_ONCE
    assert case.judging.presses
    case.finish()
    assert case.judged() == 5 * JUDGED_AT_ONCE
    assert case.understood.largest == JUDGED_AT_ONCE


def test_what_is_of_now_comes_before_history_that_waits_longer():
    case = Case()
    case.take(2 * JUDGED_AT_ONCE, "old")
    case.take(2 * JUDGED_AT_ONCE)
    case.judging.step()
    assert all(answer[0].startswith("s") for answer in case.understood.judged)


def test_an_exchange_that_grew_while_it_waited_is_judged_as_it_is_now():
    case = Case()
    case.take(2 * JUDGED_AT_ONCE)
    name = f"s{2 * JUDGED_AT_ONCE - 1}"
    grown = Pending("a", "s", Exchange(answer=(name, "more")))
    case.understood.stored[grown.key] = grown
    case.judging.take([grown], urgent=False)
    case.finish()
    found = [answer for answer in case.understood.judged if answer[0] == name]
    assert found == [(name, "more")]


def test_at_a_compaction_what_waits_of_that_session_comes_first():
    case = Case()
    case.take(JUDGED_AT_ONCE, "old")
    case.take(2, "old", first=1000)
    case.understood.stored = dict(reversed(case.understood.stored.items()))
    case.judging.at_boundaries([SessionBegan("a", "old", "resume")])
    assert case.judged() == 0
    case.judging.at_boundaries([CompactionAhead("a", "old", ())])
    assert case.judged() == JUDGED_AT_ONCE
    case.finish()
    assert case.judged() == JUDGED_AT_ONCE + 2


def test_too_much_history_that_waits_presses():
    case = Case()
    case.take(PENDING_MOST, "old")
    assert not case.judging.presses
    case.take(1, "old", first=PENDING_MOST)
    assert case.judging.presses


def test_what_could_not_be_stored_is_tried_again():
    case = Case()
    case.understood.fails = CtxdError("disk full", "make room")
    case.take(3)
    assert case.judging.waits
    assert case.guard.trouble == "disk full"
    case.judging.step()
    assert case.judging.waits
    case.understood.fails = None
    case.finish()
    assert case.judged() == 3


def test_a_defect_is_not_met_again_and_again():
    case = Case()
    case.take(1, "old")
    case.understood.fails = ValueError("defect")
    assert case.finish() <= 2
