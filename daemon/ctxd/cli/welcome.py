"""`ctxd` alone: what ctxd is, what it found here, what it would do, and what to do next; once it
has run, how it is. Writes nothing."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from ctxd.cli.settings import current
from ctxd.errors import Exit
from ctxd.policy.shown import AGENTS_SHOWN, REPOSITORIES_NAMED

if TYPE_CHECKING:
    from ctxd.path_report import LogFolder, PathReport
    from ctxd.terminal import Terminal
    from ctxd_parsers.environment import Environment

_ABOUT = (
    "keeps what coding agents forget: what was decided or turned down, and what must stay true. "
    "It reads the logs of their sessions; nothing leaves this machine."
)
_WIDTH = 78
_LEAST_PLACE = 6


_WOULD = (
    "Once started it follows these logs and adds what you plainly decide to the AGENTS.md of the "
    "repository you said it in. `ctxd config set write review` has all of it wait for you."
)


def welcome() -> int:
    """Explain in about ten lines."""
    from ctxd.status import ledger_path

    if ledger_path(current.places.state).exists():
        return _how_it_is()
    from ctxd import __version__
    from ctxd.path_report import look
    from ctxd_parsers.environment import Environment

    env = Environment.current()
    report, _ = look(current.places, env)
    out = current.output
    _print_about(out, f"ctxd {__version__}")
    out.print()
    if any(folder.transcripts for folder in report.logs):
        _print_found(out, report)
        _print_repositories(out, env)
        out.print()
        _print_wrapped(out, _WOULD)
        steps = [
            ("ctxd service install", "starts it now and at each login"),
            ("ctxd scan --items", "only shows what it would find"),
        ]
    else:
        out.print("No session logs of coding agents were found here.")
        steps = [("ctxd paths --all", "shows every place ctxd looks in")]
    out.print()
    _print_steps(out, [*steps, ("ctxd -h", "lists all commands")])
    return Exit.OK


def _how_it_is() -> int:
    """One line of status, and what to look at."""
    from ctxd.cli.status import short_line, take

    status = take()
    out = current.output
    out.print(short_line(status))
    out.print()
    steps = [("ctxd status", "shows more"), ("ctxd -h", "lists all commands")]
    if status.daemon.state in ("stopped", "never started"):
        steps.insert(0, ("ctxd service install", "starts it now and at each login"))
    _print_steps(out, steps)
    return Exit.OK


def _print_steps(out: Terminal, steps: list[tuple[str, str]]) -> None:
    width = max(len(step) for step, _ in steps)
    leads = ["Next:", *[""] * len(steps)]
    for lead, (step, what) in zip(leads, steps, strict=False):
        out.print(f"{lead:<7}", (f"{step:<{width}}", "bold"), f"  {what}")


def _print_wrapped(out: Terminal, text: str) -> None:
    for line in wrap(text, min(out.width or _WIDTH, _WIDTH), break_on_hyphens=False):
        out.print(line)


def _print_repositories(out: Terminal, env: Environment) -> None:
    from ctxd.cli import words
    from ctxd.recent import recent_repositories
    from ctxd.terminal import short_path

    found = [short_path(path, Path.home()) for path in recent_repositories(env)]
    if found:
        more = len(found) - REPOSITORIES_NAMED
        named = ", ".join(found[:REPOSITORIES_NAMED])
        rest = f", and {words.number(more)} more" if more > 0 else ""
        line = f"  newest in {named}{rest}"
        out.print(line if out.width is None else out.cut(line, out.width))


def _print_about(out: Terminal, name: str) -> None:
    width = min(out.width or _WIDTH, _WIDTH)
    first, *lines = wrap(f"{name} {_ABOUT}", width, break_on_hyphens=False)
    out.print((name, "bold"), first.removeprefix(name))
    for line in lines:
        out.print(line)


def _print_found(out: Terminal, report: PathReport) -> None:
    from ctxd.cli import words
    from ctxd.terminal import short_path

    home = Path.home()
    found: dict[str, list[LogFolder]] = {}
    for folder in report.logs:
        if folder.transcripts:
            found.setdefault(folder.agent, []).append(folder)
    ranked = sorted(found.items(), key=lambda item: -sum(f.transcripts for f in item[1]))
    for agent, folders in ranked[:AGENTS_SHOWN]:
        logs = words.count(sum(folder.transcripts for folder in folders), "log")
        size = words.size(sum(folder.transcript_bytes for folder in folders))
        lead = f"{logs:>12}  {size:>8}  "
        first, *others = dict.fromkeys(short_path(folder.path, home) for folder in folders)
        more = f" and {len(others)} more" if others else ""
        if out.width is not None:
            room = out.width - len(f"  {agent:<15}{lead}{more}")
            first = out.cut(first, max(room, _LEAST_PLACE), keep_end=True)
        out.print("  ", (f"{agent:<15}", "bold"), f"{lead}{first}{more}")
    if len(ranked) > AGENTS_SHOWN:
        out.print(f"  and those of {words.count(len(ranked) - AGENTS_SHOWN, 'other agent')}")
