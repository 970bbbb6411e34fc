"""A notice on its way: the process that sends it, as seen from the one that started it.

Nothing here waits, but for `dispatch`. The process is a group of its own, ended with all it started
when it takes too long; it begins in the root folder and takes no module from where it stands.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import msgspec

from ctxd.notify.programs import NO_WINDOW
from ctxd.notify.values import Dispatched, Notice
from ctxd.policy.notices import NOTICE_CHILD_SECONDS, NOTICE_POLL_SECONDS
from ctxd.terminal import one_line

COMMAND = (sys.executable, "-P", "-m", "ctxd.notify.send")
_SAID_CHARS = 200


class Errand:
    """One notice that is being sent. Times are monotonic."""

    def __init__(
        self,
        notice: Notice,
        command: Sequence[str] = COMMAND,
        seconds: float = NOTICE_CHILD_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.notice = notice
        self._seconds = seconds
        self._clock = clock
        self._until = clock() + seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._outcome: Dispatched | None = None
        try:
            self._process = _start(command, msgspec.json.encode(notice))
        except OSError as error:
            self._outcome = Dispatched("failed", why=f"cannot start it: {error.strerror}")

    def outcome(self) -> Dispatched | None:
        """What became of the notice; None while that is not known."""
        process = self._process
        if self._outcome is None and process is not None:
            if process.poll() is not None:
                self._outcome = _answer(process)
            elif self._clock() >= self._until:
                self.close()
                why = f"the desktop does not answer within {self._seconds:.0f} s"
                self._outcome = Dispatched("failed", why=why, hint=_HANGS)
        return self._outcome

    def close(self) -> None:
        """End the process, if it still runs, with all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            if os.name == "nt":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _forget(process)


_HANGS = "log out of the desktop and in again"


def dispatch(notice: Notice, command: Sequence[str] = COMMAND) -> Dispatched:
    """Send a notice and wait until it is known what became of it."""
    errand = Errand(notice, command)
    try:
        while (outcome := errand.outcome()) is None:
            time.sleep(NOTICE_POLL_SECONDS)
    finally:
        errand.close()
    return outcome


def _start(command: Sequence[str], given: bytes) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(  # noqa: S603 - our own module, no shell
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=os.path.abspath(os.sep),
        start_new_session=True,
        creationflags=NO_WINDOW,
    )
    # A pipe holds more than a notice has, so that nobody waits for the other here.
    with contextlib.suppress(OSError), process.stdin as stdin:  # type: ignore[union-attr]
        stdin.write(given)
    return process


def _answer(process: subprocess.Popen[bytes]) -> Dispatched:
    said, complaint = process.stdout.read(), process.stderr.read()  # type: ignore[union-attr]
    _forget(process)
    try:
        return msgspec.json.decode(said, type=Dispatched)
    except msgspec.MsgspecError:
        last = one_line(complaint.decode("utf-8", "replace").strip().rpartition("\n")[2])
        why = f"the process that sends it ended with {process.returncode}: {last[:_SAID_CHARS]}"
        return Dispatched("failed", why=why)


def _forget(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
