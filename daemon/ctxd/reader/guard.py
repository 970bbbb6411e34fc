"""A process between ctxd and a program that it runs: nothing of the program outlives either.

Run by path with nothing but the standard library, on systems of the POSIX kind. It starts the
program as leader of a session of its own and ends it, first by word and then by force, with all it
started, when the program itself has ended, or when the other end of the control socket is closed:
on purpose, or since whoever held it is dead, in whatever way. On Linux it also adopts what the
program's children leave behind, and the kernel ends the program when the guard is killed.

    guard.py CONTROL LOCK GRACE_SECONDS FOLDER PROGRAM ARGUMENT...

CONTROL and LOCK are numbers of open files; the lock is held until the guard ends. What it tells is
one line: `code N` as of `subprocess`, or `error ERRNO`. The folder goes when it ends.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

_POLL_SECONDS = 0.02
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_Prctl = Callable[[int, int], object]
_IGNORED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main(arguments: Sequence[str]) -> None:
    """Run a program until it ends or nobody waits for it any more."""
    control = socket.socket(fileno=int(arguments[0]))
    grace, folder, command = float(arguments[2]), arguments[3], arguments[4:]
    for number in _IGNORED:
        # A handler, not SIG_IGN: the program would inherit that.
        signal.signal(number, lambda *_: None)
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    try:
        _tell(control, _outcome(command, folder, (control.fileno(), ended), grace))
        _wait_for_end(control)
    finally:
        if os.path.isdir(folder):  # a pipe in its place would be waited for
            shutil.rmtree(folder, ignore_errors=True)


def _outcome(command: Sequence[str], folder: str, waits: tuple[int, int], grace: float) -> str:
    prctl = _prctl()
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        process = subprocess.Popen(  # noqa: S603 - the user's reader
            command,
            cwd=folder,
            start_new_session=True,
            preexec_fn=lambda: _begin(prctl),  # noqa: PLW1509 - there is one thread
        )
    except OSError as error:
        return f"error {error.errno or 0}"
    _let_go_of_outputs()
    while process.poll() is None:
        ready, _, _ = select.select(waits, (), ())
        if waits[0] in ready:
            _end(process, grace)
        elif ready:
            os.read(waits[1], 4096)
    _signal(process, signal.SIGKILL)
    _sweep(time.monotonic() + grace)
    return f"code {process.returncode}"


def _begin(prctl: _Prctl) -> None:
    """In the new process, before it becomes the program."""
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end(process: subprocess.Popen[bytes], grace: float) -> None:
    """End the program with its group; whoever does not heed the word is ended by force."""
    _signal(process, signal.SIGTERM)
    until = time.monotonic() + grace
    while process.poll() is None and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, number)


def _let_go_of_outputs() -> None:
    """They end when the program and its children do, not when this process does."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    os.close(null)


def _sweep(until: float) -> None:
    """End what was left behind in groups of its own; each that dies hands on its children."""
    mine = Path(f"/proc/self/task/{os.getpid()}/children")
    while time.monotonic() < until:
        try:
            children = mine.read_text(encoding="ascii").split()
        except OSError:
            return
        if not children:
            return
        for child in children:
            with contextlib.suppress(OSError):
                os.kill(int(child), signal.SIGKILL)
                os.waitpid(int(child), 0)


def _prctl() -> _Prctl:
    """The call of Linux by that name; elsewhere one that does nothing."""
    if sys.platform != "linux":
        return lambda *_: None
    import ctypes

    return ctypes.CDLL(None).prctl


def _tell(control: socket.socket, outcome: str) -> None:
    with contextlib.suppress(OSError):
        control.sendall(f"{outcome}\n".encode())


def _wait_for_end(control: socket.socket) -> None:
    """Until whoever asked has taken what there is in the folder."""
    with contextlib.suppress(OSError):
        control.recv(1)


if __name__ == "__main__":
    main(sys.argv[1:])
