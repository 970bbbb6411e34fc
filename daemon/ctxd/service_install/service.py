"""The service of this ctxd: plans of what to do, and a report of how it stands.

Plans are made from what is there, so that doing something twice does nothing the second time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from ctxd import __version__
from ctxd.errors import CtxdError, Exit, UserError
from ctxd.service.asking import Answer
from ctxd.service_install.definition import (
    Definition,
    Stamp,
    interpreter,
    is_edited,
    stamp_of,
)
from ctxd.service_install.managers import Manager, State
from ctxd.service_install.steps import Make, Remove, Step, Write, missing_folders
from ctxd.terminal import path_text

ServiceState = Literal["running", "stopped", "failed", "not installed"]
Ping = Callable[[], Answer | None]


class NotInstalledError(CtxdError):
    """There is no service to do something with."""

    exit_code = Exit.NOT_RUNNING


class Need(msgspec.Struct, frozen=True):
    """Something that needs the user."""

    code: str
    """Stable name, `service.restart`."""
    message: str
    hint: str


class ServiceReport(msgspec.Struct, frozen=True):
    """The answer of `ctxd service status`."""

    schema: Literal["ctxd.service/1"]
    manager: str
    """Which service manager it is, as people call it."""
    state: ServiceState
    failure: str
    """Why it does not run though it should; empty when that is not so."""
    pid: int | None
    at_login: bool | None
    """Whether it is started at login; None when the manager does not tell."""
    definition: str | None
    """Path of the definition in use; None when there is none."""
    definition_version: str | None
    """Of the ctxd that wrote it; None when that was no ctxd."""
    interpreter: str | None
    """The Python that it starts, where ctxd wrote it."""
    running_version: str | None
    installed_version: str
    other_pid: int | None
    """Of a daemon that runs, and is not the service's."""
    needs: tuple[Need, ...]


class Service:
    """What can be done with it."""

    def __init__(self, manager: Manager, ping: Ping) -> None:
        self.manager = manager
        self._ping = ping

    def install(self, definition: Definition) -> list[Step]:
        """What is to be done so that it is installed and runs; nothing when it does."""
        manager, state = self.manager, self._state()
        if state.packaged:
            steps, changed = [], False
        else:
            steps = self._definition_steps(definition)
            changed = bool(steps)
        steps += manager.register(state, changed=changed)
        return steps + self._running_steps(state, changed=changed)

    def uninstall(self) -> list[Step]:
        """What is to be done so that nothing is left of what `install` made."""
        manager = self.manager
        text, state = self._stored(), self._state()
        if state.packaged:
            return manager.unregister() if state.at_login or state.running else []
        if text is None:
            return manager.unregister() if state.registered else []
        stamp = self._own(text)
        return [
            *(manager.unregister() if state.registered or state.at_login else ()),
            Remove(manager.file, stamp.made),
            *manager.forget(),
        ]

    def start(self) -> list[Step]:
        """What is to be done so that it runs."""
        state = self._installed()
        if self._runs(state):
            return []
        return [*self.manager.register(state, changed=False), *self.manager.start(state)]

    def restart(self) -> list[Step]:
        """What is to be done so that it runs anew."""
        state = self._installed()
        return [*self.manager.register(state, changed=False), *self.manager.restart(state)]

    def stop(self) -> list[Step]:
        """What is to be done so that it does not run."""
        state = self._installed()
        return self.manager.stop() if self._runs(state) or state.failure else []

    def other(self) -> int | None:
        """The pid of a daemon that is not the service's, and keeps it from running."""
        return self._other(self._state(), self._ping())

    def report(self) -> ServiceReport:
        """How it stands."""
        text, state, answer = self._stored(), self._state(), self._ping()
        stamp = stamp_of(text) if text is not None else None
        file = state.packaged or (path_text(self.manager.file) if text is not None else None)
        runs, other = self._runs(state), self._other(state, answer)
        report = ServiceReport(
            "ctxd.service/1",
            manager=self.manager.name,
            state=_word(state, runs=runs, installed=file is not None),
            failure="" if runs else state.failure,
            pid=(state.pid or (answer.pid if answer else None)) if runs else None,
            at_login=state.at_login if file is not None else None,
            definition=file,
            definition_version=stamp.version if stamp and not state.packaged else None,
            interpreter=stamp.interpreter if stamp and not state.packaged else None,
            running_version=answer.version if runs and answer else None,
            installed_version=__version__,
            other_pid=other,
            needs=(),
        )
        return msgspec.structs.replace(report, needs=tuple(_needs(report)))

    def _definition_steps(self, definition: Definition) -> list[Step]:
        manager, text = self.manager, self._stored()
        folders = [folder for folder in manager.folders(definition) if not folder.exists()]
        if text is None:
            made = missing_folders(manager.file)
            made += tuple(name for f in folders for name in (*missing_folders(f), str(f)))
        else:
            made = self._own(text).made
            if is_edited(text):
                raise UserError(
                    f"`{path_text(manager.file)}` was edited since ctxd wrote it",
                    "keep what you changed, `ctxd service uninstall`, then again",
                )
        stamp = Stamp(definition.version, definition.command[0], tuple(dict.fromkeys(made)))
        wanted = manager.text(definition, stamp)
        steps: list[Step] = [Make(folder) for folder in folders]
        if text != wanted:
            steps.append(Write(manager.file, wanted, manager.encoding))
        return steps

    def _running_steps(self, state: State, *, changed: bool) -> list[Step]:
        answer = self._ping()
        if self._other(state, answer):
            return []
        if not self._runs(state):
            return self.manager.start(state)
        outdated = answer is not None and answer.version != __version__
        return self.manager.restart(state) if changed or outdated else []

    def _state(self) -> State:
        return self.manager.state()

    def _installed(self) -> State:
        state = self._state()
        if not state.packaged and self._stored() is None:
            raise NotInstalledError("the service is not installed", "`ctxd service install`")
        return state

    def _runs(self, state: State) -> bool:
        """Whether the service's daemon runs; where the manager does not tell, any does."""
        if state.running is not None:
            return state.running
        return state.registered and self._ping() is not None

    def _other(self, state: State, answer: Answer | None) -> int | None:
        if answer is None or state.running is None:
            return None
        return answer.pid if answer.pid != state.pid else None

    def _stored(self) -> str | None:
        """The definition as it is; raise UserError for one that is a link."""
        file = self.manager.file
        if file.is_symlink():
            raise UserError(
                f"`{path_text(file)}` is a link to `{path_text(os.readlink(file))}`",
                "ctxd writes files of its own only: move it away",
            )
        try:
            return file.read_bytes().decode(self.manager.encoding, "surrogateescape")
        except FileNotFoundError:
            return None
        except UnicodeError:
            return ""

    def _own(self, text: str) -> Stamp:
        stamp = stamp_of(text)
        if stamp is None:
            raise UserError(
                f"`{path_text(self.manager.file)}` was not written by ctxd", "move it away"
            )
        return stamp


def _word(state: State, *, runs: bool, installed: bool) -> ServiceState:
    if runs:
        return "running"
    if not installed:
        return "not installed"
    return "failed" if state.failure else "stopped"


def _needs(report: ServiceReport) -> list[Need]:
    needs = []
    if report.definition is None:
        needs.append(
            Need("service.missing", "nothing starts ctxd at login", "`ctxd service install`")
        )
    stale = _staleness(report)
    if stale:
        needs.append(Need("service.stale", stale, "`ctxd service install` brings it up to date"))
    if report.running_version not in (None, report.installed_version):
        versions = f"running {report.running_version}, installed {report.installed_version}"
        hint = "`ctxd service install`" if stale else "`ctxd service restart`"
        needs.append(Need("service.restart", f"needs restart: {versions}", hint))
    if report.failure:
        hint = "`ctxd service logs`, or `ctxd run` to see it fail"
        needs.append(Need("service.failed", f"it does not run: {report.failure}", hint))
    if report.other_pid is not None:
        message = f"another daemon is at work, pid {report.other_pid}"
        needs.append(Need("service.other", message, "end it, then `ctxd service start`"))
    return needs


def _staleness(report: ServiceReport) -> str:
    """What is out of date about the definition; empty when nothing is."""
    if report.interpreter is None:
        return ""
    if not Path(report.interpreter).exists():
        return f"it starts `{report.interpreter}`, which is gone"
    try:
        current = str(interpreter())
    except UserError:  # this ctxd is no measure: it runs from a cache
        return ""
    if report.interpreter != current:
        return f"it starts another ctxd, that of `{report.interpreter}`"
    if report.definition_version != report.installed_version:
        was, now = report.definition_version, report.installed_version
        return f"its definition is of {was}, installed is {now}"
    return ""
