"""Files and folders that failed: each told once, left alone for a while, and forgiven when well."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ctxd.policy.daemon import DEFECTS_LOGGED

log = logging.getLogger(__name__)


class _Failed(msgspec.Struct, frozen=True):
    why: str
    until: float
    times: int = 1


class Aside:
    """What failed when it was read, and what could not even be looked at."""

    def __init__(self, known: Mapping[Path, str]) -> None:
        self._failed: dict[Path, _Failed] = {}
        self._unseen = dict(known)
        """Of the last look everywhere; at first what an earlier run left noted in the ledger."""

    def until(self, path: Path, now: float) -> float | None:
        """Until when a file is left alone, however much it changes; None when it may be read."""
        failed = self._failed.get(path)
        return failed.until if failed and now < failed.until else None

    def put(self, path: Path, why: str, until: float) -> int:
        """Note that a file failed, and return how often it failed like that."""
        before = self._failed.get(path)
        times = 1 + (before.times if before and before.why == why else 0)
        self._failed[path] = _Failed(why, until, times)
        return times

    def forgive(self, path: Path) -> bool:
        """A file was read, or is gone; return whether it had failed."""
        return self._failed.pop(path, None) is not None

    def looked(self, trouble: Mapping[Path, str]) -> tuple[dict[Path, str], list[Path]]:
        """Take what could not be looked at this time; return what of it is news, and what is well
        again."""
        news = {path: why for path, why in trouble.items() if self._unseen.get(path) != why}
        well = [path for path in self._unseen if path not in trouble and path not in self._failed]
        self._unseen = dict(trouble)
        return news, well


class Defects:
    """Defects of ctxd that one run met, each logged once: one may come back every second."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def note(self, error: Exception) -> None:
        """Log a defect, unless that was done."""
        name = f"{type(error).__name__}: {error}"
        if name not in self._known and len(self._known) < DEFECTS_LOGGED:
            self._known.add(name)
            log.error("defect: %s", name, exc_info=error)
