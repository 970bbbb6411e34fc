"""The daemon and what it keeps: ledger, lock, its own log, its settings."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from ctxd.cli.words import count, size
from ctxd.doctor.values import Check, fail, ok, warn
from ctxd.errors import CtxdError
from ctxd.ledger.checkup import check_up
from ctxd.places import Places
from ctxd.policy.doctor import (
    DOCTOR_LEDGER_SECONDS,
    DOCTOR_LOG_BYTES,
    DOCTOR_LOG_SECONDS,
    DOCTOR_WAL_BYTES,
)
from ctxd.processes import living
from ctxd.service.single import read_card
from ctxd.status import DaemonStatus, ledger_path
from ctxd.terminal import one_line, short_path

_START = "start it with `ctxd service start`, or `ctxd run` in a terminal"
_DAEMON = {
    "stopped": ("warn", _START),
    "never started": ("warn", "start it with `ctxd service install`, or `ctxd run`"),
    "hung": ("fail", "`ctxd service restart`; without a service, end it and `ctxd run`"),
}


def settings(places: Places, variables: Mapping[str, str] = os.environ) -> Check:
    """Whether the settings can be used."""
    from ctxd.settings import FILE, load_settings

    try:
        found = load_settings(places.config, variables)
    except CtxdError as error:
        return fail("settings", error.message, error.hint)
    quiet = f", quiet {found.notify.quiet_hours}" if found.notify.quiet_hours else ""
    where = "" if (places.config / FILE).exists() else ", all defaults"
    return ok(
        "settings", f"in order{where}; write: {found.write}; notices: {found.notify.level}{quiet}"
    )


def plugins() -> Iterator[Check]:
    """Parsers of other packages that could not be taken in use."""
    from ctxd_parsers.plugins import FAILED
    from ctxd_parsers.registry import PARSERS

    for name, why in FAILED.items() if PARSERS else ():
        message = f"the parser `{one_line(name)}` of another package is left out: {one_line(why)}"
        yield warn("parsers", message, "upgrade or uninstall that package")


def ledger(places: Places) -> Check:
    """Whether the ledger is sound."""
    path = ledger_path(places.state)
    try:
        found = check_up(path, DOCTOR_LEDGER_SECONDS)
    except FileNotFoundError:
        return ok("ledger", "not made yet")
    except OSError as error:
        return fail("ledger", f"cannot be looked at: {error.strerror}", "see `folders`")
    where = f"`{short_path(path, Path.home())}`"
    if found.damaged:
        hint = "restart the daemon: it keeps the damaged file, and reads all logs again"
        return fail("ledger", f"{where} is damaged: {one_line(found.trouble)}", hint)
    if found.trouble:
        hint = "end what locks it, and see whether the disk is well"
        return fail("ledger", f"{where} cannot be read: {one_line(found.trouble)}", hint)
    if found.log_bytes > DOCTOR_WAL_BYTES:
        message = f"its write-ahead log has grown to {size(found.log_bytes)}"
        return warn("ledger", message, "`ctxd service restart` folds it back into the ledger")
    checked = "sound" if found.whole else "checked in part, since it is large"
    return ok("ledger", f"{size(found.bytes)}, {checked}; {size(found.log_bytes)} to fold in")


def lock(places: Places, pid: int | None) -> Check:
    """Who has the right to be the daemon; `pid` is who says that it is."""
    card = read_card(places.state / "daemon.json")
    holder = _holder(places.state / "daemon.lock")
    if holder is None and card is None:
        return ok("lock", "free")
    if holder is None and card is not None:
        if living(card.pid) is None:
            return ok("lock", f"free: the last daemon, pid {card.pid}, was killed")
        return ok("lock", f"held by pid {card.pid}, as far as the system tells")
    if card is None:
        return ok("lock", f"held by pid {holder}, which just starts or ends")
    if holder != card.pid or pid not in (None, holder):
        message = f"pid {holder} holds it, and pid {card.pid} says that it is the daemon"
        return warn("lock", message, f"end pid {holder}, then `ctxd service restart`")
    return ok("lock", f"held by pid {holder}")


def _holder(path: Path) -> int | None:
    """The process that holds the lock of a file; None when none does, or nobody tells."""
    if sys.platform != "linux":
        return None
    try:
        inode = path.stat().st_ino
        lines = Path("/proc/locks").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        fields = line.split()
        held = len(fields) > 5 and "->" not in fields and fields[-3].endswith(f":{inode}")  # noqa: PLR2004
        if held and fields[-4].isdigit():
            return int(fields[-4])
    return None


def daemon(found: DaemonStatus) -> Check:
    """Whether it runs."""
    if found.state not in _DAEMON:
        polled = f", {found.polled_folders} of them polled" if found.polled_folders else ""
        places = count(found.watched_folders + found.polled_folders, "place")
        return ok("daemon", f"{found.state}, pid {found.pid}, {found.version}, {places}{polled}")
    state, hint = _DAEMON[found.state]
    message = f"the daemon is not running: {found.state}"
    if found.state == "hung":
        message = f"the daemon has not moved for {int(found.tick_age_seconds or 0)} seconds"
    return Check(
        name="daemon", state="warn" if state == "warn" else "fail", message=message, hint=hint
    )


def log(places: Places, now: float) -> Iterator[Check]:
    """What the daemon complained of in the last day, and how often events were lost."""
    recent = [line for line in log_lines(places) if now - _time(line) < DOCTOR_LOG_SECONDS]
    lost = sum(" WARNING watchdog" in line for line in recent)
    if lost:
        told = f"file events were lost {count(lost, 'time')} in a day"
        yield ok("events", f"{told}; everything was looked at instead, which finds what they told")
    bad = [line for line in recent if " ERROR " in line or " CRITICAL " in line]
    if not bad:
        yield ok("log", f"no errors in {count(len(recent), 'line')} of the last day")
        return
    said = bad[-1].partition(" ERROR ")[2] or bad[-1]
    message = f"{count(len(bad), 'error')} in a day, the last: {one_line(said)}"
    yield warn("log", message, "`ctxd service logs` shows them")


def log_lines(places: Places) -> list[str]:
    """The end of the daemon's log."""
    try:
        with (places.log / "ctxd.log").open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - DOCTOR_LOG_BYTES))
            data = file.read()
    except OSError:
        return []
    return data.decode("utf-8", "replace").splitlines()


def _time(line: str) -> float:
    """When a line was written; long ago where it does not begin with a time."""
    try:
        return datetime.strptime(line.partition(" ")[0], "%Y-%m-%dT%H:%M:%S%z").timestamp()
    except ValueError:
        return 0.0
