"""`ctxd scan`: one pass over all session logs, in numbers, exceptions last."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.arguments import GivenPath, existing
from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import Exit

if TYPE_CHECKING:
    from ctxd.counting import Counting
    from ctxd.scan_report import AgentScan, ScanReport
    from ctxd.scanning import Find
    from ctxd.terminal import Terminal


@command_of(
    ("ctxd scan", "all logs of all agents on this machine"),
    ("ctxd scan --items ~/backup/logs", "those in a folder, with each item found"),
    ("ctxd scan --json | jq .agents", "for other programs"),
)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=GivenPath())
@click.option("--items/--no-items", "items", default=None, help="List the items; or skip them.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(paths: tuple[Path, ...], *, items: bool | None, as_json: bool) -> int:
    """Read all session logs once and count what is in them. Writes nothing.

    PATH is a log or a folder of logs; without one, every place is read where the agents keep
    theirs. Items are decisions, constraints and more of the like; they are counted as they are
    said, without what earlier runs know of them.
    """
    from ctxd.cli.json_output import print_json
    from ctxd.counting import Counting

    begin = time.monotonic()
    counting = Counting(items=items is not False, whole=items is True)
    report = _pass_over(_found(paths), counting, begin)
    if as_json:
        print_json(report)
    else:
        _print(current.output, report, paths)
    return Exit.PARTIAL if report.unreadable_files or report.parser_defects else Exit.OK


def _found(paths: Sequence[Path]) -> Find:
    from ctxd.scanning import Find
    from ctxd_parsers.environment import Environment

    if not paths:
        return Find.everywhere(Environment.current())
    return Find.under([existing(path) for path in paths])


def _pass_over(found: Find, counting: Counting, begin: float) -> ScanReport:
    from ctxd.cli.progress import Progress
    from ctxd.scan_report import Collector
    from ctxd.scanning import read_all

    collector = Collector(counting, _forgotten())
    for problem in found.problems:
        collector.take(problem)
    with Progress(current.messages, sum(job.size for job in found.jobs)) as progress:
        for _, outcome in read_all(found.jobs, counting, progress.advance):
            collector.take(outcome)
    return collector.report(time.monotonic() - begin)


def _forgotten() -> Collection[tuple[str, str]]:
    """What the user had ctxd forget, if it ever ran: a scan does not bring it up again."""
    from ctxd.errors import CtxdError
    from ctxd.ledger import open_reader
    from ctxd.status import ledger_path

    path = ledger_path(current.places.state)
    try:
        with open_reader(path) as reader:
            return reader.forgotten()
    except CtxdError:  # `ctxd status` tells what is wrong with it
        return frozenset()


def _print(out: Terminal, report: ScanReport, paths: Sequence[Path]) -> None:
    from ctxd.cli import words
    from ctxd.cli.scan_exceptions import lines_of
    from ctxd.cli.scan_items import print_items

    if report.agents:
        _print_agents(out, report)
        read = sum(agent.transcript_bytes for agent in report.agents)
        files = words.count(sum(agent.transcripts for agent in report.agents), "file")
        out.print((f"{files}, {words.size(read)}, read in {report.elapsed_seconds:.1f} s", "dim"))
    else:
        out.print("no session logs found", f" in {paths[0]}" if len(paths) == 1 else "")
        out.print(("hint:", "cyan"), " `ctxd paths --all` shows every place ctxd looks in")
    if report.repositories:
        out.print()
        print_items(out, report)
    exceptions = list(lines_of(report))
    if exceptions:
        out.print()
    for mark, text in exceptions:
        out.print((mark, "red" if mark == "x" else "yellow"), f" {text}")


def _print_agents(out: Terminal, report: ScanReport) -> None:
    from ctxd.cli.columns import Column, print_table

    columns = [
        Column("AGENT", least=12),
        Column("SESSIONS", right=True),
        Column("FILES", right=True, drop=3),
        Column("MESSAGES", right=True, drop=1),
        Column("COMPACTIONS", right=True, drop=2),
        *([] if report.repositories is None else [Column("ITEMS", right=True)]),
        Column("RECORDS", right=True, drop=4),
        Column("SIZE", right=True, drop=5),
        Column("PARSED", right=True),
    ]
    print_table(out, columns, [_row(agent) for agent in report.agents])


def _row(agent: AgentScan) -> list[str]:
    from ctxd.cli import words

    inner = f" +{words.number(agent.sub_agent_compactions)}" if agent.sub_agent_compactions else ""
    return [
        agent.agent,
        words.number(agent.sessions),
        words.number(agent.transcripts),
        words.number(agent.user_messages),
        words.number(agent.compactions) + inner,
        *([] if agent.items is None else [words.number(sum(agent.items.values()))]),
        words.number(agent.records),
        words.size(agent.transcript_bytes),
        words.share(agent.understood_share),
    ]
