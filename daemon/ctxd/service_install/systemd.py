"""Linux: a unit of the user's own service manager.

The unit keeps the daemon from everything that it never does: network sockets, new privileges,
memory that is both writable and executable. It may read the home folder and write into the user's
repositories, which is its work. `Protect...` and `Private...` settings are left out: in a user's
unit they need user namespaces, and without those some systems silently do nothing, others fail.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxd.errors import UserError
from ctxd.policy import service as policy
from ctxd.service_install.definition import NAME, Definition, Stamp, stamped
from ctxd.service_install.managers import State
from ctxd.service_install.steps import Call, Done, Runner, Step, run_program
from ctxd.terminal import path_text

UNIT = f"{NAME}.service"
BAD_SETTINGS = 78
_ORDER = ("systemctl", "--user")
_MARK = "@STAMP@"
_ASKED = "LoadState,ActiveState,SubState,UnitFileState,MainPID,Result,ExecMainStatus,FragmentPath"
_LINGERING = Path("/var/lib/systemd/linger")

HEAD = f"""\
# Written by `ctxd service install`, which writes it anew when ctxd has changed.
# What you want otherwise belongs into `systemctl --user edit {NAME}`.
# {_MARK}
"""

_UNIT = """\
[Unit]
Description=ctxd keeps what coding agents forget
# It is tried again for ever: see RestartSec.
StartLimitIntervalSec=0

[Service]
Type=notify
ExecStart={command}
{environment}Restart=on-failure
RestartSec={restart}
# Wrong settings do not mend themselves.
RestartPreventExitStatus={bad_settings}
TimeoutStartSec={start}
TimeoutStopSec={stop}
WatchdogSec={watchdog}
# A kill at any instant loses nothing; a core dump would hold words of sessions.
WatchdogSignal=SIGKILL

Nice={nice}
IOSchedulingClass=idle
MemoryHigh={memory}M

UMask=0077
NoNewPrivileges=true
LockPersonality=true
MemoryDenyWriteExecute=true
RestrictRealtime=true
RestrictSUIDSGID=true
# No network: the control socket, the session bus and this manager are all it talks to.
RestrictAddressFamilies=AF_UNIX
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=default.target
"""


def unit(command: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """The unit for a command line, without a head."""
    lines = [f"Environment={_quoted(f'{name}={value}')}\n" for name, value in environment.items()]
    program, *arguments = command
    words = [_quoted(program), *(_quoted(argument).replace("$", "$$") for argument in arguments)]
    return _UNIT.format(
        command=" ".join(words),
        environment="".join(lines),
        restart=policy.SERVICE_RESTART_SECONDS,
        bad_settings=BAD_SETTINGS,
        start=policy.SERVICE_START_SECONDS,
        stop=policy.SERVICE_STOP_SECONDS,
        watchdog=policy.SERVICE_WATCHDOG_SECONDS,
        nice=policy.SERVICE_NICE,
        memory=policy.SERVICE_MEMORY_MB,
    )


def _quoted(text: str) -> str:
    """A word of a unit; `%` begins a specifier there."""
    text = text.replace("%", "%%")
    if text.replace("_", "").replace("-", "").replace("/", "").replace(".", "").isalnum():
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Systemd:
    """The service manager of this user."""

    name = "systemd"
    encoding = "utf-8"
    own_log = f"journalctl --user -u {NAME}"

    def __init__(self, run: Runner | None = None) -> None:
        self.run = run or _run
        self.file = Path.home() / ".config" / "systemd" / "user" / UNIT

    def check(self) -> None:
        """Raise UserError where this user has no service manager that answers."""
        if shutil.which(_ORDER[0]) is None:
            raise UserError("there is no systemd here to run a service", _without())
        done = self.run((*_ORDER, "show", "--property=UnitPath"))
        if done.code != 0 or not done.out.startswith("UnitPath="):
            raise UserError(f"systemd does not answer for this user: {done.said}", _without())
        self._look_where(done.out.strip().removeprefix("UnitPath=").split())

    def _look_where(self, folders: Sequence[str]) -> None:
        """Keep the unit in the user's configuration folder, if that is where systemd looks: it may
        know nothing of what a shell has set."""
        moved = Path(os.environ.get("XDG_CONFIG_HOME") or "/nowhere") / "systemd" / "user"
        if str(moved) in folders:
            self.file = moved / UNIT

    def text(self, definition: Definition, stamp: Stamp) -> str:
        """The unit; raise UserError for a program that no unit can name."""
        program = definition.command[0]
        if set(program) & set("\"'\\"):
            raise UserError(
                f"systemd cannot start `{path_text(program)}`: quotes are in its path",
                "install ctxd in a folder with a plainer name",
            )
        return stamped(HEAD + unit(definition.command, definition.environment), stamp, _MARK)

    def state(self) -> State:
        """How the unit stands."""
        done = self.run((*_ORDER, "show", UNIT, f"--property={_ASKED}"))
        said = dict(line.partition("=")[::2] for line in done.out.splitlines())
        used = said.get("FragmentPath", "")
        if said.get("LoadState") == "masked":
            raise UserError(f"`{UNIT}` is masked", f"`systemctl --user unmask {UNIT}`, then again")
        pid = said.get("MainPID", "0")
        running = said.get("ActiveState") in {"active", "reloading"}
        return State(
            registered=said.get("LoadState") == "loaded",
            at_login=said.get("UnitFileState") in {"enabled", "enabled-runtime"},
            running=running,
            pid=int(pid) if running and pid.isdigit() and pid != "0" else None,
            failure="" if running else _failure(said),
            packaged=used if used and Path(used) != self.file else "",
        )

    def folders(self, _definition: Definition) -> tuple[Path, ...]:
        """None: the daemon makes its own."""
        return ()

    def register(self, state: State, *, changed: bool) -> list[Step]:
        """Read the unit, and have it started at login."""
        steps: list[Step] = []
        if changed:
            steps.append(Call((*_ORDER, "daemon-reload")))
        if not state.at_login:
            steps.append(Call((*_ORDER, "enable", UNIT)))
        return steps

    def start(self, _state: State) -> list[Step]:
        """Start it; systemd returns when it is ready."""
        return [self._order("start")]

    def restart(self, _state: State) -> list[Step]:
        """Restart it."""
        return [self._order("restart")]

    def stop(self) -> list[Step]:
        """Stop it."""
        return [self._order("stop")]

    def unregister(self) -> list[Step]:
        """Stop it, and have it started no more."""
        return [Call((*_ORDER, "disable", "--now", UNIT))]

    def forget(self) -> list[Step]:
        """Have systemd forget it, a failure included."""
        return [
            Call((*_ORDER, "daemon-reload")),
            Call((*_ORDER, "reset-failed", UNIT), may_fail=True),
        ]

    def advice(self) -> str:
        """That it ends with the last login, unless the user lingers."""
        import getpass

        user = getpass.getuser()
        if (_LINGERING / user).exists():
            return ""
        return "`loginctl enable-linger` has it run while you are not logged in, too"

    def _order(self, word: str) -> Call:
        return Call((*_ORDER, word, UNIT), hint="`ctxd service status` tells more")


def _failure(said: Mapping[str, str]) -> str:
    result, status = said.get("Result", "success"), said.get("ExecMainStatus", "0")
    if result == "exit-code" and status == str(BAD_SETTINGS):
        return "its settings are wrong"
    if said.get("SubState") == "auto-restart" or result != "success":
        words = {"exit-code": f"it ended with {status}", "watchdog": "it hung"}
        return words.get(result, f"systemd says `{result}`")
    return ""


def _run(command: Sequence[str]) -> Done:
    """With the user's runtime folder: shells of `su` and cron do not name it."""
    variables = dict(os.environ) | {"LC_ALL": "C"}
    runtime = f"/run/user/{os.getuid()}"
    if not variables.get("XDG_RUNTIME_DIR") and os.path.isdir(runtime):
        variables["XDG_RUNTIME_DIR"] = runtime
    return run_program(command, variables)


def _without() -> str:
    return "`ctxd run` needs none; a line `@reboot ctxd run` in `crontab -e` starts it at boot"
