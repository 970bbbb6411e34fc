"""The process that has one session read: `python -m ctxd.reader.worker`.

Work comes as a line of JSON on its standard input, what it tells goes out as lines of JSON. It
writes nothing anywhere: the ledger is only read. A call that it tells the beginning of is made when
it is answered by a byte: then the call stands in the account, whatever happens to anybody. It ends
when it is told to, and when the other end of its standard input is closed, be it that whoever holds
it was killed; the call that is under way ends with it.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import msgspec

from ctxd.reader.values import Ask, Backend, Begun, Over, ReaderError, Reply, Told, Work

_ENDED = 143
"""Exit code of a process that was told to end: 128 + SIGTERM."""


def main() -> int:
    """Do what comes on standard input."""
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(format="%(message)s")
    told = _Told(_own_stdout())
    try:
        work = msgspec.json.decode(sys.stdin.buffer.readline(), type=Work)
    except msgspec.MsgspecError as error:
        sys.stderr.write(f"not to be understood: {error}\n")
        return os.EX_USAGE if hasattr(os, "EX_USAGE") else 64
    threading.Thread(target=_heed, args=(sys.stdin.fileno(), told.leave), daemon=True).start()
    _read(work, told)
    return 0


def _read(work: Work, tell: Callable[[Told], object]) -> None:
    """Have a session read; whatever fails is told."""
    from ctxd.errors import CtxdError
    from ctxd.ledger import Ledger
    from ctxd.reader.alone import alone
    from ctxd.reader.asking import Asking
    from ctxd.reader.tasks import tasks_for

    try:
        with Ledger.reader(Path(work.ledger)) as ledger:
            tasks = tasks_for(ledger, work)
        with alone(Path(work.folder)):
            Asking(work, caller(work), tell).ask_all(tasks)
    except ReaderError as error:
        told = Over(chunks=0, left=1, trouble=error.trouble, message=error.message)
        tell(msgspec.structs.replace(told, retry_after=error.retry_after))
    except CtxdError as error:
        tell(Over(chunks=0, left=1, trouble="broken", message=error.message))
    except OSError as error:
        why = f"cannot run the reader: {error.strerror or error}"
        tell(Over(chunks=0, left=1, trouble="broken", message=why))


def caller(work: Work) -> Callable[[Ask], Reply]:
    """Makes calls through the backend that was chosen; raise ReaderError when there is none."""
    from ctxd.reader import child
    from ctxd.reader.backends import registry

    try:
        backend: Backend = registry.backend(work.choice.backend)
    except (KeyError, ImportError) as error:
        name = work.choice.backend
        raise ReaderError("missing", f"there is no backend `{name}` here") from error

    def call(ask: Ask) -> Reply:
        command = backend.command(ask, work.choice)
        return backend.reply(child.run(command, Path(work.folder), work.seconds))

    return call


class _Told:
    """Tells values as lines of JSON, and waits for leave to begin a call."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.leave = threading.Semaphore(0)

    def __call__(self, value: Told) -> None:
        self._stream.write(msgspec.json.encode(value) + b"\n")
        self._stream.flush()
        if isinstance(value, Begun):
            self.leave.acquire()


def _own_stdout() -> BinaryIO:
    """Standard output for what is told alone: whatever else is printed goes to standard error."""
    own = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return own


def _end(_number: int, _frame: object) -> None:
    raise SystemExit(_ENDED)


def _heed(descriptor: int, leave: threading.Semaphore) -> None:
    """Take leave to make a call with each byte from a pipe, and end this process when the other end
    of it is closed. Read without a buffer: its lock in this thread would be in the way of an
    orderly end."""
    while os.read(descriptor, 1):
        leave.release()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    raise SystemExit(main())
