"""What `ctxd doctor` looks at: read-only, cheap, and each finding with a way out of it.

`DoctorReport` is the published form `ctxd.doctor/1` (docs/json.md).
"""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from ctxd import __version__
from ctxd.errors import CtxdError, reason
from ctxd.notify.values import Dispatched, Notice
from ctxd.places import Places
from ctxd.policy.shown import DISK_WARNING_BYTES
from ctxd.status import AgentStatus, Status
from ctxd.terminal import path_text

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


TEST = Notice(
    "doctor", "ctxd can reach you here", "A compaction that drops a constraint is told like this."
)


def test_notice(dispatch: Callable[[Notice], Dispatched]) -> Check:
    """Send a notice, and say what became of it."""
    outcome = dispatch(TEST)
    if outcome.state == "dispatched":
        return _ok("notices", f"a test notice was dispatched by {outcome.backend}")
    state: State = "fail" if outcome.state == "failed" else "warn"
    by = f" by {outcome.backend}" if outcome.backend else ""
    return Check(
        name="notices",
        state=state,
        message=f"the test notice was not dispatched{by}: {outcome.why}",
        hint=outcome.hint or "`ctxd status` shows what could not be",
    )


def checks(places: Places, status: Callable[[], Status]) -> Iterator[Check]:
    """All that is looked at without being asked for."""
    yield _versions()
    yield _settings(places)
    yield from _folders(places)
    yield _disk(places)
    try:
        found = status()
    except CtxdError as error:
        yield Check(name="ledger", state="fail", message=error.message, hint=error.hint)
        return
    yield _daemon(found)
    for agent in found.agents:
        yield _agent(agent)
    for warning in found.warnings:
        yield Check(name=warning.code, state="warn", message=warning.message, hint=warning.hint)


def _ok(name: str, message: str) -> Check:
    return Check(name=name, state="ok", message=message)


def _versions() -> Check:
    python = platform.python_version()
    return _ok("versions", f"ctxd {__version__}, Python {python}, SQLite {sqlite3.sqlite_version}")


def _settings(places: Places) -> Check:
    from ctxd.settings import load_settings

    try:
        found = load_settings(places.config).notify
    except CtxdError as error:
        return Check(name="settings", state="fail", message=error.message, hint=error.hint)
    quiet = f", quiet {found.quiet_hours}" if found.quiet_hours else ""
    return _ok("settings", f"in order; notices: {found.level}{quiet}")


def _folders(places: Places) -> Iterator[Check]:
    made = [path for path in (places.state, places.log, places.runtime) if os.path.lexists(path)]
    bad = [(path, why) for path in made if (why := _trouble(path))]
    for path, why in bad:
        hint = "make it yours alone: `chmod 700`, or name others with `--home`"
        message = f"`{path_text(path)}` {why}"
        yield Check(name="folders", state="fail", message=message, hint=hint)
    if not bad:
        yield _ok("folders", "yours alone" if made else "not made yet")


def _trouble(path: Path) -> str:
    """What is wrong with a folder of ours; empty when nothing is."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return f"cannot be looked at: {reason(error)}"
    if not path.is_dir():
        return "is no folder"
    if os.name != "nt" and mode & 0o077:
        return "is open to other users"
    return "" if os.access(path, os.W_OK | os.X_OK) else "cannot be written to"


def _disk(places: Places) -> Check:
    from ctxd.cli.words import size

    folder = places.state
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    message = f"{size(free)} free for `{path_text(places.state)}`"
    if free >= DISK_WARNING_BYTES:
        return _ok("disk", message)
    return Check(name="disk", state="warn", message=message, hint="free some space")


def _daemon(status: Status) -> Check:
    daemon = status.daemon
    if daemon.state in {"running", "paused"}:
        polled = f", {daemon.polled_folders} of them polled" if daemon.polled_folders else ""
        places = daemon.watched_folders + daemon.polled_folders
        return _ok("daemon", f"{daemon.state}, pid {daemon.pid}, {places} places{polled}")
    state: State = "fail" if daemon.state == "hung" else "warn"
    message = f"the daemon is not running: {daemon.state}"
    return Check(name="daemon", state=state, message=message, hint="start it with `ctxd run`")


def _agent(agent: AgentStatus) -> Check:
    from ctxd.cli.words import number, share

    logs = f"{number(agent.transcripts)} logs, {share(agent.understood_share)} understood"
    if not agent.note:
        return _ok(agent.agent, logs)
    hint = "`ctxd scan` shows what; a newer ctxd may know it"
    return Check(name=agent.agent, state="warn", message=f"{logs}: {agent.note}", hint=hint)
