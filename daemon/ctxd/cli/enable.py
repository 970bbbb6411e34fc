"""`ctxd enable`: write again into a file whose markers somebody removed."""

from __future__ import annotations

from pathlib import Path

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import repository_option
from ctxd.cli.settings import current
from ctxd.errors import Exit


@command_of(
    ("ctxd enable", "write into this repository's files again"),
    ("ctxd enable --repo ~/work/api", "into those of another one"),
    ("ctxd status", "tells where writing stopped, and why"),
)
@repository_option("In the repository this folder is in.")
def command(*, repo: Path | None) -> int:
    """Have ctxd write again where its markers were removed from a context file."""
    from ctxd.cli.edits import worktree_of
    from ctxd.cli.order import order

    current.output.print(order("enable", worktree_of(repo).root))
    return Exit.OK
