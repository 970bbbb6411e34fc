"""Hooks of agents as lines: what is to be written, and how they stand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ctxd.cli.columns import Column, print_table
from ctxd.cli.edits import print_diff
from ctxd.cli.words import NONE
from ctxd.hooks.agents import Agents
from ctxd.hooks.installing import Step
from ctxd.hooks.standing import Standing
from ctxd.hooks.vendor import Vendor
from ctxd.terminal import Span, Terminal, short_path

_STYLES = {
    "installed": "green",
    "incomplete": "yellow",
    "stale": "yellow",
    "off": "yellow",
    "unusable": "red",
}


def print_steps(out: Terminal, steps: Sequence[Step]) -> None:
    """Write what is to be done to files, as diffs."""
    for step in steps:
        print_diff(out, step.diff())
        if step.note:
            out.print(("!", "bold yellow"), f" {step.note}")


def print_notes(out: Terminal, known: Agents, vendor: Vendor, steps: Sequence[Step]) -> None:
    """Write what there is to know when the hooks of an agent are written."""
    if not any(step.changes for step in steps):
        out.print(f"{vendor.product}: its hooks are there already")
    if vendor.first_version and not known.version(vendor).text:
        _say(out, vendor.product, "its version is not known, so it gets what all tried ones know")
    for note in known.notes(vendor):
        _say(out, vendor.product, note)


def _say(out: Terminal, product: str, note: str) -> None:
    out.print(("!", "bold yellow"), f" {product}: {note}")


def print_standings(out: Terminal, standings: Sequence[Standing]) -> None:
    """Write a table of agents, and below it what needs the user."""
    shown = [standing for standing in standings if standing.found]
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
        for note in standing.notes:
            _say(out, standing.product, note)
    stale = dict.fromkeys(standing.agent for standing in shown if standing.wants_install)
    if stale:
        names = " ".join(stale)
        out.print(("hint:", "cyan"), f" `ctxd hook install {names}` brings them up to date")
    others = dict.fromkeys(s.agent for s in standings if s not in shown)
    if others:
        out.print((f"not found here: {', '.join(others)}", "dim"))


def _row(standing: Standing) -> list[Span]:
    return [
        standing.agent,
        (standing.state, _STYLES.get(standing.state, "dim")),
        standing.client_version or NONE,
        short_path(standing.file, Path.home()) if standing.file else NONE,
        ", ".join(standing.events) or NONE,
    ]
