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
import threading
from collections.abc import Callable

import msgspec

from ctxd import __version__
from ctxd.errors import CtxdError
from ctxd.inventory import Inventory
from ctxd.ledger import Found, Heartbeat, Ledger, LedgerRebuiltError
from ctxd.pipeline import Pipeline
from ctxd.policy import (
    BUSY_RETRY_SECONDS,
    FLUSH_SECONDS,
    HEARTBEAT_SECONDS,
    LEDGER_RETRY_SECONDS,
    LIVENESS_SECONDS,
    POLLING_RESCAN_SECONDS,
    RESCAN_SECONDS,
    SNAPSHOT_SETTLE_SECONDS,
)
from ctxd.service.backlog import Backlog
from ctxd.service.control import Answer, Request
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


class Loop:
    """Runs on the thread that calls `run`; the other methods may be called from others."""

    def __init__(self, parts: Parts, clock: Clock) -> None:
        self._parts = parts
        self._clock = clock
        self._backlog = Backlog()
        self._awake = threading.Event()
        self._requests: queue.SimpleQueue[tuple[Request, queue.SimpleQueue[Answer]]]
        self._requests = queue.SimpleQueue()
        now = clock.monotonic()
        self._rescan = Every(RESCAN_SECONDS, now)
        self._liveness = Every(LIVENESS_SECONDS, now)
        self._heartbeat = Every(HEARTBEAT_SECONDS, now)
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
        self._awake.set()

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
        self._awake.clear()
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
            transcript = self._parts.inventory.look(path)
            if transcript is not None:
                self._backlog.hurry(transcript)
        if self._rescan.due(now):
            self._look_everywhere()

    def _look_everywhere(self) -> None:
        """The truth that hints are held against."""
        watcher, inventory, ledger = self._parts.watcher, self._parts.inventory, self._parts.ledger
        watcher.mend()
        before = set(inventory.paths())
        changed = inventory.scan()
        for transcript in changed:
            self._backlog.add(transcript)
        gone = before.difference(inventory.paths())
        if changed or gone:
            found = [
                Found(t.path, t.parser.name, t.parser.agent, inventory.size(t.path))
                for t in changed
            ]
            self._guarded(lambda: ledger.found(found))
            self._guarded(lambda: ledger.gone(gone))
        if any(folder.kind == "polling" for folder in watcher.state().values()):
            self._rescan.next = self._clock.monotonic() + POLLING_RESCAN_SECONDS

    def _keep_time(self) -> None:
        now = self._clock.monotonic()
        if self._liveness.due(now):
            self._guarded(self._parts.pipeline.refresh)
        if self._heartbeat.due(now):
            self._guarded(lambda: self._parts.ledger.beat(self._beat()))
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
        now = self._clock.monotonic()
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
            log.debug("gone path=%r", str(transcript.path))
        except Exception as error:  # noqa: BLE001 - one file never ends the loop
            self._set_aside(transcript, error)
        else:
            self.trouble = ""
            if progress.events:
                self._last_event = self._clock.wall()
            if progress.more:
                self._backlog.again(transcript, urgent=urgent)

    def _set_aside(self, transcript: Transcript, error: Exception) -> None:
        """Leave a failing file alone until it changes; the others go on."""
        expected = isinstance(error, OSError)
        why = str(error) if expected else f"{type(error).__name__}: {error}"
        log.warning("set aside path=%r why=%r", str(transcript.path), why, exc_info=not expected)
        with contextlib.suppress(OSError):
            status = transcript.path.stat()
            size, mtime = status.st_size, status.st_mtime_ns
            ledger = self._parts.ledger
            self._guarded(lambda: ledger.set_aside(transcript.path, why, size, mtime))

    def _rest_from_storing(self, error: CtxdError) -> None:
        """The ledger cannot be written: try again in a while, and say so meanwhile.

        One that had to be begun anew knows no positions: everything is read again.
        """
        if isinstance(error, LedgerRebuiltError):
            log.error("%s", error.message)
            self._parts.inventory.forget_all()
            self.rescan_now()
            return
        if not self.trouble:
            log.error("cannot write the ledger: %s", error.message)
        self.trouble = error.message
        self._resting_until = self._clock.monotonic() + LEDGER_RETRY_SECONDS

    def _guarded(self, action: Callable[[], object]) -> None:
        try:
            action()
        except CtxdError as error:
            self._rest_from_storing(error)

    def _do_jobs(self) -> None:
        while not self._jobs.empty():
            self._guarded(self._jobs.get())

    def _serve(self) -> None:
        while not self._requests.empty():
            request, reply = self._requests.get()
            try:
                answer = self._answer(request)
            except CtxdError as error:
                answer = Answer(ok=False, message=error.message, hint=error.hint or "")
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
        while self._clock.monotonic() < until and self._work():
            pass
        left = len(self._backlog)
        if left:
            return Answer(ok=False, message=f"{left} transcripts are still to be read")
        return Answer(ok=True, message="everything is read")

    def _rest(self) -> None:
        """Sleep until word comes or something is due."""
        deadlines = [self._rescan.next, self._liveness.next, self._heartbeat.next]
        if (due := self._backlog.due()) is not None:
            deadlines.append(due)
        if len(self._backlog) and not self._paused:
            deadlines.append(max(self._resting_until, self._clock.monotonic()))
        self._awake.wait(max(0.0, min(deadlines) - self._clock.monotonic()))
