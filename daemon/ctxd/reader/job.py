"""One session's reading as the ledger sees it: what the process tells is stored as it comes.

A call is made once it stands in the account, and findings count from the moment in which they are
told, so that a kill of anybody at any instant loses at most what one call was about.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Protocol

import msgspec

from ctxd.errors import CtxdError
from ctxd.ledger import Ledger
from ctxd.ledger.values import Key
from ctxd.policy.reader import (
    READER_CALL_GUESSED_SECONDS,
    READER_CALL_SECONDS,
    READER_SILENCE_SECONDS,
    READER_WORK_SECONDS,
)
from ctxd.reader import budget
from ctxd.reader.errand import Errand, Gone
from ctxd.reader.resting import Failure
from ctxd.reader.values import (
    Begun,
    Called,
    Choice,
    Judged,
    Over,
    Prices,
    Read,
    Spent,
    Told,
    Trouble,
    Work,
)
from ctxd.retention.revising import revise

log = logging.getLogger(__name__)


class Wishes(budget.Wishes, Protocol):
    """What the user wants of a reader: see `ctxd.settings_reader.ReaderSettings`."""

    @property
    def unasked(self) -> bool:
        """Whether sessions are read that the user did not ask for."""

    @property
    def money_in(self) -> float:
        """US dollars for a million tokens sent."""

    @property
    def money_out(self) -> float:
        """The same for those answered."""

    @property
    def choice(self) -> Choice:
        """Which reader it is."""


class Sent(Protocol):
    """See `ctxd.reader.errand.Errand`."""

    @property
    def word(self) -> Told | Gone | None:
        """What was told first of what was not taken yet."""

    def take(self) -> None:
        """That was heard."""

    def allow(self) -> None:
        """Let it make the call whose beginning it told."""

    def end(self) -> None:
        """Have it end; does not wait for that."""

    def close(self) -> None:
        """End it, and wait until it is gone."""


Send = Callable[[Work, Callable[[], object]], Sent]
"""Starts the process for some work; raises OSError."""


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """What readings are made with."""

    wishes: Callable[[], Wishes]
    folder: Path
    """That the process runs in; see `ctxd.reader.own`."""
    monotonic: Callable[[], float]
    wall: Callable[[], float]
    wake: Callable[[], object]
    """Called on another thread when there is word of a reading."""
    judge: Callable[[Key], object]
    """Called with a session when exchanges of it wait to be judged anew."""
    revised: Callable[[], object] = lambda: None
    """Called when those who listen to compactions are to be told of one once more."""
    live_since: Callable[[], datetime] = lambda: datetime.fromtimestamp(0, UTC)
    """When the daemon first ran: nothing older is read unasked."""
    send: Send = Errand


class Part(msgspec.Struct, frozen=True):
    """What of a session is to be read: see `Work`."""

    exchanges: bool = True
    compactions: bool = True
    within: float | None = None


def work_for(ledger: Ledger, key: Key, means: Means, part: Part = Part()) -> Work:  # noqa: B008 - frozen
    """What is to be read of a session, within today's budget. Raise OSError when there is no
    folder for it."""
    wishes = means.wishes()
    account = ledger.reader_account(budget.day_of(means.wall()))
    left = budget.left(account, wishes)
    means.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return Work(
        choice=wishes.choice,
        agent=key[0],
        session=key[1],
        ledger=str(ledger.path),
        folder=str(means.folder),
        known=sorted(ledger.chunks_read(key)),
        calls=left.calls,
        tokens=left.tokens,
        money=left.money,
        seconds=READER_CALL_SECONDS,
        prices=Prices(wishes.money_in, wishes.money_out),
        exchanges=part.exchanges,
        compactions=part.compactions,
        within=part.within,
        pace=_pace(ledger.reader_paces()),
    )


def _pace(paces: Sequence[float]) -> float:
    return median(paces) if paces else READER_CALL_GUESSED_SECONDS


class Job:
    """A reading that is under way."""

    def __init__(self, ledger: Ledger, work: Work, means: Means) -> None:
        """Start it; raise OSError when that cannot be."""
        self.key: Key = (work.agent, work.session)
        self.begun = means.wall()
        self.chunks = 0
        """Read so far."""
        self.over: Over | None = None
        """What was told last, when all went in order."""
        self.ended = ""
        """Why it was ended before; empty when it was not."""
        self.is_dropped = False
        """Whether nothing more is wanted of what it finds."""
        self._ledger = ledger
        self._means = means
        self._backend = work.choice.backend
        now = means.monotonic()
        self._silent_at = now + READER_CALL_SECONDS + READER_SILENCE_SECONDS
        self._until = now + READER_WORK_SECONDS
        self._sent = means.send(work, means.wake)

    @property
    def word(self) -> Told | Gone | None:
        """What it told first of what is not stored yet."""
        return self._sent.word

    @property
    def next(self) -> float:
        """When there is something to do, in monotonic time."""
        if self._sent.word is not None:
            return float("-inf")
        return float("inf") if self.ended else min(self._silent_at, self._until)

    def step(self) -> Gone | None:
        """Store a word of it, or end it when it is too late; return its end once it is gone."""
        word, now = self._sent.word, self._means.monotonic()
        if isinstance(word, Gone):
            return word
        if word is None:
            if now >= min(self._silent_at, self._until):
                self.end("it did not end in time")
            return None
        try:
            self._store(word)
        except CtxdError:
            raise  # it cannot be stored now
        except BaseException:
            self._sent.take()
            raise
        self._sent.take()
        self._silent_at = now + READER_CALL_SECONDS + READER_SILENCE_SECONDS
        return None

    def end(self, why: str) -> None:
        """Have it end; does not wait for that."""
        if not self.ended:
            self.ended = why
            self._sent.end()

    def drop(self) -> None:
        """Have it end, and store nothing more that it finds."""
        self.is_dropped = True
        self.end("dropped")

    def close(self) -> None:
        """End it, and wait until it is gone."""
        self.end("closed")
        self._sent.close()

    def outcome(self, gone: Gone) -> Over:
        """What became of it."""
        if gone.complaint:
            log.warning("reader's process: %s", gone.complaint)
        if self.over is not None:
            return self.over
        why = self.ended or f"the process that has it read ended with code {gone.code}"
        trouble: Trouble = "slow" if self.ended else "broken"
        return Over(chunks=self.chunks, left=1, trouble=trouble, message=why)

    def _store(self, word: Told) -> None:
        if isinstance(word, Over):
            self.over = word
        elif isinstance(word, Read | Judged) and self.is_dropped:
            return
        elif isinstance(word, Read):
            self._ledger.keep_findings(self.key, word.digest, word.findings)
            self.chunks += 1
            if word.findings:
                self._means.judge(self.key)
        elif isinstance(word, Judged):
            self.chunks += 1
            if revise(self._ledger, self.key, word.event, word.items, word.reader):
                self._means.revised()
        elif isinstance(word, Begun):
            self._begin(word)
        elif isinstance(word, Called):
            self._count(word)

    def _begin(self, word: Begun) -> None:
        """Let a call be made, unless somebody else has spent what there was for it."""
        if self.ended:
            return
        account = self._ledger.reader_account(budget.day_of(self._means.wall()))
        if not budget.can_call(account, self._means.wishes()):
            self.over = Over(chunks=self.chunks, left=1, trouble="budget", message=budget.SPENT)
            self._sent.end()
            return
        self._count(Called(spent=Spent(word.input_tokens)), begun=True)
        self._sent.allow()

    def _count(self, called: Called, *, begun: bool = False) -> None:
        day = budget.day_of(self._means.wall())
        self._ledger.count_call(day, self._backend, called, begun=begun)


def failure_of(over: Over) -> Failure | None:
    """The failure that an outcome tells of."""
    if over.trouble is None:
        return None
    return Failure(over.trouble, over.message, over.retry_after)
