"""Numbers, sizes and times as people read them. JSON has them raw."""

from __future__ import annotations

import contextlib
import os
import shlex
from datetime import UTC, datetime, timedelta

NONE = "-"
"""Stands for what is not known: never 0."""

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_STEP = 1000.0
_CENT = 0.005
_AGES = (
    (timedelta(minutes=1), timedelta(seconds=1), "s"),
    (timedelta(hours=1), timedelta(minutes=1), "m"),
    (timedelta(days=1), timedelta(hours=1), "h"),
    (timedelta(days=60), timedelta(days=1), "d"),
)


def number(value: int) -> str:
    """With separators: `1,204`."""
    return f"{value:,}"


def size(count: int) -> str:
    """In decimal units, with two or three digits that matter: `3.4 MB`."""
    value = float(count)
    for unit in _UNITS:
        if value < _STEP or unit == _UNITS[-1]:
            break
        value /= _STEP
    exact = unit == _UNITS[0] or value >= _STEP / 10
    return f"{value:,.0f} {unit}" if exact else f"{value:.1f} {unit}"


def about(value: int) -> str:
    """A number with two or three digits that matter: `84k`, `1.2M`."""
    for unit, step in (("M", 1_000_000), ("k", 1_000)):
        if value >= step:
            return (
                f"{value / step:.3g}{unit}" if value < 1_000 * step else f"{value // step:,}{unit}"
            )
    return str(value)


def dollars(value: float) -> str:
    """US dollars, to the cent, or as many digits as it takes to be more than nothing."""
    return f"${value:,.2f}" if not value or value >= _CENT else f"${value:.2g}"


def share(value: float | None) -> str:
    """In per cent; `100%` only when it is all."""
    if value is None:
        return NONE
    percent = int(value * 1000) / 10
    return "100%" if value >= 1 else f"{min(percent, 99.9):.1f}%"


def ago(time: datetime | None, now: datetime) -> str:
    """How long since: `4s ago`, `3h ago`; the date for what is months away or in the future."""
    if time is None:
        return NONE
    passed = now - time
    for limit, unit, name in _AGES:
        if timedelta(0) <= passed < limit:
            return f"{passed // unit}{name} ago"
    return local(time).date().isoformat()


def minute(time: datetime) -> str:
    """Date and time of day: `2026-03-14 09:12`."""
    return local(time).replace(tzinfo=None).isoformat(" ", "minutes")


def local(time: datetime) -> datetime:
    """In the zone of this machine; in UTC on the first and last day that can be written at all."""
    with contextlib.suppress(OverflowError, OSError, ValueError):
        return time.astimezone()
    return time.replace(tzinfo=UTC)


def typed(argument: str) -> str:
    """As it is typed on a command line: in quotes where it has to be."""
    if os.name == "nt":
        return f'"{argument}"' if " " in argument else argument
    return shlex.quote(argument)


def count(value: int, one: str, many: str | None = None) -> str:
    """With its noun: `1 file`, `2 files`."""
    return f"{number(value)} {one if value == 1 else many or one + 's'}"
