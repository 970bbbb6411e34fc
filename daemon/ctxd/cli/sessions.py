"""`ctxd sessions`: what was worked on with which agent, where, and what still goes on."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.arguments import how_many
from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import Exit, UsageError
from ctxd.policy.shown import SESSIONS_SHOWN

if TYPE_CHECKING:
    from ctxd.problems import Problem
    from ctxd.session_overview import Overview
    from ctxd.session_report import SessionRow
    from ctxd.terminal import Span, Terminal


def _agents(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    from ctxd_parsers import registry

    agents = {parser.agent for parser in registry.PARSERS}
    return sorted(agent for agent in agents if agent.startswith(begun))


_STATE_STYLES = {"live": "green", "idle": "yellow", "ended": "dim"}


@command_of(
    ("ctxd sessions", "the newest sessions of all agents"),
    ("ctxd sessions --agent NAME -n 0", "all those of one agent"),
    ("ctxd sessions --json -n 1", "the newest one, for other programs"),
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object a line (docs/json.md)."
)
@click.option(
    "--agent", metavar="NAME", shell_complete=_agents, help="Only sessions of this agent."
)
@click.option(
    "-n",
    "number",
    metavar="N",
    callback=how_many,
    help=f"How many, 0 for all; {SESSIONS_SHOWN} if not given, as JSON all.",
)
def command(*, as_json: bool, agent: str | None, number: int | None) -> int:
    """List the sessions found in the agents' logs, the newest first."""
    from ctxd.cli.json_output import print_json
    from ctxd.session_report import rows

    sessions, problems = _found()
    if agent is not None:
        sessions = _of_agent(sessions, agent)
    table = rows(sessions, datetime.now(UTC))
    shown = table[: _limit(number, as_json=as_json)]
    if as_json:
        for row in shown:
            print_json(row)
    else:
        _print(current.output, shown, len(table))
    _tell(problems)
    return Exit.PARTIAL if problems else Exit.OK


def _found() -> tuple[list[Overview], list[Problem]]:
    from ctxd.cli.progress import Progress
    from ctxd.problems import Problem
    from ctxd.scanning import Find, read_all
    from ctxd.session_overview import merge, overviews
    from ctxd_parsers.environment import Environment

    found = Find.everywhere(Environment.current())
    parts: list[Overview] = []
    problems = list(found.problems)
    with Progress(current.messages, sum(job.size for job in found.jobs)) as progress:
        for _, outcome in read_all(found.jobs, overviews, progress.advance):
            if isinstance(outcome, Problem):
                problems.append(outcome)
            else:
                parts += outcome
    return merge(parts), problems


def _of_agent(sessions: Sequence[Overview], agent: str) -> list[Overview]:
    """Those of one agent; raise UsageError for a name that no agent has."""
    from ctxd_parsers import registry

    names = {parser.agent for parser in registry.PARSERS} | {s.agent for s in sessions}
    if agent not in names:
        near = difflib.get_close_matches(agent, names, n=1)
        known = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(sorted(names))}"
        raise UsageError(f"no agent `{agent}`", known)
    return [session for session in sessions if session.agent == agent]


def _limit(number: int | None, *, as_json: bool) -> int | None:
    if number is None:
        return None if as_json else SESSIONS_SHOWN
    return number or None


def _print(out: Terminal, shown: Sequence[SessionRow], total: int) -> None:
    from ctxd.cli import words
    from ctxd.cli.columns import Column, print_table

    if not shown:
        out.print("no sessions found")
        out.print(("hint:", "cyan"), " `ctxd paths --all` shows every place ctxd looks in")
        return
    columns = [
        Column("AGENT", drop=3),
        Column("ID"),
        Column("REPOSITORY", least=14, keep_end=True),
        Column("TITLE", least=16),
        Column("STARTED", drop=5),
        Column("LAST", right=True),
        Column("TURNS", right=True, drop=2),
        Column("COMPACTIONS", right=True, drop=4),
        Column("STATE", drop=1),
    ]
    now = datetime.now(UTC)
    print_table(out, columns, [_cells(row, now) for row in shown])
    if len(shown) < total:
        more = words.number(total - len(shown))
        out.print((f"and {more} older; `ctxd sessions -n 0` lists all", "dim"))


def _cells(row: SessionRow, now: datetime) -> list[Span]:
    from ctxd.cli import words
    from ctxd.terminal import one_line, short_path

    started = words.minute(row.started) if row.started else words.NONE
    place = row.repository or row.cwd
    return [
        row.agent,
        (row.short_id, "cyan"),
        short_path(place, Path.home()) if place else words.NONE,
        one_line(row.title or words.NONE),
        started,
        words.ago(row.last_activity, now),
        words.number(row.user_messages),
        words.number(row.compactions) if row.compactions else words.NONE,
        (row.state, _STATE_STYLES[row.state]),
    ]


def _tell(problems: Sequence[Problem]) -> None:
    if problems:
        from ctxd.cli import words

        paths = len({problem.path for problem in problems})
        missing = words.count(paths, "file or folder", "files or folders")
        out = current.messages
        out.print()
        out.print(("!", "yellow"), f" {missing} could not be read; `ctxd scan` tells which and why")
