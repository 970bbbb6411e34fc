"""`ctxd compactions`: what each compaction of a session dropped, and what was done about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import (
    item_named,
    open_ledger,
    repository_named,
    repository_option,
    session_named,
)
from ctxd.cli.settings import current
from ctxd.errors import Exit

if TYPE_CHECKING:
    from ctxd.compaction_report import CompactionRow
    from ctxd.ledger import KeptItem, NoLedgerError, Reader, SessionRow

Key = tuple[str, str]
"""Agent and session id."""


@command_of(
    ("ctxd compactions", "those of the last session here that had any"),
    ("ctxd compactions 5b0e --summary", "those of one session, with the summaries"),
    ("ctxd compactions --item 7f3a", "the compactions that kept and lost one item"),
)
@click.argument("session", metavar="[SESSION]", required=False)
@repository_option("Those of the repository this folder is in.")
@click.option("--item", metavar="ID", help="Only what became of this item, in all its sessions.")
@click.option("--summary", is_flag=True, help="Show the summaries, too.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object a line (docs/json.md)."
)
def command(
    *, session: str | None, repo: Path | None, item: str | None, summary: bool, as_json: bool
) -> int:
    """Show what the compactions of a session dropped, and what was done about it.

    SESSION is the start of its id. The newest compaction comes last.
    """
    from ctxd.cli.compaction_pages import CompactionPages
    from ctxd.cli.json_output import print_json
    from ctxd.compaction_report import compaction_rows
    from ctxd.ledger import NoLedgerError

    try:
        reader = open_ledger()
    except NoLedgerError as error:
        return _no_ledger(error, as_json=as_json)
    with reader:
        one = item_named(reader, item, repository_named(repo)) if item is not None else None
        keys = _sessions(reader, session, repo, one)
        found = {key: compaction_rows(reader, key, item=one, summary=summary) for key in keys}
        found = {key: rows for key, rows in found.items() if rows}
        if as_json:
            for row in (row for rows in found.values() for row in rows):
                print_json(row)
        elif found:
            CompactionPages(current.output, one).print(_titled(reader, found))
        else:
            _explain(reader, session, repo, one)
    return Exit.OK


def _sessions(
    reader: Reader, session: str | None, repo: Path | None, item: KeptItem | None
) -> list[Key]:
    """Those asked for: all that judged an item, the one named, else the last one that had any."""
    if session is not None:
        return [session_named(reader, session)]
    if item is not None:
        found = reader.item_boundaries(item.repository, item.id)
        return list(dict.fromkeys((one.agent, one.session) for one in found))
    wanted = repository_named(repo)
    for row in reader.sessions():
        key = (row.agent, row.id)
        if row.compactions and _ran_in(row, wanted) and _has_any(reader, key):
            return [key]
    return []


def _ran_in(row: SessionRow, repository: str) -> bool:
    from ctxd.repositories import repository_key

    return repository_key(row.cwd, row.repository) == repository


def _has_any(reader: Reader, key: Key) -> bool:
    return bool(reader.records(key, limit=1) or reader.boundaries_of(key))


def _titled(
    reader: Reader, found: dict[Key, list[CompactionRow]]
) -> list[tuple[SessionRow | None, list[CompactionRow]]]:
    rows = {(row.agent, row.id): row for row in reader.sessions(empty=True)}
    return [(rows.get(key), compactions) for key, compactions in found.items()]


def _no_ledger(error: NoLedgerError, *, as_json: bool) -> int:
    """Say that ctxd has read nothing yet; raise the error where there is a ledger all the same."""
    from ctxd.status import ledger_path

    if ledger_path(current.places.state).exists():
        raise error
    if not as_json:
        _say(
            "no compactions: ctxd has not read any session yet",
            "`ctxd run` reads them all and goes on with what is new",
        )
    return Exit.OK


def _explain(reader: Reader, session: str | None, repo: Path | None, item: KeptItem | None) -> None:
    """Say why there is nothing to show."""
    from ctxd.terminal import short_path

    if item is not None:
        _say(
            f"no compaction has judged `{item.id}`", "it was in no window that was compacted since"
        )
    elif session is not None and _had_any(reader, session_named(reader, session)):
        _say(
            "no compaction is recorded with this session",
            "those it had are told of with the session that it was copied from, or are too old",
        )
    elif session is not None:
        _say("no compactions in this session", "`ctxd sessions` tells how many each session had")
    elif not reader.sessions(limit=1):
        _say(
            "no compactions: ctxd has not read any session yet",
            "`ctxd run` reads them all and goes on with what is new",
        )
    else:
        where = short_path(repository_named(repo), Path.home())
        _say(
            f"no compactions: no session in `{where}` had any",
            "`ctxd sessions` tells how many each session had",
        )


def _had_any(reader: Reader, key: Key) -> bool:
    """Whether a session's log has compactions, whoever they are recorded with."""
    return any(row.compactions for row in reader.sessions(empty=True) if (row.agent, row.id) == key)


def _say(message: str, hint: str) -> None:
    current.output.print(message)
    current.output.print(("hint:", "cyan"), f" {hint}")
