"""The service loop: gather what changed, read the most urgent of it, rest until more does.

All work on transcripts and the ledger happens on this one thread, a bounded step at a time;
watcher, control socket and calendar only leave word and wake it. One trap a file: a file that fails
is set aside until it changes, and the loop goes on.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from ctxd import __version__
from ctxd.errors import CtxdError
from ctxd.inventory import Inventory
from ctxd.ledger import Found, Heartbeat, Ledger, LedgerRebuiltError
from ctxd.pipeline import Pipeline, Progress
from ctxd.policy import (
    BUSY_RETRY_SECONDS,
    FLUSH_SECONDS,
    HEARTBEAT_SECONDS,
    LEDGER_RETRY_SECONDS,
    LIVENESS_SECONDS,
    LONGEST_RESCAN_SECONDS,
    POLLING_RESCAN_SECONDS,
    RESCAN_SECONDS,
    RESCAN_SHARE,
    SET_ASIDE_SECONDS,
    SNAPSHOT_SETTLE_SECONDS,
    TIME_GRAIN_SECONDS,
)
from ctxd.service.aside import Aside, Defects
from ctxd.service.backlog import Backlog
from ctxd.service.control import Answer, Request
from ctxd.service.recheck import Recheck
from ctxd.service.timing import Clock, Every, JumpDetector
from ctxd.tail.follow import SettlingError
from ctxd.watch import Watcher
from ctxd_parsers.reading import Transcript
from ctxd_parsers.sqlite_rows import BusyError

log = logging.getLogger(__name__)


class Parts(msgspec.Struct, frozen=True):
    """What the loop works with."""

    ledger: Ledger
    pipeline: Pipeline
    inventory: Inventory
    watcher: Watcher
    tick: Callable[[], None]
    """Tells the service manager that the loop is alive."""
    tick_seconds: float = HEARTBEAT_SECONDS
    """How often it wants to be told."""


class Loop:
    """Runs on the thread that calls `run`; the other methods may be called from others."""

    def __init__(self, parts: Parts, clock: Clock) -> None:
        self._parts = parts
        self._clock = clock
        self._backlog = Backlog()
        self._recheck = Recheck()
        self._aside = Aside({f.path: f.reason for f in parts.ledger.failures()})
        self._defects = Defects()
        # Not an Event: `wake` is called in signal handlers, which may interrupt this very thread
        # while it holds an Event's lock. Only SimpleQueue is made for that.
        self._wakes: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._requests: queue.SimpleQueue[tuple[Request, queue.SimpleQueue[Answer]]]
        self._requests = queue.SimpleQueue()
        now = clock.monotonic()
        self._rescan = Every(RESCAN_SECONDS, now)
        self._liveness = Every(LIVENESS_SECONDS, now)
        self._heartbeat = Every(HEARTBEAT_SECONDS, now)
        self._tick = Every(parts.tick_seconds, now)
        self._jumps = JumpDetector(clock)
        self._resting_until = now
        self._stopping = False
        self._paused = parts.ledger.paused()
        self._started = clock.wall()
        self.on_clock_jump: Callable[[], None] = lambda: None
        self._jobs: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._last_event: float | None = None
        self.trouble = ""
        """Why nothing can be stored at the moment, in words; empty when all is well."""

    def wake(self) -> None:
        """There may be something to do."""
        if self._wakes.empty():
            self._wakes.put(None)

    def stop(self) -> None:
        """End after the step that is under way."""
        self._stopping = True
        self.wake()

    def rescan_now(self) -> None:
        """Compare the disk with what is known at the next turn."""
        self._rescan.next = self._clock.monotonic()
        self.wake()

    def call(self, job: Callable[[], object]) -> None:
        """Have the loop's thread do a job of the calendar."""
        self._jobs.put(job)
        self.wake()

    def submit(self, request: Request, timeout: float = FLUSH_SECONDS) -> Answer:
        """The loop's answer to a request; called on the control server's thread."""
        reply: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._requests.put((request, reply))
        self.wake()
        try:
            return reply.get(timeout=timeout)
        except queue.Empty:
            return Answer(
                ok=False, message="the daemon is busy", hint="`ctxd status` shows with what"
            )

    def look_elsewhere(self, inventory: Inventory, watcher: Watcher) -> None:
        """Go on with other places; called on the loop's own thread."""
        self._parts = msgspec.structs.replace(self._parts, inventory=inventory, watcher=watcher)
        self._rescan.next = self._clock.monotonic()

    def run(self) -> None:
        """Turn until stopped."""
        while not self._stopping:
            self.turn()
        self._guarded(lambda: self._parts.ledger.beat(self._beat("stopped")))

    def turn(self) -> None:
        """One turn: at most one step of one transcript."""
        while not self._wakes.empty():
            self._wakes.get()
        self._do_jobs()
        self._serve()
        self._gather()
        self._keep_time()
        if not self._work():
            self._rest()

    def _gather(self) -> None:
        """Put what changed into the backlog."""
        hints = self._parts.watcher.take()
        now = self._clock.monotonic()
        jumped = self._jumps.jumped()
        if jumped:
            log.info("clock jumped seconds=%.0f", jumped)
            self.on_clock_jump()
        if jumped or hints.everything:
            self._rescan.next = now
        for path in hints.paths:
            self._guarded(lambda path=path: self._look_at(path))  # type: ignore[misc]
        for transcript in self._recheck.take(now):
            self._backlog.hurry(transcript)
        if self._rescan.due(now):
            self._guarded(self._look_everywhere)

    def _look_at(self, path: Path) -> None:
        transcript = self._parts.inventory.look(path)
        if transcript is not None:
            self._backlog.hurry(transcript)

    def _look_everywhere(self) -> None:
        """The truth that hints are held against."""
        watcher, inventory, ledger = self._parts.watcher, self._parts.inventory, self._parts.ledger
        began = time.thread_time()
        watcher.mend()
        changed = inventory.scan()
        for transcript in changed:
            self._backlog.add(transcript)
        gone = inventory.gone()
        if changed or gone:
            found = [
                Found(t.path, t.parser.name, t.parser.agent, stamp.size)
                for t in changed
                if (stamp := inventory.stamp(t.path))
            ]
            self._guarded(lambda: ledger.found(found))
            self._guarded(lambda: ledger.gone(gone))
        self._tell_what_could_not_be_looked_at()
        self._rescan.next = self._clock.monotonic() + self._pause(time.thread_time() - began)

    def _pause(self, cost: float) -> float:
        """Seconds until everything is looked at again, when that cost so many of processor time."""
        if any(folder.kind == "polling" for folder in self._parts.watcher.state().values()):
            return POLLING_RESCAN_SECONDS
        return min(max(RESCAN_SECONDS, cost / RESCAN_SHARE), LONGEST_RESCAN_SECONDS)

    def _tell_what_could_not_be_looked_at(self) -> None:
        ledger = self._parts.ledger
        news, well = self._aside.looked(self._parts.inventory.trouble)
        for path, why in news.items():
            log.warning("cannot look at path=%r why=%r", str(path), why)
            self._guarded(lambda path=path, why=why: ledger.set_aside(path, why))  # type: ignore[misc]
        for path in well:
            self._guarded(lambda path=path: ledger.forgive(path))  # type: ignore[misc]

    def _keep_time(self) -> None:
        now = self._clock.monotonic()
        if self._liveness.due(now):
            self._guarded(self._parts.pipeline.refresh)
            if self._parts.watcher.is_outdated():
                self._rescan.next = now
        if self._heartbeat.due(now):
            stored = self._guarded(lambda: self._parts.ledger.beat(self._beat()))
            if stored and not self._backlog.is_ready:
                self.trouble = ""
        if self._tick.due(now):
            self._parts.tick()

    def _beat(self, state: str = "running") -> Heartbeat:
        folders = [folder.kind for folder in self._parts.watcher.state().values()]
        return Heartbeat(
            pid=os.getpid(),
            version=__version__,
            started=self._started,
            tick=self._clock.wall(),
            state="paused" if self._paused else state,
            last_event=self._last_event,
            watched=folders.count("watched"),
            polled=folders.count("polling"),
        )

    def _work(self) -> bool:
        """One step of the most urgent transcript; whether there was one."""
        now = self._clock.monotonic()
        if now < self._resting_until or self._paused:
            return False
        taken = self._backlog.take(now)
        if taken is not None:
            self._step(*taken)
        return taken is not None

    def _step(self, transcript: Transcript, urgent: bool) -> None:  # noqa: FBT001 - as taken
        now, path = self._clock.monotonic(), transcript.path
        if (until := self._aside.until(path, now)) is not None:
            self._recheck.put(transcript, until)
            return
        try:
            progress = self._parts.pipeline.advance(transcript)
        except SettlingError:
            self._backlog.retry(transcript, now + SNAPSHOT_SETTLE_SECONDS)
        except BusyError:
            self._backlog.retry(transcript, now + BUSY_RETRY_SECONDS)
        except CtxdError as error:
            self._backlog.again(transcript, urgent=urgent)
            self._rest_from_storing(error)
        except FileNotFoundError:
            self._aside.forgive(path)
        except Exception as error:  # noqa: BLE001 - one file never ends the loop
            self._set_aside(transcript, error)
        else:
            self.trouble = ""
            if self._aside.forgive(path):
                self._guarded(lambda: self._parts.ledger.forgive(path))
            self._note(transcript, progress, urgent=urgent)

    def _note(self, transcript: Transcript, progress: Progress, *, urgent: bool) -> None:
        now = self._clock.monotonic()
        if progress.events:
            self._last_event = self._clock.wall()
        if progress.more:
            self._backlog.again(transcript, urgent=urgent)
        elif progress.again_in is not None:
            self._recheck.put(transcript, now + progress.again_in)
        else:
            self._recheck.drop(transcript.path)

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
            self._recheck.put(transcript, now + BUSY_RETRY_SECONDS)
            return
        if times == 1 + expected:
            log.warning("set aside path=%r why=%r", str(path), why, exc_info=not expected)
        self._recheck.put(transcript, now + SET_ASIDE_SECONDS)
        self._guarded(lambda: self._parts.ledger.set_aside(path, why))

    def _rest_from_storing(self, error: CtxdError) -> None:
        """The ledger cannot be written: try again in a while, and say so meanwhile.

        One that had to be begun anew knows no positions: everything is read again.
        """
        if isinstance(error, LedgerRebuiltError):
            log.error("%s", error.message)
            self._parts.pipeline.forget_all()
            for transcript in self._parts.inventory.transcripts():
                self._backlog.add(transcript)
            self._guarded(lambda: self._parts.ledger.pause(paused=self._paused))
            self._heartbeat.next = self._clock.monotonic()
            return
        if not self.trouble:
            log.error("cannot write the ledger: %s", error.message)
        self.trouble = error.message
        self._resting_until = self._clock.monotonic() + LEDGER_RETRY_SECONDS

    def _guarded(self, action: Callable[[], object]) -> bool:
        """Do something whose failure must not end the loop, and return whether it went well."""
        try:
            action()
        except CtxdError as error:
            self._rest_from_storing(error)
        except Exception as error:  # noqa: BLE001 - the loop never dies
            self._defects.note(error)
        else:
            return True
        return False

    def _do_jobs(self) -> None:
        while not self._jobs.empty():
            self._guarded(self._jobs.get())

    def _serve(self) -> None:
        while not self._requests.empty():
            request, reply = self._requests.get()
            try:
                answer = self._answer(request)
            except CtxdError as error:
                self._rest_from_storing(error)
                answer = Answer(ok=False, message=error.message, hint=error.hint or "")
            except Exception as error:  # noqa: BLE001 - the loop never dies
                self._defects.note(error)
                answer = Answer(ok=False, message=f"internal error: {error}", hint="see the log")
            reply.put(msgspec.structs.replace(answer, version=__version__))

    def _answer(self, request: Request) -> Answer:
        if request.command == "ping":
            return Answer(ok=not self.trouble, message=self.trouble)
        if request.command in {"pause", "resume"}:
            self._parts.ledger.pause(paused=request.command == "pause")
            self._paused = request.command == "pause"
            self._heartbeat.next = self._clock.monotonic()
            return Answer(ok=True, message=f"{request.command}d")
        if request.command == "flush":
            return self._flush()
        if request.command == "stop":
            self.stop()
            return Answer(ok=True, message="stopping")
        return Answer(ok=False, message=f"unknown request `{request.command}`")

    def _flush(self) -> Answer:
        """Read everything that has changed up to now, within the time a client waits."""
        self._gather()
        self._look_everywhere()
        until = self._clock.monotonic() + FLUSH_SECONDS / 2
        self._work_until(until)
        for transcript in self._recheck.take(self._clock.monotonic() + TIME_GRAIN_SECONDS):
            self._backlog.hurry(transcript)
        self._work_until(until)
        left = len(self._backlog)
        if left:
            return Answer(ok=False, message=f"{left} transcripts are still to be read")
        return Answer(ok=True, message="everything is read")

    def _work_until(self, until: float) -> None:
        """Read all there is; wait for documents that are just being written, too."""
        while (now := self._clock.monotonic()) < until:
            due = self._backlog.due()
            if not self._work():
                if due is None or due >= until or self._paused:
                    return
                time.sleep(max(0.0, due - now))

    def _rest(self) -> None:
        """Sleep until word comes or something is due."""
        now = self._clock.monotonic()
        deadlines = [t.next for t in (self._rescan, self._liveness, self._heartbeat, self._tick)]
        waiting = now if self._backlog.is_ready else self._backlog.due()
        if waiting is not None and not self._paused:
            deadlines.append(max(self._resting_until, waiting))
        if (recheck := self._recheck.next()) is not None:
            deadlines.append(recheck)
        with contextlib.suppress(queue.Empty):
            self._wakes.get(timeout=max(0.0, min(deadlines) - now))
