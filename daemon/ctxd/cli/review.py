"""`ctxd review`: the user's word to what is not plain enough to be written unasked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import (
    item_named,
    open_ledger,
    repository_named,
    repository_option,
)
from ctxd.cli.settings import current
from ctxd.errors import Exit, UsageError, UserError

if TYPE_CHECKING:
    from ctxd.item_log import Verdict
    from ctxd.ledger import KeptItem, Reader

_VERDICTS: dict[str, Verdict] = {"accept": "accepted", "reject": "rejected"}


@command_of(
    ("ctxd review", "one after another, on a terminal"),
    ("ctxd review accept 7f3a k3mz", "without being asked"),
    ("ctxd review --json | jq -r .text", "what waits, for other programs"),
)
@click.argument("verdict", required=False, type=click.Choice([*_VERDICTS]), metavar="[VERDICT]")
@click.argument("items", metavar="[ID]...", nargs=-1)
@repository_option("What waits in the repository this folder is in.")
@click.option("--json", "as_json", is_flag=True, help="Print what waits, one JSON object a line.")
def command(
    *, verdict: str | None, items: tuple[str, ...], repo: Path | None, as_json: bool
) -> int:
    """Go through items that wait for your word: accept, edit, reject or skip.

    VERDICT is `accept` or `reject`, for the items named behind it. Where there is no terminal to
    ask on, what waits is listed.
    """
    from ctxd.ledger import NoLedgerError

    if verdict is not None:
        return _judge(verdict, items, repo, as_json=as_json)
    repository = repository_named(repo)
    try:
        reader = open_ledger()
    except NoLedgerError as error:
        from ctxd.cli.item_absence import no_ledger

        return no_ledger(error, as_json=as_json)
    with reader:
        return _look_through(reader, repository, as_json=as_json)


def _judge(verdict: str, items: tuple[str, ...], repo: Path | None, *, as_json: bool) -> int:
    """Pass the same verdict on all the items that are named, or on none."""
    if as_json or not items:
        raise UsageError(
            f"say which items to {verdict}, without `--json`", "`ctxd review --json` lists them"
        )
    from ctxd.cli.order import order

    with open_ledger() as reader:
        repository = repository_named(repo)
        found = [item_named(reader, item, repository) for item in items]
    for kept in found:
        if repo is not None and kept.repository != repository:
            raise UserError(f"`{kept.id}` is of another repository", "leave out `--repo`")
    for kept in found:
        current.output.print(order("decide", kept.repository, _VERDICTS[verdict], kept.id))
    return Exit.OK


def _look_through(reader: Reader, repository: str, *, as_json: bool) -> int:
    from ctxd.cli.json_output import print_json
    from ctxd.item_report import item_rows
    from ctxd.reviewing import to_review

    found = to_review(reader, repository)
    if as_json:
        for row in item_rows(found, reader):
            print_json(row)
    elif not found:
        _say_nothing(reader, repository)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        from ctxd.cli.review_talk import ReviewTalk

        ReviewTalk(current.output, reader, found).run()
    else:
        _list(reader, found)
    return Exit.OK


def _list(reader: Reader, found: list[KeptItem]) -> None:
    from ctxd.cli.item_lines import print_items
    from ctxd.item_report import item_rows

    rows = item_rows(found, reader)
    print_items(current.output, rows)
    hint = f" `ctxd review accept {rows[0].short_id}` accepts one, `reject` turns it down"
    current.messages.print(("hint:", "cyan"), hint)


def _say_nothing(reader: Reader, repository: str) -> None:
    from ctxd.cli import words
    from ctxd.reviewing import to_review

    current.output.print("nothing waits for your word in this repository")
    others = {kept.repository for kept in to_review(reader, None)} - {repository}
    if others:
        where = words.count(len(others), "other repository", "other repositories")
        current.output.print(
            ("hint:", "cyan"), f" something does in {where}; `ctxd review --repo PATH` shows it"
        )
