"""What `ctxd status` says: alive, reading everything, what needs the user. Read from the ledger.

It works with the daemon dead; a probe of the control socket only adds what the daemon says of its
own trouble. `Status` is the published form `ctxd.status/1` (docs/json.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from ctxd import __version__
from ctxd.compaction_report import Counts
from ctxd.compaction_status import CompactionsStatus, compactions
from ctxd.item_status import ItemNumbers, ItemsStatus
from ctxd.ledger import AgentCounts, Heartbeat, Oddity, Reader, SessionRow
from ctxd.notify.unshown import unshown
from ctxd.policy.shown import (
    STALE_LOOP_SECONDS,
    STATUS_COMPACTIONS,
    STATUS_FAILURES,
    STATUS_SESSIONS,
    UNREAD_WARNING_SECONDS,
)
from ctxd.reader_status import ReaderStatus, reader_status
from ctxd.retention.values import Answer as Retained
from ctxd.service.asking import Answer
from ctxd.terminal import path_text
from ctxd.worktree_status import WorktreeStatus, stopped, worktrees
from ctxd_parsers.events import Compaction

if TYPE_CHECKING:
    from ctxd.settings_reader import ReaderSettings

Count = Annotated[int, Meta(ge=0)]
_RESTART = "`ctxd service restart`; without a service, end it and `ctxd run`"
DaemonState = Literal["running", "paused", "hung", "stopped", "never started"]


class DaemonStatus(msgspec.Struct, frozen=True):
    """The daemon itself."""

    state: DaemonState
    pid: int | None = None
    version: str | None = None
    installed_version: str = __version__
    started: datetime | None = None
    tick: datetime | None = None
    """When its loop last went round."""
    tick_age_seconds: float | None = None
    last_event: datetime | None = None
    """When it last stored an event."""
    last_item: datetime | None = None
    watched_folders: Count = 0
    polled_folders: Count = 0
    trouble: str | None = None
    """Why nothing can be stored, in its own words."""


class AgentStatus(msgspec.Struct, frozen=True):
    """The logs of one agent."""

    agent: str
    sessions: Count
    live: Count
    transcripts: Count
    last_event: datetime | None
    behind_bytes: Count
    understood_share: float | None
    """Of its records, from 0 to 1; None when there are none yet."""
    note: str
    """The one thing to know, empty when all is well."""


class CompactionStatus(msgspec.Struct, frozen=True):
    """One compaction of a session."""

    time: datetime | None
    trigger: Literal["manual", "auto"] | None
    tokens_before: int | None
    tokens_after: int | None
    sub_agent: str | None
    counts: Counts | None
    """What became of the items in the window; None while it is not judged."""


class SessionStatus(msgspec.Struct, frozen=True):
    """A session that has not ended, or one that was asked for."""

    agent: str
    session: str
    title: str | None
    cwd: str | None
    branch: str | None
    state: str
    known_by: str | None
    started: datetime | None
    last_event: datetime | None
    turns: Count
    sub_agents: Count
    context_tokens: int | None
    window_tokens: int | None
    window_percent: float | None
    items: Count
    """Active ones that its words gave."""
    uncovered_language: str | None
    """That of its words which are not judged, because ctxd does not know it."""
    compactions: Count
    latest_compactions: tuple[CompactionStatus, ...]
    """The newest first, a sub-agent's included."""


class Notice(msgspec.Struct, frozen=True):
    """Something that needs the user."""

    code: str
    """Stable name, `daemon.hung`."""
    message: str
    hint: str


class Status(msgspec.Struct, frozen=True):
    """The answer of `ctxd status`."""

    schema: Literal["ctxd.status/1"]
    daemon: DaemonStatus
    agents: tuple[AgentStatus, ...]
    items: ItemsStatus
    compactions: CompactionsStatus
    worktrees: tuple[WorktreeStatus, ...]
    """Those whose context files were written, or wait, the one written to last first."""
    sessions: tuple[SessionStatus, ...]
    warnings: tuple[Notice, ...]
    ledger_bytes: Count
    reader: ReaderStatus | None = None
    """The second reader; None where the user has chosen none."""


def take_status(
    reader: Reader,
    answer: Answer | None,
    now: datetime,
    chosen: ReaderSettings | None = None,
) -> Status:
    """The status as of now; `answer` is what the daemon said to a ping, `chosen` the reader that
    the settings name."""
    second = reader_status(reader, chosen, now) if chosen else None
    daemon = _daemon(reader.heartbeat(), answer, now)
    oddities, items = reader.oddities(), ItemNumbers(reader)
    written = worktrees(reader)
    return Status(
        "ctxd.status/1",
        daemon,
        tuple(_agent(counts, oddities) for counts in reader.agents()),
        items.all(),
        compactions(reader),
        written,
        tuple(_session(row, reader, items) for row in _open(reader.sessions(STATUS_SESSIONS))),
        (
            *_warnings(daemon, reader),
            *_about_worktrees(written),
            *_about_notices(reader, now),
            *_about_reader(second),
        ),
        reader.size,
        second,
    )


def no_status(now: datetime, chosen: ReaderSettings | None = None) -> Status:
    """The status where the daemon never ran."""
    daemon = DaemonStatus("never started")
    second = reader_status(None, chosen, now) if chosen else None
    counts = ItemsStatus(), CompactionsStatus()
    return Status("ctxd.status/1", daemon, (), *counts, (), (), (), 0, second)


def session_status(reader: Reader, prefix: str) -> list[SessionStatus]:
    """The sessions whose id begins with `prefix`, with all their compactions."""
    rows = [row for row in reader.sessions(empty=True) if row.id.startswith(prefix)]
    items = ItemNumbers(reader)
    return [_session(row, reader, items, most=None) for row in rows]


def _daemon(beat: Heartbeat | None, answer: Answer | None, now: datetime) -> DaemonStatus:
    if beat is None:
        return DaemonStatus("running" if answer else "never started")
    age = now.timestamp() - beat.tick
    return DaemonStatus(
        state=_state(beat, answer, age),
        pid=beat.pid,
        version=beat.version,
        started=_time(beat.started),
        tick=_time(beat.tick),
        tick_age_seconds=round(age, 1),
        last_event=_time(beat.last_event),
        last_item=_time(beat.last_item),
        watched_folders=beat.watched,
        polled_folders=beat.polled,
        trouble=(answer.message or None) if answer else None,
    )


def _state(beat: Heartbeat, answer: Answer | None, age: float) -> DaemonState:
    if answer is not None:
        return "paused" if beat.state == "paused" else "running"
    if beat.state == "stopped" or not _is_alive(beat.pid):
        return "stopped"
    if age > STALE_LOOP_SECONDS:
        return "hung"
    return "paused" if beat.state == "paused" else "running"


def _is_alive(pid: int) -> bool:
    from ctxd.processes import living

    return pid == os.getpid() or living(pid) is not None


def _agent(counts: AgentCounts, oddities: Iterable[Oddity]) -> AgentStatus:
    failed = counts.unknown + counts.damaged
    share = 1 - min(1.0, failed / counts.records) if counts.records else None
    return AgentStatus(
        agent=counts.agent,
        sessions=counts.sessions,
        live=counts.live,
        transcripts=counts.transcripts - counts.gone,
        last_event=counts.last_event,
        behind_bytes=counts.behind,
        understood_share=share,
        note=_note(counts, [o for o in oddities if o.agent == counts.agent]),
    )


def _note(counts: AgentCounts, oddities: list[Oddity]) -> str:
    kinds = {oddity.kind for oddity in oddities if oddity.what == "unknown"}
    parts = []
    if kinds:
        parts.append(f"{len(kinds)} unknown kind{'s' if len(kinds) > 1 else ''}")
    if counts.damaged:
        parts.append(f"{counts.damaged} damaged")
    return ", ".join(parts)


def _open(rows: Iterable[SessionRow]) -> list[SessionRow]:
    return [row for row in rows if row.state not in (None, "ended", "crashed")]


def _session(
    row: SessionRow, reader: Reader, items: ItemNumbers, most: int | None = STATUS_COMPACTIONS
) -> SessionStatus:
    key = (row.agent, row.id)
    found = reader.compactions(key) if row.compactions or row.sub_agents else []
    answers = reader.answers(key) if row.compactions else {}
    return SessionStatus(
        agent=row.agent,
        session=row.id,
        title=row.title,
        cwd=row.cwd,
        branch=row.branch,
        state=row.state or "ended",
        known_by=row.state_reason,
        started=row.started,
        last_event=row.last_event,
        turns=row.turns,
        sub_agents=row.sub_agents,
        context_tokens=row.context_tokens,
        window_tokens=row.window_tokens,
        window_percent=_percent(row),
        items=items.of(row),
        uncovered_language=items.language_of(row),
        compactions=row.compactions,
        latest_compactions=tuple(_compaction(e, answers.get(e.id)) for e in found[::-1][:most]),
    )


def _percent(row: SessionRow) -> float | None:
    if row.context_percent is not None:
        return round(row.context_percent, 1)
    if row.context_tokens is None or not row.window_tokens:
        return None
    return round(100 * row.context_tokens / row.window_tokens, 1)


def _compaction(event: Compaction, answers: dict[Retained, int] | None) -> CompactionStatus:
    return CompactionStatus(
        event.time,
        event.trigger,
        event.tokens_before,
        event.tokens_after,
        event.sub_agent,
        None if answers is None else Counts.of(answers),
    )


def _warnings(daemon: DaemonStatus, reader: Reader) -> Iterable[Notice]:
    if daemon.state == "hung":
        age = int(daemon.tick_age_seconds or 0)
        yield Notice("daemon.hung", f"the daemon has not moved for {age} seconds", _RESTART)
    if daemon.version not in (None, daemon.installed_version) and daemon.state == "running":
        yield Notice(
            "daemon.outdated",
            f"running {daemon.version}, installed {daemon.installed_version}",
            _RESTART,
        )
    if daemon.trouble:
        yield Notice("ledger.unwritable", daemon.trouble, "make room, then wait a moment")
    rebuilt = reader.rebuilt()
    if rebuilt:
        kept = f"; the damaged file is kept as `{rebuilt.aside}`" if rebuilt.aside else ""
        yield Notice(
            "ledger.rebuilt",
            f"the ledger was begun anew: {rebuilt.why}{kept}",
            "nothing to do: the logs that are still there were read again",
        )
    settings = reader.meta("settings_error")
    if settings:
        yield Notice("settings.bad", settings, "the former settings are still in use")
    yield from _about_files(reader)


def _about_files(reader: Reader) -> Iterable[Notice]:
    failures = reader.failures()
    for failure in failures[:STATUS_FAILURES]:
        yield Notice(
            "transcript.set_aside",
            f"cannot read `{path_text(failure.path)}`: {failure.reason}",
            "it is read again when it changes",
        )
    more = len(failures) - STATUS_FAILURES
    if more > 0:
        message = f"{more} more files cannot be read"
        yield Notice("transcript.set_aside", message, "they are read again when they change")
    for unread in reader.unread():
        if unread.read_at - unread.since > UNREAD_WARNING_SECONDS:
            yield Notice(
                "transcript.not_understood",
                f"`{path_text(unread.path)}` grows, but nothing in it is understood",
                "`ctxd events` on it shows the records; a newer ctxd may know its format",
            )


def _about_worktrees(written: tuple[WorktreeStatus, ...]) -> Iterable[Notice]:
    for message, hint in stopped(written):
        yield Notice("context.stopped", message, hint)


def _about_notices(reader: Reader, now: datetime) -> Iterable[Notice]:
    for message, hint in unshown(reader, now.timestamp()):
        yield Notice("notice.not_shown", message, hint)


def _about_reader(found: ReaderStatus | None) -> Iterable[Notice]:
    trouble = found.trouble if found is not None else None
    if found is not None and trouble is not None and trouble.until is not None:
        message = f"the reader {found.backend} waits: {trouble.message}"
        yield Notice(f"reader.{trouble.trouble}", message, trouble.hint)


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def ledger_path(state: Path) -> Path:
    """Where the ledger of a state folder is."""
    return state / "ledger.sqlite3"
