"""`ctxd items`: what was decided, must hold, was turned down or is left open, one line each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import (
    KINDS,
    kind_option,
    open_ledger,
    repository_named,
    repository_option,
    session_named,
)
from ctxd.cli.settings import current
from ctxd.errors import Exit

if TYPE_CHECKING:
    from ctxd.item import Kind
    from ctxd.item_report import ItemRow
    from ctxd.ledger import KeptItem, Reader
    from ctxd.terminal import Terminal

Place = tuple[str | None, tuple[str, str] | None]
"""Repository and session that are asked for."""


@command_of(
    ("ctxd items", "those of the current folder's repository"),
    ("ctxd items --kind constraint --all", "constraints, those of the past too"),
    ("ctxd items --session 5b0e --json", "those of one session, as JSON"),
)
@repository_option("Those of the repository this folder is in.")
@click.option("--session", metavar="ID", help="Those of one session; the start of its id will do.")
@kind_option()
@click.option("--all", "show_all", is_flag=True, help="Show those, too, that do not hold any more.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object a line (docs/json.md)."
)
def command(
    *,
    repo: Path | None,
    session: str | None,
    kinds: tuple[Kind, ...],
    show_all: bool,
    as_json: bool,
) -> int:
    """List what was understood from sessions: decisions, constraints and more.

    The newest of each kind comes last. `ctxd show ID` tells all about one.
    """
    from ctxd.cli.item_absence import explain, no_ledger
    from ctxd.cli.json_output import print_json
    from ctxd.item_log import ACTIVE
    from ctxd.item_report import item_rows
    from ctxd.ledger import NoLedgerError

    try:
        reader = open_ledger()
    except NoLedgerError as error:
        return no_ledger(error, as_json=as_json)
    with reader:
        place = _place(reader, repo, session)
        found = reader.items(*place, kinds, () if show_all else ACTIVE)
        rows = item_rows(_by_kind(found), reader)
        if as_json:
            for row in rows:
                print_json(row)
        elif rows:
            _print(current.output, rows, _heading(place))
        else:
            explain(current.output, reader, place, is_narrowed=bool(kinds))
    return Exit.OK


def _place(reader: Reader, repo: Path | None, session: str | None) -> Place:
    """A session is looked at wherever it ran, unless a repository is named with it."""
    key = session_named(reader, session) if session is not None else None
    return (repository_named(repo) if repo is not None or key is None else None), key


def _by_kind(found: list[KeptItem]) -> list[KeptItem]:
    return sorted(found, key=lambda known: KINDS.index(known.item.kind))


def _heading(place: Place) -> str:
    from ctxd.terminal import short_path

    repository, session = place
    where = [short_path(repository, Path.home())] if repository else []
    return ", ".join(where + ([f"{session[0]} session {session[1]}"] if session else []))


def _print(out: Terminal, rows: list[ItemRow], heading: str) -> None:
    from ctxd.cli import words
    from ctxd.cli.item_lines import print_items

    counts = Counter(row.status for row in rows)
    said = [words.count(len(rows), "item")]
    past = len(rows) - counts["active"]
    said += [f"{words.number(past)} of the past"] if past else []
    waiting = sum(row.waits_for_review for row in rows)
    said += [f"{words.number(waiting)} for review"] if waiting else []
    out.print((heading, "bold"), (f"  {', '.join(said)}", "dim"))
    out.print()
    print_items(out, rows)
