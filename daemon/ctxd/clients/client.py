"""What is known of one agent's client: the versions whose logs are proven, and its own clean-up."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any, Literal

import msgspec

from ctxd.hooks import jsonc
from ctxd.policy.doctor import DOCTOR_SETTINGS_BYTES
from ctxd_parsers.environment import Environment
from ctxd_parsers.reading import open_regular

Standing = Literal["tested", "like a tested one", "older", "newer", "not known"]
"""`like a tested one`: between two that were, or of the same series."""


class Kept(msgspec.Struct, frozen=True):
    """How long a client keeps its logs."""

    days: float | None
    """None: it deletes none."""
    setting: str
    """By which the user can change that."""
    file: str
    """Where the setting stands."""
    chosen: bool
    """Whether the user has set it; else it is the client's own."""


class Closed(msgspec.Struct, frozen=True):
    """Logs that are there and cannot be read."""

    why: str
    instead: str
    """What the user can do to have others that can."""


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """One agent whose logs are read."""

    agent: str
    """As the rest of ctxd calls it."""
    product: str
    """As people call it."""
    proven: tuple[str, ...] = ()
    """Versions whose real logs the tests read, the oldest first; none where logs had to be made
    after its source."""
    keeps: Callable[[Environment], Kept | None] = lambda _env: None
    """How long it keeps logs; None when that is not known, or it keeps them for ever."""
    closed: Callable[[Environment], Closed | None] = lambda _env: None
    """Logs of it that cannot be read, where there are no others."""

    def standing(self, version: str) -> Standing:
        """How a version stands to those that were tested."""
        if not version or not self.proven:
            return "not known"
        if version in self.proven:
            return "tested"
        numbers, tested = _numbers(version), [_numbers(one) for one in self.proven]
        if numbers < tested[0]:
            return "older"
        series = numbers[:2] in {one[:2] for one in tested}
        return "like a tested one" if series or numbers < tested[-1] else "newer"


def settings_of(file: PurePath) -> dict[str, Any]:
    """The values of a client's settings file; none where it cannot be read."""
    try:
        # Settings may be a link of whoever manages such files.
        with open_regular(Path(os.path.realpath(file))) as opened:
            text = (opened.read(DOCTOR_SETTINGS_BYTES) or b"").decode("utf-8")
        data = jsonc.parse(text).data
    except (OSError, UnicodeError, jsonc.BrokenError):
        return {}
    return data if isinstance(data, dict) else {}


def days(value: Any) -> float | None:
    """A number of days in settings; None for anything else."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
