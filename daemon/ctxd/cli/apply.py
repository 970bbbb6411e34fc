"""`ctxd apply`: planned edits of context files are made, because the user says so."""

from __future__ import annotations

from pathlib import Path

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import open_ledger, repository_option
from ctxd.cli.settings import current
from ctxd.errors import Exit, UsageError


@command_of(
    ("ctxd apply 7f3a", "accept one item and write it"),
    ("ctxd apply --all", "write what `ctxd diff` shows"),
    ("ctxd apply --all --dry-run", "only show it"),
)
@click.argument("items", metavar="[ID]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that `ctxd diff` shows.")
@click.option("--dry-run", is_flag=True, help="Show the edits and write nothing.")
@repository_option("In the repository this folder is in.")
def command(*, items: tuple[str, ...], everything: bool, dry_run: bool, repo: Path | None) -> int:
    """Write items into the context files of a repository.

    To name an item that waits for review is to accept it. `ctxd undo` takes edits back.
    """
    from ctxd.cli.edits import named, print_edits, print_notices, survey, worktree_of
    from ctxd.cli.order import order

    if bool(items) == everything:
        raise UsageError("say which items to write", "`ctxd diff` shows them, `--all` means all")
    spot = worktree_of(repo)
    with open_ledger() as reader:
        chosen = named(reader, spot, items)
        if dry_run:
            found = survey(reader, spot, chosen)
            print_edits(current.output, found.plan.edits)
            print_notices(found.plan)
            return Exit.OK
    current.output.print(order("apply", spot.root, *chosen))
    return Exit.OK
