"""The daemon's part: sessions are read one at a time, each in a process of its own, when they are
over, before a compaction that leaves time for it, and when the user asks.

What waits stands in the ledger and outlives any restart. Nothing here waits for anything: the loop
comes by when there is word of the process or something is due. What the backend failed at is tried
again ever later, in all sessions alike; what is the user's to mend stands until the settings
change or a day has gone by.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

import msgspec

from ctxd.ledger import Ledger
from ctxd.ledger.second_values import URGENCY, WantedReading, WhyRead
from ctxd.ledger.values import Key
from ctxd.listening import is_driven
from ctxd.policy.reader import (
    READER_AHEAD_SECONDS,
    READER_HERE_SECONDS,
    READER_LOOK_SECONDS,
    READER_STANDS_SECONDS,
    READER_TAKEN_UP,
    READER_TRIES,
)
from ctxd.reader import budget, resting
from ctxd.reader.errand import Gone
from ctxd.reader.job import Job, Means, Part, failure_of, work_for
from ctxd.reader.readable import why_not
from ctxd.reader.resting import Failure, Rest
from ctxd.reader.values import Over, Told
from ctxd.retention.values import Dropped
from ctxd.session_state import Session
from ctxd.signals import SessionClosed, Signal

log = logging.getLogger(__name__)

NEVER = float("inf")
ENDED = frozenset({"ended", "crashed"})
"""States of a session that is over."""


class Running:
    """Runs on the loop's thread."""

    def __init__(self, ledger: Ledger, means: Means) -> None:
        self._ledger = ledger
        self._means = means
        self._job: Job | None = None
        self._begun_with = ""
        """Digest of the settings that what is under way was begun with."""
        self._look_at = means.monotonic()

    @property
    def next(self) -> float:
        """When there may be something to do, in monotonic time."""
        return self._look_at if self._job is None else self._job.next

    @property
    def rest(self) -> Rest | None:
        """Why nothing is asked just now; None where there is no such reason."""
        rest = resting.rest_of(self._ledger)
        holds = rest is not None and rest.holds(self._settings(), self._means.wall())
        return rest if holds else None

    def take_up(self, since: datetime) -> None:
        """Want sessions read that were over since then, and that nobody came to want any more when
        an earlier run was killed."""
        waiting = {one.key for one in self._ledger.wanted_readings()}
        for row in self._ledger.sessions(READER_TAKEN_UP):
            key = (row.agent, row.id)
            is_over = row.state in ENDED and row.last_event is not None and row.last_event >= since
            if is_over and key not in waiting and not self._ledger.chunks_read(key):
                self.want(key, "ended")

    def hear(self, signals: Iterable[Signal]) -> None:
        """Want sessions read that are over."""
        if self._means.wishes().unasked:
            for signal in signals:
                if isinstance(signal, SessionClosed):
                    self.want((signal.agent, signal.session), "ended")

    def ahead(self, keys: Iterable[Key]) -> None:
        """Want sessions read that are about to be compacted."""
        if self._means.wishes().unasked:
            for key in keys:
                self.want(key, "ahead")

    def compacted(self, dropped: Dropped) -> None:
        """Want a reader's word on a compaction that was recorded just now."""
        record = dropped.record
        if self._means.wishes().unasked and any(one.second is None for one in record.items):
            self.want((record.agent, record.session), "compacted")

    def want(self, key: Key, why: WhyRead) -> bool:
        """Want a session read; unasked only one that a person spoke in since the daemon first ran.
        Return whether it is."""
        session = self._ledger.session(*key)
        if session is None or not self._may_be_read(session, asked=why == "asked"):
            return False
        self._ledger.want_reading(key, why, self._means.wall())
        if why == "asked" and (rest := self.rest) is not None and not rest.is_fixed:
            resting.note(self._ledger, None)
        self._look_at = self._means.monotonic()
        return True

    def step(self) -> bool:
        """Do a part of what is due; whether there was any."""
        now = self._means.monotonic()
        if now < self.next:
            return False
        if self._job is None:
            self._begin_next(now)
            return True
        gone = self._job.step()
        if gone is not None:
            job, self._job, self._look_at = self._job, None, now
            self._settle(job, job.outcome(gone))
        return True

    def look_now(self) -> None:
        """Go on with other settings: a reading by a backend that is no longer chosen is ended."""
        if self._job is not None:
            self._job.end("other settings")
        self._look_at = self._means.monotonic()

    def forgot(self) -> None:
        """Something was forgotten: what is under way may tell its words, so that nothing more that
        it finds is stored. It is begun anew without them."""
        if self._job is not None:
            self._job.drop()
        self._look_at = self._means.monotonic()

    def pause(self) -> None:
        """End what is under way; it is begun again when the loop comes by next."""
        if self._job is not None:
            self._job.end("paused")

    def close(self) -> None:
        """End what is under way, and wait until it is gone."""
        if self._job is not None:
            self._job.close()

    def _may_be_read(self, session: Session, *, asked: bool) -> bool:
        if why_not(session):
            return False
        if asked:
            return True
        last = session.last_event
        return (
            last is not None and last >= self._means.live_since() and not is_driven(session.client)
        )

    def _begin_next(self, now: float) -> None:
        """Begin the reading that is due first, or say when there may be one."""
        self._look_at = now + READER_LOOK_SECONDS
        wall = self._means.wall()
        waiting = [one for one in self._ledger.wanted_readings() if self._still(one, wall)]
        if not waiting:
            self._look_at = NEVER
            return
        until = self._rested_until(wall)
        due = [one for one in waiting if until <= wall and _is_due(one, wall)]
        if due:
            self._begin(min(due, key=lambda one: (-URGENCY.index(one.why), one.tries, one.at)))
            return
        soonest = max(until, min(one.at for one in waiting))
        self._look_at = now + min(READER_LOOK_SECONDS, max(0.0, soonest - wall))

    def _still(self, wanted: WantedReading, wall: float) -> bool:
        """Whether a reading is still wanted: a session that goes on will end again, and of a
        compaction only what comes before it is worth a hurry."""
        session = self._ledger.session(*wanted.key)
        if wanted.why != "asked" and not self._means.wishes().unasked:
            is_wanted = False
        elif session is not None and wanted.why == "ended":
            is_wanted = session.ended is not None
        elif wanted.why == "ahead":
            is_wanted = 0 <= wall - wanted.since <= READER_AHEAD_SECONDS
        else:
            is_wanted = session is not None
        if not is_wanted:
            self._ledger.end_reading(wanted.key, again_at=None)
        return is_wanted

    def _rested_until(self, wall: float) -> float:
        """Until when nothing is asked, in Unix seconds."""
        if (rest := self.rest) is not None:
            return rest.until
        account = self._ledger.reader_account(budget.day_of(wall))
        if budget.can_call(account, self._means.wishes()):
            return wall
        return self._rest(Failure("budget", budget.SPENT), wall).until

    def _begin(self, wanted: WantedReading) -> None:
        self._begun_with = self._settings()
        try:
            work = work_for(self._ledger, wanted.key, self._means, self._part(wanted))
            self._job = Job(self._ledger, work, self._means)
        except OSError as error:
            failure = Failure("broken", _not_started(error))
            self._failed(wanted.key, failure, nothing_read=True)
            return
        log.info("reading agent=%s session=%r why=%s", *wanted.key, wanted.why)

    def _part(self, wanted: WantedReading) -> Part:
        """What of a session is read: what was said in one that goes on only when there is a reason
        to."""
        if wanted.why == "ahead":
            left = READER_AHEAD_SECONDS - (self._means.wall() - wanted.since)
            return Part(compactions=False, within=left)
        session = self._ledger.session(*wanted.key)
        goes_on = session is not None and session.ended is None
        return Part(exchanges=not (wanted.why == "compacted" and goes_on))

    def _settle(self, job: Job, over: Over) -> None:
        """Note what became of a reading."""
        failure = failure_of(over)
        log.info(
            "read agent=%s session=%r chunks=%d left=%d trouble=%s",
            *(*job.key, over.chunks, over.left, over.trouble),
        )
        if job.is_dropped or (job.ended in _OURS and job.over is None):
            return  # it stays wanted as it is
        if failure is not None and self._begun_with != self._settings():
            return  # it says nothing of what is chosen now
        if failure is None:
            if over.chunks:
                resting.note(self._ledger, None)
            self._ledger.end_reading(job.key, again_at=None, begun=job.begun)
        elif failure.trouble in _OF_THE_SESSION:
            self._failed(job.key, failure, nothing_read=not over.chunks)
        else:
            self._rest(failure, self._means.wall())

    def _failed(self, key: Key, failure: Failure, *, nothing_read: bool) -> None:
        """A reading failed, be it for what is in the session or for the backend: this one is tried
        again ever later and, if nothing comes of it, left; while none succeeds, so are the others.
        """
        wall = self._means.wall()
        rows = [one for one in self._ledger.wanted_readings() if one.key == key]
        tries = rows[0].tries + 1 if rows else 1
        is_left = tries >= READER_TRIES and nothing_read
        again = None if is_left else wall + resting.backoff(tries)
        if again is None:
            log.warning("given up agent=%s session=%r why=%r", *key, failure.message)
        self._ledger.end_reading(key, again_at=again, message=failure.message)
        if nothing_read:
            self._rest(failure, wall)

    def _rest(self, failure: Failure, wall: float) -> Rest:
        before, settings = resting.rest_of(self._ledger), self._settings()
        rest = resting.rest_after(failure, before, settings, wall)
        resting.note(self._ledger, rest)
        seconds = rest.until - wall
        told = (seconds, failure.trouble, failure.message)
        log.info("reader rests seconds=%.0f trouble=%s why=%r", *told)
        return rest

    def _settings(self) -> str:
        wishes = self._means.wishes()
        limits = (wishes.calls_a_day, wishes.tokens_a_day, wishes.money_a_day)
        return resting.digest_of(wishes.choice, *limits)


_OURS = frozenset({"other settings", "paused", "closed"})
"""Reasons to end a reading that are none of its fault."""
_OF_THE_SESSION = frozenset({"slow", "broken", "refused", "malformed", "long"})
"""Troubles that may come of what is read."""


def _is_due(wanted: WantedReading, wall: float) -> bool:
    """Whether a reading may be begun. One that is put off for longer than any is was put off by a
    clock that was ahead."""
    return wanted.at <= wall or wanted.at > wall + 2 * READER_STANDS_SECONDS


class Done(msgspec.Struct, frozen=True):
    """What became of one session's reading."""

    key: Key
    over: Over


def read_here(
    ledger: Ledger,
    means: Means,
    keys: Sequence[Key],
    tell: Callable[[Key, Told], object] = lambda _key, _told: None,
) -> Iterator[Done]:
    """Read sessions now and wait for it, where no daemon runs. What a process tells is handed on
    with its session. A failure of the backend is the end of it: the others are not tried."""
    word = threading.Event()
    means = msgspec.structs.replace(means, wake=word.set)
    for key in keys:
        over = _read_one(ledger, means, key, (word, tell))
        yield Done(key, over)
        if over.trouble is not None:
            return
        ledger.end_reading(key, again_at=None)


def _read_one(
    ledger: Ledger,
    means: Means,
    key: Key,
    ways: tuple[threading.Event, Callable[[Key, Told], object]],
) -> Over:
    word, tell = ways
    account = ledger.reader_account(budget.day_of(means.wall()))
    if not budget.can_call(account, means.wishes()):
        return Over(chunks=0, left=1, trouble="budget", message=budget.SPENT)
    try:
        job = Job(ledger, work_for(ledger, key, means), means)
    except OSError as error:
        return Over(chunks=0, left=1, trouble="broken", message=_not_started(error))
    try:
        while True:
            word.clear()
            told = job.word
            gone = job.step()
            if gone is not None:
                return job.outcome(gone)
            if told is None:
                word.wait(READER_HERE_SECONDS)
            elif not isinstance(told, Gone):
                tell(key, told)
    finally:
        job.close()


def _not_started(error: OSError) -> str:
    return f"cannot start it: {error.strerror or error}"
