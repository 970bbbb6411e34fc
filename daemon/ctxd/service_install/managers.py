"""What every service manager can be asked and told, whichever it is."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import msgspec

from ctxd.service_install.definition import Definition, Stamp
from ctxd.service_install.steps import Runner, Step


class State(msgspec.Struct, frozen=True):
    """What a manager knows of the service."""

    registered: bool = False
    at_login: bool | None = None
    """Whether it is started at login; None when the manager does not tell."""
    running: bool | None = None
    """None when the manager does not tell."""
    pid: int | None = None
    failure: str = ""
    """Why it does not run though it should."""
    packaged: str = ""
    """The definition that is used, where it is one of the system's packages and not ours."""


class Manager(Protocol):
    """A service manager of one kind of system."""

    run: Runner
    """Runs the manager's programs, with what they need in their environment."""

    @property
    def name(self) -> str:
        """As people call it."""

    @property
    def file(self) -> Path:
        """The definition that `ctxd service install` writes."""

    @property
    def encoding(self) -> str:
        """Of that file."""

    def check(self) -> None:
        """Raise UserError where it is not there, or does not serve this user."""

    def text(self, definition: Definition, stamp: Stamp) -> str:
        """The definition as this manager reads it."""

    def state(self) -> State:
        """How the service stands."""

    def folders(self, definition: Definition) -> tuple[Path, ...]:
        """Folders that have to be there, besides that of the file."""

    def register(self, state: State, *, changed: bool) -> list[Step]:
        """Once the definition is written: have it known, and started at each login."""

    def start(self, state: State) -> list[Step]:
        """Have it run now."""

    def restart(self, state: State) -> list[Step]:
        """Have it end and run again."""

    def stop(self) -> list[Step]:
        """Have it end, until the next login."""

    def unregister(self) -> list[Step]:
        """Before the definition is removed: have it end, and not started any more."""

    def forget(self) -> list[Step]:
        """Once the definition is removed."""

    def advice(self) -> str:
        """What the user may want to know after installing; empty when there is nothing."""

    @property
    def own_log(self) -> str:
        """The command that shows what the daemon said before it had a log."""


def manager(run: Runner | None = None) -> Manager:
    """The one of this system."""
    import os
    import sys

    if os.name == "nt":
        from ctxd.service_install.windows import TaskScheduler

        return TaskScheduler(run)
    if sys.platform == "darwin":
        from ctxd.service_install.launchd import Launchd

        return Launchd(run)
    from ctxd.service_install.systemd import Systemd

    return Systemd(run)
