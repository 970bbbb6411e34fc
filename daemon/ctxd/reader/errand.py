"""The process that has a session read, as seen from the one that started it.

Nothing here waits, but for `close`: a thread hands it its work and listens to what it tells. It is
a group of its own and ends with this process, however that ends, since it watches the pipe that its
work came through.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import IO

import msgspec

from ctxd.notify.programs import NO_WINDOW
from ctxd.policy.reader import (
    READER_COMPLAINT_BYTES,
    READER_LINE_BYTES,
    READER_STOP_SECONDS,
)
from ctxd.reader.values import Told, Work

COMMAND = (sys.executable, "-P", "-m", "ctxd.reader.worker")
_decoder: msgspec.json.Decoder[Told] = msgspec.json.Decoder(Told)


class Gone(msgspec.Struct, frozen=True):
    """The process has ended; nothing comes after this."""

    code: int
    """Negative for the signal that ended it."""
    complaint: str = ""
    """The end of what it wrote to standard error."""


class Errand:
    """One session that is being read."""

    def __init__(
        self, work: Work, wake: Callable[[], object], command: Sequence[str] = COMMAND
    ) -> None:
        """Start it; raise OSError when that cannot be. `wake` is called on another thread when
        there is word of it."""
        self._wake = wake
        self._words: deque[Told | Gone] = deque()
        self._is_ending = False
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the thread
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, no shell
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                cwd=work.folder,
                start_new_session=True,
                creationflags=NO_WINDOW,
            )
        except BaseException:
            self._complaints.close()
            raise
        given = msgspec.json.encode(work) + b"\n"
        self._thread = threading.Thread(
            target=self._listen, args=(given,), name="reader", daemon=True
        )
        self._thread.start()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    @property
    def word(self) -> Told | Gone | None:
        """What it told first of what was not taken yet; None when that is nothing."""
        return self._words[0] if self._words else None

    def take(self) -> None:
        """The first word was heard and what it means is done."""
        self._words.popleft()

    def allow(self) -> None:
        """Let it make the call whose beginning it told: it waits for that."""
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101 - a pipe
        with contextlib.suppress(OSError, ValueError):  # it is gone
            stdin.write(b"\n")
            stdin.flush()

    def end(self) -> None:
        """Have it end with all it started: by word, and soon by force."""
        if self._is_ending:
            return
        self._is_ending = True
        if os.name == "nt":
            self._process.kill()
            return
        with contextlib.suppress(OSError):
            self._process.terminate()
        threading.Thread(target=self._force, name="reader's end", daemon=True).start()

    def close(self) -> None:
        """End it, and wait until it is gone."""
        self.end()
        self._thread.join(2 * READER_STOP_SECONDS)

    def _force(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(READER_STOP_SECONDS)
            return
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _listen(self, given: bytes) -> None:
        """Hand it its work and take in what it tells, until it is gone."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # noqa: S101 - both are pipes
        assert stdout is not None  # noqa: S101
        with contextlib.suppress(OSError):
            stdin.write(given)
            stdin.flush()
        with stdout:
            while line := stdout.readline(READER_LINE_BYTES):
                try:
                    self._tell(_decoder.decode(line))
                except (msgspec.MsgspecError, UnicodeError):
                    self.end()  # it is not what it should be
                    break
        code = self._process.wait()
        with contextlib.suppress(OSError):
            stdin.close()
        self._tell(Gone(code, _last_of(self._complaints)))

    def _tell(self, word: Told | Gone) -> None:
        self._words.append(word)
        self._wake()


def _last_of(file: IO[bytes]) -> str:
    with file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - READER_COMPLAINT_BYTES))
        return file.read().decode("utf-8", "replace").strip()
