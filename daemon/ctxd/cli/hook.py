"""`ctxd hook`: agents are told to call ctxd at certain moments, or not to any more."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import CtxdError, Exit, UsageError

if TYPE_CHECKING:
    from ctxd.hooks.agents import Agents
    from ctxd.hooks.vendor import Vendor

ACTIONS = ("install", "uninstall", "status")


@command_of(
    ("ctxd hook status", "which agents call ctxd"),
    ("ctxd hook install --all", "show the changes, ask, and make them"),
    ("ctxd hook uninstall --all --yes", "take all hooks out again"),
)
@click.argument("action", type=click.Choice(ACTIONS), metavar="ACTION")
@click.argument("agents", metavar="[AGENT]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every agent that is found here.")
@click.option("--project", is_flag=True, help="In this repository, not in your own settings.")
@click.option("--dry-run", is_flag=True, help="Show the change and make none.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(action: str, agents: tuple[str, ...], **how: bool) -> int:
    """Have agents call ctxd before a compaction, after it, and at a session's start.

    ACTION is install, uninstall or status. Hooks give an agent back at once what its compaction
    dropped; ctxd works without them. Hooks of others in the same file stay as they are.
    """
    from ctxd.hooks.agents import Agents

    known = Agents(current.places, datetime.now(UTC), _project() if how["project"] else None)
    chosen = _chosen(known, action, agents, everything=how["everything"])
    if action == "status":
        from ctxd.cli.hook_lines import print_standings

        print_standings(current.output, known.standings(chosen))
        return Exit.OK
    code = _plan(known, action, chosen, everywhere=how["everything"])
    if action == "uninstall" and not any(step.matters for step in known.steps):
        current.output.print("there are no hooks to take out")
    if action == "install" and not chosen:
        current.output.print("no agent that hooks help was found here")
        hint = " `ctxd hook install AGENT` writes them all the same"
        current.output.print(("hint:", "cyan"), hint)
    if how["dry_run"]:
        return code
    is_asked = any(step.changes for step in known.steps) and not how["yes"]
    if is_asked and not _agreed():
        current.output.print("nothing was written")
        return code
    return max(code, _done(known))


def _project() -> Path:
    from ctxd.cli.edits import worktree_of

    return Path(worktree_of(None).root)


def _chosen(
    known: Agents, action: str, names: Sequence[str], *, everything: bool
) -> Sequence[Vendor]:
    """The agents that are meant; raise UsageError where nobody can tell."""
    from ctxd.hooks.registry import VENDORS

    if names and not everything:
        return known.named(names)
    if names:
        raise UsageError("an agent is named, and `--all` means every one", "leave out one of them")
    if action != "install" and (everything or action == "status"):
        return VENDORS
    found = known.found()
    if not everything:
        here = ", ".join(vendor.agent for vendor in found) or "none that ctxd knows"
        raise UsageError(f"say which agent to {action} hooks for", f"found here: {here}")
    return [vendor for vendor in found if vendor.by_all]


def _plan(known: Agents, action: str, chosen: Sequence[Vendor], *, everywhere: bool) -> int:
    """Plan what is to be done, and show it. Where one of several agents cannot be helped, that is
    said, and the others go on."""
    from ctxd.cli.hook_lines import print_notes, print_steps

    code = Exit.OK
    for vendor in chosen:
        try:
            if action == "install":
                steps = known.install(vendor)
            else:
                steps = known.uninstall(vendor, everywhere=everywhere)
        except CtxdError as error:
            if len(chosen) == 1:
                raise
            current.messages.print(("x", "red"), f" {vendor.product}: {error.message}")
            code = Exit.PARTIAL
            continue
        print_steps(current.output, steps)
        if action == "install":
            print_notes(current.output, known, vendor, steps)
    return code


def _agreed() -> bool:
    """The user's answer; raise UsageError where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "there is no terminal to ask on",
            "add `--yes` to write without a question, `--dry-run` to look only",
        )
    try:
        return input("write this? [y/N]: ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _done(known: Agents) -> int:
    """Do all that is planned. Where one of several files cannot be written, that is said, and the
    others are."""
    from ctxd.terminal import short_path

    code = Exit.OK
    for step in known.steps:
        try:
            known.do(step)
        except CtxdError as error:
            if len(known.steps) == 1:
                raise
            current.messages.print(("x", "red"), f" {error.message}")
            code = Exit.PARTIAL
            continue
        if step.changes:
            done = "removed" if step.after is None else "wrote"
            current.output.print(f"{done} {short_path(step.target.path, Path.home())}")
    return code
