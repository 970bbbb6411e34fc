"""When what is said on the desktop: one notice a compaction, few an hour, none twice.

What was decided stands in the ledger before anything is sent, so that no restart says it again: a
notice is sent at most once, and one that was not shown is told by `ctxd status`. Nothing here
waits: the loop comes by when something is due. What comes too soon after another, or in quiet
hours, is held back and told in one digest afterwards: who sleeps while agents work wants to know in
the morning. A desktop that is not there is tried again with the next notice, and not before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

import msgspec

from ctxd.ledger import KeptNotice, Ledger
from ctxd.ledger.boundary_values import NoticeState
from ctxd.ledger.values import Key
from ctxd.notify.errand import Errand
from ctxd.notify.losses import Loss, losses
from ctxd.notify.pace import Pace
from ctxd.notify.quiet import Hours, is_quiet
from ctxd.notify.values import Dispatched as Became
from ctxd.notify.values import Level, Notice, Urgency
from ctxd.notify.words import digest_of, look, notice_of
from ctxd.policy.notices import (
    NOTICE_COOLDOWN_SECONDS,
    NOTICE_FRESH_SECONDS,
    NOTICE_GRACE_SECONDS,
    NOTICE_HOUR_SECONDS,
    NOTICE_KEPT_SECONDS,
    NOTICE_POLL_SECONDS,
    NOTICE_SETTLE_SECONDS,
    NOTICES_LOOKED_AT,
    QUIET_LOOK_SECONDS,
)
from ctxd.retention.values import Dropped, Record

log = logging.getLogger(__name__)

NEVER = float("inf")

Done = Callable[[Dropped, Sequence[Loss]], str]
"""What was done about losses, in words; empty when nothing was."""


class Wishes(Protocol):
    """What the user wants of notices."""

    @property
    def level(self) -> Level:
        """What they are made for."""

    @property
    def hours(self) -> Hours | None:
        """When none is shown."""


class Sending(Protocol):
    """A notice on its way; see `Errand`."""

    def outcome(self) -> Became | None:
        """What became of it; None while that is not known."""

    def close(self) -> None:
        """Give it up."""


class Means(msgspec.Struct, frozen=True):
    """What a notifier works with."""

    wishes: Callable[[], Wishes]
    monotonic: Callable[[], float]
    wall: Callable[[], float]
    done: Done = lambda _dropped, _losses: ""
    send: Callable[[Notice], Sending] = Errand


class _Coming(msgspec.Struct, frozen=True):
    """What is about to be told."""

    at: float
    """From when on, in monotonic time."""
    words: Callable[[], Notice | None]
    """Makes the notice when it is told: of what then still is so."""
    session: Key = ("", "")
    """Agent and id of the session that it is about."""


class Notifier:
    """Runs on the loop's thread."""

    def __init__(self, ledger: Ledger, means: Means) -> None:
        self._ledger = ledger
        self._means = means
        self._started = means.monotonic()
        self._pace = Pace()
        self._waiting: dict[str, _Coming] = {}
        """What is about to be told, by key."""
        self._held: dict[str, Urgency] = {}
        """Keys of what was held back. The words are in the ledger alone: what the user has it
        forget is not told either."""
        self._quiet_until = self._started
        self._under_way: tuple[Sending, Sequence[str]] | None = None
        self._poll_at = self._started
        self._told: dict[Key, float] = {}
        """When each session was told of, as far as that was lately."""
        self._take_up()

    @property
    def next(self) -> float:
        """When there may be something to do, in monotonic time."""
        if self._under_way:
            return self._poll_at
        times = [coming.at for coming in self._waiting.values()]
        if self._held:
            times.append(self._digest_at())
        return min(times, default=NEVER)

    def at(self, dropped: Dropped) -> None:
        """Tell of a compaction, unless it is history, told already, or dropped nothing worth it."""
        record = dropped.record
        key = _key(record)
        if not self._is_news(record) or self._is_known(key):
            return
        found = losses(record, self._ledger, self._means.wishes().level)
        now, session = self._means.monotonic(), (record.agent, record.session)
        if not found or self._is_repeated(record, now):
            return
        self._told[session] = now
        words = partial(self._words, key, dropped)
        self._waiting[key] = _Coming(now + NOTICE_SETTLE_SECONDS, words, session)
        self._keep_as(notice_of(key, found, look(record.session)), session, "waiting", "")

    def tell(self, notice: Notice) -> None:
        """Tell of something else that needs the user, unless that was done."""
        if self._means.wishes().level == "constraints" and not self._is_known(notice.key):
            self._waiting[notice.key] = _Coming(self._means.monotonic(), lambda: notice)
            self._keep_as(notice, ("", ""), "waiting", "")

    def step(self) -> bool:
        """Do a part of what is due; whether there was any."""
        now = self._means.monotonic()
        if now < self.next:
            return False
        if self._under_way:
            self._hear(now)
            return True
        for key, coming in self._waiting.items():
            if coming.at <= now:
                del self._waiting[key]
                self._settle(key, coming, now)
                return True
        self._send_held(now)
        return True

    def close(self) -> None:
        """Give up what is under way; `ctxd status` will say so."""
        if self._under_way:
            self._under_way[0].close()

    def _take_up(self) -> None:
        """Go on where an earlier run ended: what it held back, and how often it spoke."""
        now, wall = self._started, self._means.wall()
        for kept in reversed(self._ledger.notices(NOTICES_LOOKED_AT)):
            age = max(0.0, wall - kept.time)
            if kept.state == "waiting":
                self._became([kept.key], Became("failed", why="ctxd was ended before it was sent"))
            elif kept.state == "held" and age > NOTICE_KEPT_SECONDS:
                self._became([kept.key], Became("none", why=f"{kept.why} for too long"))
            elif kept.state == "held":
                self._held[kept.key] = "normal"
            elif age < NOTICE_HOUR_SECONDS:
                self._pace.note("normal", now - age)
                self._pace.note("critical", now - age)

    def _is_news(self, record: Record) -> bool:
        """Whether it just happened. Right after the start, a log may tell what happened before."""
        if not record.live:
            return False
        if record.time is None or self._means.monotonic() > self._started + NOTICE_GRACE_SECONDS:
            return True
        return self._means.wall() - record.time.timestamp() <= NOTICE_FRESH_SECONDS

    def _is_repeated(self, record: Record, now: float) -> bool:
        """Whether it is one of a storm that was told of: a client tries again and again."""
        lately = now - NOTICE_COOLDOWN_SECONDS
        self._told = {key: at for key, at in self._told.items() if at > lately}
        return record.storm and (record.agent, record.session) in self._told

    def _is_known(self, key: str) -> bool:
        return key in self._waiting or self._ledger.notice(key) is not None

    def _words(self, key: str, dropped: Dropped) -> Notice | None:
        found = losses(dropped.record, self._ledger, self._means.wishes().level)
        if not found:
            return None
        try:
            done = self._means.done(dropped, found)
        except Exception as error:  # the loss is told whatever becomes of the rest
            log.exception("defect: what was done about a loss: %s", type(error).__name__)
            done = ""
        return notice_of(key, found, done or look(dropped.record.session))

    def _settle(self, key: str, coming: _Coming, now: float) -> None:
        """Send what has waited long enough, or hold it back."""
        notice = coming.words()
        if notice is None:  # it was forgotten, or taken back, meanwhile
            self._became([key], Became("none", why="nothing is left of it"))
            return
        why = self._held_because(notice.urgency, now)
        if why:
            self._held[key] = notice.urgency
            log.info("notice held key=%r why=%r", key, why)
        self._keep_as(notice, coming.session, "held" if why else "waiting", why)
        if not why:
            self._send(notice, [key], now)

    def _held_because(self, urgency: Urgency, now: float) -> str:
        if self._is_quiet(now):
            return "held back in quiet hours"
        return "held back after others" if now < self._pace.free_at(urgency) else ""

    def _is_quiet(self, now: float) -> bool:
        """Whether nothing is to be shown; if so, it is looked again in a while."""
        quiet = is_quiet(self._means.wishes().hours, self._means.wall())
        self._quiet_until = now + QUIET_LOOK_SECONDS if quiet else now
        return quiet

    def _digest_at(self) -> float:
        urgency: Urgency = "critical" if "critical" in self._held.values() else "normal"
        return max(self._quiet_until, self._pace.free_at(urgency))

    def _send_held(self, now: float) -> None:
        """Tell what was held back: one as it is, several in a digest."""
        if self._is_quiet(now):
            return
        held, self._held = self._held, {}
        rows = list(filter(None, map(self._ledger.notice, held)))
        back = {row.key for row in rows if self._is_taken_back(row)}
        self._became(sorted(back), Became("none", why="nothing is left of it"))
        rows = [row for row in rows if row.key not in back]
        notices = [Notice(row.key, row.title, row.body, held[row.key]) for row in rows]
        if not notices:
            return
        digest = digest_of(f"digest:{notices[0].key}", notices)
        self._send(notices[0] if len(notices) == 1 else digest, [one.key for one in notices], now)

    def _is_taken_back(self, kept: KeptNotice) -> bool:
        """Whether a reader has found since that nothing was dropped that is worth telling."""
        for record in self._ledger.records((kept.agent, kept.session)):
            if _key(record) == kept.key and any(one.second for one in record.items):
                return not losses(record, self._ledger, self._means.wishes().level)
        return False

    def _send(self, notice: Notice, keys: Sequence[str], now: float) -> None:
        self._pace.note(notice.urgency, now)
        self._poll_at = now
        self._under_way = (self._means.send(notice), keys)

    def _hear(self, now: float) -> None:
        """Take up what became of the notice that is under way, once that is known."""
        assert self._under_way is not None  # noqa: S101 - the caller has looked
        sending, keys = self._under_way
        outcome = sending.outcome()
        self._poll_at = now + NOTICE_POLL_SECONDS
        if outcome is not None:
            self._under_way = None
            self._became(keys, outcome)

    def _became(self, keys: Sequence[str], outcome: Became) -> None:
        """Keep what became of notices."""
        why = outcome.why or outcome.backend
        level = logging.WARNING if outcome.state == "failed" else logging.INFO
        for kept in filter(None, map(self._ledger.notice, keys)):
            log.log(level, "notice %s key=%r why=%r", outcome.state, kept.key, why)
            now = msgspec.structs.replace(kept, state=outcome.state, why=why)
            self._ledger.keep_notice(now)

    def _keep_as(self, notice: Notice, session: Key, state: NoticeState, why: str) -> None:
        self._ledger.keep_notice(
            KeptNotice(
                key=notice.key,
                time=self._means.wall(),
                state=state,
                why=why,
                title=notice.title,
                body=notice.body,
                agent=session[0],
                session=session[1],
            )
        )


def _key(record: Record) -> str:
    return f"{record.agent}:{record.session}:{record.event}"
