"""`ctxd forget`: an item is taken out of everything that ctxd keeps, for good."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import item_named, open_ledger, repository_named, repository_option
from ctxd.cli.settings import current
from ctxd.errors import Exit, UsageError, UserError
from ctxd.policy.shown import LIKELY_ITEMS_SHOWN

if TYPE_CHECKING:
    from ctxd.ledger import KeptItem, Reader


@command_of(
    ("ctxd forget 7f3a", "one item, by the start of its id"),
    ("ctxd forget customer names", "the one that holds these words"),
    ("ctxd forget 7f3a k3mz --yes", "without being asked"),
)
@click.argument("named", metavar="ID|TEXT", nargs=-1, required=True)
@repository_option("Of the repository this folder is in.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(*, named: tuple[str, ...], repo: Path | None, yes: bool) -> int:
    """Forget items for good, by their ids or by words of one.

    Takes each out of what ctxd stores and out of context files, and never takes it up again. Says
    what ctxd cannot reach.
    """
    from ctxd.cli.beyond_reach import beyond_reach
    from ctxd.cli.order import order

    repository = repository_named(repo)
    with open_ledger() as reader:
        found = _chosen(reader, named, repository)
        beyond = list(beyond_reach(reader, found, current.places.receipts))
        _show(reader, found)
    if not yes and not _agreed(len(found)):
        current.output.print("nothing was forgotten")
        return Exit.OK
    for where in dict.fromkeys(kept.repository for kept in found):
        items = [kept.id for kept in found if kept.repository == where]
        for line in order("forget", where, *items).splitlines():
            current.output.print(line)
    current.output.print("ctxd cannot reach:")
    for line in beyond:
        current.output.print(f"  {line}")
    return Exit.OK


def _chosen(reader: Reader, named: Sequence[str], repository: str) -> list[KeptItem]:
    """The items that ids name, or the one that holds all the words."""
    if all(reader.items_by_id(name) for name in named if name):
        found = [item_named(reader, name, repository) for name in named]
        return list({(kept.repository, kept.id): kept for kept in found}.values())
    text = " ".join(named)
    found = reader.search(text, repository)
    if not found:
        raise UserError(
            f"no item of this repository is named or holds `{text}`",
            "`ctxd items --all` lists them",
        )
    if len(found) > 1:
        some = ", ".join(kept.id for kept in found[:LIKELY_ITEMS_SHOWN])
        raise UserError(
            f"{len(found)} items hold `{text}`: {some}", "name those to forget by their ids"
        )
    return found


def _show(reader: Reader, found: list[KeptItem]) -> None:
    from ctxd.cli.item_lines import print_items
    from ctxd.item_report import item_rows

    print_items(current.output, item_rows(found, reader))


def _agreed(number: int) -> bool:
    """The user's answer; raise UsageError where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "there is no terminal to ask on", "add `--yes` to forget without a question"
        )
    what = "it" if number == 1 else f"these {number}"
    try:
        return input(f"forget {what} for good? [y/N]: ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
