"""One function over many jobs on all cores, in processes that come and go with the call.

Promises: every job gives exactly one outcome, whatever happens to the process that does it; no
process outlives the caller, however it ends, since each one waits on a pipe that closes with it.
Large jobs start first, small ones travel in batches. Results should be small: they are sent back.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

import msgspec

from ctxd.policy.daemon import PROGRESS_STEP_SECONDS, SCAN_BATCH_BYTES, SCAN_PARALLEL_BYTES

Job = TypeVar("Job")
Result = TypeVar("Result")
Advance = Callable[[int], None]
"""Told of bytes read since it was last told."""


class Died(msgspec.Struct, frozen=True):
    """The process that did a job ended under it: killed, out of memory, crashed in C code."""

    reason: str


class Work(msgspec.Struct, Generic[Job, Result], frozen=True):
    """What is to be done. Jobs and results are sent by pickle; `function` raises nothing."""

    function: Callable[[Job, Advance], Result]
    jobs: Sequence[Job]
    sizes: Sequence[int]
    """Bytes of each job, to order them and to show progress."""


def usable_cores() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_all(
    work: Work[Job, Result], advance: Advance, cores: int | None = None
) -> Iterator[tuple[Job, Result | Died]]:
    """Each job with its outcome, in the order in which they are done.

    Little work, or a single core, is done in this process.
    """
    order = sorted(range(len(work.jobs)), key=lambda index: -work.sizes[index])
    processes = min(usable_cores() if cores is None else cores, len(order))
    if processes < 2 or sum(work.sizes) < SCAN_PARALLEL_BYTES:  # noqa: PLR2004 - one is no use
        for index in order:
            yield work.jobs[index], work.function(work.jobs[index], advance)
        return
    team = _Team(work, order, advance)
    with _interrupts_noted() as interrupts:
        try:
            team.start(processes)
            yield from team.outcomes(interrupts)
        finally:
            team.stop()


class _Member:
    """A process, and the jobs it was given and has not done yet."""

    def __init__(self, process: Any, connection: Connection) -> None:
        self.process = process
        self.connection = connection
        self.given: deque[int] = deque()


class _Team(Generic[Job, Result]):
    def __init__(self, work: Work[Job, Result], order: list[int], advance: Advance) -> None:
        self._work = work
        self._waiting = deque(order)
        self._advance = advance
        self._members: dict[Connection, _Member] = {}
        self._context = _context()

    def start(self, processes: int) -> None:
        for _ in range(processes):
            if self._waiting:
                self._hire()

    def outcomes(self, interrupts: list[int]) -> Iterator[tuple[Job, Result | Died]]:
        while self._members:
            if interrupts:
                raise KeyboardInterrupt
            ready = wait(list(self._members), timeout=PROGRESS_STEP_SECONDS)
            if not ready:
                self._advance(0)
            for connection in ready:
                member = self._members[connection]  # type: ignore[index]
                yield from self._hear(member)
                hired = connection in self._members
                if hired and not member.given and not self._give(member):
                    self._dismiss(member)

    def stop(self) -> None:
        """End what still runs: nobody waits for it any more."""
        for member in list(self._members.values()):
            member.process.terminate()
            self._dismiss(member)

    def _hear(self, member: _Member) -> Iterator[tuple[Job, Result | Died]]:
        try:
            advanced, done = member.connection.recv()
        except (EOFError, OSError):
            yield from self._bury(member)
            return
        self._advance(advanced)
        if done is not None:
            yield self._work.jobs[member.given.popleft()], done[0]

    def _bury(self, member: _Member) -> Iterator[tuple[Job, Result | Died]]:
        """The job a dead process was at has failed; the others of its batch go to a new one."""
        self._dismiss(member)
        failed, *others = member.given
        member.given.clear()
        self._waiting.extendleft(reversed(others))
        if self._waiting:
            self._hire()
        yield self._work.jobs[failed], Died(_how(member.process.exitcode))

    def _hire(self) -> None:
        ours, theirs = self._context.Pipe()
        inherited = [*self._members, ours] if self._context.get_start_method() == "fork" else []
        arguments = (self._work.function, theirs, inherited)
        process = self._context.Process(target=_serve, args=arguments, daemon=True)
        member = _Member(process, ours)
        with _interrupts_held():
            process.start()
            self._members[ours] = member
        theirs.close()
        self._give(member)

    def _give(self, member: _Member) -> bool:
        size = 0
        while self._waiting and (not member.given or size < SCAN_BATCH_BYTES):
            member.given.append(self._waiting.popleft())
            size += self._work.sizes[member.given[-1]]
        if member.given:
            with contextlib.suppress(OSError):  # a dead process is noticed when it is heard
                member.connection.send([self._work.jobs[index] for index in member.given])
        return bool(member.given)

    def _dismiss(self, member: _Member) -> None:
        if self._members.pop(member.connection, None):
            member.connection.close()
            member.process.join()


@contextlib.contextmanager
def _interrupts_noted() -> Iterator[list[int]]:
    """Ctrl-C is put on a list, to be raised where that is safe: raised anywhere, it was seen to be
    swallowed by the end of a connection object."""
    noted: list[int] = []
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # as in a script's background
    if ignored or threading.current_thread() is not threading.main_thread():
        yield noted
        return
    before = signal.signal(signal.SIGINT, lambda number, _frame: noted.append(number))
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits: it would reach a new process before that can turn it away."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    function: Callable[[Any, Advance], Any], caller: Connection, inherited: list[Connection]
) -> None:
    """Do batches of jobs until the caller closes its end, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for connection in inherited:
        connection.close()
    gc.disable()  # parsers make no cycles, and large documents would set it off again and again

    def advance(count: int) -> None:
        caller.send((count, None))

    with contextlib.suppress(EOFError, OSError):
        while True:
            for job in caller.recv():
                caller.send((0, (function(job, advance),)))


def _context() -> Any:
    """Fork where it is safe: no other thread runs that could hold a lock in the copy."""
    fork = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if fork else "spawn")


def _how(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"the process reading it was killed by signal {-exit_code}"
    return f"the process reading it ended with code {exit_code}"
