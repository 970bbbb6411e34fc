"""`ctxd paths`: every folder that ctxd uses or looks in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import Exit

if TYPE_CHECKING:
    from ctxd.path_report import PathReport
    from ctxd.terminal import Span, Terminal


@command_of(
    ("ctxd paths", "what is where"),
    ("ctxd --home /tmp/try paths", "the same with ctxd's own folders elsewhere"),
    ("ctxd paths --json | jq .logs", "for other programs"),
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(*, as_json: bool) -> int:
    """Show every folder that ctxd uses, and every place it looks for session logs in."""
    from ctxd.cli.json_output import print_json
    from ctxd.path_report import look
    from ctxd.terminal import short_path
    from ctxd_parsers.environment import Environment

    report, problems = look(current.places, Environment.current())
    if as_json:
        print_json(report)
    else:
        _print(current.output, report)
    messages = current.messages
    for problem in dict.fromkeys(problems):
        where = short_path(problem.path, Path.home())
        messages.print(("x", "red"), f" cannot look at {where}: {problem.reason}")
    return Exit.PARTIAL if problems else Exit.OK


def _print(out: Terminal, report: PathReport) -> None:
    from ctxd.cli import words
    from ctxd.cli.columns import Column, print_table
    from ctxd.terminal import short_path

    place = Column("FOLDER", least=8)
    home = Path.home()
    own: list[list[Span]] = [
        [folder.use, short_path(folder.path, home), "" if folder.exists else "not made yet"]
        for folder in report.own
    ]
    print_table(out, [Column("CTXD"), place, Column("")], own)
    if not report.logs:
        return
    out.print()
    logs: list[list[Span]] = [
        [
            folder.parser,
            _place(short_path(folder.path, home), folder.patterns),
            words.number(folder.transcripts) if folder.exists else words.NONE,
        ]
        for folder in report.logs
    ]
    print_table(out, [Column("LOGS OF"), place, Column("FILES", right=True)], logs)


def _place(root: str, patterns: Sequence[str]) -> str:
    more = f" (+{len(patterns) - 1})" if len(patterns) > 1 else ""
    return f"{root}/{patterns[0]}{more}"
