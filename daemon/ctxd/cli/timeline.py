"""`ctxd timeline`: one session's window as it filled, its compactions, and what they cut off."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import (
    open_ledger,
    repository_named,
    repository_option,
    session_ids,
    session_named,
)
from ctxd.cli.settings import current
from ctxd.errors import Exit, UserError

if TYPE_CHECKING:
    from ctxd.ledger import Reader


@command_of(
    ("ctxd timeline", "the latest session of this repository"),
    ("ctxd timeline 5b0e", "a session by the start of its id"),
    ("ctxd timeline --json | jq .cuts", "for other programs"),
)
@click.argument("session", metavar="[SESSION]", required=False, shell_complete=session_ids)
@repository_option("The latest session of the repository this folder is in.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(*, session: str | None, repo: Path | None, as_json: bool) -> int:
    """Show how a session's window filled and where compactions cut it.

    Each item is a line below it: = it survives a cut, + it was put back,
    x it breaks there.
    """
    from ctxd.cli.json_output import print_json
    from ctxd.policy.report import TIMELINE_LINES
    from ctxd.report.gathering import timeline

    with open_ledger() as reader:
        key = session_named(reader, session) if session else _latest(reader, repo)
        most = EVERY if as_json else TIMELINE_LINES
        found = timeline(reader, key, most_lines=most)
    if as_json:
        print_json(found)
    else:
        from ctxd.cli.timeline_lines import Picture

        Picture(current.output, found).print()
    return Exit.OK


EVERY = 1_000_000
"""More items than any session has."""


def _latest(reader: Reader, repo: Path | None) -> tuple[str, str]:
    from ctxd.report.gathering import sessions_of
    from ctxd.terminal import short_path

    repository = repository_named(repo)
    found = sessions_of(reader, repository)
    if not found:
        raise UserError(
            f"no session of an agent ran in `{short_path(repository, Path.home())}`",
            "`ctxd sessions` lists them all, `ctxd timeline ID` shows one",
        )
    return found[0].agent, found[0].id
