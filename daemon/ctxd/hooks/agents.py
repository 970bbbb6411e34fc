"""The agents that a command is about, each with its files and the version of its client."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from ctxd.errors import CtxdError, UsageError, UserError
from ctxd.hooks.installing import Installer, Step
from ctxd.hooks.registry import BY_AGENT, VENDORS
from ctxd.hooks.standing import Standing, is_found, standing_of
from ctxd.hooks.vendor import File, Vendor
from ctxd.hooks.versions import ClientVersion, version_of
from ctxd.ledger import Ledger
from ctxd.places import Places
from ctxd.policy.hooks import VERSION_SESSIONS
from ctxd.status import ledger_path
from ctxd_parsers.environment import Environment


class Agents:
    """All agents whose hooks are known, on this machine: for its user, or for one project."""

    def __init__(self, places: Places, now: datetime, project: Path | None = None) -> None:
        self._places = places
        self._project = project
        self._env = Environment.current()
        self._installer = Installer(places, now)
        self._versions: dict[str, ClientVersion] = {}

    def choose(self, names: Sequence[str]) -> list[Vendor]:
        """The agents of these names; raise UsageError for one that is not known."""
        return [_named(name) for name in dict.fromkeys(names)]

    def found(self) -> list[Vendor]:
        """Those that were used here, in the order they are listed."""
        return [vendor for vendor in VENDORS if self._is_found(vendor)]

    def version(self, vendor: Vendor) -> ClientVersion:
        """The version of an agent's client. The client is asked once."""
        if vendor.agent not in self._versions:
            self._versions[vendor.agent] = version_of(vendor, self._env, self._from_logs)
        return self._versions[vendor.agent]

    def files(self, vendor: Vendor) -> tuple[File, ...]:
        """Where an agent's hooks are written; raise UserError where it has no such place."""
        if self._project is None:
            files, why = vendor.user_files(self._env), vendor.no_user_file
        else:
            files, why = vendor.project_files(self._project), vendor.no_project_file
        if not files:
            raise UserError(f"{vendor.product} has no hooks to write: {why}", vendor.instead)
        return files

    def install(self, vendor: Vendor) -> list[Step]:
        """What puts the hooks of an agent into its files."""
        version = self.version(vendor)
        return [self._installer.install(vendor, file, version) for file in self.files(vendor)]

    def uninstall(self, vendor: Vendor) -> list[Step]:
        """What takes them out again."""
        return [self._installer.uninstall(vendor, file) for file in self.files(vendor)]

    def do(self, step: Step) -> None:
        """Do it."""
        self._installer.do(step)

    def standings(self, vendors: Sequence[Vendor]) -> list[Standing]:
        """How the hooks of agents stand."""
        return [standing for vendor in vendors for standing in self._standings(vendor)]

    def _standings(self, vendor: Vendor) -> list[Standing]:
        version, found = self.version(vendor), self._is_found(vendor)
        try:
            files = self.files(vendor)
        except UserError as error:
            return [Standing.without_file(vendor, version, error.message, found=found)]
        return [standing_of(self._installer, vendor, file, version, found=found) for file in files]

    def _is_found(self, vendor: Vendor) -> bool:
        return is_found(vendor, self._env, self.version(vendor))

    def _from_logs(self, agent: str) -> str | None:
        """The version in the newest log of an agent that has one."""
        try:
            with Ledger.reader(ledger_path(self._places.state)) as reader:
                rows = reader.sessions(VERSION_SESSIONS, agent=agent)
        except CtxdError:
            return None
        return next((row.client_version for row in rows if row.client_version), None)


def _named(name: str) -> Vendor:
    if name in BY_AGENT:
        return BY_AGENT[name]
    near = difflib.get_close_matches(name, BY_AGENT, 1)
    hint = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(BY_AGENT)}"
    raise UsageError(f"ctxd knows no hooks of `{name}`", hint)
