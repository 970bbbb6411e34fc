"""`ctxd status`: am I alive, am I reading everything, what needs you."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import Exit, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctxd.compaction_report import Counts
    from ctxd.item_status import ItemsStatus
    from ctxd.status import AgentStatus, CompactionsStatus, DaemonStatus, SessionStatus, Status
    from ctxd.terminal import Span, Terminal
    from ctxd.worktree_status import WorktreeStatus

_STYLES = {"live": "green", "waiting": "bold yellow", "idle": "yellow", "crashed": "red"}


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
    from ctxd.ledger import Ledger, NoLedgerError
    from ctxd.service.asking import Request, ask, control_address
    from ctxd.status import ledger_path, no_status, take_status

    answer = ask(control_address(current.places.runtime), Request("ping"))
    ledger = ledger_path(current.places.state)
    try:
        with Ledger.reader(ledger) as reader:
            return take_status(reader, answer, datetime.now(UTC))
    except NoLedgerError:
        if ledger.exists():  # it is damaged, which is something else than none
            raise
        return no_status()


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
        _print(current.output, status)


def short_line(status: Status) -> str:
    """How things are in one line, for prompts and status bars."""
    from ctxd.cli import words

    if status.daemon.state not in ("running", "paused"):
        return f"ctxd {status.daemon.state}"
    live = sum(agent.live for agent in status.agents)
    needs = f", {words.count(len(status.warnings), 'warning')}" if status.warnings else ""
    return f"ctxd {status.daemon.state}, {live} live{needs}"


def _print(out: Terminal, status: Status) -> None:
    now = datetime.now(UTC)
    out.print(*_headline(status.daemon, status, now))
    if status.agents:
        out.print()
        _print_agents(out, status, now)
        out.print(*_items(status.items, status.daemon.last_item, now))
        if status.compactions.judged:
            out.print(*_compactions(status.compactions))
        for line in _not_covered(status.items):
            out.print(("!", "bold yellow"), f" {line}")
    if status.worktrees:
        out.print()
        _print_worktrees(out, status, now)
    if status.sessions:
        out.print()
        _print_sessions(out, status, now)
    for warning in status.warnings:
        out.print()
        out.print(("!", "bold yellow"), f" {warning.message}")
        out.print("  ", ("hint:", "cyan"), f" {warning.hint}")
    if status.daemon.state in ("stopped", "never started"):
        out.print()
        out.print(("hint:", "cyan"), " start it with `ctxd run`")


def _headline(daemon: DaemonStatus, status: Status, now: datetime) -> list[Span]:
    from ctxd.cli import words

    if daemon.state == "never started":
        return [("ctxd is not running", "bold"), "  (it was never started)"]
    if daemon.state == "stopped":
        return [("ctxd is not running", "bold"), f"  (last seen {words.ago(daemon.tick, now)})"]
    logs = sum(agent.transcripts for agent in status.agents)
    places = daemon.watched_folders + daemon.polled_folders
    polled = f", {daemon.polled_folders} of them polled" if daemon.polled_folders else ""
    since = words.ago(daemon.started, now).removesuffix(" ago")
    following = f"{words.count(logs, 'log')} in {words.count(places, 'place')}{polled}"
    return [
        (f"ctxd {daemon.version}  {daemon.state}", "bold"),
        f" {since}  pid {daemon.pid}  following {following}",
    ]


def _print_agents(out: Terminal, status: Status, now: datetime) -> None:
    from ctxd.cli.columns import Column, print_table

    columns = [
        Column("AGENT"),
        Column("SESSIONS", right=True),
        Column("LIVE", right=True),
        Column("LAST EVENT", right=True),
        Column("BEHIND", right=True, drop=1),
        Column("PARSED", right=True),
        Column("NOTE", drop=2, least=10),
    ]
    print_table(out, columns, [_agent_cells(agent, now) for agent in status.agents])


def _agent_cells(agent: AgentStatus, now: datetime) -> list[Span]:
    from ctxd.cli import words

    return [
        agent.agent,
        words.number(agent.sessions),
        words.number(agent.live),
        words.ago(agent.last_event, now),
        words.size(agent.behind_bytes) if agent.behind_bytes else "0",
        words.share(agent.understood_share),
        agent.note,
    ]


def _items(items: ItemsStatus, last: datetime | None, now: datetime) -> list[Span]:
    from ctxd.cli import words

    said = words.count(items.active, "item")
    if items.active:
        said += f" of {words.count(items.repositories, 'repository', 'repositories')}"
    more = []
    if items.waiting_for_review:
        more.append(f"{words.number(items.waiting_for_review)} for review")
    if last is not None:
        more.append(f"the last {words.ago(last, now)}")
    if items.exchanges_to_judge:
        exchanges = words.count(items.exchanges_to_judge, "exchange")
        more.append(f"{exchanges} still to be judged")
    return [said, (f"  {', '.join(more)}" if more else "", "dim")]


def _compactions(found: CompactionsStatus) -> list[Span]:
    from ctxd.cli import words

    more = []
    if found.dropped:
        given = words.number(found.given_back) if found.given_back else "none"
        more.append(f"{words.count(found.dropped, 'item')} dropped, {given} of them given back")
    if found.to_judge:
        more.append(f"{words.number(found.to_judge)} still to be judged")
    said = words.count(found.judged, "compaction")
    return [said, (f"  {', '.join(more)}" if more else "", "dim")]


def _not_covered(items: ItemsStatus) -> Iterator[str]:
    from ctxd.cli import words

    for one in items.uncovered:
        exchanges = words.count(one.exchanges, "exchange")
        sessions = words.count(one.sessions, "session")
        yield f"language not covered: {one.language}, {exchanges} of {sessions} gave no items"


def _print_worktrees(out: Terminal, status: Status, now: datetime) -> None:
    from ctxd.cli.columns import Column, print_table
    from ctxd.policy.shown import WORKTREES_SHOWN

    columns = [
        Column("CONTEXT FILES OF", least=16, keep_end=True),
        Column("LAST EDIT", drop=2),
        Column("PROPOSED", right=True),
        Column("NOTE", drop=1, least=12),
    ]
    shown = sorted(status.worktrees, key=lambda one: one.standing == "ok")[:WORKTREES_SHOWN]
    print_table(out, columns, [_worktree_cells(one, now) for one in shown])


def _worktree_cells(one: WorktreeStatus, now: datetime) -> list[Span]:
    from ctxd.cli import words
    from ctxd.terminal import one_line, short_path

    last = f"{one.last_file} {words.ago(one.last_edit, now)}" if one.last_edit else words.NONE
    note = one.standing if one.standing in ("waiting", "stopped", "off") else ""
    return [
        short_path(one.root, Path.home()),
        last,
        words.count(one.proposed_lines, "line") if one.proposed_lines else words.NONE,
        ": ".join(filter(None, (note, one_line(one.why)))),
    ]


def _print_sessions(out: Terminal, status: Status, now: datetime) -> None:
    from ctxd.cli.columns import Column, print_table

    columns = [
        Column("OPEN SESSION", least=16),
        Column("AGENT", drop=3),
        Column("REPOSITORY", least=12, keep_end=True),
        Column("STATE"),
        Column("WINDOW", right=True),
        Column("LAST COMPACTION", drop=1),
    ]
    print_table(out, columns, [_session_cells(session, now) for session in status.sessions])


def _session_cells(session: SessionStatus, now: datetime) -> list[Span]:
    from ctxd.cli import words
    from ctxd.terminal import one_line, short_path

    place = short_path(session.cwd, Path.home()) if session.cwd else words.NONE
    return [
        f"{session.session[:8]} {one_line(session.title or '')}".rstrip(),
        session.agent,
        place,
        (session.state, _STYLES.get(session.state, "")),
        _window(session),
        _last_compaction(session, now),
    ]


def _window(session: SessionStatus) -> str:
    from ctxd.cli import words

    if session.window_percent is not None:
        return f"{session.window_percent:.0f}%"
    return words.NONE if session.context_tokens is None else words.number(session.context_tokens)


def _last_compaction(session: SessionStatus, now: datetime) -> str:
    from ctxd.cli import words

    own = [found for found in session.latest_compactions if found.sub_agent is None]
    if not own:
        return words.NONE
    number = f" ({session.compactions})" if session.compactions > 1 else ""
    when = words.ago(own[0].time, now)
    return f"{own[0].trigger or 'made'} {when}{_tokens(own[0])}{number}"


def _tokens(compaction: object) -> str:
    from ctxd.cli import words

    before = getattr(compaction, "tokens_before", None)
    after = getattr(compaction, "tokens_after", None)
    if before is None:
        return ""
    return f", {words.number(before)} -> {words.number(after) if after is not None else '?'}"


def _one_session(prefix: str, *, as_json: bool) -> int:
    from ctxd.cli.json_output import print_json
    from ctxd.ledger import Ledger
    from ctxd.status import ledger_path, session_status

    with Ledger.reader(ledger_path(current.places.state)) as reader:
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
    from ctxd.terminal import one_line, path_text

    known = f" ({session.known_by})" if session.known_by else ""
    out.print((f"{session.agent} {session.session}", "bold"))
    for name, value in (
        ("title", one_line(session.title or words.NONE)),
        ("repository", path_text(session.cwd or words.NONE)),
        ("state", f"{session.state}{known}, last event {words.ago(session.last_event, now)}"),
        ("turns", words.number(session.turns)),
        ("window", _window(session)),
        ("items", words.number(session.items)),
        *_language(session),
        ("compactions", words.number(session.compactions)),
    ):
        out.print((f"  {name:12}", "dim"), value)
    for compaction in reversed(session.latest_compactions):
        whose = f" of sub-agent {compaction.sub_agent}" if compaction.sub_agent else ""
        when = words.ago(compaction.time, now)
        out.print(f"    {compaction.trigger or 'made'} {when}{_tokens(compaction)}{whose}")
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
