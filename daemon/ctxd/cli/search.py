"""`ctxd search`: items by the words in them, in what was said, or in the reason."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import kind_option, open_ledger, repository_named, repository_option
from ctxd.cli.settings import current
from ctxd.errors import Exit, UsageError
from ctxd.policy.shown import SEARCH_SHOWN

if TYPE_CHECKING:
    from ctxd.item import Kind
    from ctxd.item_report import ItemRow
    from ctxd.ledger import KeptItem, Reader


@command_of(
    ("ctxd search redis cache", "in the current folder's repository"),
    ("ctxd search --everywhere retries", "in all repositories"),
    ("ctxd search auth --kind decision --json", "decisions only, as JSON"),
)
@click.argument("text", nargs=-1, required=True)
@repository_option("In the repository this folder is in.")
@click.option("--everywhere", is_flag=True, help="In all repositories.")
@kind_option()
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object a line (docs/json.md)."
)
def command(
    *,
    text: tuple[str, ...],
    repo: Path | None,
    everywhere: bool,
    kinds: tuple[Kind, ...],
    as_json: bool,
) -> int:
    """Find items by words, or their beginnings, in any order; the best come first.

    Those that do not hold any more are found, too, after the others.
    """
    from ctxd.cli.item_absence import no_ledger
    from ctxd.cli.json_output import print_json
    from ctxd.item_report import item_rows
    from ctxd.ledger import NoLedgerError

    if everywhere and repo is not None:
        raise UsageError("`--repo` and `--everywhere` exclude each other", "leave out one of them")
    try:
        reader = open_ledger()
    except NoLedgerError as error:
        return no_ledger(error, as_json=as_json)
    wanted = " ".join(text)
    repository = None if everywhere else repository_named(repo)
    with reader:
        found = _of_kinds(reader.search(wanted, repository), kinds)
        rows = item_rows(found[: None if as_json else SEARCH_SHOWN], reader)
        if as_json:
            for row in rows:
                print_json(row)
        elif rows:
            _print(rows, len(found), everywhere=everywhere)
        else:
            _say_nothing(reader, wanted, kinds, everywhere=everywhere)
    return Exit.OK


def _of_kinds(found: list[KeptItem], kinds: tuple[Kind, ...]) -> list[KeptItem]:
    return [known for known in found if not kinds or known.item.kind in kinds]


def _print(rows: list[ItemRow], total: int, *, everywhere: bool) -> None:
    from ctxd.cli import words
    from ctxd.cli.item_lines import print_items

    print_items(current.output, rows, repository=everywhere)
    if len(rows) < total:
        more = words.number(total - len(rows))
        current.output.print(
            (f"and {more} more; further words find fewer, `--json` prints all", "dim")
        )


def _say_nothing(reader: Reader, wanted: str, kinds: tuple[Kind, ...], *, everywhere: bool) -> None:
    from ctxd.cli import words

    out = current.output
    others = [] if everywhere else _of_kinds(reader.search(wanted), kinds)
    out.print(f"nothing found for `{wanted}`{'' if everywhere else ' in this repository'}")
    if others:
        elsewhere = words.count(len(others), "item")
        out.print(("hint:", "cyan"), f" `--everywhere` finds {elsewhere} in other repositories")
    else:
        out.print(("hint:", "cyan"), " fewer words, or their beginnings, find more")
