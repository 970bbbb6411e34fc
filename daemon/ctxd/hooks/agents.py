"""The agents that a command is about, each with its files and the version of its client."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from ctxd.errors import CtxdError, UsageError, UserError
from ctxd.hooks.installing import Installer, Step
from ctxd.hooks.registry import BY_AGENT, VENDORS
from ctxd.hooks.standing import Look, Standing
from ctxd.hooks.vendor import File, Moment, Vendor
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
        self._installer = Installer(places, now, str(project or ""))
        self._versions: dict[str, ClientVersion] = {}

    def named(self, names: Sequence[str]) -> list[Vendor]:
        """The agents of these names; raise UsageError for one that is not known."""
        return [_named(name) for name in dict.fromkeys(names)]

    def found(self) -> list[Vendor]:
        """Those that were used here, in the order they are listed."""
        return [vendor for vendor in VENDORS if self.is_found(vendor)]

    def is_found(self, vendor: Vendor) -> bool:
        """Whether an agent was used on this machine, as far as that shows."""
        homes = vendor.homes(self._env)
        return any(Path(home).is_dir() for home in homes) or bool(self.version(vendor).text)

    def version(self, vendor: Vendor) -> ClientVersion:
        """The version of an agent's client, which is asked once."""
        if vendor.agent not in self._versions:
            self._versions[vendor.agent] = version_of(vendor, self._env, self._from_logs)
        return self._versions[vendor.agent]

    def files(self, vendor: Vendor) -> tuple[File, ...]:
        """Where an agent's hooks are written."""
        if self._project is None:
            return vendor.user_files(self._env)
        return vendor.project_files(self._project)

    def notes(self, vendor: Vendor) -> tuple[str, ...]:
        """What the user has to know of an agent's hooks, or has to do for them."""
        of_project = () if self._project is None else vendor.project_notes
        return (*vendor.limits, *vendor.notes, *of_project)

    def moments(self, vendor: Vendor) -> tuple[Moment, ...]:
        """The moments to register: those that the installed clients of all agents that read the
        file know. Raise UserError where there are none."""
        moments = self._known(vendor)
        for other in (BY_AGENT[name] for name in vendor.with_others):
            if self._reads(other):
                events = {moment.event for moment in self._known(other)}
                moments = tuple(moment for moment in moments if moment.event in events)
        return moments

    def install(self, vendor: Vendor) -> list[Step]:
        """What puts the hooks of an agent into its files."""
        moments, version = self.moments(vendor), self.version(vendor).text
        return [
            self._installer.install(vendor, file, moments, version) for file in self.files(vendor)
        ]

    def uninstall(self, vendor: Vendor, *, everywhere: bool = False) -> list[Step]:
        """What takes them out again; `everywhere`: of all projects, too."""
        project = str(self._project or "")
        paths = [
            Path(record.path)
            for record in self._installer.records()
            if vendor.agent in record.agents and (everywhere or record.project == project)
        ]
        paths += [Path(file.path) for file in self.files(vendor)]
        steps = [self._installer.uninstall(vendor.agent, path, vendor.product) for path in paths]
        return list({step.target.path: step for step in steps}.values())

    @property
    def steps(self) -> list[Step]:
        """All that is planned, a step a file."""
        return list(self._installer.steps.values())

    def do(self, step: Step) -> None:
        """Do a step; raise ChangedError, NotYetError or UserError when it cannot be done."""
        self._installer.do(step)

    def standings(self, vendors: Sequence[Vendor]) -> list[Standing]:
        """How the hooks of agents stand."""
        return [standing for vendor in vendors for standing in self._standings(vendor)]

    def _standings(self, vendor: Vendor) -> list[Standing]:
        version, found = self.version(vendor), self.is_found(vendor)
        try:
            moments, why = self.moments(vendor), ""
        except UserError as error:
            moments, why = (), error.message
        look = Look(self._installer, self._env, moments)
        plain = Standing(
            agent=vendor.agent,
            product=vendor.product,
            found=found,
            client_version=version.text,
            told_by=version.told_by,
            trouble=why,
            notes=vendor.limits,
        )
        standings = [look.at(vendor, file, plain) for file in self.files(vendor)]
        return [
            msgspec.structs.replace(standing, notes=self.notes(vendor))
            if standing.events
            else standing
            for standing in standings
        ]

    def _reads(self, vendor: Vendor) -> bool:
        """Whether the client of an agent is here and reads the agent's files."""
        numbers = self.version(vendor).numbers
        is_old = numbers is not None and numbers < vendor.first_version
        return self.is_found(vendor) and not (is_old and vendor.old_are_blind)

    def _known(self, vendor: Vendor) -> tuple[Moment, ...]:
        version = self.version(vendor)
        moments = vendor.known_by(version.numbers)
        if not moments:
            least = ".".join(map(str, vendor.first_version))
            raise UserError(
                f"{vendor.product} {version.text} has no hooks that ctxd can use",
                f"update it to {least} or later; ctxd follows its logs all the same",
            )
        return moments

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
