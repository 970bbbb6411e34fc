"""How an agent's hooks stand: which are in its files, and whether they can do their work."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from ctxd.errors import UserError
from ctxd.hooks import configuration, jsonc
from ctxd.hooks.installing import Installer, moments_of
from ctxd.hooks.shell import called
from ctxd.hooks.vendor import File, Vendor
from ctxd.hooks.versions import ClientVersion
from ctxd.hooks.writing import target_of
from ctxd.terminal import path_text
from ctxd_parsers.environment import Environment

State = Literal["installed", "incomplete", "stale", "off", "not installed", "unusable"]


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The hooks in one file of one agent."""

    agent: str
    product: str
    found: bool
    """Whether the agent was used here, or its client is installed."""
    file: str
    state: State
    client_version: str
    """Empty: not known."""
    told_by: str
    """Who told the version: `client`, `log`, or nobody."""
    installed_for: str
    """The version of the client when the hooks were written; empty: not known."""
    events: tuple[str, ...]
    missing: tuple[str, ...]
    """Events that are to be there, and are not."""
    trouble: str
    """Why the state is not `installed`, or what has changed since; empty: nothing."""
    notes: tuple[str, ...]

    @classmethod
    def without_file(
        cls, vendor: Vendor, version: ClientVersion, why: str, *, found: bool
    ) -> Standing:
        """Of an agent that has nothing to write hooks into."""
        return cls(
            agent=vendor.agent,
            product=vendor.product,
            found=found,
            file="",
            state="not installed",
            client_version=version.text,
            told_by=version.told_by,
            installed_for="",
            events=(),
            missing=(),
            trouble=why,
            notes=vendor.notes,
        )


def is_found(vendor: Vendor, env: Environment, version: ClientVersion) -> bool:
    """Whether an agent was used on this machine, as far as that shows."""
    return bool(version.text) or any(Path(home).is_dir() for home in vendor.homes(env))


def standing_of(
    installer: Installer, vendor: Vendor, file: File, version: ClientVersion, *, found: bool
) -> Standing:
    """How the hooks stand in a file."""
    state, trouble, hooks, missing = _state(installer, vendor, file, version)
    record = None
    if state != "unusable":
        record = installer.records.of(str(target_of(Path(file.path)).path))
    installed_for = record.versions.get(vendor.agent, "") if record else ""
    if state == "installed" and installed_for and version.text not in ("", installed_for):
        trouble = f"{vendor.product} was {installed_for} when they were written"
    return Standing(
        agent=vendor.agent,
        product=vendor.product,
        found=found,
        file=path_text(file.path),
        state=state,
        client_version=version.text,
        told_by=version.told_by,
        installed_for=installed_for,
        events=tuple(hook.event for hook in hooks),
        missing=missing,
        trouble=trouble,
        notes=vendor.notes,
    )


def _state(
    installer: Installer, vendor: Vendor, file: File, version: ClientVersion
) -> tuple[State, str, list[configuration.Hook], tuple[str, ...]]:
    try:
        target = target_of(Path(file.path))
        data = jsonc.parse(configuration.decoded(target.before or b"")).data
    except UserError as error:
        return "unusable", error.message, [], ()
    except jsonc.BrokenError as error:
        return "unusable", f"the file is no JSON: {error}", [], ()
    hooks = configuration.hooks_in(data)
    if not hooks:
        return "not installed", "", [], ()
    off = vendor.off(data)
    if off:
        return "off", off, hooks, ()
    if gone := _gone(hooks):
        return "stale", f"`{path_text(gone)}` is not there any more", hooks, ()
    return _compared(installer, vendor, file, version, hooks)


def _compared(
    installer: Installer,
    vendor: Vendor,
    file: File,
    version: ClientVersion,
    hooks: list[configuration.Hook],
) -> tuple[State, str, list[configuration.Hook], tuple[str, ...]]:
    """What is there against what would be written now."""
    try:
        moments = moments_of(vendor, file, version)
    except UserError as error:
        return "stale", error.message, hooks, ()
    there = {hook.event: hook.commands for hook in hooks}
    wanted = {
        moment.event: configuration.hook_of(
            file.form.entry(moment, installer.words(vendor, moment))
        ).commands
        for moment in moments
    }
    unknown = [event for event in there if event not in wanted]
    if unknown:
        why = f"this version of {vendor.product} is not known to have {', '.join(unknown)}"
        return "stale", why, hooks, ()
    missing = tuple(event for event in wanted if event not in there)
    if missing:
        return "incomplete", f"{', '.join(missing)} would be added", hooks, missing
    if any(there[event] != wanted[event] for event in wanted):
        return "stale", "they call another installation of ctxd", hooks, ()
    return "installed", "", hooks, ()


def _gone(hooks: list[configuration.Hook]) -> str:
    """A path that a hook calls and that is not there; empty when all are."""
    for hook in hooks:
        for call in filter(None, map(called, hook.commands)):
            if not call.is_there:
                return call.client if Path(call.python).exists() else call.python
    return ""
