"""What was looked at and found: `DoctorReport` is the published form `ctxd.doctor/1`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from ctxd.policy.doctor import DOCTOR_NAMED

State = Literal["ok", "warn", "fail"]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    name: str
    state: State
    message: str
    hint: str = ""
    """What to do about it; empty when all is well."""


class DoctorReport(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `ctxd doctor`."""

    schema: Literal["ctxd.doctor/1"] = "ctxd.doctor/1"
    checks: tuple[Check, ...]

    @property
    def is_well(self) -> bool:
        """Whether there is nothing to find fault with."""
        return all(check.state == "ok" for check in self.checks)


def ok(name: str, message: str) -> Check:
    """All is well."""
    return Check(name=name, state="ok", message=message)


def warn(name: str, message: str, hint: str) -> Check:
    """It works, and may not for long, or not as well as it could."""
    return Check(name=name, state="warn", message=message, hint=hint)


def fail(name: str, message: str, hint: str) -> Check:
    """It does not work."""
    return Check(name=name, state="fail", message=message, hint=hint)


def bounded(found: Iterable[Check], most: int = DOCTOR_NAMED) -> Iterator[Check]:
    """The first findings of one kind one by one, and how many more there are in one."""
    checks = list(found)
    yield from checks[:most]
    more = checks[most:]
    if more:
        worst: State = "fail" if any(check.state == "fail" for check in more) else "warn"
        yield Check(
            name=more[0].name, state=worst, message=f"{len(more)} more like it", hint=more[0].hint
        )
