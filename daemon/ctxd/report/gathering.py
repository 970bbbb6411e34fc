"""What a picture needs, gathered from the ledger: one session, or those of a repository."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from ctxd.item_report import item_rows
from ctxd.ledger import KeptItem, Reader, SessionRow
from ctxd.policy.report import (
    LOG_REREAD_SECONDS,
    REPORT_ITEMS,
    REPORT_REREAD_SECONDS,
    REPORT_SESSIONS,
    TIMELINE_LINES,
)
from ctxd.report import trace
from ctxd.report.lines import Lines, evidence
from ctxd.report.values import Cut, ListedItem, Report, Timeline, WindowPoint
from ctxd.repositories import repository_key
from ctxd.retention.values import most_binding
from ctxd.short_ids import short_ids
from ctxd_parsers.events import Compaction

Key = tuple[str, str]
"""Agent and session id."""


def sessions_of(reader: Reader, repository: str) -> list[SessionRow]:
    """The sessions that ran in a repository, the one with the newest event first."""
    known: dict[tuple[str | None, str | None], str] = {}
    found = []
    for row in reader.sessions():
        place = (row.cwd, row.repository)
        if place not in known:
            known[place] = repository_key(*place)
        if known[place] == repository:
            found.append(row)
    return found


def timeline(
    reader: Reader,
    session: Key,
    until: float | None = None,
    *,
    most_lines: int = TIMELINE_LINES,
    rows: Sequence[SessionRow] | None = None,
) -> Timeline:
    """One session; its logs are read until a monotonic time. `rows` are all sessions, where they
    are known already."""
    row, short = _of_session(reader.sessions(empty=True) if rows is None else rows, session)
    found = _course(reader, session, row, until)
    drawn = Lines(reader, session, found.places).drawn(_cuts(reader, session, found), most_lines)
    return Timeline(
        agent=session[0],
        session=session[1],
        short_id=short,
        title=row.title,
        cwd=row.cwd,
        model=row.model,
        started=row.started,
        last_event=row.last_event,
        length=found.length,
        measured="responses" if found.is_measured else "compactions",
        window_tokens=found.limit or row.window_tokens,
        points=tuple(found.points),
        times=tuple(found.moments),
        cuts=tuple(drawn.cuts),
        lines=tuple(drawn.lines),
        lines_left_out=drawn.left_out,
    )


class Choice(msgspec.Struct, frozen=True):
    """Which sessions of a repository a report shows."""

    repository: str
    rows: Sequence[SessionRow]
    sizes: Sequence[int]
    """Bytes of each one's logs."""
    left_out: int


def choice(reader: Reader, repository: str) -> Choice:
    """The newest sessions of a repository that have something to show."""
    rows = sessions_of(reader, repository)
    shown = _worth_showing(reader, repository, rows)[:REPORT_SESSIONS]
    sizes = [sum(map(_size, reader.logs((row.agent, row.id)))) for row in shown]
    return Choice(repository, shown, sizes, len(rows) - len(shown))


def report(
    reader: Reader,
    chosen: Choice,
    made: datetime,
    advance: Callable[[int], object] = lambda _bytes: None,
) -> Report:
    """What was chosen, and the repository's items; `advance` is told of bytes that are read."""
    until = time.monotonic() + REPORT_REREAD_SECONDS
    timelines, rows = [], reader.sessions(empty=True)
    for row, size in zip(chosen.rows, chosen.sizes, strict=True):
        timelines.append(timeline(reader, (row.agent, row.id), until, rows=rows))
        advance(size)
    items = sorted(reader.items(chosen.repository, statuses=()), key=_telling)
    listed = items[:REPORT_ITEMS]
    named = zip(item_rows(listed, reader), listed, strict=True)
    return Report(
        repository=chosen.repository,
        made=made,
        sessions=tuple(timelines),
        sessions_left_out=chosen.left_out,
        items=tuple(ListedItem(row, evidence(kept)) for row, kept in named),
        items_left_out=len(items) - len(listed),
    )


def _worth_showing(reader: Reader, repository: str, rows: Sequence[SessionRow]) -> list[SessionRow]:
    """Those with a compaction or an item; of a repository that has none such, the newest."""
    with_items = {(one.agent, one.session) for one in reader.item_counts(repository)}
    found = [row for row in rows if row.compactions or (row.agent, row.id) in with_items]
    return found or list(rows[:1])


def _size(log: Path) -> int:
    try:
        return log.stat().st_size
    except OSError:
        return 0


def _telling(kept: KeptItem) -> tuple[bool, tuple[bool, int, float]]:
    """Sorts items: those that hold first, the most binding of them leading."""
    return kept.state.status != "active", most_binding(kept.state)


def _course(reader: Reader, session: Key, row: SessionRow, until: float | None) -> trace.Course:
    """The course of a session as its logs tell it, else as far as the ledger has it."""
    limit = time.monotonic() + LOG_REREAD_SECONDS
    until = limit if until is None else min(until, limit)
    found = trace.from_logs(reader.logs(session), session, until)
    if found is None:
        found = trace.course(reader.events(session))
    if not found.is_measured:
        _end(found, row)
    return found


def _of_session(rows: Sequence[SessionRow], session: Key) -> tuple[SessionRow, str]:
    """The row of a session, and its id in short."""
    own = [row for row in rows if row.agent == session[0]]
    row = next((one for one in own if one.id == session[1]), SessionRow(agent="", id=""))
    return row, short_ids(one.id for one in own).get(session[1], session[1])


def _cuts(reader: Reader, session: Key, found: trace.Course) -> list[Cut]:
    own = [event for event in reader.compactions(session) if event.sub_agent is None]
    placed = sorted(own, key=lambda event: found.places.get(event.id, 0))
    return [_cut(number, event, found) for number, event in enumerate(placed, 1)]


def _cut(number: int, event: Compaction, found: trace.Course) -> Cut:
    return Cut(
        number=number,
        position=found.places.get(event.id, found.length),
        event=event.id,
        time=event.time,
        trigger=event.trigger,
        tokens_before=event.tokens_before,
        tokens_after=event.tokens_after,
        judged=False,
        readable=event.readable,
    )


def _end(found: trace.Course, row: SessionRow) -> None:
    """How full the window is now, where responses do not tell how it came to be."""
    if row.context_tokens is None and row.context_percent is None:
        return
    share = None if row.context_percent is None else row.context_percent / 100
    last = WindowPoint(found.length, row.last_event, row.context_tokens, share)
    found.points.append(last)
