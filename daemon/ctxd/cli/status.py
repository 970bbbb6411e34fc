"""`ctxd status`: am I alive, am I reading everything, what needs you."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import Exit, UserError

if TYPE_CHECKING:
    from ctxd.compaction_report import Counts
    from ctxd.status import SessionStatus, Status
    from ctxd.terminal import Terminal


@command_of(
    ("ctxd status", "how things are"),
    ("ctxd status --session 5b0e", "one session, with all its compactions"),
    ("ctxd status --json", "the same for other programs"),
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
@click.option("--short", is_flag=True, help="One line, for prompts and status bars.")
@click.option("--watch", is_flag=True, help="Draw anew every two seconds, until Ctrl-C.")
@click.option("--session", metavar="ID", help="Show one session; the start of its id is enough.")
def command(*, as_json: bool, short: bool, watch: bool, session: str | None) -> int:
    """Tell whether ctxd runs and reads everything, and what needs you.

    Exits with 3 when the daemon does not run.
    """
    if session is not None:
        return _one_session(session, as_json=as_json)
    while True:
        status = take()
        if watch and current.output.is_terminal:
            click.clear()
        _show(status, as_json=as_json, short=short)
        if not watch or not current.output.is_terminal:
            running = status.daemon.state in ("running", "paused")
            return Exit.OK if running else Exit.NOT_RUNNING
        _wait()


def take() -> Status:
    """The status as of now; of nothing where the daemon never ran."""
    from ctxd.ledger import NoLedgerError, open_reader
    from ctxd.reader_choice import chosen_reader
    from ctxd.service.asking import Request, ask, control_address
    from ctxd.status import ledger_path, no_status, take_status

    chosen = chosen_reader(current.places.config)
    answer = ask(control_address(current.places.runtime), Request("ping"))
    ledger = ledger_path(current.places.state)
    try:
        with open_reader(ledger) as reader:
            return take_status(reader, answer, datetime.now(UTC), chosen)
    except NoLedgerError:
        if ledger.exists():  # it is damaged, which is something else than none
            raise
        return no_status(datetime.now(UTC), chosen)


def _wait() -> None:
    from ctxd.policy.shown import STATUS_REDRAW_SECONDS

    time.sleep(STATUS_REDRAW_SECONDS)


def _show(status: Status, *, as_json: bool, short: bool) -> None:
    from ctxd.cli.json_output import print_json

    if as_json:
        print_json(status)
    elif short:
        current.output.print(short_line(status))
    else:
        from ctxd.cli.status_screen import Screen

        Screen(current.output, status, datetime.now(UTC)).print()


def short_line(status: Status) -> str:
    """How things are in one line, for prompts and status bars."""
    from ctxd.cli import words

    if status.daemon.state not in ("running", "paused"):
        return f"ctxd {status.daemon.state}"
    live = sum(agent.live for agent in status.agents)
    needs = f", {words.count(len(status.warnings), 'warning')}" if status.warnings else ""
    return f"ctxd {status.daemon.state}, {live} live{needs}"


def _one_session(prefix: str, *, as_json: bool) -> int:
    from ctxd.cli.json_output import print_json
    from ctxd.ledger import open_reader
    from ctxd.status import ledger_path, session_status

    with open_reader(ledger_path(current.places.state)) as reader:
        found = session_status(reader, prefix)
    if not found:
        raise UserError(f"no session `{prefix}`", "`ctxd sessions` lists them with their ids")
    if as_json:
        for session in found:
            print_json(session)
        return Exit.OK
    now = datetime.now(UTC)
    for session in found:
        _print_session(current.output, session, now)
    return Exit.OK


def _language(session: SessionStatus) -> list[tuple[str, str]]:
    language = session.uncovered_language
    return (
        [("language", f"{language}, which is not covered: it gives no items")] if language else []
    )


def _print_session(out: Terminal, session: SessionStatus, now: datetime) -> None:
    from ctxd.cli import words
    from ctxd.cli.status_screen import tokens, window
    from ctxd.terminal import one_line, path_text

    known = f" ({session.known_by})" if session.known_by else ""
    out.print((f"{session.agent} {session.session}", "bold"))
    for name, value in (
        ("title", one_line(session.title or words.NONE)),
        ("repository", path_text(session.cwd or words.NONE)),
        ("state", f"{session.state}{known}, last event {words.ago(session.last_event, now)}"),
        ("turns", words.number(session.turns)),
        ("window", window(session)),
        ("items", words.number(session.items)),
        *_language(session),
        ("compactions", words.number(session.compactions)),
    ):
        out.print((f"  {name:12}", "dim"), value)
    for compaction in reversed(session.latest_compactions):
        whose = f" of sub-agent {compaction.sub_agent}" if compaction.sub_agent else ""
        when = words.ago(compaction.time, now)
        out.print(f"    {compaction.trigger or 'made'} {when}{tokens(compaction)}{whose}")
        if compaction.counts is not None:
            out.print((f"      {_counts(compaction.counts)}", "dim"))
    if session.compactions:
        out.print(
            "  ",
            ("hint:", "cyan"),
            f" `ctxd compactions {session.session[:8]}` tells what was lost",
        )


def _counts(counts: Counts) -> str:
    from ctxd.cli import words

    numbers = [(name, getattr(counts, name)) for name in counts.__struct_fields__]
    said = [f"{words.number(number)} {name}" for name, number in numbers if number]
    return ", ".join(said) or "no items were in the window"
