"""`ctxd undo`: an edit of a context file is taken back, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import repository_option
from ctxd.cli.settings import current
from ctxd.errors import Exit

if TYPE_CHECKING:
    from ctxd.context_files.receipts import Receipt


@command_of(
    ("ctxd undo", "list the edits that can be taken back"),
    ("ctxd undo 7f3a", "take back an edit, or the last one with that item"),
    ("ctxd undo 7f3a --dry-run", "only show what that changes"),
)
@click.argument("edit", metavar="[ID]", required=False)
@click.option("--dry-run", is_flag=True, help="Show the change and make none.")
@repository_option("List only the edits of this folder's repository.")
def command(*, edit: str | None, dry_run: bool, repo: Path | None) -> int:
    """Take an edit of a context file back; without an ID, list those that can be.

    A file that somebody has changed since is left alone. Lines that go are taken back for good.
    """
    from ctxd.cli.edits import print_edits, worktree_of
    from ctxd.cli.order import order
    from ctxd.context_files.receipts import Receipts

    receipts = Receipts(current.places.receipts)
    if edit is None:
        root = worktree_of(repo).root if repo else None
        made = [receipt for receipt in receipts.all() if receipt.undoes is None]
        _list([receipt for receipt in made if root in (None, receipt.root)])
        return Exit.OK
    receipt = receipts.find(edit)
    print_edits(current.output, [receipt.back])
    if not dry_run:
        current.messages.print(order("undo", receipt.root, receipt.id))
    return Exit.OK


def _list(receipts: list[Receipt]) -> None:
    from datetime import UTC, datetime

    from ctxd.cli import words
    from ctxd.cli.columns import Column, print_table
    from ctxd.policy.context_files import UNDO_SHOWN
    from ctxd.policy.shown import ITEM_SHORT_ID_CHARS
    from ctxd.short_ids import short_ids
    from ctxd.terminal import short_path

    if not receipts:
        current.messages.print("there is no edit to take back")
        return
    now = datetime.now(UTC)
    short = short_ids([receipt.id for receipt in receipts], ITEM_SHORT_ID_CHARS)
    columns = [
        Column("ID"),
        Column("FILE", least=16, keep_end=True),
        Column("LINES", right=True),
        Column("WRITTEN", right=True, drop=1),
    ]
    rows = [
        (
            (short[receipt.id], "cyan"),
            short_path(Path(receipt.root) / receipt.path, Path.home()),
            words.number(len(receipt.changes)),
            words.ago(receipt.time, now),
        )
        for receipt in receipts[:UNDO_SHOWN]
    ]
    print_table(current.output, columns, rows)
