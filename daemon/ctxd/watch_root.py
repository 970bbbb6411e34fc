"""One watched root: which folder it is now, and the watch on it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
)
from watchdog.observers.api import BaseObserver, ObservedWatch

from ctxd.hints import Inbox
from ctxd.mounts import Mounts

_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]
"""Without a filter, opening and closing are events too, and a reader that reacts to them goes in
circles: 10,000 events in two seconds after one append."""

_LIMITS = {
    errno.ENOSPC: "the limit of watches is reached (fs.inotify.max_user_watches)",
    errno.EMFILE: "the limit of watchers is reached (fs.inotify.max_user_instances)",
}


class Folder(NamedTuple):
    """How a root is followed."""

    kind: Literal["watched", "polling", "missing"]
    """`polling`: some changes are only seen when everything is looked at, so look more often."""
    reason: str = ""


class Root:
    """A folder to watch with all below it; it may be missing, come, go and be replaced."""

    def __init__(self, path: Path) -> None:
        self.real = os.fspath(path)
        """Where it is now, links resolved: of a link itself no events come."""
        self.short = ""
        """Why some folder below it is not watched; empty when all are."""
        self._path = path
        self._watch: ObservedWatch | None = None
        self._folder: os.stat_result | None = None
        self._last: os.stat_result | None = None
        """What stood at the path at the last look, even if it cannot be watched."""
        self._state = Folder("missing", "not looked at yet")

    @property
    def state(self) -> Folder:
        """How it is followed, and why not better."""
        if self.short and self._state.kind == "watched":
            return Folder("polling", self.short)
        return self._state

    @property
    def has_watch(self) -> bool:
        """Whether it is watched, wholly or in part."""
        return self._watch is not None

    def is_outdated(self) -> bool:
        """Whether something else stands at the path than at the last look."""
        now = self._status()
        if now is None or self._last is None:
            return now is not self._last
        return not os.path.samestat(now, self._last)

    def poll(self, why: str) -> None:
        """There is nothing to watch it with."""
        self._state = self._look() or Folder("polling", why)

    def mend(self, observer: BaseObserver, inbox: Inbox, mounts: Mounts) -> None:
        """Watch the folder that the root is now, unless that is done."""
        before, folder = self.real, self._folder
        absent = self._look()
        if absent or before != self.real or not self._is_watched(observer, folder):
            self.release(observer)
        self._state = absent or self._watched(observer, inbox)
        kind = mounts.silent(self.real)
        if kind is not None and self._state.kind == "watched":
            self._state = Folder("polling", f"{kind} does not tell all changes")

    def release(self, observer: BaseObserver | None) -> None:
        """Give up the watch."""
        watch, self._watch, self.short = self._watch, None, ""
        if watch is not None and observer is not None:
            observer.unschedule(watch)

    def _look(self) -> Folder | None:
        """Find the folder; that it is missing, if it is."""
        self.real, self._folder = os.path.realpath(self._path), None
        self._last = self._status()
        try:
            with os.scandir(self.real):
                self._folder = os.stat(self.real)
        except OSError as error:
            return Folder("missing", explain(error))
        return None

    def _status(self) -> os.stat_result | None:
        try:
            return os.stat(self._path)
        except OSError:
            return None

    def _is_watched(self, observer: BaseObserver, folder: os.stat_result | None) -> bool:
        """Whether the watch is alive, and on the folder that is there now."""
        if self._folder is None or folder is None or not os.path.samestat(self._folder, folder):
            return False
        return any(e.watch == self._watch and e.is_alive() for e in observer.emitters)

    def _watched(self, observer: BaseObserver, inbox: Inbox) -> Folder:
        if self._watch is None:
            try:
                self._watch = observer.schedule(
                    inbox, self.real, recursive=True, event_filter=_EVENTS
                )
            except OSError as error:
                return Folder("polling", explain(error))
        return Folder("watched")


def explain(error: OSError) -> str:
    """Why something could not be watched, in words."""
    return _LIMITS.get(error.errno or 0) or error.strerror or str(error)


def folders_below(root: str) -> Iterator[str]:
    """A folder and all below it that can be listed; links are not followed."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                waiting += [e.path for e in entries if e.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        yield folder
