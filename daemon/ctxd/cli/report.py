"""`ctxd report`: the sessions of a repository as one HTML file that stands alone."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import open_ledger, repository_named, repository_option
from ctxd.cli.settings import current
from ctxd.errors import Exit, UsageError, UserError
from ctxd.policy.report import REPORT_NAME

if TYPE_CHECKING:
    from ctxd.ledger import Reader
    from ctxd.report.values import Report


@command_of(
    ("ctxd report", "write ctxd-report.html here"),
    ("ctxd report --repo ~/work/api -o api.html", "of another repository"),
    ("ctxd report -o - > api.html", "to wherever it should go"),
)
@repository_option("The repository this folder is in.")
@click.option("-o", "output", metavar="FILE", help=f"File to write, - to print; {REPORT_NAME}.")
@click.option("--force", is_flag=True, help="Replace FILE also where it is no report of ctxd.")
def command(*, repo: Path | None, output: str | None, force: bool) -> int:
    """Write an HTML file that shows each session's window, what survived its
    compactions, and what was decided and turned down.

    The file loads nothing from anywhere. It holds words of your sessions, and
    only you may read it. An older report of that name is replaced.
    """
    if output == "":
        raise UsageError("invalid value for `-o`: it is empty", "`ctxd report -h` shows how")
    repository = repository_named(repo)
    with open_ledger() as reader:
        made = _gathered(reader, repository)
    from ctxd.cli import words
    from ctxd.report.page import page

    text = page(made, words.local(made.made).tzname() or "local")
    if output == "-":
        sys.stdout.buffer.write(text.encode("utf-8"))
        return Exit.OK
    from ctxd.report.file import write

    path = Path(output or REPORT_NAME).absolute()
    write(path, text, force=force)
    _tell(made, path, len(text.encode("utf-8")))
    return Exit.OK


def _gathered(reader: Reader, repository: str) -> Report:
    from ctxd.cli.progress import Progress
    from ctxd.report.gathering import choice, report
    from ctxd.terminal import short_path

    chosen = choice(reader, repository)
    with Progress(current.messages, sum(chosen.sizes)) as progress:
        made = report(reader, chosen, datetime.now(UTC), progress.advance)
    if not made.sessions and not made.items:
        raise UserError(
            f"no session of an agent ran in `{short_path(repository, Path.home())}`",
            "`ctxd sessions` lists where they ran, `ctxd report --repo PATH` looks there",
        )
    return made


def _tell(made: Report, path: Path, size: int) -> None:
    from ctxd.cli import words
    from ctxd.terminal import short_path

    parts = [
        words.count(len(made.sessions), "session"),
        words.count(sum(len(session.cuts) for session in made.sessions), "compaction"),
        words.count(len(made.items), "item"),
    ]
    name = short_path(path, Path.home())
    current.output.print(f"wrote {name} ({words.size(size)}): {', '.join(parts)}")
    left = [
        words.count(made.sessions_left_out, "session") if made.sessions_left_out else "",
        words.count(made.items_left_out, "item") if made.items_left_out else "",
    ]
    if any(left):
        current.output.print(f"left out: {', '.join(filter(None, left))}")
    current.messages.print(("hint:", "cyan"), " open it in a browser; it holds words of yours")
