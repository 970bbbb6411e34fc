"""`ctxd log`: what ctxd has understood, been told and written, in the order of time."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.arguments import how_many
from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import open_ledger, repository_named, repository_option
from ctxd.cli.settings import current
from ctxd.errors import Exit
from ctxd.policy.shown import LOG_POLL_SECONDS, LOG_SHOWN

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxd.log_report import Log, LogRow


@command_of(
    ("ctxd log", "the last of it, in all repositories"),
    ("ctxd log -f --repo .", "all that happens from now on in this one"),
    ("ctxd log --json | jq -r .text", "for other programs"),
)
@click.option("-f", "--follow", is_flag=True, help="Go on with what happens, until stopped.")
@click.option(
    "-n", "most", metavar="N", callback=how_many, help=f"The last N (default: {LOG_SHOWN})."
)
@repository_option("Only of the repository this folder is in.")
@click.option("--json", "as_json", is_flag=True, help="Print all, one JSON object a line.")
def command(*, follow: bool, most: int | None, repo: Path | None, as_json: bool) -> int:
    """Show what was captured from sessions, what you said of it, and what was written.

    The newest comes last. Times of what was captured are those at which it was said.
    """
    from ctxd.cli.json_output import print_json
    from ctxd.cli.log_lines import LogLines
    from ctxd.context_files.receipts import Receipts
    from ctxd.log_report import Log

    repository = repository_named(repo) if repo is not None else None
    log = Log(open_ledger, Receipts(current.places.receipts), repository)
    lines = LogLines(current.output, repository=repository is None)
    write = print_json if as_json else lines.print
    shown = _write(log, write, LOG_SHOWN if most is None and not as_json else most)
    if not shown and not as_json:
        current.messages.print("nothing has happened yet")
    while follow:
        time.sleep(LOG_POLL_SECONDS)
        _write(log, write)
    return Exit.OK


def _write(log: Log, write: Callable[[LogRow], None], most: int | None = None) -> int:
    """Write the rows that are new; return how many."""
    rows = log.new(most)
    for row in rows:
        write(row)
    sys.stdout.flush()
    return len(rows)
