"""What the system does for ctxd: starts it at login, and shows its notices."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping

from ctxd.doctor.values import Check, fail, ok, warn
from ctxd.errors import CtxdError
from ctxd.service_install.managers import Manager, manager
from ctxd.service_install.service import Ping, Service, ServiceReport

_FAILURES = frozenset({"service.failed"})
_PROGRAMS = {"darwin": "osascript", "win32": "powershell"}
"""By system, what shows notices."""


def service(ping: Ping, found: Manager | None = None) -> Iterator[Check]:
    """How the service stands: there, of this version, of a Python that exists, begun at login."""
    used = found or manager()
    try:
        used.check()
    except CtxdError as error:
        yield ok("service", f"{error.message}; {error.hint}")
        return
    try:
        report = Service(used, ping).report()
    except CtxdError as error:
        yield fail("service", error.message, error.hint)
        return
    for need in report.needs:
        make = fail if need.code in _FAILURES else warn
        yield make("service", need.message, need.hint)
    yield from _standing(report, used)


def _standing(report: ServiceReport, used: Manager) -> Iterator[Check]:
    if report.at_login is False:
        yield warn("service", "it is not started at login", "`ctxd service install` has it be")
    elif not report.needs:
        advice = used.advice()
        more = f"; {advice}" if advice else ""
        yield ok("service", f"{report.state}, started by {report.manager} at login{more}")


def notices(level: str, variables: Mapping[str, str] = os.environ) -> Check:
    """Which way notices go; whether they arrive, only `--notify` can tell."""
    if level == "off":
        return ok("notices", "turned off in the settings")
    way = _way(variables)
    if not way:
        return ok("notices", "there is no desktop to show them; `ctxd status` tells instead")
    return ok("notices", f"by {way}; `ctxd doctor --notify` sends one to try")


def _way(variables: Mapping[str, str]) -> str:
    if sys.platform == "linux":
        from ctxd.notify.bus import session_bus

        return "D-Bus" if session_bus(variables) else ""
    program = _PROGRAMS.get(sys.platform, "")
    return program if program and shutil.which(program) else ""
