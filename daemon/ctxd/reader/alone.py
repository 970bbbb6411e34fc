"""One reader at a time: a lock held by the process that has a session read, and a look for calls
that the one before it did not live to see the end of.

The system's lock dies with its process. What a process had running that was killed by force is
ended by its guard a moment later, so that moment is waited for.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ctxd.policy.reader import READER_ALONE_SECONDS, READER_OTHER_SECONDS
from ctxd.reader.child import is_busy
from ctxd.reader.values import ReaderError

_LOCK = "reading.lock"
_LOOK_SECONDS = 0.05


@contextmanager
def alone(folder: Path, seconds: float = READER_ALONE_SECONDS) -> Iterator[None]:
    """Be the only one that has something read in a folder; raise ReaderError when another one goes
    on for longer than so."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    until = time.monotonic() + seconds
    lock = FileLock(folder / _LOCK, mode=0o600)
    try:
        lock.acquire(timeout=seconds)
    except Timeout:
        raise _busy() from None
    try:
        while is_busy(folder):
            if time.monotonic() >= until:
                raise _busy()
            time.sleep(_LOOK_SECONDS)
        yield
    finally:
        lock.release()


def _busy() -> ReaderError:
    return ReaderError("rate", "another ctxd asks the reader just now", READER_OTHER_SECONDS)
