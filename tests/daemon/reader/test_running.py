"""When sessions are read: what is wanted, what comes first, and when a reader is left alone."""

from collections import deque
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ctxd.errors import CtxdError
from ctxd.ledger import Ledger, SessionRow
from ctxd.policy.reader import (
    READER_AHEAD_SECONDS,
    READER_BACKOFF_MOST_SECONDS,
    READER_BACKOFF_SECONDS,
    READER_CALL_SECONDS,
    READER_REST_MOST_SECONDS,
    READER_SILENCE_SECONDS,
    READER_STANDS_SECONDS,
    READER_TRIES,
    READER_WORK_SECONDS,
)
from ctxd.reader import resting
from ctxd.reader.errand import Gone
from ctxd.reader.job import Means
from ctxd.reader.orders import ask_for
from ctxd.reader.running import NEVER, Running, read_here
from ctxd.reader.values import Begun, Called, Over, Read, Spent
from ctxd.service.asking import Request
from ctxd.session_state import Ending, Session
from ctxd.settings_reader import ReaderSettings
from ctxd.signals import SessionClosed

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC).timestamp()
HOUR = 3600.0
ON = ReaderSettings(backend="codex")
ALL = Over(chunks=1)


class Sent:
    """A process as far as a test needs one: it tells what it is made to tell."""

    def __init__(self, work):
        self.work = work
        self.words = deque()
        self.is_ended = False
        self.allowed = 0

    @property
    def word(self):
        return self.words[0] if self.words else None

    def take(self):
        self.words.popleft()

    def allow(self):
        self.allowed += 1

    def end(self):
        self.is_ended = True

    def close(self):
        self.end()


class World:
    """A ledger, two clocks that a test moves, and the processes that were started."""

    def __init__(self, folder: Path) -> None:
        self.now = 1000.0
        self.wall = NOON
        self.settings = ON
        self.sent = []
        self.judged = []
        self.trouble = None
        self.answers = lambda _work: None
        self.ledger = Ledger.open(folder / "ledger.db", lambda: self.wall)
        self.means = Means(
            wishes=lambda: self.settings,
            folder=folder / "calls",
            monotonic=lambda: self.now,
            wall=lambda: self.wall,
            wake=lambda: None,
            judge=self.judged.append,
            live_since=lambda: datetime.fromtimestamp(NOON - HOUR, UTC),
            send=self._send,
        )
        self.running = Running(self.ledger, self.means)

    def _send(self, work, _wake):
        if self.trouble:
            raise self.trouble
        self.sent.append(Sent(work))
        self.answers(self.sent[-1])
        return self.sent[-1]

    def session(self, name, **more):
        """A session that is over and was spoken in."""
        facts = {"user_messages": 3, "last_event": datetime.fromtimestamp(self.wall, UTC)}
        facts |= {"ended": Ending(), "cwd": "/home/dev/shop"}
        session = Session("a", name, **facts | more)
        state = "ended" if session.ended else "idle"
        self.ledger.save_sessions([SessionRow.of(session, state, "hook")])
        return ("a", name)

    def closed(self, name, **more):
        """The same, and the end of it is news."""
        key = self.session(name, **more)
        self.running.hear([SessionClosed(*key, "hook")])
        return key

    def turn(self, seconds=0.0):
        """Let time pass, and do all that is due."""
        self.now += seconds
        self.wall += seconds
        while self.now >= self.running.next:
            if not self.running.step():
                return

    def tell(self, *words, code=0):
        """Have the last process tell this, and end."""
        self.sent[-1].words += [*words, Gone(code)]
        self.turn()

    @property
    def read(self):
        """Names of the sessions whose reading was begun."""
        return [one.work.session for one in self.sent]

    @property
    def wanted(self):
        return {one.session: one for one in self.ledger.wanted_readings()}

    @property
    def rest(self):
        return resting.rest_of(self.ledger)


def raising(error):
    """A function that fails so."""

    def fail(*_args, **_named):
        raise error

    return fail


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    yield made
    made.ledger.close()


def test_a_session_that_is_over_is_read_once(world):
    world.closed("s")
    world.turn()
    assert world.read == ["s"]
    world.tell(ALL)
    assert not world.wanted
    assert world.running.next == NEVER
    world.turn(HOUR)
    assert world.read == ["s"]


@pytest.mark.parametrize(
    "more",
    [
        {"user_messages": 0},
        {"how": "sub_agent"},
        {"client": "sdk-cli"},
        {"own": True},
        {"last_event": datetime.fromtimestamp(NOON - 2 * HOUR, UTC)},
        {"last_event": None},
    ],
)
def test_nobody_asked_for_a_session_without_a_person_or_of_before_is_not_read(world, more):
    world.closed("s", **more)
    world.turn()
    assert not world.read


def test_with_only_asked_readings_wished_for_an_end_wants_none(world):
    world.settings = ReaderSettings(backend="codex", unasked=False)
    key = world.closed("s")
    world.running.ahead([key])
    world.turn()
    assert not world.read
    assert world.running.want(key, "asked")
    world.turn()
    assert world.read == ["s"]


def test_history_is_read_when_it_is_asked_for(world):
    key = world.session("old", last_event=datetime.fromtimestamp(0, UTC))
    assert world.running.want(key, "asked")
    world.turn()
    assert world.read == ["old"]


def test_what_is_asked_for_comes_first_then_what_is_about_to_be_compacted(world):
    for name in ("one", "two"):
        world.closed(name)
    world.running.ahead([world.session("ahead", ended=None)])
    world.running.want(world.session("asked"), "asked")
    for _ in range(4):
        world.turn()
        world.tell(ALL)
    assert world.read == ["asked", "ahead", "one", "two"]


def test_never_two_at_once(world):
    for name in ("one", "two", "three"):
        world.closed(name)
    world.turn(HOUR / 60)
    assert world.read == ["one"]


def test_a_compaction_ahead_is_read_only_in_time(world):
    world.closed("first")
    world.turn()
    world.running.ahead([world.session("ahead", ended=None)])
    world.turn(READER_AHEAD_SECONDS / 2)
    world.tell(ALL)
    assert world.read == ["first", "ahead"]
    assert world.sent[-1].work.within == pytest.approx(READER_AHEAD_SECONDS / 2)
    assert world.sent[-1].work.pace > 0
    world.tell(Over(chunks=0, left=9))
    assert not world.wanted, "too much for the time there was"
    world.closed("second")
    world.turn()
    world.running.ahead([world.session("late", ended=None)])
    world.turn(READER_AHEAD_SECONDS + 1)
    world.tell(ALL)
    assert world.read == ["first", "ahead", "second"]
    assert not world.wanted


def test_a_session_that_goes_on_is_read_when_it_is_over_again(world):
    world.closed("busy")
    world.turn()
    world.closed("s")
    world.session("s", ended=None)
    world.tell(ALL)
    assert world.read == ["busy"]
    assert not world.wanted


def test_what_is_wanted_anew_while_it_is_read_stays_wanted(world):
    world.closed("s")
    world.turn()
    world.wall += 5
    world.closed("s")
    world.tell(ALL)
    assert world.read == ["s", "s"]


def test_what_is_told_is_stored_as_it_comes(world):
    world.closed("s")
    world.turn()
    world.sent[-1].words.append(Begun(1500))
    world.turn()
    day = "2026-05-04"
    assert world.ledger.reader_account(day).calls == 1
    assert world.ledger.reader_account(day).input_tokens == 1500
    world.sent[-1].words += [Called(spent=Spent(1400, 90, 0.01)), Read(digest="d", findings=())]
    world.turn()
    account = world.ledger.reader_account(day)
    assert (account.calls, account.input_tokens, account.output_tokens) == (1, 1400, 90)
    assert world.ledger.chunks_read(("a", "s")) == {"d"}
    world.tell(ALL)
    world.closed("s")
    world.turn()
    assert world.sent[-1].work.known == ["d"]


def test_a_process_that_dies_without_a_word_is_tried_again_ever_later_and_then_left(world):
    key = world.closed("s")
    waits = []
    for tries in range(1, READER_TRIES + 1):
        world.turn(READER_BACKOFF_MOST_SECONDS)
        assert len(world.sent) == tries
        world.tell(code=-9)
        if tries < READER_TRIES:
            waits.append(world.wanted["s"].at - world.wall)
    assert waits[:3] == [READER_BACKOFF_SECONDS, 2 * READER_BACKOFF_SECONDS, 240.0]
    assert max(waits) <= READER_BACKOFF_MOST_SECONDS
    assert not world.wanted
    world.running.want(key, "asked")
    world.turn()
    assert len(world.sent) == READER_TRIES + 1, "on demand at any time"


def test_a_backend_that_breaks_is_not_asked_about_other_sessions_either(world):
    world.closed("one")
    world.closed("two")
    world.turn()
    world.tell(Over(chunks=0, left=1, trouble="broken", message="it crashed"))
    world.turn(READER_BACKOFF_SECONDS - 1)
    assert world.read == ["one"]
    assert world.rest.message == world.wanted["one"].message == "it crashed"
    world.turn(2)
    assert world.read == ["one", "two"], "the one that did not fail is tried first"
    world.tell(ALL)
    assert world.rest is None
    assert world.read == ["one", "two", "one"]


def test_one_session_that_always_fails_does_not_hold_the_others_up_for_hours(world):
    world.closed("bad")
    for _ in range(READER_TRIES - 1):
        world.turn(READER_BACKOFF_MOST_SECONDS)
        world.tell(Over(chunks=0, left=1, trouble="slow", message="too slow"))
    assert world.wanted["bad"].at - world.wall > READER_REST_MOST_SECONDS
    world.closed("good")
    world.turn(READER_REST_MOST_SECONDS)
    assert world.read[-1] == "good"


def test_a_session_that_fails_in_part_does_not_hold_up_the_others(world):
    world.closed("one")
    world.closed("two")
    world.turn()
    world.tell(Over(chunks=3, left=1, trouble="slow", message="too slow"))
    assert world.rest is None
    assert world.read == ["one", "two"]


def test_a_session_that_goes_forward_is_never_given_up(world):
    world.closed("s")
    for _ in range(READER_TRIES + 2):
        world.turn(READER_BACKOFF_MOST_SECONDS)
        world.tell(Over(chunks=1, left=9, trouble="slow", message="too slow"))
    assert len(world.sent) == READER_TRIES + 2
    assert world.wanted


def test_too_many_calls_wait_as_long_as_the_backend_says(world):
    world.closed("s")
    world.turn()
    world.tell(Over(chunks=0, left=1, trouble="rate", message="later", retry_after=900.0))
    assert world.wanted["s"].tries == 0
    world.turn(899)
    assert len(world.sent) == 1
    world.turn(2)
    assert len(world.sent) == 2
    world.tell(Over(chunks=0, left=1, trouble="rate", message="later"))
    assert world.rest.until - world.wall == 2 * READER_BACKOFF_SECONDS
    world.running.want(("a", "s"), "asked")
    world.turn()
    assert len(world.sent) == 2, "not even the user can hurry it"


@pytest.mark.parametrize("trouble", ["missing", "key", "account"])
def test_what_only_the_user_can_mend_stands_for_a_day(world, trouble):
    world.closed("s")
    world.turn()
    world.tell(Over(chunks=0, left=1, trouble=trouble, message="not logged in"))
    world.turn(READER_STANDS_SECONDS - 60)
    assert len(world.sent) == 1
    assert world.wanted["s"].tries == 0
    world.turn(120)
    assert len(world.sent) == 2


@pytest.mark.parametrize("how", ["settings", "order"])
def test_what_only_the_user_can_mend_ends_with_other_settings_or_an_order(world, how):
    world.closed("s")
    world.turn()
    world.tell(Over(chunks=0, left=1, trouble="key", message="no key"))
    world.turn(60)
    assert len(world.sent) == 1
    if how == "settings":
        world.settings = ReaderSettings(backend="codex", model="other")
        world.running.look_now()
    else:
        world.running.want(("a", "s"), "asked")
    world.turn()
    assert len(world.sent) == 2


def test_a_failure_of_other_settings_is_not_laid_to_those_of_now(world):
    world.closed("s")
    world.turn()
    world.sent[-1].words += [Over(chunks=0, left=1, trouble="key", message="no key"), Gone(0)]
    world.settings = ReaderSettings(backend="codex", model="other")
    world.running.look_now()
    world.turn()
    assert world.rest is None
    assert world.wanted["s"].tries == 0
    assert len(world.sent) == 2


def test_a_reading_without_a_call_says_nothing_of_the_backend(world):
    later = Over(chunks=0, left=1, trouble="rate", message="later")
    world.closed("s")
    world.turn()
    world.tell(later)
    world.turn(READER_BACKOFF_SECONDS - 1)
    world.running.ahead([world.session("ahead", ended=None)])
    world.turn(2)
    world.tell(Over(chunks=0, left=9))
    world.tell(later)
    assert world.read == ["s", "ahead", "s"]
    assert world.rest.times == 2


def test_a_rest_outlives_a_restart(world):
    world.closed("s")
    world.turn()
    world.tell(Over(chunks=0, left=1, trouble="key", message="no key"))
    world.running = Running(world.ledger, world.means)
    world.turn(HOUR)
    assert len(world.sent) == 1


def test_a_clock_that_is_set_back_holds_nothing_up(world):
    world.closed("s")
    world.turn()
    world.tell(Over(chunks=0, left=1, trouble="broken", message="it crashed"))
    world.wall -= 30 * 24 * HOUR
    world.turn(60)
    assert len(world.sent) == 2


def test_a_spent_budget_waits_for_the_next_day(world):
    world.settings = ReaderSettings(backend="codex", calls_a_day=2)
    world.closed("one")
    world.turn()
    spent = [Begun(10), Called(spent=Spent(10, 1)), Begun(10), Called(spent=Spent(10, 1))]
    world.tell(*spent, ALL)
    world.closed("two")
    world.turn(HOUR)
    assert world.read == ["one"]
    assert world.rest.trouble == "budget"
    assert world.wanted["two"].tries == 0
    world.turn(24 * HOUR)
    assert world.read == ["one", "two"]
    assert world.sent[-1].work.calls == 2


def test_a_budget_that_is_raised_is_used_at_once(world):
    world.settings = ReaderSettings(backend="codex", calls_a_day=1)
    world.closed("one")
    world.turn()
    world.tell(Begun(10), Called(spent=Spent(10, 1)), ALL)
    world.closed("two")
    world.turn()
    assert world.read == ["one"]
    world.settings = ReaderSettings(backend="codex", calls_a_day=5)
    world.running.look_now()
    world.turn()
    assert world.read == ["one", "two"]
    assert world.sent[-1].work.calls == 4


def test_one_that_spends_the_budget_goes_on_the_next_day(world):
    world.closed("s")
    world.turn()
    world.tell(Over(chunks=2, left=3, trouble="budget", message="spent"))
    world.turn(HOUR)
    assert len(world.sent) == 1
    world.turn(24 * HOUR)
    assert len(world.sent) == 2


def test_one_that_says_nothing_is_ended(world):
    world.closed("s")
    world.turn()
    world.turn(READER_CALL_SECONDS + READER_SILENCE_SECONDS - 1)
    assert not world.sent[-1].is_ended
    world.turn(2)
    assert world.sent[-1].is_ended
    world.tell(code=-15)
    assert world.wanted["s"].tries == 1
    assert world.rest.trouble == "slow"


def test_one_that_never_ends_is_ended(world):
    world.closed("s")
    world.turn()
    for _ in range(int(READER_WORK_SECONDS // 60) + 1):
        world.sent[-1].words.append(Called(spent=Spent()))
        world.turn(60)
    assert world.sent[-1].is_ended


@pytest.mark.parametrize("how", ["pause", "settings"])
def test_what_is_ended_for_a_reason_of_ours_is_begun_anew(world, how):
    world.closed("s")
    world.turn()
    world.running.pause() if how == "pause" else world.running.look_now()
    assert world.sent[-1].is_ended
    world.tell(code=-15)
    assert world.read == ["s", "s"]
    assert world.wanted["s"].tries == 0


def test_what_is_under_way_while_something_is_forgotten_is_not_stored_and_begun_anew(world):
    world.closed("s")
    world.turn()
    world.running.forgot()
    assert world.sent[-1].is_ended
    world.tell(Called(spent=Spent(10, 1)), Read(digest="d", findings=()), ALL)
    assert not world.ledger.chunks_read(("a", "s"))
    assert world.ledger.reader_account("2026-05-04").calls == 1
    assert world.read == ["s", "s"]
    assert world.wanted["s"].tries == 0


def test_what_cannot_be_stored_now_is_stored_when_it_can_be(world, monkeypatch):
    world.closed("s")
    world.turn()
    world.sent[-1].words += [Read(digest="d", findings=()), ALL, Gone(0)]
    error = CtxdError("the disk is full", "free some space")
    with monkeypatch.context() as full:
        full.setattr(world.ledger, "keep_findings", raising(error))
        for _ in range(3):
            with pytest.raises(CtxdError):
                world.turn()
    world.turn()
    assert world.ledger.chunks_read(("a", "s")) == {"d"}
    assert not world.wanted


def test_a_call_is_allowed_once_it_stands_in_the_account(world, monkeypatch):
    world.closed("s")
    world.turn()
    world.sent[-1].words.append(Begun(10))
    error = CtxdError("the disk is full", "free some space")
    with monkeypatch.context() as full:
        full.setattr(world.ledger, "count_call", raising(error))
        with pytest.raises(CtxdError):
            world.turn()
    assert not world.sent[-1].allowed
    world.turn()
    assert world.ledger.reader_account("2026-05-04").calls == 1
    assert world.sent[-1].allowed == 1


def test_a_call_that_others_have_spent_the_budget_for_is_not_made(world):
    world.settings = ReaderSettings(backend="codex", calls_a_day=1)
    world.closed("s")
    world.turn()
    world.ledger.count_call("2026-05-04", "codex", Called(spent=Spent(10, 1)))
    world.sent[-1].words.append(Begun(10))
    world.turn()
    assert not world.sent[-1].allowed
    assert world.sent[-1].is_ended
    world.tell(code=143)
    assert world.rest.trouble == "budget"
    assert (world.wanted["s"].tries, world.ledger.reader_account("2026-05-04").calls) == (0, 1)


def test_a_call_of_a_reading_that_was_ended_is_not_made(world):
    world.closed("s")
    world.turn()
    world.running.pause()
    world.tell(Begun(10), code=143)
    assert not world.sent[0].allowed
    assert not world.ledger.reader_account("2026-05-04").calls


def test_a_defect_in_storing_is_met_once(world, monkeypatch):
    world.closed("s")
    world.turn()
    world.sent[-1].words += [Read(digest="d", findings=()), ALL, Gone(0)]
    monkeypatch.setattr(world.ledger, "keep_findings", raising(KeyError("x")))
    with pytest.raises(KeyError):
        world.turn()
    world.turn()
    assert not world.wanted


def test_a_session_whose_end_an_earlier_run_did_not_come_to_want_is_taken_up(world):
    world.session("over")
    world.session("open", ended=None)
    world.session("long ago", last_event=datetime.fromtimestamp(NOON - HOUR / 2, UTC))
    read_before = world.session("read")
    world.ledger.keep_findings(read_before, "d", [])
    world.running.take_up(datetime.fromtimestamp(NOON - HOUR / 4, UTC))
    assert set(world.wanted) == {"over"}


def test_what_waits_unasked_is_dropped_when_nothing_unasked_is_wished_for(world):
    world.closed("busy")
    world.turn()
    world.closed("s")
    world.running.want(world.session("asked"), "asked")
    world.settings = ReaderSettings(backend="codex", unasked=False)
    world.tell(ALL)
    assert world.read == ["busy", "asked"]
    assert set(world.wanted) == {"asked"}


def test_a_process_that_cannot_be_started_is_tried_later(world):
    world.trouble = OSError(12, "cannot allocate memory")
    world.closed("s")
    world.turn()
    assert "cannot allocate memory" in world.wanted["s"].message
    world.trouble = None
    world.turn(READER_BACKOFF_SECONDS + 1)
    assert world.read == ["s"]


def test_an_order_says_how_much_is_queued(world):
    one = world.session("one", user_messages=40)
    two = world.session("two", user_messages=1)
    answer = ask_for(world.ledger, world.running, Request("read", arguments=(*one, *two)))
    assert answer.ok
    assert answer.message == "2 sessions queued, at most 8 calls"
    assert set(world.wanted) == {"one", "two"}


def test_an_order_for_a_repository_takes_its_sessions(world):
    world.session("here")
    world.session("there", cwd="/home/dev/other")
    answer = ask_for(world.ledger, world.running, Request("read", "/home/dev/shop"))
    assert answer.message.startswith("1 session queued")
    assert set(world.wanted) == {"here"}


def test_an_order_that_names_nothing_to_read_says_so(world):
    world.session("empty", user_messages=0)
    answer = ask_for(world.ledger, world.running, Request("read", arguments=("a", "empty")))
    assert not answer.ok
    assert answer.hint


def test_an_order_tells_why_it_waits(world):
    world.closed("s")
    world.turn()
    world.tell(Over(chunks=0, left=1, trouble="rate", message="asked too often"))
    answer = ask_for(world.ledger, world.running, Request("read", arguments=("a", "s")))
    assert answer.message.endswith("waits: asked too often")


def test_without_a_daemon_sessions_are_read_while_the_caller_waits(world):
    keys = [world.session(name) for name in ("one", "two")]
    words = [Begun(10), Called(spent=Spent(10, 1)), Read(digest="d", findings=()), ALL, Gone(0)]
    world.answers = lambda sent: sent.words.extend(words)
    told = []
    done = list(read_here(world.ledger, world.means, keys, lambda *word: told.append(word)))
    assert [one.key for one in done] == keys
    assert not any(one.over.trouble for one in done)
    assert told == [(key, word) for key in keys for word in words[:-1]]
    assert world.ledger.chunks_read(keys[0]) == {"d"}


def test_without_a_daemon_a_failure_ends_it(world):
    keys = [world.session(name) for name in ("one", "two")]
    over = Over(chunks=0, left=1, trouble="key", message="no key")
    world.answers = lambda sent: sent.words.extend([over, Gone(0)])
    done = list(read_here(world.ledger, world.means, keys))
    assert [(one.key, one.over) for one in done] == [(keys[0], over)]


def test_without_a_daemon_a_spent_budget_is_said_before_anything_is_asked(world):
    world.settings = ReaderSettings(backend="codex", calls_a_day=1)
    world.ledger.count_call("2026-05-04", "codex", Called(spent=Spent(10, 1)))
    [done] = read_here(world.ledger, world.means, [world.session("s")])
    assert done.over.trouble == "budget"
    assert not world.sent
