"""macOS: a launch agent of the user's own.

launchd tries again whatever ends with a failure, wrong settings too: it knows no exit code that
should keep it from that.
"""

from __future__ import annotations

import os
import plistlib
import re
import shutil
from pathlib import Path
from typing import Any

from ctxd.errors import UserError
from ctxd.policy import service as policy
from ctxd.service_install.definition import NAME, Definition, Stamp, stamped
from ctxd.service_install.managers import State
from ctxd.service_install.steps import Call, Runner, Step, run_program

LABEL = f"{NAME}.daemon"
_MARK = "@STAMP@"
_TOLD = re.compile(r"^\t(state|pid|last exit code) = (.+)$", re.MULTILINE)
_WELL = ("0", "(never exited)")


def agent(definition: Definition) -> dict[str, Any]:
    """The launch agent as a property list."""
    made: dict[str, Any] = {
        "Label": LABEL,
        "ProgramArguments": list(definition.command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": policy.SERVICE_THROTTLE_SECONDS,
        "ExitTimeOut": policy.SERVICE_STOP_SECONDS,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": policy.SERVICE_NICE,
        "Umask": 0o077,
        "WorkingDirectory": str(definition.home),
        "StandardOutPath": os.devnull,
        "StandardErrorPath": str(definition.log / "service.err"),
    }
    if definition.environment:
        made["EnvironmentVariables"] = dict(definition.environment)
    return made


def agent_text(definition: Definition, comment: str) -> str:
    """The same as a file, with a comment behind its head."""
    text = plistlib.dumps(agent(definition), sort_keys=False).decode("utf-8")
    head, tail = text.split("<plist", 1)
    return f"{head}<!-- {comment} -->\n<plist{tail}"


class Launchd:
    """The launchd of this user's login."""

    name = "launchd"
    encoding = "utf-8"

    def __init__(self, run: Runner | None = None) -> None:
        self.run = run or run_program
        self.file = Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        user = os.getuid() if hasattr(os, "getuid") else 0
        self._domain = f"gui/{user}"
        self._service = f"{self._domain}/{LABEL}"

    @property
    def own_log(self) -> str:
        """The file that launchd has the daemon's complaints written to."""
        return "`service.err` beside the log"

    def check(self) -> None:
        """Raise UserError where nobody is logged in for launchd to run it for."""
        hint = "`ctxd run` needs none"
        if shutil.which("launchctl") is None:
            raise UserError("there is no launchd here to run a service", hint)
        done = self.run(("launchctl", "print", self._domain))
        if done.code != 0:
            raise UserError(f"launchd does not answer for this user: {done.said}", hint)

    def text(self, definition: Definition, stamp: Stamp) -> str:
        """The property list."""
        return stamped(agent_text(definition, _MARK), stamp, _MARK)

    def state(self) -> State:
        """How the launch agent stands."""
        done = self.run(("launchctl", "print", self._service))
        if done.code != 0:
            return State(at_login=self.file.exists())
        said = dict(reversed(_TOLD.findall(done.out)))
        running = said.get("state") == "running"
        code = said.get("last exit code", "0")
        failed = not running and not code.startswith(_WELL)
        pid = said.get("pid", "")
        return State(
            registered=True,
            at_login=True,
            running=running,
            pid=int(pid) if running and pid.isdigit() else None,
            failure=f"it ended with {code}" if failed else "",
        )

    def folders(self, definition: Definition) -> tuple[Path, ...]:
        """That of the log: launchd makes files, and no folders."""
        return (definition.log,)

    def register(self, state: State, *, changed: bool) -> list[Step]:
        """Load it, which starts it as well."""
        if state.registered and not changed:
            return []
        bootout = [Call(("launchctl", "bootout", self._service), may_fail=True)]
        return [*(bootout if state.registered else ()), self._bootstrap()]

    def start(self, state: State) -> list[Step]:
        """Start it, loaded or not."""
        return [] if not state.registered else [Call(("launchctl", "kickstart", self._service))]

    def restart(self, state: State) -> list[Step]:
        """Restart it."""
        if not state.registered:
            return []
        return [Call(("launchctl", "kickstart", "-k", self._service))]

    def stop(self) -> list[Step]:
        """End it in order: it stays loaded, and ends well, so that it is not started again."""
        return [Call(("launchctl", "kill", "SIGTERM", self._service))]

    def unregister(self) -> list[Step]:
        """Unload it, which ends it."""
        return [Call(("launchctl", "bootout", self._service), may_fail=True)]

    def forget(self) -> list[Step]:
        """Nothing is left."""
        return []

    def advice(self) -> str:
        """Nothing: it runs as long as the user is logged in."""
        return ""

    def _bootstrap(self) -> Call:
        command = ("launchctl", "bootstrap", self._domain, str(self.file))
        hint = f"`launchctl enable {self._service}`, then again"
        return Call(command, tries=policy.SERVICE_TRIES, hint=hint)
