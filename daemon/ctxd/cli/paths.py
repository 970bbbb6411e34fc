"""`ctxd paths`: every folder that ctxd uses or looks in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import Exit

if TYPE_CHECKING:
    from ctxd.path_report import LogFolder, OwnFolder
    from ctxd.terminal import Span, Terminal


@command_of(
    ("ctxd paths", "what is where"),
    ("ctxd --home /tmp/try paths", "the same with ctxd's own folders elsewhere"),
    ("ctxd paths --json | jq .logs", "for other programs"),
)
@click.option("--all", "show_all", is_flag=True, help="Show places that do not exist, too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(*, show_all: bool, as_json: bool) -> int:
    """Show every folder that ctxd uses, and the places where it finds session logs."""
    from ctxd.cli.json_output import print_json
    from ctxd.path_report import look
    from ctxd.terminal import short_path
    from ctxd_parsers.environment import Environment

    report, problems = look(current.places, Environment.current())
    if as_json:
        print_json(report)
    else:
        _print_own(current.output, report.own)
        _print_logs(current.output, _places(report.logs), show_all=show_all)
    messages = current.messages
    for problem in dict.fromkeys(problems):
        where = short_path(problem.path, Path.home())
        messages.print(("x", "red"), f" cannot look at {where}: {problem.reason}")
    return Exit.PARTIAL if problems else Exit.OK


class _Place(msgspec.Struct):
    """A folder in which an agent keeps logs, of whatever form."""

    agent: str
    folder: str
    exists: bool = False
    transcripts: int = 0


def _places(logs: Sequence[LogFolder]) -> list[_Place]:
    from ctxd.terminal import path_text, short_path

    home = path_text(Path.home())
    places: dict[tuple[str, str], _Place] = {}
    for log in logs:
        folder, exists = short_path(log.path, home), log.exists
        if log.path == home:  # which always is there, and only some of its folders are meant
            folder += f"/{log.patterns[0].partition('/*/')[0]}"
            exists = log.transcripts > 0
        place = places.setdefault((log.agent, folder), _Place(log.agent, folder))
        place.exists |= exists
        place.transcripts += log.transcripts
    return sorted(places.values(), key=lambda place: place.agent)


def _print_own(out: Terminal, own: Sequence[OwnFolder]) -> None:
    from ctxd.cli.columns import Column, print_table
    from ctxd.terminal import short_path

    home = Path.home()
    rows: list[list[Span]] = [
        [folder.use, short_path(folder.path, home), "" if folder.exists else "not made yet"]
        for folder in own
    ]
    print_table(out, [Column("CTXD"), Column("FOLDER", least=8), Column("")], rows)


def _print_logs(out: Terminal, places: Sequence[_Place], *, show_all: bool) -> None:
    from ctxd.cli import words
    from ctxd.cli.columns import Column, print_table

    shown = [place for place in places if place.exists or show_all]
    if shown:
        out.print()
        rows: list[list[Span]] = [
            [
                place.agent,
                place.folder,
                words.number(place.transcripts) if place.exists else words.NONE,
            ]
            for place in shown
        ]
        columns = [Column("LOGS OF"), Column("FOLDER", least=8, keep_end=True)]
        print_table(out, [*columns, Column("FILES", right=True)], rows)
    if len(shown) < len(places):
        more = "more " if shown else ""
        missing = words.count(len(places) - len(shown), f"{more}place is", f"{more}places are")
        out.print()
        out.print((f"{missing} not there; `ctxd paths --all` shows them", "dim"))
