"""The machine and this installation: versions, which `ctxd` a shell starts, clock and disk."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
import time
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

from ctxd import __version__
from ctxd.cli.words import size
from ctxd.doctor.values import Check, fail, ok, warn
from ctxd.ledger.checkup import lacks
from ctxd.places import Places
from ctxd.policy.doctor import DOCTOR_CLOCK_SECONDS, DOCTOR_HEAD_BYTES
from ctxd.policy.shown import DISK_WARNING_BYTES
from ctxd.terminal import short_path

LEAST_PYTHON = (3, 11)
LEAST_SQLITE = (3, 35)
"""The first that returns rows from what it changes."""
LEAST_WATCHDOG = (7, 1)
"""The first that says when events were lost."""
_OURS = (b"ctxd.__main__", b"ctxd-daemon")
"""What the programs that install ctxd write into the script that they make for it."""


def versions() -> Check:
    """What ctxd runs on; a failure where something is too old for it."""
    watchdog = _watchdog()
    said = (
        f"ctxd {__version__}, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, watchdog {watchdog}"
    )
    too_old = [
        f"{name} {_dotted(least)}"
        for name, found, least in (
            ("Python", sys.version_info[:2], LEAST_PYTHON),
            ("SQLite", sqlite3.sqlite_version_info[:2], LEAST_SQLITE),
            ("watchdog", _numbers(watchdog), LEAST_WATCHDOG),
        )
        if found < least
    ]
    if too_old:
        hint = "install ctxd anew, as with `uv tool install --reinstall ctxd-daemon`"
        return fail("versions", f"{said}; it needs {' and '.join(too_old)} at least", hint)
    missing = lacks()
    if missing:
        hint = "use a Python whose SQLite has it, as with `uv tool install --python 3.12`"
        return fail("versions", f"{said}; this SQLite has no {missing}", hint)
    return ok("versions", said)


def program(variables: Mapping[str, str] = os.environ) -> Check:
    """Which program a shell starts for `ctxd`: another one may have the same name."""
    found = shutil.which("ctxd", path=variables.get("PATH"))
    if found is None:
        return ok("program", f"no `ctxd` is on the PATH; this one is {_short(sys.executable)}")
    script = Path(os.path.realpath(found))
    if not _is_ours(script):
        hint = "put the folder of this one before it on the PATH, or call it by its path"
        return warn("program", f"`ctxd` on the PATH is another program: `{_short(found)}`", hint)
    if os.name != "nt" and script.parent != Path(sys.executable).parent:
        message = f"`ctxd` on the PATH is another installation: `{_short(found)}`"
        return warn("program", message, f"this one is of `{_short(sys.executable)}`; remove one")
    return ok("program", f"`{_short(found)}`")


def clock(now: float, seen: float | None) -> Check:
    """Whether the clock can be right; `seen` is when the daemon's loop last went round."""
    newest = max(_written(Path(__file__).parent.parent), seen or 0.0)
    if now < newest - DOCTOR_CLOCK_SECONDS:
        told = time.strftime("%Y-%m-%d %H:%M", time.localtime(now))
        hint = "set it: sessions are told apart from history by it"
        return warn("clock", f"the clock says {told}, which is in the past", hint)
    return ok("clock", time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(now)))


def disk(places: Places) -> Iterator[Check]:
    """Whether there is room for the ledger and the log."""
    seen: set[int] = set()
    for folder in (places.state, places.log):
        there = _nearest(folder)
        try:
            device, free = os.stat(there).st_dev, shutil.disk_usage(there).free
        except OSError:
            continue  # the folder itself is looked at elsewhere
        if device in seen:
            continue
        seen.add(device)
        message = f"{size(free)} free for `{_short(folder)}`"
        if free >= DISK_WARNING_BYTES:
            yield ok("disk", message)
        else:
            yield warn("disk", message, "free some space: without it nothing can be kept")


def _nearest(folder: Path) -> Path:
    """The folder, or the one above it that is there."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _is_ours(script: Path) -> bool:
    try:
        with script.open("rb") as file:
            data = file.read() if script.suffix == ".exe" else file.read(DOCTOR_HEAD_BYTES)
    except OSError:
        return False
    return any(word in data for word in _OURS)


def _written(package: Path) -> float:
    try:
        return max(entry.stat().st_mtime for entry in os.scandir(package))
    except (OSError, ValueError):
        return 0.0


def _watchdog() -> str:
    try:
        return metadata.version("watchdog")
    except metadata.PackageNotFoundError:
        return "0"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))


def _short(path: str | Path) -> str:
    return short_path(path, Path.home())
