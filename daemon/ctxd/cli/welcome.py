"""`ctxd` alone: what ctxd is, what it found here, and what to do next. Writes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ctxd.cli.settings import current
from ctxd.errors import Exit
from ctxd.policy import AGENTS_SHOWN

if TYPE_CHECKING:
    from ctxd.path_report import PathReport
    from ctxd.terminal import Terminal


def welcome() -> int:
    """Explain in about ten lines."""
    from ctxd import __version__
    from ctxd.path_report import look
    from ctxd_parsers.environment import Environment

    report, _ = look(current.places, Environment.current())
    out = current.output
    out.print((f"ctxd {__version__}", "bold"), " keeps what coding agents forget: what was decided")
    out.print("or turned down, and what must stay true. It reads the logs of their sessions;")
    out.print("nothing leaves this machine.")
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


def _print_found(out: Terminal, report: PathReport) -> None:
    from ctxd.cli import words
    from ctxd.terminal import short_path

    home = Path.home()
    found: dict[str, list[tuple[int, int, str]]] = {}
    for folder in report.logs:
        if folder.transcripts:
            entry = (folder.transcripts, folder.transcript_bytes, short_path(folder.path, home))
            found.setdefault(folder.agent, []).append(entry)
    ranked = sorted(found.items(), key=lambda item: -sum(number for number, _, _ in item[1]))
    for agent, folders in ranked[:AGENTS_SHOWN]:
        number, size = sum(f[0] for f in folders), sum(f[1] for f in folders)
        place = folders[0][2] + (f" and {len(folders) - 1} more" if len(folders) > 1 else "")
        logs = words.count(number, "log")
        out.print("  ", (f"{agent:<16}", "bold"), f"{logs:>12}  {words.size(size):>8}  {place}")
    if len(ranked) > AGENTS_SHOWN:
        out.print(f"  and those of {words.count(len(ranked) - AGENTS_SHOWN, 'other agent')}")
