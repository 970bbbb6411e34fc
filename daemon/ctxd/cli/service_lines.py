"""The service as lines: how it stands, and what would be done to it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ctxd.cli.words import typed
from ctxd.service_install.service import ServiceReport
from ctxd.service_install.steps import Make, Remove, Step, Write
from ctxd.terminal import Span, Terminal, short_path

_STYLES = {"running": "green", "failed": "red", "stopped": "yellow", "not installed": "yellow"}
_LABEL_WIDTH = 12


def print_report(out: Terminal, report: ServiceReport) -> None:
    """Write how the service stands, and below it what needs the user."""
    told = []
    if report.pid is not None:
        told.append(f"pid {report.pid}")
    if report.at_login is not None:
        told.append("starts at login" if report.at_login else "does not start at login")
    said = f"  {', '.join(told)}" if told else ""
    state = (report.state, f"bold {_STYLES[report.state]}")
    _line(out, "service", state, f"{said}  ({report.manager})")
    if report.running_version:
        _line(out, "version", report.running_version)
    if report.definition:
        _line(out, "definition", _path(out, report.definition))
    if report.interpreter:
        _line(out, "starts", _path(out, report.interpreter))
    for need in report.needs:
        out.print()
        out.print(("!", "bold yellow"), f" {need.message}")
        print_hint(out, need.hint, indent="  ")


def print_plan(out: Terminal, steps: Sequence[Step]) -> None:
    """Write what would be done, word for word."""
    for step in steps:
        if isinstance(step, Write):
            out.print(("would write ", "bold"), short_path(step.path, Path.home()))
            for line in step.text.splitlines():
                out.print(f"    {line}")
        elif isinstance(step, Make):
            out.print(("would make ", "bold"), short_path(step.path, Path.home()))
        elif isinstance(step, Remove):
            out.print(("would remove ", "bold"), short_path(step.path, Path.home()))
        else:
            out.print(("would run ", "bold"), " ".join(map(typed, step.command)))
    if not steps:
        out.print("nothing to do")


def print_done(out: Terminal, steps: Sequence[Step]) -> None:
    """Write which files were written or removed."""
    for step in steps:
        if isinstance(step, Write):
            out.print(f"wrote {short_path(step.path, Path.home())}")
        elif isinstance(step, Remove):
            out.print(f"removed {short_path(step.path, Path.home())}")


def print_hint(out: Terminal, hint: str, indent: str = "") -> None:
    """Write one next step."""
    out.print(indent, ("hint:", "cyan"), f" {hint}")


def _line(out: Terminal, label: str, *spans: Span) -> None:
    out.print((f"{label:<{_LABEL_WIDTH}}", "dim"), *spans)


def _path(out: Terminal, path: str) -> str:
    text = short_path(path, Path.home())
    return text if out.width is None else out.cut(text, out.width - _LABEL_WIDTH, keep_end=True)
