"""Whether changes of logs are told: watches, silent file systems, folders out of reach."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ctxd.cli.words import count, number
from ctxd.doctor.values import Check, bounded, ok, warn
from ctxd.errors import reason
from ctxd.log_places import LogPlaces
from ctxd.mounts import Mounts
from ctxd.places import Places
from ctxd.policy.doctor import DOCTOR_FOLDERS, DOCTOR_WATCH_SHARE
from ctxd.terminal import short_path
from ctxd_parsers.environment import Environment
from ctxd_parsers.registry import PARSERS

LIMITS = Path("/proc/sys/fs/inotify")


class Logs(msgspec.Struct):
    """The logs of one agent on disk."""

    files: int = 0
    newest: float | None = None
    """When one was last written to, in Unix seconds."""


class OnDisk:
    """All log files, found once: without opening one."""

    def __init__(self, env: Environment) -> None:
        self._places = LogPlaces(env, PARSERS)
        self.troubles: dict[str, OSError] = {}
        """Folders that cannot be listed."""
        self.agents: dict[str, Logs] = {}
        for found in self._places.files(self.troubles.__setitem__):
            logs = self.agents.setdefault(found.places[0].parser.agent, Logs())
            logs.files += 1
            logs.newest = max(logs.newest or 0.0, found.status.st_mtime)

    @property
    def newest(self) -> float | None:
        """When any of them was last written to."""
        return max((logs.newest for logs in self.agents.values() if logs.newest), default=None)

    def folders(self) -> list[str]:
        """The folders to watch that are there."""
        return [folder for folder in self._places.folders() if os.path.isdir(folder)]


def watching(disk: OnDisk, places: Places, *, polling: bool, limits: Path = LIMITS) -> list[Check]:
    """Whether the system can and does tell of changes in the folders of logs."""
    folders = disk.folders()
    mounts = Mounts()
    silent = {folder: kind for folder in folders if (kind := mounts.silent(folder))}
    return [
        *bounded(_unlistable(disk.troubles)),
        _watches(folders, limits, polling=polling),
        *_silent(silent),
        *_ledger_elsewhere(places, mounts),
    ]


def _unlistable(troubles: dict[str, OSError]) -> Iterator[Check]:
    for folder, error in troubles.items():
        message = f"`{short_path(folder, Path.home())}` cannot be read: {reason(error)}"
        yield warn("watching", message, "make it readable for your user: logs in it are missed")


def _watches(folders: Iterable[str], limits: Path, *, polling: bool) -> Check:
    if polling:
        return ok("watching", "`polling` is set: the disk is compared every few seconds")
    needed, limit = _below(folders), _limit(limits / "max_user_watches")
    if limit is None:
        return ok("watching", count(needed, "folder"))
    message = f"{count(needed, 'folder')} of {number(limit)} that the system lets a user watch"
    if _limit(limits / "max_user_instances") == 0 or needed > limit * DOCTOR_WATCH_SHARE:
        hint = f"`sudo sysctl fs.inotify.max_user_watches={max(2 * needed, 524_288)}`"
        return warn("watching", f"{message}; the rest is compared every few seconds", hint)
    return ok("watching", message)


def _below(roots: Iterable[str]) -> int:
    """How many folders there are, those below included, as far as it matters."""
    waiting, found = list(roots), 0
    while waiting and found < DOCTOR_FOLDERS:
        found += 1
        try:
            with os.scandir(waiting.pop()) as entries:
                waiting += [e.path for e in entries if e.is_dir(follow_symlinks=False)]
        except OSError:
            continue
    return found


def _limit(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _silent(folders: dict[str, str]) -> Iterator[Check]:
    for folder, kind in folders.items():
        where = short_path(folder, Path.home())
        yield ok("watching", f"`{where}` is on {kind}: it is compared every few seconds")


def _ledger_elsewhere(places: Places, mounts: Mounts) -> Iterator[Check]:
    """Locks of files are not to be relied on across a network."""
    kind = mounts.silent(str(places.state))
    if kind is not None:
        where = short_path(places.state, Path.home())
        message = f"ctxd keeps its ledger on {kind}, `{where}`: two daemons may write to it at once"
        yield warn("watching", message, "name a folder of this machine with `CTXD_HOME`")
