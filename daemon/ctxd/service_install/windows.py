"""Windows: a scheduled task of the user's own, started at logon.

No Windows service: that would need an administrator, and may show no notices. The scheduler takes
no environment for a task, so folders that only variables name belong into the settings (`roots`);
it tries again whatever ends with a failure, wrong settings too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

from ctxd.errors import UserError
from ctxd.policy import service as policy
from ctxd.service_install.definition import (
    NAME,
    Definition,
    Stamp,
    relevant_variables,
    stamped,
)
from ctxd.service_install.managers import State
from ctxd.service_install.steps import Call, Runner, Step, run_program

NAMESPACE = "http://schemas.microsoft.com/windows/2004/02/mit/task"
_MARK = "@STAMP@"
_OF_WINDOWS = ("APPDATA", "LOCALAPPDATA")
"""Variables that Windows gives to everything."""
_SETTINGS = {
    "MultipleInstancesPolicy": "IgnoreNew",
    "DisallowStartIfOnBatteries": "false",
    "StopIfGoingOnBatteries": "false",
    "AllowHardTerminate": "true",
    "StartWhenAvailable": "true",
    "RunOnlyIfNetworkAvailable": "false",
    "AllowStartOnDemand": "true",
    "Enabled": "true",
    "Hidden": "false",
    "RunOnlyIfIdle": "false",
    "WakeToRun": "false",
    "ExecutionTimeLimit": "PT0S",
    "Priority": "8",
}
"""PT0S: for as long as the user is logged on. Priority 8 is below normal, for the disk as well."""


def task(definition: Definition, user: str, comment: str) -> str:
    """The task's XML, in the shape that the scheduler documents for version 1.2."""
    root = ET.Element("Task", {"version": "1.2", "xmlns": NAMESPACE})
    about = _child(root, "RegistrationInfo")
    _child(about, "Description", "ctxd keeps what coding agents forget")
    _child(about, "URI", f"\\{NAME}")
    logon = _child(_child(root, "Triggers"), "LogonTrigger")
    _child(logon, "Enabled", "true")
    _child(logon, "UserId", user)
    principal = _child(_child(root, "Principals"), "Principal")
    principal.set("id", "Author")
    _child(principal, "UserId", user)
    _child(principal, "LogonType", "InteractiveToken")
    _child(principal, "RunLevel", "LeastPrivilege")
    settings = _child(root, "Settings")
    for name, value in _SETTINGS.items():
        _child(settings, name, value)
    again = _child(settings, "RestartOnFailure")
    _child(again, "Interval", f"PT{policy.SERVICE_TASK_RESTART_MINUTES}M")
    _child(again, "Count", str(policy.SERVICE_TASK_RESTARTS))
    actions = _child(root, "Actions")
    actions.set("Context", "Author")
    action = _child(actions, "Exec")
    _child(action, "Command", definition.command[0])
    _child(action, "Arguments", subprocess.list2cmdline(definition.command[1:]))
    _child(action, "WorkingDirectory", str(definition.home))
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-16"?>\n<!-- {comment} -->\n{body}\n'


def _child(parent: ET.Element, name: str, text: str | None = None) -> ET.Element:
    child = ET.SubElement(parent, name)
    child.text = text
    return child


class TaskScheduler:
    """The task scheduler, as far as it concerns this user."""

    name = "the task scheduler"
    encoding = "utf-16"
    own_log = f"schtasks /query /tn {NAME} /v"

    def __init__(self, run: Runner | None = None) -> None:
        self.run = run or run_program
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        self.file = Path(base) / NAME / "service.xml"

    def check(self) -> None:
        """Raise UserError where there is no scheduler."""
        if shutil.which("schtasks") is None:
            raise UserError("there is no task scheduler here", "`ctxd run` needs none")

    def text(self, definition: Definition, stamp: Stamp) -> str:
        """The task."""
        return stamped(task(definition, _user(), _MARK), stamp, _MARK)

    def state(self) -> State:
        """Whether the task is there: what else the scheduler says of it, it says in the user's
        language."""
        done = self.run(("schtasks", "/query", "/tn", NAME))
        return State(registered=done.code == 0, at_login=done.code == 0)

    def folders(self, _definition: Definition) -> tuple[Path, ...]:
        """None: the daemon makes its own."""
        return ()

    def register(self, state: State, *, changed: bool) -> list[Step]:
        """Create the task from its file."""
        if state.registered and not changed:
            return []
        return [_order("create", "/xml", str(self.file), "/f")]

    def start(self, _state: State) -> list[Step]:
        """Run it."""
        return [_order("run")]

    def restart(self, _state: State) -> list[Step]:
        """End it and run it; a kill at any instant loses nothing."""
        return [_order("end", may_fail=True), _order("run")]

    def stop(self) -> list[Step]:
        """End it."""
        return [_order("end")]

    def unregister(self) -> list[Step]:
        """End it, and delete the task."""
        return [_order("end", may_fail=True), _order("delete", "/f", may_fail=True)]

    def forget(self) -> list[Step]:
        """Nothing is left."""
        return []

    def advice(self) -> str:
        """That variables do not reach a task, where some say where logs are."""
        names = [name for name, _ in relevant_variables(os.environ) if name not in _OF_WINDOWS]
        if not names:
            return ""
        return f"it does not see `{', '.join(names)}`: put what that says under `roots`"


def _order(word: str, *more: str, may_fail: bool = False) -> Call:
    return Call(("schtasks", f"/{word}", "/tn", NAME, *more), may_fail=may_fail)


def _user() -> str:
    domain, name = os.environ.get("USERDOMAIN"), os.environ.get("USERNAME", "")
    return f"{domain}\\{name}" if domain else name
