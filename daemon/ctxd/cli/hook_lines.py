"""Hooks of agents as lines: what is to be written, and how they stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ctxd.cli.columns import Column, print_table
from ctxd.cli.edits import print_diff
from ctxd.cli.words import NONE
from ctxd.hooks.installing import Step
from ctxd.hooks.standing import Standing
from ctxd.hooks.vendor import Vendor
from ctxd.hooks.versions import ClientVersion
from ctxd.terminal import Span, Terminal, short_path

_STYLES = {
    "installed": "green",
    "incomplete": "yellow",
    "stale": "yellow",
    "off": "yellow",
    "unusable": "red",
}
_TOLD = {"client": "", "log": ", as its newest log says"}


def print_steps(
    out: Terminal,
    action: str,
    vendor: Vendor,
    version_of: Callable[[Vendor], ClientVersion],
    steps: Sequence[Step],
) -> None:
    """Write what is to be done for one agent, as diffs, with what the user has to know."""
    changed = [step for step in steps if step.changes]
    for step in changed:
        print_diff(out, step.diff())
    for step in steps:
        if step.note:
            _say(out, vendor.product, step.note)
    if action == "uninstall":
        return
    if not changed:
        out.print(f"{vendor.product}: its hooks are there already")
    version = version_of(vendor)
    if not version.text:
        _say(out, vendor.product, "its version is not known: only what all that were tried know")
    for note in vendor.notes:
        _say(out, vendor.product, note)


def _say(out: Terminal, product: str, note: str) -> None:
    out.print(("!", "bold yellow"), f" {product}: {note}")


def print_standings(out: Terminal, standings: Sequence[Standing]) -> None:
    """Write a table of agents, and below it what needs the user."""
    shown = [standing for standing in standings if standing.found or standing.events]
    if shown:
        rows: list[list[Span]] = [_row(standing) for standing in shown]
        columns = [
            Column("AGENT"),
            Column("HOOKS"),
            Column("CLIENT", drop=1),
            Column("FILE", least=16, keep_end=True),
            Column("EVENTS", least=8, drop=2),
        ]
        print_table(out, columns, rows)
    for standing in shown:
        if standing.trouble:
            _say(out, standing.product, standing.trouble)
        for note in standing.notes if standing.events else ():
            _say(out, standing.product, note)
    stale = [s.agent for s in shown if s.state in ("stale", "incomplete") or _is_old(s)]
    if stale:
        names = " ".join(dict.fromkeys(stale))
        out.print(("hint:", "cyan"), f" `ctxd hook install {names}` brings them up to date")
    others = dict.fromkeys(s.agent for s in standings if s not in shown)
    if others:
        out.print((f"not found here: {', '.join(others)}", "dim"))


def _is_old(standing: Standing) -> bool:
    return standing.state == "installed" and bool(standing.trouble)


def _row(standing: Standing) -> list[Span]:
    return [
        standing.agent,
        (standing.state, _STYLES.get(standing.state, "dim")),
        standing.client_version or NONE,
        short_path(standing.file, Path.home()) if standing.file else NONE,
        ", ".join(standing.events) or NONE,
    ]
