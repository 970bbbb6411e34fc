"""`ctxd service`: the daemon as a service that the system starts and watches."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.arguments import how_many
from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import CtxdError, Exit, UsageError, UserError

if TYPE_CHECKING:
    from ctxd.service.asking import Answer
    from ctxd.service_install.service import Service
    from ctxd.service_install.steps import Step

ACTIONS = ("install", "uninstall", "start", "stop", "restart", "status", "logs")
_OPTIONS = {
    "dry_run": ("--dry-run", ("install", "uninstall", "start", "stop", "restart")),
    "as_json": ("--json", ("status",)),
    "follow": ("-f", ("logs",)),
    "most": ("-n", ("logs",)),
}


@command_of(
    ("ctxd service install", "start it now and at each login"),
    ("ctxd service status", "whether it runs, and what is stale"),
    ("ctxd service logs -f", "the daemon's own log, as it grows"),
)
@click.argument("action", type=click.Choice(ACTIONS), metavar="ACTION")
@click.option("--dry-run", is_flag=True, help="Show what would be written and run.")
@click.option("--json", "as_json", is_flag=True, help="status: one JSON object (docs/json.md).")
@click.option("-f", "--follow", is_flag=True, help="logs: go on with what comes.")
@click.option("-n", "most", metavar="N", callback=how_many, help="logs: the last N lines.")
def command(action: str, **how: bool | int | None) -> int:
    """Have the system run ctxd in the background, as a service of your own.

    ACTION is install, uninstall, start, stop, restart, status or logs. No action needs root.
    `uninstall` removes what `install` made, and leaves what ctxd knows. `status` exits with 3 when
    the service does not run.
    """
    _check_options(action, how)
    if action == "logs":
        return _logs(how["most"], follow=bool(how["follow"]))
    service = _service()
    if action == "status":
        return _status(service, as_json=bool(how["as_json"]))
    _check_user()
    return _ACT[action](service, bool(how["dry_run"]))


def _check_options(action: str, how: dict[str, bool | int | None]) -> None:
    for name, (option, actions) in _OPTIONS.items():
        if how[name] not in (None, False) and action not in actions:
            raise UsageError(
                f"`{option}` says nothing to `{action}`", "`ctxd service -h` shows how it is used"
            )


def _check_user() -> None:
    """Raise UserError under sudo: that would be root's service."""
    if hasattr(os, "geteuid") and os.geteuid() == 0 and os.environ.get("SUDO_UID"):
        raise UserError("under `sudo` the service would be root's, not yours", "leave out `sudo`")


def _service() -> Service:
    from ctxd.service_install.managers import manager
    from ctxd.service_install.service import Service

    found = manager()
    found.check()
    return Service(found, ping)


def ping() -> Answer | None:
    """The daemon's answer, with what its card says of it: pid and version."""
    import msgspec

    from ctxd.service.asking import Request, ask, control_address
    from ctxd.service.single import read_card

    answer = ask(control_address(current.places.runtime), Request("ping"))
    card = read_card(current.places.state / "daemon.json")
    if answer is None or card is None:
        return answer
    return msgspec.structs.replace(answer, pid=card.pid, version=card.version)


def _install(service: Service, dry_run: bool) -> int:  # noqa: FBT001 - all actions look alike
    from ctxd.cli.service_lines import print_hint
    from ctxd.service_install.definition import definition_for
    from ctxd.service_install.probe import probe

    _check_settings()
    home = current.home or (Path(chosen) if (chosen := os.environ.get("CTXD_HOME")) else None)
    definition = definition_for(home, current.places.log)
    probe()
    steps = service.install(definition)
    if _do(service, steps, dry_run=dry_run):
        return Exit.OK
    code = _running(service, "ctxd runs, and starts at each login", new=bool(steps))
    advice = service.manager.advice()
    if advice:
        print_hint(current.messages, advice)
    return code


def _uninstall(service: Service, dry_run: bool) -> int:  # noqa: FBT001
    steps = service.uninstall()
    if not _do(service, steps, dry_run=dry_run):
        done = "the service is uninstalled" if steps else "the service is not installed"
        current.output.print(f"{done}; `ctxd paths` shows what ctxd keeps")
    return Exit.OK


def _start(service: Service, dry_run: bool) -> int:  # noqa: FBT001
    return _begin(service, service.start, dry_run=dry_run)


def _restart(service: Service, dry_run: bool) -> int:  # noqa: FBT001
    return _begin(service, service.restart, dry_run=dry_run)


def _stop(service: Service, dry_run: bool) -> int:  # noqa: FBT001
    steps = service.stop()
    if not _do(service, steps, dry_run=dry_run):
        current.output.print("ctxd is stopped" if steps else "ctxd is not running")
    return Exit.OK


_ACT: dict[str, Callable[[Service, bool], int]] = {
    "install": _install,
    "uninstall": _uninstall,
    "start": _start,
    "stop": _stop,
    "restart": _restart,
}


def _begin(service: Service, plan: Callable[[], list[Step]], *, dry_run: bool) -> int:
    _check_settings()
    other = service.other()
    if other is not None:
        raise UserError(f"another daemon is at work, pid {other}", "end it, then again")
    steps = plan()
    if _do(service, steps, dry_run=dry_run):
        return Exit.OK
    return _running(service, "ctxd runs", new=bool(steps))


def _do(service: Service, steps: list[Step], *, dry_run: bool) -> bool:
    """Carry steps out, or only show them; whether they were only shown."""
    from ctxd.cli.service_lines import print_done, print_plan
    from ctxd.service_install.steps import carry_out

    if dry_run:
        print_plan(current.output, steps)
        return True
    carry_out(steps, service.manager.run)
    print_done(current.output, steps)
    return False


def _running(service: Service, words: str, *, new: bool) -> int:
    """Say that it runs, once it does; raise CtxdError when it does not."""
    from ctxd.service_install.probe import wait_for_answer

    other = service.other()
    if other is not None:
        current.output.print("ctxd starts at each login")
        current.messages.print(("!", "bold yellow"), f" now another daemon is at work, pid {other}")
        return Exit.OK
    if not wait_for_answer(ping):
        raise CtxdError("it was started, and does not answer", "`ctxd service status` tells more")
    current.output.print(words if new else f"{words} already")
    return Exit.OK


def _check_settings() -> None:
    """Raise UsageError when the daemon could not use its settings: here somebody reads it."""
    from ctxd.settings import load_settings

    load_settings(current.places.config)


def _status(service: Service, *, as_json: bool) -> int:
    report = service.report()
    if as_json:
        from ctxd.cli.json_output import print_json

        print_json(report)
    else:
        from ctxd.cli.service_lines import print_report

        print_report(current.output, report)
    return Exit.OK if report.state == "running" else Exit.NOT_RUNNING


def _logs(most: int | None, *, follow: bool) -> int:
    from ctxd.errors import reason
    from ctxd.policy.service import SERVICE_LOG_LINES, SERVICE_LOG_POLL_SECONDS
    from ctxd.service_install.own_log import OwnLog
    from ctxd.terminal import short_path

    path = current.places.log / "ctxd.log"
    log = OwnLog(path)
    try:
        lines = log.last(SERVICE_LOG_LINES if most is None else most)
    except OSError as error:
        where = short_path(path, Path.home())
        raise UserError(f"cannot read `{where}`: {reason(error)}", _elsewhere()) from error
    while True:
        for line in lines:
            current.output.print(line)
        sys.stdout.flush()
        if not follow:
            return Exit.OK
        time.sleep(SERVICE_LOG_POLL_SECONDS)
        lines = list(log.new())


def _elsewhere() -> str:
    from ctxd.service_install.managers import manager

    return f"`{manager().own_log}` shows what a daemon says that could not start"
