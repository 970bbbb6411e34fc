"""`ctxd` alone: what ctxd is, what it found here, and what to do next. Writes nothing."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from ctxd.cli.settings import current
from ctxd.errors import Exit
from ctxd.policy.shown import AGENTS_SHOWN

if TYPE_CHECKING:
    from ctxd.path_report import LogFolder, PathReport
    from ctxd.terminal import Terminal

_ABOUT = (
    "keeps what coding agents forget: what was decided or turned down, and what must stay true. "
    "It reads the logs of their sessions; nothing leaves this machine."
)
_WIDTH = 78
_LEAST_PLACE = 6


def welcome() -> int:
    """Explain in about ten lines."""
    from ctxd import __version__
    from ctxd.path_report import look
    from ctxd_parsers.environment import Environment

    report, _ = look(current.places, Environment.current())
    out = current.output
    _print_about(out, f"ctxd {__version__}")
    out.print()
    if any(folder.transcripts for folder in report.logs):
        _print_found(out, report)
        next_step = ("ctxd scan", "reads them all once and writes nothing")
    else:
        out.print("No session logs of coding agents were found here.")
        next_step = ("ctxd paths", "shows every place ctxd looks in")
    out.print()
    for lead, (step, what) in (("Next:", next_step), ("", ("ctxd -h", "lists all commands"))):
        out.print(f"{lead:<7}", (f"{step:<12}", "bold"), what)
    return Exit.OK


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
