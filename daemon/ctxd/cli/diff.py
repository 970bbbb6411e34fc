"""`ctxd diff`: what would be written into the context files of a repository, before it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import open_ledger, repository_option
from ctxd.cli.settings import current
from ctxd.errors import Exit

if TYPE_CHECKING:
    from ctxd.context_files.desk import Survey


@command_of(
    ("ctxd diff", "all that waits to be written in this repository"),
    ("ctxd diff 7f3a", "what `ctxd apply 7f3a` would write"),
    ("ctxd apply --all", "write it"),
)
@click.argument("items", metavar="[ID]...", nargs=-1)
@click.option("--exit-code", is_flag=True, help="End with 4 when something waits to be written.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@repository_option("What waits in the repository this folder is in.")
def command(*, items: tuple[str, ...], exit_code: bool, as_json: bool, repo: Path | None) -> int:
    """Show planned edits of context files as a unified diff; writes nothing.

    With IDs, the edits that these items would make, also if they wait for review.
    """
    from ctxd.cli.edits import named, survey, worktree_of
    from ctxd.cli.json_output import print_json
    from ctxd.edit_report import DiffReport

    spot = worktree_of(repo)
    with open_ledger() as reader:
        found = survey(reader, spot, named(reader, spot, items))
    if as_json:
        print_json(DiffReport.of(found))
    else:
        _print(found)
    return Exit.FINDINGS if exit_code and found.plan.edits else Exit.OK


def _print(found: Survey) -> None:
    from ctxd.cli import words
    from ctxd.cli.edits import print_edits, print_notices

    print_edits(current.output, found.plan.edits)
    print_notices(found.plan)
    if not found.plan.edits:
        current.messages.print("nothing waits to be written")
    if found.review:
        waiting = words.count(len(found.review), "item waits", "items wait")
        current.messages.print(
            ("hint:", "cyan"), f" {waiting} for your word; `ctxd review` asks for it"
        )
