"""A program that a guard runs: it ends with whoever started it, with all that it has started."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from ctxd.policy.reader import READER_GRACE_SECONDS, READER_LEFTOVER_SECONDS
from ctxd.reader.values import ReaderError

_GUARD = Path(__file__).with_name("guard.py")
_LINE_BYTES = 64


class Guarded:
    """A program with a guard. `lock` is an open file that the guard holds until it ends."""

    def __init__(
        self, argv: Sequence[str], env: Mapping[str, str], given: IO[bytes], place: Path, lock: int
    ) -> None:
        self._control, theirs = socket.socketpair()
        number = theirs.fileno()
        words = (str(number), str(lock), str(READER_GRACE_SECONDS), str(place), *argv)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own file, no shell
                [sys.executable, "-I", "-S", str(_GUARD), *words],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(env),
                pass_fds=(number, lock),
                start_new_session=True,
            )
        except OSError as error:
            self._control.close()
            why = f"cannot start Python for it: {error.strerror}"
            raise ReaderError("broken", why) from error
        finally:
            theirs.close()

    @property
    def outputs(self) -> tuple[IO[bytes], IO[bytes]]:
        """What it prints, and what it complains of."""
        return outputs_of(self._process)

    def wait(self) -> int:
        """Wait until it has ended with all it started, and return its code; raise OSError where it
        could not be started."""
        with self._control.makefile("rb") as told:
            kind, _, number = told.readline(_LINE_BYTES).partition(b" ")
        if kind == b"code":
            return int(number)
        raise OSError(int(number or 0), os.strerror(int(number)) if number else "its guard died")

    def close(self) -> None:
        """End it, if it still runs."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
        try:
            self._process.wait(2 * READER_GRACE_SECONDS + READER_LEFTOVER_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._control.close()


def outputs_of(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    """The pipes of a process that it prints to and complains to."""
    out, err = process.stdout, process.stderr
    assert out is not None  # noqa: S101 - both are pipes
    assert err is not None  # noqa: S101
    return out, err
