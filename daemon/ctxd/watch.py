"""File events as hints: which paths something happened to, and when to look everywhere.

A hint may be missing, late or doubled; a rescan is the truth. What was measured on real systems and
is worked around here: a handler that reads the file it was told of feeds itself with events; queues
overflow without the handler being told (watchdog only logs it); a watch on a folder that is deleted
and made again stays deaf; a symlinked root gives no events for the files directly in it; and where
the system allows too few watches, some folders are silently left out. Folders of network and other
file systems that send no events are not watched but polled, by the rescan.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import logging
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirModifiedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

from ctxd.policy import HINTS

_CHANGES: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]
"""Without opened and closed: reading a log must not look like a change of it."""

_LOGGERS = ("watchdog.observers.inotify", "watchdog.observers.inotify_c", "watchdog.observers")
_SILENT_FILE_SYSTEMS = frozenset(
    [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "drvfs",
        "fuse.sshfs",
        "fuse.rclone",
        "afs",
        "ceph",
        "glusterfs",
        "vboxsf",
        "prl_fs",
    ]
)
"""Their changes by other machines send no events here."""

_OCTAL = re.compile(r"\\([0-7]{3})")
"""How /proc/mounts writes spaces and other characters of a name."""

Kind = Literal["watched", "polling", "missing"]


class Hints(msgspec.Struct, frozen=True):
    """What is said to have changed."""

    paths: frozenset[Path] = frozenset()
    everything: bool = False
    """Events were lost: only a rescan tells."""


class Folder(msgspec.Struct, frozen=True):
    """How one folder is kept an eye on."""

    kind: Kind
    reason: str = ""
    """Why it is polled."""


class _Watch(msgspec.Struct, frozen=True):
    handle: ObservedWatch
    identity: tuple[int, int]
    """Device and inode of the folder when the watch was made."""


class Watcher:
    """Watches folder trees on threads of its own. `wake` is called from them and must not block."""

    def __init__(
        self,
        folders: Callable[[], Sequence[Path]],
        wake: Callable[[], None],
        *,
        polling: bool = False,
    ) -> None:
        self._folders = folders
        self._wake = wake
        self._polling = polling
        self._lock = threading.Lock()
        self._paths: set[Path] = set()
        self._everything = False
        self._observer: BaseObserver = Observer()
        self._watches: dict[Path, _Watch] = {}
        self._state: dict[Path, Folder] = {}
        self._seen: dict[Path, tuple[int, int] | None] = {}
        """What each folder was at the last `mend`."""
        self._losses = _Losses(self.lost)

    def start(self) -> None:
        """Begin to watch."""
        for name in _LOGGERS:
            logging.getLogger(name).addHandler(self._losses)
        self._observer.start()
        self.mend()

    def stop(self) -> None:
        """End the threads."""
        for name in _LOGGERS:
            logging.getLogger(name).removeHandler(self._losses)
        self._observer.stop()
        self._observer.join()

    def take(self) -> Hints:
        """The hints since they were last taken."""
        with self._lock:
            hints = Hints(frozenset(self._paths), self._everything)
            self._paths.clear()
            self._everything = False
        return hints

    def lost(self) -> None:
        """Note that events were lost."""
        with self._lock:
            self._everything = True
        self._wake()

    def heard(self, *paths: str | bytes) -> None:
        """Note that something happened to paths."""
        with self._lock:
            self._paths.update(Path(os.fsdecode(path)) for path in paths if path)
            if len(self._paths) > HINTS:
                self._paths.clear()
                self._everything = True
        self._wake()

    def mend(self) -> None:
        """Watch the folders that there are now: called before each rescan."""
        wanted = dict.fromkeys(self._folders())
        silent = dict(_silent_mounts())
        for folder in [folder for folder in self._watches if folder not in wanted]:
            self._unwatch(folder)
        self._seen = {folder: _identity(folder) for folder in wanted}
        self._state = {folder: self._watched(folder, silent) for folder in wanted}

    def is_outdated(self) -> bool:
        """Whether a folder came, went or was replaced since the last `mend`: cheap enough to ask
        every second, since nothing tells of a folder that did not exist."""
        return any(_identity(folder) != before for folder, before in self._seen.items())

    def state(self) -> dict[Path, Folder]:
        """How each folder is kept an eye on, as of the last `mend`."""
        return self._state

    def _watched(self, folder: Path, silent: dict[str, str]) -> Folder:
        identity = self._seen[folder]
        watch = self._watches.get(folder)
        if watch and (watch.identity != identity or not self._is_alive(watch)):
            self._unwatch(folder)
            watch = None
        if identity is None:
            return Folder("missing")
        if self._polling:
            return Folder("polling", "asked for in the settings")
        if kind := _mounted_on(folder, silent):
            return Folder("polling", f"{kind} sends no events")
        if watch is None:
            try:
                self._watch(folder, identity)
            except OSError as error:
                return Folder("polling", f"cannot be watched: {error.strerror or error}")
        return Folder("watched")

    def _watch(self, folder: Path, identity: tuple[int, int]) -> None:
        with self._losses.noticed() as losses:
            handle = self._observer.schedule(
                _Handler(self), str(folder), recursive=True, event_filter=_CHANGES
            )
        self._watches[folder] = _Watch(handle, identity)
        if losses() or not _may_watch_more():
            self._unwatch(folder)
            raise OSError(errno.ENOSPC, "the system allows too few watches")

    def _unwatch(self, folder: Path) -> None:
        watch = self._watches.pop(folder, None)
        if watch:
            with contextlib.suppress(KeyError, OSError):
                self._observer.unschedule(watch.handle)

    def _is_alive(self, watch: _Watch) -> bool:
        return any(
            emitter.watch == watch.handle and emitter.is_alive()
            for emitter in self._observer.emitters
        )


class _Handler(FileSystemEventHandler):
    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def on_any_event(self, event: FileSystemEvent) -> None:
        if isinstance(event, (DirDeletedEvent, DirMovedEvent, DirModifiedEvent)):
            self._watcher.lost()
        self._watcher.heard(event.src_path, event.dest_path)


class _Losses(logging.Handler):
    """Turns the library's warnings, its only sign that events were lost, into a call."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost
        self._count = 0

    def emit(self, record: logging.LogRecord) -> None:
        del record
        self._count += 1
        self._lost()

    @contextlib.contextmanager
    def noticed(self) -> Iterator[Callable[[], bool]]:
        """Tell whether anything was logged meanwhile."""
        before = self._count
        yield lambda: self._count > before


def _may_watch_more() -> bool:
    """Whether the system would give one more watch: when not, some of a tree just got none, and the
    library kept that to itself."""
    if sys.platform != "linux":
        return True
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_CLOEXEC)
    if descriptor < 0:
        return True
    try:
        return bool(libc.inotify_add_watch(descriptor, b"/", 0x8) >= 0)
    finally:
        os.close(descriptor)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _silent_mounts() -> Iterator[tuple[str, str]]:
    """Mount points whose file systems send no events, each with its kind."""
    try:
        text = Path("/proc/mounts").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return
    for line in text.splitlines():
        _, point, kind, *_ = line.split(" ")
        if kind in _SILENT_FILE_SYSTEMS:
            yield _OCTAL.sub(lambda match: chr(int(match[1], 8)), point), kind


def _mounted_on(folder: Path, silent: dict[str, str]) -> str | None:
    names = [str(path) for path in (folder, *folder.parents)]
    return next((silent[name] for name in names if name in silent), None)
