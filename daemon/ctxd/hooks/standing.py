"""How an agent's hooks stand: which are in a file, and whether they can do their work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ctxd.errors import UserError
from ctxd.hooks import configuration, jsonc
from ctxd.hooks.configuration import Hook
from ctxd.hooks.installing import Installer
from ctxd.hooks.shell import called
from ctxd.hooks.vendor import File, Moment, Vendor
from ctxd.hooks.writing import target_of
from ctxd.terminal import path_text
from ctxd_parsers.environment import Environment

Commands = Mapping[str, tuple[str, ...]]
"""By event."""
State = Literal["installed", "incomplete", "stale", "off", "not installed", "unusable"]


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The hooks of one agent in one file."""

    agent: str
    product: str
    found: bool
    """Whether the agent was used here, or its client is installed, or its hooks were written."""
    client_version: str
    """Empty: not known."""
    told_by: Literal["client", "log", ""]
    file: str = ""
    """Empty: it has no place for hooks."""
    state: State = "not installed"
    installed_for: str = ""
    """The version of the client when the hooks were written; empty: not known."""
    events: tuple[str, ...] = ()
    trouble: str = ""
    """Why the state is not `installed`, or what has changed since; empty: nothing."""
    notes: tuple[str, ...] = ()

    @property
    def wants_install(self) -> bool:
        """Whether installing the hooks once more would mend something."""
        return self.state in ("stale", "incomplete") or (
            self.state == "installed" and bool(self.trouble)
        )


class Look(msgspec.Struct, frozen=True):
    """What files are held against."""

    installer: Installer
    env: Environment
    moments: Sequence[Moment]
    """Those that are to be registered."""

    def at(self, vendor: Vendor, file: File, plain: Standing) -> Standing:
        """How the hooks of an agent stand in a file; `plain` is what else is known of it."""
        plain = msgspec.structs.replace(plain, file=path_text(file.path))
        try:
            target = target_of(Path(file.path))
            data = jsonc.parse(configuration.decoded(target.before or b"")).data
        except UserError as error:
            return msgspec.structs.replace(plain, state="unusable", trouble=error.message)
        except jsonc.BrokenError as error:
            why = f"`{path_text(file.path)}` is no JSON: {error}"
            return msgspec.structs.replace(plain, state="unusable", trouble=why)
        hooks = configuration.hooks_in(data)
        if not hooks:
            return plain
        off = vendor.off(self.env, data)
        state, trouble = ("off", off) if off else _state(self._commands(vendor, file), hooks)
        record = self.installer.record(target.path)
        was_asked_for = record is not None and vendor.agent in record.agents
        return _dated(
            msgspec.structs.replace(
                plain,
                state=state,
                found=plain.found or was_asked_for,
                trouble=trouble or plain.trouble,
                events=tuple(dict.fromkeys(hook.event for hook in hooks)),
                installed_for=record.versions.get(vendor.agent, "") if record else "",
            )
        )

    def _commands(self, vendor: Vendor, file: File) -> Commands:
        """The commands that are to be there."""
        entries = {
            moment.event: file.form.entry(moment, self.installer.words(vendor, moment))
            for moment in self.moments
        }
        return {event: configuration.hook_of(entry).commands for event, entry in entries.items()}


def _dated(standing: Standing) -> Standing:
    """The same with a word on a client that has changed since."""
    then, now = standing.installed_for, standing.client_version
    if standing.state != "installed" or not then or now in ("", then):
        return standing
    why = f"it was {then} when they were written, and is {now}"
    return msgspec.structs.replace(standing, trouble=why)


def _state(commands: Commands, hooks: Sequence[Hook]) -> tuple[State, str]:
    """The state of hooks that are there and may run, and why it is no better."""
    gone = _gone(hooks)
    if gone:
        return "stale", f"`{path_text(gone)}` is not there any more"
    there = {hook.event: hook.commands for hook in hooks}
    unknown = [event for event in there if event not in commands]
    if unknown:
        return "stale", f"it is not known to have {', '.join(unknown)}"
    missing = [event for event in commands if event not in there]
    if missing:
        return "incomplete", f"{', '.join(missing)} would be added"
    if any(there[event] != wanted for event, wanted in commands.items()):
        return "stale", "they call another installation of ctxd"
    return "installed", ""


def _gone(hooks: Sequence[Hook]) -> str:
    """A path that a hook calls and that is not there; empty when all are."""
    for hook in hooks:
        for call in filter(None, map(called, hook.commands)):
            if not call.is_there:
                return call.client if Path(call.python).exists() else call.python
    return ""
