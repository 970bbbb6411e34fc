"""The service loop: gather what changed, read the most urgent of it, rest until more does.

All work on transcripts and the ledger happens on this one thread, a bounded step at a time;
watcher, control socket and calendar only leave word and wake it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from ctxd import __version__
from ctxd.context_files.keeper import Keeper
from ctxd.errors import CtxdError
from ctxd.inventory import Inventory
from ctxd.ledger import Heartbeat, Ledger
from ctxd.notify.notifier import Notifier
from ctxd.orders import Orders
from ctxd.pipeline import Key, Pipeline
from ctxd.policy.daemon import (
    HEARTBEAT_SECONDS,
    LIVENESS_SECONDS,
    LONGEST_RESCAN_SECONDS,
    POLLING_RESCAN_SECONDS,
    RESCAN_SECONDS,
    RESCAN_SHARE,
    TIME_GRAIN_SECONDS,
)
from ctxd.policy.shown import FLUSH_SECONDS
from ctxd.redact import redact
from ctxd.repositories import repository_key
from ctxd.retention.retaining import Listener
from ctxd.service.asking import Answer, Request
from ctxd.service.guard import Guard
from ctxd.service.reading import Reading
from ctxd.service.second import Second, Told
from ctxd.service.timing import Clock, Every, JumpDetector
from ctxd.watch import Watcher

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
    keeper: Keeper | None = None
    """Has the context files follow the items; None where they are left alone."""
    orders: Orders | None = None
    listeners: Sequence[Listener] = ()
    """Are told of live compactions once they are recorded, in this order."""
    notifier: Notifier | None = None
    """Tells the user on the desktop; None where nobody is told."""
    second: Second | None = None
    """Has sessions read a second time; None where that cannot be chosen."""


class Loop:
    """Runs on the thread that calls `run`; the other methods may be called from others."""

    def __init__(self, parts: Parts, clock: Clock) -> None:
        self._parts = parts
        self._clock = clock
        self._guard = Guard(clock)
        self._guard.begun_anew = self._begin_anew
        self._reading = Reading(parts.ledger, parts.pipeline, self._guard, clock, parts.listeners)
        self._reading.on_ahead = self._hurry_files
        if parts.second:
            self._reading.on_signals = parts.second.hear
            parts.second.told = Told(
                self.wake,
                lambda key: self._reading.judging.hurry([key]),
                self._reading.retaining.look,
            )
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
        self._stopping = False
        self._paused = parts.ledger.paused()
        self._started = clock.wall()
        self.on_clock_jump: Callable[[], None] = lambda: None
        self._jobs: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()

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

    def read_now(self, hint: Path | None, keys: Sequence[Key], seconds: float) -> None:
        """Have these sessions read and judged before all else, and wait for it, but no longer than
        so; called on other threads. The hint is where the log of one may lie."""
        done: queue.SimpleQueue[None] = queue.SimpleQueue()
        until = self._clock.monotonic() + seconds

        def read() -> None:
            try:
                self._read_now(hint, keys, until)
            finally:
                done.put(None)

        self.call(read)
        with contextlib.suppress(queue.Empty):
            done.get(timeout=seconds)

    def _read_now(self, hint: Path | None, keys: Sequence[Key], until: float) -> None:
        if self._paused:
            return
        known = [self._parts.pipeline.transcript(key) for key in keys]
        paths = dict.fromkeys([*filter(None, [hint]), *(t.path for t in known if t)])
        self._reading.read_now(self._parts.inventory, paths, keys, until)

    def hurry_files(self, keys: Sequence[Key]) -> None:
        """Have the context files written that the items of these sessions go to; called on other
        threads, and does not wait for it."""
        self.call(lambda: self._hurry_files(keys))

    def _hurry_files(self, keys: Sequence[Key]) -> None:
        if self._parts.second:
            self._parts.second.ahead(keys)
        for key in keys:
            session = self._parts.ledger.session(*key)
            if session is not None and self._parts.keeper:
                repository = redact(repository_key(session.cwd, session.repository))
                self._parts.keeper.hurry(repository)

    def end(self, keys: Sequence[Key]) -> None:
        """Note that sessions are over; called on other threads, and does not wait for it."""
        self.call(lambda: self._reading.at_ends(self._parts.pipeline.end(keys)))

    def look_elsewhere(self, inventory: Inventory, watcher: Watcher) -> None:
        """Go on with other places; called on the loop's own thread."""
        self._parts = msgspec.structs.replace(self._parts, inventory=inventory, watcher=watcher)
        self._rescan.next = self._clock.monotonic()

    def run(self) -> None:
        """Turn until stopped."""
        while not self._stopping:
            self.turn()
        self._guard.run(lambda: self._parts.ledger.beat(self._beat("stopped")))

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
        inventory = self._parts.inventory
        for path in hints.paths:
            self._guard.run(lambda path=path: self._reading.changed(inventory, path))  # type: ignore[misc]
        self._reading.take_due(now)
        if self._rescan.due(now):
            self._guard.run(self._look_everywhere)

    def _look_everywhere(self) -> None:
        """The truth that hints are held against."""
        began = time.thread_time()
        self._parts.watcher.mend()
        cost = time.thread_time() - began + self._reading.look_everywhere(self._parts.inventory)
        self._rescan.next = self._clock.monotonic() + self._pause(cost)

    def _pause(self, cost: float) -> float:
        """Seconds until everything is looked at again, when that cost so many of processor time."""
        if any(folder.kind == "polling" for folder in self._parts.watcher.state().values()):
            return POLLING_RESCAN_SECONDS
        return min(max(RESCAN_SECONDS, cost / RESCAN_SHARE), LONGEST_RESCAN_SECONDS)

    def _keep_time(self) -> None:
        now = self._clock.monotonic()
        if self._liveness.due(now):
            self._guard.run(self._refresh)
            if self._parts.watcher.is_outdated():
                self._rescan.next = now
        if self._heartbeat.due(now):
            stored = self._guard.run(lambda: self._parts.ledger.beat(self._beat()))
            if stored and not self._reading.is_ready:
                self._guard.trouble = ""
        if self._tick.due(now):
            self._parts.tick()

    def _refresh(self) -> None:
        self._reading.at_ends(self._parts.pipeline.refresh())

    def _beat(self, state: str = "running") -> Heartbeat:
        folders = [folder.kind for folder in self._parts.watcher.state().values()]
        return Heartbeat(
            pid=os.getpid(),
            version=__version__,
            started=self._started,
            tick=self._clock.wall(),
            state="paused" if self._paused else state,
            last_event=self._reading.last_event,
            last_item=self._parts.pipeline.understanding.last_item,
            watched=folders.count("watched"),
            polled=folders.count("polling"),
        )

    def _work(self) -> bool:
        """One step of what is most urgent; whether there was any."""
        if self._clock.monotonic() < self._guard.resting_until or self._paused:
            return False
        return self._keep() or self._notify() or self._read_again() or self._reading.step()

    def _keep(self) -> bool:
        """Have the context files follow the items, a step of it; whether any was due."""
        keeper = self._parts.keeper
        if keeper is None or self._clock.monotonic() < keeper.next:
            return False
        return self._guard.run(keeper.step)

    def _notify(self) -> bool:
        """Do a part of telling the user; whether any was due."""
        notifier = self._parts.notifier
        if notifier is None or self._clock.monotonic() < notifier.next:
            return False
        return self._guard.run(notifier.step)

    def _read_again(self) -> bool:
        """Do a part of having sessions read a second time; whether any was due."""
        second = self._parts.second
        if second is None or self._clock.monotonic() < second.next:
            return False
        return self._guard.run(second.step)

    def _begin_anew(self) -> None:
        """The ledger had to be begun anew and knows no positions: everything is read again."""
        self._parts.pipeline.forget_all()
        self._reading.retaining.look()
        self._reading.read_anew(self._parts.inventory)
        if self._parts.keeper:
            self._parts.keeper.look_now()
        if self._parts.second:
            self._parts.second.look_now()
        self._guard.run(lambda: self._parts.ledger.pause(paused=self._paused))
        self._heartbeat.next = self._clock.monotonic()

    def _do_jobs(self) -> None:
        while not self._jobs.empty():
            self._guard.run(self._jobs.get())

    def _serve(self) -> None:
        while not self._requests.empty():
            request, reply = self._requests.get()
            try:
                answer = self._answer(request)
            except CtxdError as error:
                self._guard.rest_from_storing(error)
                answer = Answer(ok=False, message=error.message, hint=error.hint or "")
            except Exception as error:  # noqa: BLE001 - the loop never dies
                self._guard.note_defect(error)
                answer = Answer(ok=False, message=f"internal error: {error}", hint="see the log")
            reply.put(msgspec.structs.replace(answer, version=__version__))

    def _answer(self, request: Request) -> Answer:
        if request.command == "ping":
            return Answer(ok=not self._guard.trouble, message=self._guard.trouble)
        if request.command in {"pause", "resume"}:
            self._parts.ledger.pause(paused=request.command == "pause")
            self._paused = request.command == "pause"
            self._heartbeat.next = self._clock.monotonic()
            if self._paused and self._parts.second:
                self._parts.second.pause()
            return Answer(ok=True, message=f"{request.command}d")
        if request.command == "flush":
            return self._flush()
        if request.command == "stop":
            self.stop()
            return Answer(ok=True, message="stopping")
        return self._ordered(request)

    def _ordered(self, request: Request) -> Answer:
        if request.command == "read" and self._parts.second:
            answer = self._parts.second.answer(request)
            if answer.ok and self._paused:
                waits = f"{answer.message}; waits until `ctxd resume`"
                return msgspec.structs.replace(answer, message=waits)
            return answer
        if self._parts.orders and self._parts.orders.knows(request):
            answer = self._parts.orders.answer(request)
            if answer.ok and request.command == "forget" and self._parts.second:
                self._parts.second.forgot()
            return answer
        return Answer(ok=False, message=f"unknown request `{request.command}`")

    def _flush(self) -> Answer:
        """Read everything that has changed up to now, within the time a client waits."""
        self._gather()
        self._look_everywhere()
        if self._parts.keeper:
            self._parts.keeper.look_now()
        until = self._clock.monotonic() + FLUSH_SECONDS / 2
        self._work_until(until)
        self._reading.take_due(self._clock.monotonic() + TIME_GRAIN_SECONDS)
        self._work_until(until)
        left = len(self._reading.backlog)
        if left:
            return Answer(ok=False, message=f"{left} transcripts are still to be read")
        return Answer(ok=True, message="everything is read")

    def _work_until(self, until: float) -> None:
        """Read all there is; wait for documents that are just being written, too."""
        while (now := self._clock.monotonic()) < until:
            due = self._reading.backlog.due()
            if not self._work():
                if due is None or due >= until or self._paused:
                    return
                time.sleep(max(0.0, due - now))

    def _rest(self) -> None:
        """Sleep until word comes or something is due."""
        now = self._clock.monotonic()
        deadlines = [t.next for t in (self._rescan, self._liveness, self._heartbeat, self._tick)]
        waiting = now if self._reading.is_ready else self._reading.backlog.due()
        if waiting is not None and not self._paused:
            deadlines.append(max(self._guard.resting_until, waiting))
        if not self._paused:
            parts = (self._parts.keeper, self._parts.notifier, self._parts.second)
            times = [part.next for part in parts if part is not None]
            deadlines += [max(self._guard.resting_until, at) for at in times]
        if (recheck := self._reading.recheck.next()) is not None:
            deadlines.append(recheck)
        with contextlib.suppress(queue.Empty):
            self._wakes.get(timeout=max(0.0, min(deadlines) - now))
