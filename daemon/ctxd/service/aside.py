"""Files and folders that failed: each told once, left alone for a while, and forgiven when well."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec


class _Failed(msgspec.Struct, frozen=True):
    why: str
    until: float


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

    def put(self, path: Path, why: str, until: float) -> bool:
        """Note that a file failed, and return whether it is news."""
        before = self._failed.get(path)
        self._failed[path] = _Failed(why, until)
        return before is None or before.why != why

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
