"""What file events leave behind: paths that may have changed, or that too much was lost to say."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock

import msgspec
from watchdog.events import FileSystemEvent, FileSystemEventHandler

from ctxd.policy.daemon import HINTS


class Hints(msgspec.Struct):
    """What may have changed since the last look."""

    paths: set[Path] = set()
    everything: bool = False
    """Events were lost: only a look at everything tells."""


class Inbox(FileSystemEventHandler):
    """Collects hints on the observer's thread, for the loop to take on its own."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = Lock()
        self._paths: set[str] = set()
        self._everything = False
        self._folders_changed = True

    def dispatch(self, event: FileSystemEvent) -> None:
        """Take note of one event."""
        with self._lock:
            if event.is_directory:
                self._folders_changed = True
                return
            self._paths.update(os.fsdecode(p) for p in (event.src_path, event.dest_path) if p)
            if len(self._paths) > HINTS:
                self._paths.clear()
                self._everything = True
        self._wake()

    def lose_track(self) -> None:
        """Take note that events were lost."""
        with self._lock:
            self._everything = self._folders_changed = True
        self._wake()

    def take(self) -> Hints:
        """What came since this was last asked."""
        with self._lock:
            paths, self._paths = self._paths, set()
            everything, self._everything = self._everything, False
        return Hints({Path(path) for path in paths}, everything)

    def folders_changed(self) -> bool:
        """Whether folders may have come or gone since this was last asked."""
        with self._lock:
            changed, self._folders_changed = self._folders_changed, False
        return changed


class Losses(logging.Handler):
    """Hears that the system's queue overflowed, which watchdog only logs: every warning is taken
    to mean that something was missed."""

    def __init__(self, inbox: Inbox) -> None:
        super().__init__(logging.WARNING)
        self._inbox = inbox

    def listen(self) -> None:
        """Begin to hear."""
        logging.getLogger("watchdog").addHandler(self)

    def close(self) -> None:
        """End."""
        logging.getLogger("watchdog").removeHandler(self)
        super().close()

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - whatever it says
        """Take note of a warning."""
        self._inbox.lose_track()
