"""`ctxd diff`: what would be written into the context files of a repository, before it is."""

from __future__ import annotations

from pathlib import Path

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import open_ledger, repository_option
from ctxd.cli.settings import current
from ctxd.errors import Exit


@command_of(
    ("ctxd diff", "all that waits to be written in this repository"),
    ("ctxd diff 7f3a", "what `ctxd apply 7f3a` would write"),
    ("ctxd apply --all", "write it"),
)
@click.argument("items", metavar="[ID]...", nargs=-1)
@repository_option("What waits in the repository this folder is in.")
def command(*, items: tuple[str, ...], repo: Path | None) -> int:
    """Show planned edits of context files as a unified diff; writes nothing.

    With IDs, the edits that these items would make, also if they wait for review.
    """
    from ctxd.cli.edits import named, print_edits, print_notices, survey, worktree_of

    spot = worktree_of(repo)
    with open_ledger() as reader:
        found = survey(reader, spot, named(reader, spot, items))
    print_edits(current.output, found.plan.edits)
    print_notices(found.plan)
    if not found.plan.edits:
        current.messages.print("nothing waits to be written")
    return Exit.OK
