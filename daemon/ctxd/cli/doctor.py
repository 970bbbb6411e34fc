"""`ctxd doctor`: what may keep ctxd from doing its work, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.arguments import GivenPath
from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import Exit, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxd.doctor import Check, DoctorReport
    from ctxd.doctor.looking import Subject


@command_of(
    ("ctxd doctor", "look whether all is well"),
    ("ctxd doctor --notify", "send a test notice to the desktop"),
    ("ctxd doctor --report ctxd.json", "what to attach to a bug report"),
)
@click.option("--notify", is_flag=True, help="Send a test notice, and say whether it arrived.")
@click.option("--report", "file", type=GivenPath(), metavar="FILE", help="Write a report to FILE.")
@click.option("--names", is_flag=True, help="--report: with the names of repositories.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(*, notify: bool, file: Path | None, names: bool, as_json: bool) -> int:
    """Look whether anything keeps ctxd from its work; changes nothing.

    With --notify, only whether notices reach the desktop. A report holds no word of a session, and
    no name of a repository. Exits with 4 when something is wrong.
    """
    from ctxd.doctor import DoctorReport

    if notify and file is not None:
        raise UsageError("`--notify` makes no report", "leave out one of the two")
    if names and file is None:
        raise UsageError("`--names` is for a report", "`ctxd doctor --report FILE --names`")
    report = DoctorReport(checks=tuple(_notify() if notify else _look()))
    if file is not None:
        _write(file, report, names=names)
    if as_json:
        from ctxd.cli.json_output import print_json

        print_json(report)
    else:
        from ctxd.cli.doctor_lines import print_checks

        print_checks(current.output, report.checks)
    if file is not None:
        current.messages.print(f"wrote {file}: read it before you send it to anybody")
    return Exit.OK if report.is_well else Exit.FINDINGS


def _notify() -> Sequence[Check]:
    from ctxd.doctor.notice import test_notice
    from ctxd.notify.errand import dispatch

    return [test_notice(dispatch)]


def _look() -> Sequence[Check]:
    from ctxd.doctor.looking import look

    return list(look(_subject()))


def _subject() -> Subject:
    from ctxd.cli.service import ping
    from ctxd.cli.status import take
    from ctxd.doctor.looking import Subject

    return Subject(places=current.places, status=take, ping=ping)


def _write(file: Path, report: DoctorReport, *, names: bool) -> None:
    from ctxd.cli.status import take
    from ctxd.doctor.bundle import bundle, write
    from ctxd.errors import CtxdError

    try:
        status = take()
    except CtxdError:  # what is wrong with the ledger is among the checks
        status = None
    write(file, bundle(current.places, report.checks, status, names=names))
