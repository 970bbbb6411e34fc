"""File events as hints: a set of paths that may have changed, and a wake-up.

Nothing rests on an event. Queues overflow (29,700 of 30,000 events lost in a measurement), watches
are limited, folders vanish and come back, network file systems tell nothing. Each of these ends in
a word to the loop, "look everywhere" or "look more often", and never in an error. Nothing is read
here, since reading causes events of its own.
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from ctxd.hints import Hints, Inbox, Losses
from ctxd.mounts import MOUNTS, Mounts
from ctxd.policy.daemon import STOP_SECONDS, WATCH_RETRY_SECONDS
from ctxd.watch_root import Folder, Root, explain, folders_below

__all__ = ["Folder", "Hints", "Watcher"]

_TELLING = frozenset({"InotifyObserver", "FSEventsObserver", "WindowsApiObserver"})
"""Observers worth having. The others compare files themselves, as a scan does, or keep every file
open."""


class Watcher:
    """Watches folders and all below them. Its methods belong to one thread, the loop's; `wake` is
    called on others and must not block."""

    def __init__(
        self,
        folders: Callable[[], Sequence[Path]],
        wake: Callable[[], None],
        *,
        polling: bool = False,
        mounts: Path = MOUNTS,
    ) -> None:
        self._folders = folders
        self._polling = polling
        self._mounts = mounts
        self._roots: dict[Path, Root] = {}
        self._observer: BaseObserver | None = None
        self._threads: set[threading.Thread] = set()
        self._inbox = Inbox(wake)
        self._losses = Losses(self._inbox)
        self._held = 0
        """Watches that the system held for this process at the last count."""
        self._short = ""
        self._retry_at = 0.0

    def start(self) -> None:
        """Begin to watch what can be watched."""
        # Folders made while their parent is being taken in are met twice. That is harmless, but the
        # observer warns of it in a message that lists all of its folders.
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        self._losses.listen()
        self.mend()

    def stop(self) -> None:
        """End; nothing is told any more."""
        self._losses.close()
        self._stop_observer()

    def take(self) -> Hints:
        """What was told since this was last asked."""
        return self._inbox.take()

    def state(self) -> dict[Path, Folder]:
        """How each folder is followed, and why not better."""
        return {path: root.state for path, root in self._roots.items()}

    def is_outdated(self) -> bool:
        """Whether a folder came, went or was replaced since the last `mend`: cheap enough to ask
        every second, since nothing tells of a folder that was not there."""
        return any(root.is_outdated() for root in self._roots.values())

    def mend(self) -> None:
        """Watch the folders that there are now. To be called before each look at everything, which
        finds what was missed."""
        self._follow(self._folders())
        why = "asked for in the settings" if self._polling else self._start_observer()
        if self._observer is None:
            for root in self._roots.values():
                root.poll(why)
            return
        if self._short and time.monotonic() >= self._retry_at:
            self._retry_at = time.monotonic() + WATCH_RETRY_SECONDS
            self._release()
        mounts = Mounts(self._mounts)
        for root in self._roots.values():
            root.mend(self._observer, self._inbox, mounts)
        self._count()

    def _follow(self, folders: Sequence[Path]) -> None:
        for path in self._roots.keys() - set(folders):
            self._roots.pop(path).release(self._observer)
        for path in folders:
            self._roots.setdefault(path, Root(path))

    def _release(self) -> None:
        for root in self._roots.values():
            root.release(self._observer)

    def _start_observer(self) -> str:
        """Have a living observer, if the system allows for one; why there is none."""
        if self._observer is not None and all(thread.is_alive() for thread in self._threads):
            return ""
        self._stop_observer()
        before = set(threading.enumerate())
        try:
            observer = Observer()
            if type(observer).__name__ not in _TELLING:
                return "this system does not tell changes of files"
            observer.start()
        except OSError as error:
            return explain(error)
        self._observer = observer
        # Not only the observer itself: the thread that reads events is another one, and when it
        # dies of a defect the observer goes on, and tells nothing.
        self._threads = {t for t in set(threading.enumerate()) - before if _is_watchdogs(t)}
        return ""

    def _stop_observer(self) -> None:
        self._release()
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop()
            observer.join(STOP_SECONDS)

    def _count(self) -> None:
        """Notice folders that could not be watched: nobody says so when only some could not."""
        held = _watches_held()
        changed = self._inbox.folders_changed() or self._short or held != self._held
        if held is None or not changed:
            return
        watched = [root for root in self._roots.values() if root.has_watch]
        folders = {folder for root in watched for folder in folders_below(root.real)}
        missing = len(folders) - held
        self._held = held
        self._short = f"{missing} of {len(folders)} folders cannot be watched"
        if missing <= 0:
            self._short = ""
        for root in watched:
            root.short = self._short


def _is_watchdogs(thread: threading.Thread) -> bool:
    return type(thread).__module__.startswith("watchdog.")


def _watches_held() -> int | None:
    """How many folders the system watches for this process; None where it does not say."""
    try:
        return sum(_watches_of(name) for name in os.listdir("/proc/self/fd"))
    except OSError:
        return None


def _watches_of(descriptor: str) -> int:
    try:
        if "inotify" not in os.readlink(f"/proc/self/fd/{descriptor}"):
            return 0
        return Path(f"/proc/self/fdinfo/{descriptor}").read_bytes().count(b"inotify wd:")
    except FileNotFoundError:
        return 0  # closed meanwhile
