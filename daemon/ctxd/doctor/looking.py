"""All that `ctxd doctor` looks at, in the order in which it is told: nothing of it is changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime

import msgspec

from ctxd.clients.registry import CLIENTS
from ctxd.doctor import agents as of_agents
from ctxd.doctor import background, folders, machine, privacy, projects, upkeep, watching
from ctxd.doctor.later import Later
from ctxd.doctor.reader import second_reader
from ctxd.doctor.values import Check, bounded, fail, ok, warn
from ctxd.errors import CtxdError
from ctxd.hooks.agents import Agents
from ctxd.hooks.registry import BY_AGENT
from ctxd.hooks.versions import ClientVersion
from ctxd.ledger import Ledger, Oddity, Reader
from ctxd.places import Places
from ctxd.policy.doctor import DOCTOR_AHEAD_SECONDS, DOCTOR_CLIENT_SECONDS, DOCTOR_SECONDS
from ctxd.reader_choice import chosen_reader
from ctxd.service_install.service import Ping
from ctxd.status import Status, ledger_path
from ctxd_parsers.environment import Environment

_TOLD_ELSEWHERE = frozenset({"daemon.hung", "settings.bad", "context.stopped"})
"""Warnings of `ctxd status` that a check of its own tells of."""
_STUCK = "`ctxd service status` waits for it; log in anew, or restart the machine"


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked at."""

    places: Places
    status: Callable[[], Status]
    ping: Ping
    now: Callable[[], float] = time.time


class _Slow:
    """What is found out beside the rest, and when it has to be there."""

    def __init__(self, subject: Subject) -> None:
        self.until = time.monotonic() + DOCTOR_SECONDS
        self.level, self.polling, self.env = _settings(subject.places)
        self.agents = Agents(subject.places, datetime.now(UTC))
        self.service = Later(lambda: list(background.service(subject.ping)))
        self.disk = Later(lambda: watching.OnDisk(self.env))
        self.told = Later(lambda: of_agents.ask_all(self.agents, DOCTOR_CLIENT_SECONDS))


def look(subject: Subject) -> Iterator[Check]:
    """Everything."""
    slow = _Slow(subject)
    yield machine.versions()
    yield machine.program()
    yield upkeep.settings(subject.places)
    yield from upkeep.plugins()
    yield from folders.folders(subject.places)
    yield from machine.disk(subject.places)
    sound = upkeep.ledger(subject.places)
    yield sound
    status = _status(subject, sound)
    if isinstance(status, Check):
        yield status
        status = None
    yield from _daemon(subject, status)
    service = slow.service.by(slow.until)
    yield from service or [warn("service", "the service manager does not answer", _STUCK)]
    yield background.notices(slow.level)
    yield from _logs(subject, status, slow)
    yield from _warnings(status)


def _status(subject: Subject, sound: Check) -> Status | Check | None:
    """The status; a failure where it cannot be told, and nothing where that was said already."""
    try:
        return subject.status()
    except CtxdError as error:
        return None if sound.state != "ok" else fail("ledger", error.message, error.hint)


def _daemon(subject: Subject, status: Status | None) -> Iterator[Check]:
    runs = status is not None and status.daemon.state not in ("stopped", "never started")
    pid = status.daemon.pid if status is not None and runs else None
    if status is not None:
        yield upkeep.daemon(status.daemon)
    yield upkeep.lock(subject.places, pid)
    yield privacy.privacy(pid)
    with ExitStack() as stack:
        ledger = _reader(subject.places, stack)
        yield from second_reader(chosen_reader(subject.places.config), ledger, subject.now())
    yield from upkeep.log(subject.places, subject.now())


def _logs(subject: Subject, status: Status | None, slow: _Slow) -> Iterator[Check]:
    disk = slow.disk.by(slow.until)
    if disk is None:
        message = f"the folders of logs were not gone through in {DOCTOR_SECONDS:g} seconds"
        yield warn("watching", message, "see whether a disk is slow, or does not answer")
        return
    yield _clock(subject.now(), status, disk)
    yield from watching.watching(disk, subject.places, polling=slow.polling)
    told = slow.told.by(slow.until) or of_agents.Told({}, tuple(BY_AGENT))
    with ExitStack() as stack:
        reader = _reader(subject.places, stack)
        oddities = reader.oddities() if reader else []
        yield from _agents(disk, status, told, (slow.env, oddities))
        yield from of_agents.others(told, slow.agents)
        yield from of_agents.hooks(slow.agents, told)
        if reader is not None:
            yield from projects.projects(reader)


def _reader(places: Places, stack: ExitStack) -> Reader | None:
    """The ledger to read in; None where there is none, or none that can be read."""
    try:
        return stack.enter_context(Ledger.reader(ledger_path(places.state)))
    except CtxdError:
        return None


def _settings(places: Places) -> tuple[str, bool, Environment]:
    """What of the settings matters here; the defaults where they are wrong, which was told."""
    from ctxd.settings import Settings, load_settings

    try:
        found = load_settings(places.config)
    except CtxdError:
        found = Settings()
    return found.notify.level, found.polling, Environment.current(found.extra_roots)


def _clock(now: float, status: Status | None, disk: watching.OnDisk) -> Check:
    tick = status.daemon.tick if status is not None else None
    if disk.newest is not None and disk.newest > now + DOCTOR_AHEAD_SECONDS:
        ahead = f"a log was written to {int(disk.newest - now)} seconds from now"
        return warn("clock", f"{ahead}: the clock was set back", "set the clock, or wait")
    return machine.clock(now, tick.timestamp() if tick else None)


def _agents(
    disk: watching.OnDisk,
    status: Status | None,
    told: of_agents.Told,
    more: tuple[Environment, list[Oddity]],
) -> Iterator[Check]:
    env, oddities = more
    by_agent = {one.agent: one for one in status.agents} if status is not None else {}
    runs = status is not None and status.daemon.state == "running"
    found: list[Check] = []
    for client in CLIENTS:
        known = of_agents.Known(
            logs=disk.agents.get(client.agent, watching.Logs()),
            status=by_agent.get(client.agent),
            oddities=[one for one in oddities if one.agent == client.agent],
            version=told.versions.get(client.agent, ClientVersion()),
            daemon_runs=runs,
        )
        found += of_agents.agent(client, known, env)
    yield from found
    if not found:
        yield ok("agents", "none was found: `ctxd paths --all` shows where logs are looked for")


def _warnings(status: Status | None) -> Iterator[Check]:
    """What `ctxd status` says needs the user, as far as it was not told of yet."""
    found: dict[str, list[Check]] = {}
    for notice in status.warnings if status is not None else ():
        if notice.code not in _TOLD_ELSEWHERE:
            check = warn(notice.code, notice.message, notice.hint)
            found.setdefault(notice.code, []).append(check)
    for checks in found.values():
        yield from bounded(checks)
