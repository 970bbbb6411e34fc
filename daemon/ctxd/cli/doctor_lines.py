"""What `ctxd doctor` found, as lines: one for what is well, and what to do about the rest."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from ctxd.cli.words import count
from ctxd.doctor import Check
from ctxd.terminal import Terminal, one_line

_STYLES = {"ok": "green", "warn": "bold yellow", "fail": "bold red"}
_INDENT = 6
_LEAST_WIDTH = 20


def print_checks(out: Terminal, checks: Sequence[Check]) -> None:
    """Write one line a check, wrapped where there is an edge, and how all of it is at the end."""
    for check in checks:
        first, *rest = _wrapped(out, f"{check.name}: {one_line(check.message)}")
        out.print((f"{check.state:4}", _STYLES[check.state]), f"  {first}")
        for line in rest:
            out.print(" " * _INDENT, line)
        if check.hint:
            _print_hint(out, check.hint)
    if len(checks) > 1:
        out.print()
        out.print(*_verdict(checks))


def _print_hint(out: Terminal, hint: str) -> None:
    first, *rest = _wrapped(out, f"hint: {one_line(hint)}")
    out.print(" " * _INDENT, ("hint:", "cyan"), first.removeprefix("hint:"))
    for line in rest:
        out.print(" " * _INDENT, line)


def _wrapped(out: Terminal, text: str) -> list[str]:
    text = out.show(text)
    if out.width is None:
        return [text]
    width = max(out.width - _INDENT, _LEAST_WIDTH)
    return wrap(text, width, break_on_hyphens=False) or [""]


def _verdict(checks: Sequence[Check]) -> list[tuple[str, str]]:
    warnings = sum(check.state == "warn" for check in checks)
    failures = sum(check.state == "fail" for check in checks)
    if not warnings + failures:
        return [("all is well", "bold green")]
    parts = [
        count(number, one)
        for number, one in ((failures, "failure"), (warnings, "warning"))
        if number
    ]
    return [(", ".join(parts), "bold")]
