"""`ctxd doctor`: what may keep ctxd from doing its work, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctxd.doctor import Check
    from ctxd.status import Status

_STYLES = {"ok": "green", "warn": "bold yellow", "fail": "bold red"}


@command_of(
    ("ctxd doctor", "look whether all is well"),
    ("ctxd doctor --notify", "send a test notice to the desktop"),
    ("ctxd doctor --json", "the same for other programs"),
)
@click.option("--notify", is_flag=True, help="Send a test notice, and say whether it arrived.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(*, notify: bool, as_json: bool) -> int:
    """Look whether anything keeps ctxd from its work; changes nothing.

    With --notify, only whether notices reach the desktop. Exits with 4 when something is wrong.
    """
    from ctxd import doctor
    from ctxd.cli.json_output import print_json
    from ctxd.notify.errand import dispatch

    looked = [doctor.test_notice(dispatch)] if notify else doctor.checks(current.places, _status)
    report = doctor.DoctorReport(checks=tuple(looked))
    if as_json:
        print_json(report)
    else:
        _print(report.checks)
    return Exit.OK if report.is_well else Exit.FINDINGS


def _status() -> Status:
    from ctxd.cli.status import take

    return take()


def _print(checks: Iterable[Check]) -> None:
    out = current.output
    for check in checks:
        out.print((f"{check.state:4}", _STYLES[check.state]), f"  {check.name}: {check.message}")
        if check.hint:
            out.print("      ", ("hint:", "cyan"), f" {check.hint}")
