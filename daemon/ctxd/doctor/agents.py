"""Each agent: installed, its logs found and understood, its version tried, its hooks in place."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ctxd.cli.words import ago, count, share
from ctxd.clients.client import Client
from ctxd.clients.registry import CLIENTS
from ctxd.doctor.values import Check, ok, warn
from ctxd.doctor.watching import Logs
from ctxd.hooks.agents import Agents
from ctxd.hooks.registry import BY_AGENT, VENDORS
from ctxd.hooks.standing import Standing
from ctxd.hooks.vendor import Vendor
from ctxd.hooks.versions import ClientVersion
from ctxd.ledger import Oddity
from ctxd.policy.doctor import DOCTOR_LOGS_KEPT_DAYS, DOCTOR_NAMED
from ctxd.status import AgentStatus
from ctxd.terminal import one_line, short_path
from ctxd_parsers.environment import Environment

_UNKNOWN = "a newer ctxd may know them; `ctxd scan` shows more"
_REINSTALL = "`ctxd hook install {agent}` writes them anew"


class Told(msgspec.Struct, frozen=True):
    """What the agents' clients said in time."""

    versions: Mapping[str, ClientVersion]
    """By agent."""
    late: tuple[str, ...]
    """Agents whose client had not answered yet."""


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one agent besides."""

    logs: Logs
    status: AgentStatus | None
    oddities: Sequence[Oddity]
    version: ClientVersion
    daemon_runs: bool


def ask_all(agents: Agents, seconds: float) -> Told:
    """The versions of all clients, asked at once: some are programs that take a second to start,
    and one that hangs is not waited for."""
    until = time.monotonic() + seconds
    found: dict[str, ClientVersion] = {}

    def ask(vendor: Vendor) -> None:
        found[vendor.agent] = agents.version(vendor)

    threads = [threading.Thread(target=ask, args=(vendor,), daemon=True) for vendor in VENDORS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    told = dict(found)
    return Told(told, tuple(vendor.agent for vendor in VENDORS if vendor.agent not in told))


def agent(client: Client, known: Known, env: Environment) -> Iterator[Check]:
    """What there is to say of one agent whose logs are read; nothing of one that is not here."""
    yield from _closed(client, env)
    is_here = known.logs.files or known.version.text or known.status is not None
    if not is_here:
        return
    message = "; ".join(filter(None, (_logs(known), _client(client, known.version))))
    trouble = _trouble(client, known)
    if trouble:
        yield warn(client.agent, f"{message}: {trouble[0]}", trouble[1])
    else:
        yield ok(client.agent, message)
    yield from _kept(client, env)


def _logs(known: Known) -> str:
    if not known.logs.files:
        return "no logs yet"
    newest = datetime.fromtimestamp(known.logs.newest or 0.0, UTC)
    parts = [count(known.logs.files, "log"), f"the newest {ago(newest, datetime.now(UTC))}"]
    if known.status is not None and known.status.understood_share is not None:
        parts.append(f"{share(known.status.understood_share)} understood")
    return ", ".join(parts)


def _client(client: Client, version: ClientVersion) -> str:
    if not version.text:
        return ""
    standing = client.standing(version.text)
    said = "" if standing == "not known" else f", {standing}"
    return f"client {version.text}{said}"


def _trouble(client: Client, known: Known) -> tuple[str, str] | None:
    """The one thing that is wrong, and what to do about it."""
    if known.status is not None and known.status.note:
        kinds = [f"`{one_line(one.kind)}`" for one in known.oddities if one.what == "unknown"]
        named = f" ({', '.join(dict.fromkeys(kinds[:DOCTOR_NAMED]))})" if kinds else ""
        return f"{known.status.note}{named}", _UNKNOWN
    if client.standing(known.version.text) == "newer":
        latest = client.proven[-1]
        return f"newer than any that was tried, {latest}", "upgrade ctxd; look at PARSED meanwhile"
    if known.daemon_runs and known.logs.files and known.status is None:
        return "none of them is read yet", "`ctxd flush`, then look again"
    return None


def _closed(client: Client, env: Environment) -> Iterator[Check]:
    """Logs that nobody but the client can read, and what has it keep others."""
    closed = client.closed(env)
    if closed is not None:
        yield ok(f"{client.agent} logs", f"{closed.why}; {closed.instead}")


def _kept(client: Client, env: Environment) -> Iterator[Check]:
    """How long the client itself keeps its logs, where it deletes them."""
    kept = client.keeps(env)
    if kept is None or kept.days is None:
        return
    name, days = f"{client.agent} logs", f"{kept.days:g}"
    whose = "as its settings say" if kept.chosen else "unless told otherwise"
    message = f"the client deletes logs that are {days} days old, {whose}"
    if kept.days < DOCTOR_LOGS_KEPT_DAYS:
        hint = f"raise `{kept.setting}` in `{short_path(kept.file, Path.home())}`"
        yield warn(name, message, hint)
    else:
        yield ok(name, message)


def hooks(agents: Agents, told: Told) -> Iterator[Check]:
    """How the hooks of the agents that are here stand."""
    if told.late:
        names = ", ".join(told.late)
        message = f"{names}: the client did not tell its version in time"
        yield ok("hooks", message)
    usable = [vendor for vendor in VENDORS if _is_usable(vendor, told) and agents.is_found(vendor)]
    standings = agents.standings(usable)
    for standing in standings:
        yield from _hooks(standing)
    plain = [f"{one.agent} {one.state}" for one in standings if not _is_bad(one)]
    if plain:
        yield ok("hooks", "; ".join(plain))


def _is_usable(vendor: Vendor, told: Told) -> bool:
    return not {vendor.agent, *vendor.with_others} & set(told.late)


def _is_bad(one: Standing) -> bool:
    return one.state in {"stale", "incomplete", "off", "unusable"} or one.wants_install


def _hooks(one: Standing) -> Iterator[Check]:
    if not _is_bad(one):
        return
    hint = _REINSTALL.format(agent=one.agent) if one.wants_install else "mend its settings file"
    message = f"those of {one.agent} are {one.state}: {one_line(one.trouble)}"
    yield warn("hooks", message, hint)


def others(told: Told, agents: Agents) -> Iterator[Check]:
    """Agents that are here, and whose logs ctxd does not read."""
    read = {client.agent for client in CLIENTS}
    found = [
        name
        for name in BY_AGENT
        if name not in read and name not in told.late and agents.is_found(BY_AGENT[name])
    ]
    if found:
        yield ok("agents", f"here too, and not followed: {', '.join(found)}")
