"""`ctxd doctor --report`: all that helps to find a fault, and nothing that was said in a session.

`Bundle` is the published form `ctxd.bundle/1` (docs/json.md).
"""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
import sysconfig
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path, PurePath
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from ctxd import __version__
from ctxd.clients.registry import CLIENTS
from ctxd.compaction_status import CompactionsStatus
from ctxd.doctor.scrubbing import Scrubber
from ctxd.doctor.upkeep import log_lines
from ctxd.doctor.values import Check
from ctxd.errors import CtxdError, UserError, reason
from ctxd.item_status import ItemsStatus
from ctxd.ledger import Ledger, Oddity, Reader
from ctxd.places import Places
from ctxd.policy.doctor import DOCTOR_LOG_LINES
from ctxd.reader_choice import chosen_reader
from ctxd.status import AgentStatus, DaemonStatus, Status, ledger_path
from ctxd.terminal import short_path
from ctxd_parsers.environment import Environment
from ctxd_parsers.registry import PARSERS

_LIBRARIES = ("click", "msgspec", "pydantic", "watchdog", "apscheduler", "filelock", "rich")
_SAYS_WORDS = frozenset({"notice.not_shown"})
"""Checks whose message has words of a session in it."""


class Given(msgspec.Struct, frozen=True):
    """A setting that is in force."""

    key: str
    value: Any
    origin: str


class Unread(msgspec.Struct, frozen=True):
    """A log that cannot be read."""

    path: str
    reason: str
    times: int


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """What a report holds."""

    schema: Literal["ctxd.bundle/1"] = "ctxd.bundle/1"
    made: datetime
    versions: dict[str, str]
    checks: tuple[Check, ...]
    settings: tuple[Given, ...]
    daemon: DaemonStatus | None
    agents: tuple[AgentStatus, ...]
    items: ItemsStatus | None
    compactions: CompactionsStatus | None
    worktrees: dict[str, int]
    """How many stand how."""
    ledger_bytes: int
    oddities: tuple[Oddity, ...]
    failures: tuple[Unread, ...]
    log: tuple[str, ...]
    """The end of the daemon's log."""


def bundle(
    places: Places, checks: Sequence[Check], status: Status | None, *, names: bool
) -> Bundle:
    """The report of what was found; with `names`, repositories are named in it."""
    found = _Ledger.read(places)
    scrubber = _scrubber(places, found.folders, names=names)
    return Bundle(
        made=datetime.now(UTC),
        versions=_versions(),
        checks=tuple(_check(check, scrubber) for check in checks),
        settings=tuple(_settings(places, scrubber)),
        daemon=_daemon(status, scrubber),
        agents=status.agents if status else (),
        items=status.items if status else None,
        compactions=status.compactions if status else None,
        worktrees=_standings(status),
        ledger_bytes=status.ledger_bytes if status else 0,
        oddities=tuple(
            msgspec.structs.replace(one, kind=scrubber.text(one.kind)) for one in found.oddities
        ),
        failures=tuple(
            Unread(scrubber.path(one.path), scrubber.text(one.reason), one.times)
            for one in found.failures
        ),
        log=tuple(scrubber.log(log_lines(places)[-DOCTOR_LOG_LINES:])),
    )


def write(file: Path, made: Bundle) -> None:
    """Write a report where there is no file yet, for the user alone; raise UserError otherwise."""
    data = msgspec.json.format(msgspec.json.encode(made, order="sorted"), indent=2)
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        where = short_path(file, Path.home())
        raise UserError(f"`{where}` is there already", "name another file") from error
    except OSError as error:
        where = short_path(file, Path.home())
        raise UserError(f"cannot write `{where}`: {reason(error)}", "name another file") from error
    with open(descriptor, "wb") as opened:
        opened.write(data + b"\n")


class _Ledger(msgspec.Struct, frozen=True):
    """What is told of the ledger besides its status."""

    folders: tuple[str, ...] = ()
    """Repositories, and folders that sessions ran in."""
    oddities: tuple[Oddity, ...] = ()
    failures: tuple[Unread, ...] = ()

    @classmethod
    def read(cls, places: Places) -> _Ledger:
        try:
            with Ledger.reader(ledger_path(places.state)) as reader:
                failures = [Unread(str(f.path), f.reason, f.times) for f in reader.failures()]
                return cls(_folders(reader), tuple(reader.oddities()), tuple(failures))
        except CtxdError:
            return cls()


def _folders(reader: Reader) -> tuple[str, ...]:
    from ctxd.context_files.memories import roots

    found = [count.repository for count in reader.item_counts()]
    found += [folder for *_, folder in reader.session_folders() if folder]
    return tuple(dict.fromkeys([*found, *roots(reader)]))


def _scrubber(places: Places, folders: Sequence[str], *, names: bool) -> Scrubber:
    env = Environment.current()
    roots = [source.root for parser in PARSERS for source in parser.sources(env)]
    kept = filter(None, (client.keeps(env) for client in CLIENTS))
    settings = [PurePath(one.file) for one in kept]
    own = [places.config, places.state, places.log, places.runtime, *_installed(), *settings]
    logs = [root for root in roots if root != env.home]
    scrubber = Scrubber(own, logs, folders, names=names)
    reader = chosen_reader(places.config)
    scrubber.server = urlsplit(reader.base_url).netloc if reader else ""
    return scrubber


def _installed() -> list[PurePath]:
    """Where this ctxd, its Python and its libraries are."""
    paths = sysconfig.get_paths()
    here = Path(__file__).parent.parent
    found = [Path(paths[name]) for name in ("stdlib", "purelib", "scripts")]
    return [here, *found, Path(sys.executable)]


def _versions() -> dict[str, str]:
    found = {
        "ctxd": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not found"
    return found


def _check(check: Check, scrubber: Scrubber) -> Check:
    if check.name in _SAYS_WORDS:
        return Check(name=check.name, state=check.state, message="a notice was not shown")
    message, hint = scrubber.text(check.message), scrubber.text(check.hint)
    return Check(name=check.name, state=check.state, message=message, hint=hint)


def _settings(places: Places, scrubber: Scrubber) -> list[Given]:
    from ctxd.configuration import all_settings

    try:
        found = all_settings(places.config)
    except CtxdError:  # what is wrong with them is among the checks
        return []
    return [Given(one.key, scrubber.value(one.value), one.origin) for one in found]


def _daemon(status: Status | None, scrubber: Scrubber) -> DaemonStatus | None:
    if status is None:
        return None
    trouble = status.daemon.trouble
    scrubbed = scrubber.text(trouble) if trouble else None
    return msgspec.structs.replace(status.daemon, trouble=scrubbed)


def _standings(status: Status | None) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in status.worktrees if status else ():
        found[one.standing] = found.get(one.standing, 0) + 1
    return found
