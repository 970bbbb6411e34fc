"""What the loop reads: which transcripts changed, which is next, and what becomes of those that
fail.

One trap a file: a file that fails is set aside until it changes, and the others go on.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ctxd.errors import CtxdError
from ctxd.inventory import Inventory
from ctxd.ledger import Found, Ledger
from ctxd.pipeline import Key, Pipeline, Progress
from ctxd.policy.daemon import BUSY_RETRY_SECONDS, SET_ASIDE_SECONDS, SNAPSHOT_SETTLE_SECONDS
from ctxd.retention.retaining import Listener, Retaining
from ctxd.service.aside import Aside
from ctxd.service.backlog import Backlog
from ctxd.service.guard import Guard
from ctxd.service.judging import Judging
from ctxd.service.recheck import Recheck
from ctxd.service.timing import Clock
from ctxd.session import Signal
from ctxd.signals import CompactionAhead, CompactionHappened
from ctxd.tail.follow import SettlingError
from ctxd_parsers.reading import Transcript
from ctxd_parsers.sqlite_rows import BusyError

log = logging.getLogger(__name__)


class Reading:
    """Takes transcripts forward, the most urgent first, a step at a time."""

    def __init__(
        self,
        ledger: Ledger,
        pipeline: Pipeline,
        guard: Guard,
        clock: Clock,
        listeners: Sequence[Listener] = (),
    ) -> None:
        self._ledger = ledger
        self._pipeline = pipeline
        self._guard = guard
        self._clock = clock
        self.backlog = Backlog()
        self.recheck = Recheck()
        self.judging = Judging(pipeline.understanding, guard)
        self.retaining = Retaining(ledger, listeners)
        self._aside = Aside({f.path: f.reason for f in ledger.failures()})
        self.on_ahead: Callable[[Sequence[Key]], None] = lambda _keys: None
        """Called with sessions that are about to be compacted."""
        self.on_signals: Callable[[Sequence[Signal]], None] = lambda _signals: None
        """Called with what became of sessions."""
        self.last_event: float | None = None
        """When an event was last recorded, in Unix seconds."""

    def changed(self, inventory: Inventory, path: Path) -> None:
        """A path is said to have changed."""
        transcript = inventory.look(path)
        if transcript is not None:
            self.backlog.hurry(transcript)

    def look_everywhere(self, inventory: Inventory) -> float:
        """Compare the disk with what is known, and return what it cost in processor seconds."""
        began = time.thread_time()
        changed = inventory.scan()
        for transcript in changed:
            self.backlog.add(transcript)
        gone = inventory.gone()
        if changed or gone:
            found = [
                Found(t.path, t.parser.name, t.parser.agent, stamp.size)
                for t in changed
                if (stamp := inventory.stamp(t.path))
            ]
            self._guard.run(lambda: self._ledger.found(found))
            self._guard.run(lambda: self._ledger.gone(gone))
        self._tell_what_could_not_be_looked_at(inventory)
        return time.thread_time() - began

    def _tell_what_could_not_be_looked_at(self, inventory: Inventory) -> None:
        ledger, run = self._ledger, self._guard.run
        news, well = self._aside.looked(inventory.trouble)
        for path, why in news.items():
            log.warning("cannot look at path=%r why=%r", str(path), why)
            run(lambda path=path, why=why: ledger.set_aside(path, why))  # type: ignore[misc]
        for path in well:
            run(lambda path=path: ledger.forgive(path))  # type: ignore[misc]

    def read_anew(self, inventory: Inventory) -> None:
        """Everything is to be read from its start: no positions are known any more."""
        for transcript in inventory.transcripts():
            self.backlog.add(transcript)

    @property
    def is_ready(self) -> bool:
        """Whether there is something to do now, apart from what was put off."""
        return self.backlog.is_ready or self.judging.waits or self.retaining.waits

    def take_due(self, now: float) -> None:
        """Put into the backlog what is to be looked at once more by now."""
        for transcript in self.recheck.take(now):
            self.backlog.hurry(transcript)

    def read_now(
        self, inventory: Inventory, paths: Iterable[Path], keys: Iterable[Key], until: float
    ) -> None:
        """Read what these paths have that is new before all else, and judge what was said in these
        sessions, as far as that can be done until a monotonic time; the rest comes next."""
        for path in paths:
            known = inventory.stamp(path)
            transcript = inventory.look(path)
            if transcript is None:
                continue
            if inventory.stamp(path) != known or self.backlog.pick(transcript):
                self.backlog.hurry(transcript)
            while self._clock.monotonic() < until and self.backlog.pick(transcript):
                self._step(transcript, urgent=True)
        self._guard.run(lambda: self.judging.hurry(keys))
        while self._clock.monotonic() < until and self.judging.hurries:
            self._judge()
        while self._clock.monotonic() < until and self.retaining.presses and self._retain():
            pass

    def at_ends(self, signals: Sequence[Signal]) -> None:
        """Sessions were found to be over."""
        self.judging.at_boundaries(signals)
        self.on_signals(signals)

    def step(self) -> bool:
        """One step of what is most urgent, a transcript or exchanges or compactions that wait;
        whether there was any."""
        if self.judging.presses and not self.backlog.is_urgent and self._judge():
            return True
        if self.retaining.presses and not self.backlog.is_urgent and self._retain():
            return True
        taken = self.backlog.take(self._clock.monotonic())
        if taken is None:
            return self._judge() or self._retain()
        self._step(*taken)
        return True

    def _judge(self) -> bool:
        """Judge some exchanges; what waited for that may be judged now, too."""
        if not self.judging.step():
            return False
        if not self.judging.presses:
            self.retaining.look()
        return True

    def _retain(self) -> bool:
        """Judge some compactions and tell of them; whether there was anything to do."""
        did: list[bool] = []
        if not self._guard.run(lambda: did.append(self.retaining.step())):
            if not self._guard.trouble:
                self.retaining.give_up()
            return True
        return did[0]

    def _step(self, transcript: Transcript, urgent: bool) -> None:  # noqa: FBT001 - as taken
        now, path = self._clock.monotonic(), transcript.path
        if (until := self._aside.until(path, now)) is not None:
            self.recheck.put(transcript, until)
            return
        try:
            progress = self._pipeline.advance(transcript)
        except SettlingError:
            self.backlog.retry(transcript, now + SNAPSHOT_SETTLE_SECONDS)
        except BusyError:
            self.backlog.retry(transcript, now + BUSY_RETRY_SECONDS)
        except CtxdError as error:
            self.backlog.again(transcript, urgent=urgent)
            self._guard.rest_from_storing(error)
        except FileNotFoundError:
            self._aside.forgive(path)
        except Exception as error:  # noqa: BLE001 - one file never ends the loop
            self._set_aside(transcript, error)
        else:
            self._guard.trouble = ""
            if self._aside.forgive(path):
                self._guard.run(lambda: self._ledger.forgive(path))
            self._note(transcript, progress, urgent=urgent)
            self._guard.run(lambda: self.judging.take(progress.pending, urgent=urgent))
            if urgent:
                self._guard.run(lambda: self.judging.at_boundaries(progress.signals))
            self._at_compactions(progress.signals, urgent=urgent)
            self._guard.run(lambda: self.on_signals(progress.signals))

    def _at_compactions(self, signals: Iterable[Signal], *, urgent: bool) -> None:
        """Those of now are judged at once, and what is about to be dropped is made safe."""
        found = [one for one in signals if isinstance(one, CompactionHappened | CompactionAhead)]
        if any(isinstance(one, CompactionHappened) for one in found):
            self.retaining.look(urgent=urgent)
            if urgent:
                self._retain()
        ahead = [(one.agent, one.session) for one in found if isinstance(one, CompactionAhead)]
        if ahead and urgent:
            self._guard.run(lambda: self.on_ahead(ahead))

    def _note(self, transcript: Transcript, progress: Progress, *, urgent: bool) -> None:
        now = self._clock.monotonic()
        if progress.events:
            self.last_event = self._clock.wall()
        if progress.more:
            self.backlog.again(transcript, urgent=urgent)
        elif progress.again_in is not None:
            self.recheck.put(transcript, now + progress.again_in)
        else:
            self.recheck.drop(transcript.path)

    def _set_aside(self, transcript: Transcript, error: Exception) -> None:
        """Leave a failing file alone until it changes; the others go on.

        What the system refuses may be granted a moment later without a change of the file: it is
        told when it is refused again. A defect of ours is told at once, and not met again with
        every line that the file grows by.
        """
        now, path = self._clock.monotonic(), transcript.path
        expected = isinstance(error, OSError)
        why = str(error) if expected else f"{type(error).__name__}: {error}"
        times = self._aside.put(path, why, now if expected else now + SET_ASIDE_SECONDS)
        if expected and times == 1:
            self.recheck.put(transcript, now + BUSY_RETRY_SECONDS)
            return
        if times == 1 + expected:
            log.warning("set aside path=%r why=%r", str(path), why, exc_info=not expected)
        self.recheck.put(transcript, now + SET_ASIDE_SECONDS)
        self._guard.run(lambda: self._ledger.set_aside(path, why))
