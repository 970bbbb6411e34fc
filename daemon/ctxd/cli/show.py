"""`ctxd show`: one item whole: whose word it is, what was said, and what became of it since."""

from __future__ import annotations

from pathlib import Path

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import item_named, open_ledger, repository_named, repository_option
from ctxd.cli.settings import current
from ctxd.errors import CtxdError, Exit


def _ids(_context: click.Context, _argument: click.Parameter, begun: str) -> list[str]:
    try:
        with open_ledger() as reader:
            return [item for item in reader.item_ids() if item.startswith(begun.lower())]
    except CtxdError:
        return []


@command_of(
    ("ctxd show 7f3a", "one item by the start of its id"),
    ("ctxd show 7f3a --full | less", "with all that was said around it"),
    ("ctxd show 7f3a --json | jq .evidence", "for other programs"),
)
@click.argument("item", metavar="ID", shell_complete=_ids)
@repository_option("Where the same words were said in several: the one this folder is in.")
@click.option("--full", is_flag=True, help="Show the texts around it in full.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(*, item: str, repo: Path | None, full: bool, as_json: bool) -> int:
    """Show everything about an item: evidence, reason, scope, and its history.

    ID is the start of its id, as `ctxd items` shows it and context files hold it.
    """
    from ctxd.cli.item_page import ItemPage
    from ctxd.cli.json_output import print_json
    from ctxd.item_report import shown_item

    with open_ledger() as reader:
        shown = shown_item(item_named(reader, item, repository_named(repo)), reader)
    if as_json:
        print_json(shown)
    else:
        ItemPage(current.output, shown, full=full).print()
    return Exit.OK
