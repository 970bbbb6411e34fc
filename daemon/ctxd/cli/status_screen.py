"""`ctxd status` as one screen: is it alive, does it read everything, what was written, what needs
the user; never more than twenty lines, whatever there is to tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ctxd.cli import words
from ctxd.cli.columns import Column, print_table
from ctxd.cli.reader_words import status_line
from ctxd.cli.status_room import Part, share_out
from ctxd.policy.shown import (
    LATE_LOOP_SECONDS,
    STATUS_LINES,
    STATUS_SESSIONS_SHOWN,
    STATUS_WARNING_LINES,
    STATUS_WARNINGS_SHOWN,
    WORKTREES_SHOWN,
)
from ctxd.terminal import Terminal, one_line, short_path

if TYPE_CHECKING:
    from ctxd.compaction_status import LatestCompaction
    from ctxd.status import AgentStatus, CompactionStatus, SessionStatus, Status
    from ctxd.terminal import Span
    from ctxd.worktree_status import WorktreeStatus

Line = Sequence["Span"]

_STYLES = {"live": "green", "waiting": "bold yellow", "idle": "yellow", "crashed": "red"}
_FIRST = ("waiting", "live", "crashed")
"""States of sessions that are listed before others."""
_START = {
    "stopped": "start it with `ctxd service start`, or `ctxd run`",
    "never started": "start it with `ctxd service install`, or `ctxd run`",
}
_LEAST_WIDTH = 20


class _Section(msgspec.Struct, frozen=True):
    """A part of the screen with its rows."""

    rows: Sequence[Any]
    draw: Callable[[Sequence[Any]], None]
    part: Part
    more: str
    """What is said of rows that are left out."""


class Screen:
    """Writes a status to one stream."""

    def __init__(self, out: Terminal, status: Status, now: datetime) -> None:
        self._out = out
        self._status = status
        self._now = now
        self._head = list(self._headline())
        self._summary = [*self._numbers(), *self._second()]
        self._verdict = self._words_of_comfort()

    def print(self) -> None:
        """Write all of it."""
        sections = self._sections()
        fixed = len(self._head) + len(self._summary) + 2 * len(self._verdict)
        room = share_out([section.part for section in sections], STATUS_LINES - fixed)
        self._write(self._head)
        for number, (section, shown) in enumerate(zip(sections, room.shown, strict=True)):
            if section.rows and room.spaced:
                self._out.print()
            if section.rows:
                section.draw(section.rows[:shown])
            more = len(section.rows) - shown
            if more:
                self._out.print((section.more.format(words.number(more)), "dim"))
            if number == 0:
                self._write(self._summary)
        if self._verdict and room.spaced:
            self._out.print()
        self._write(self._verdict)

    def _sections(self) -> list[_Section]:
        """In the order in which they are told."""
        status = self._status
        worktrees = sorted(status.worktrees, key=lambda one: one.standing == "ok")
        sessions = sorted(status.sessions, key=_rank)
        needs = list(self._needs())
        return [
            _Section(
                status.agents,
                self._print_agents,
                Part(rows=_ones(status.agents), heading=1, most=len(status.agents), turn=0),
                "and {} more agents",
            ),
            _Section(
                worktrees,
                self._print_worktrees,
                Part(rows=_ones(worktrees), heading=1, most=WORKTREES_SHOWN, turn=2),
                "and {} more",
            ),
            _Section(
                sessions,
                self._print_sessions,
                Part(rows=_ones(sessions), heading=1, most=STATUS_SESSIONS_SHOWN, turn=2),
                "and {} more: `ctxd sessions`",
            ),
            _Section(
                needs,
                self._print_needs,
                Part(rows=list(map(len, needs)), most=STATUS_WARNINGS_SHOWN, turn=1),
                "and {} more: `ctxd doctor`",
            ),
        ]

    def _headline(self) -> Iterator[Line]:
        daemon = self._status.daemon
        if daemon.state in _START:
            seen = f"last seen {words.ago(daemon.tick, self._now)}"
            told = "it was never started" if daemon.state == "never started" else seen
            yield [("ctxd is not running", "bold"), f"  ({told})"]
            yield [("hint:", "cyan"), f" {_START[daemon.state]}"]
            return
        logs = sum(agent.transcripts for agent in self._status.agents)
        places = daemon.watched_folders + daemon.polled_folders
        polled = f", {daemon.polled_folders} of them polled" if daemon.polled_folders else ""
        since = words.ago(daemon.started, self._now).removesuffix(" ago")
        following = f"{words.count(logs, 'log')} in {words.count(places, 'place')}{polled}"
        yield [
            (f"ctxd {daemon.version}  {daemon.state}", "bold"),
            f" {since}  pid {daemon.pid}  following {following}",
        ]

    def _numbers(self) -> Iterator[Line]:
        if not self._status.agents:
            return
        yield self._items()
        found = self._status.compactions
        if found.judged:
            more = [f"{words.number(found.to_judge)} still to be judged"] if found.to_judge else []
            if found.dropped:
                given = words.number(found.given_back) if found.given_back else "none"
                dropped = words.count(found.dropped, "item")
                more.insert(0, f"{dropped} dropped, {given} of them given back")
            yield _counted(words.count(found.judged, "compaction"), more)
        if found.latest is not None:
            yield self._latest(found.latest)

    def _second(self) -> Iterator[Line]:
        """The second reader, where the user has chosen one."""
        if self._status.reader is not None:
            yield status_line(self._status.reader, self._out.width)

    def _items(self) -> Line:
        items, last = self._status.items, self._status.daemon.last_item
        said = words.count(items.active, "item")
        if items.active:
            said += f" of {words.count(items.repositories, 'repository', 'repositories')}"
        more = []
        if items.waiting_for_review:
            more.append(f"{words.number(items.waiting_for_review)} for `ctxd review`")
        if last is not None:
            more.append(f"the last {words.ago(last, self._now)}")
        if items.exchanges_to_judge:
            exchanges = words.count(items.exchanges_to_judge, "exchange")
            more.append(f"{exchanges} still to be judged")
        return _counted(said, more)

    def _latest(self, one: LatestCompaction) -> Line:
        """What the last compaction dropped, and what was put back."""
        session = one_line(one.session)[:8]
        return _counted(
            f"the last {words.ago(one.time, self._now)} in {session}", [outcome(one, session)]
        )

    def _needs(self) -> Iterator[list[Line]]:
        for warning in self._status.warnings:
            mark: Line = [("! ", "bold yellow")]
            lines = self._wrapped(mark, warning.message, STATUS_WARNING_LINES)
            yield [*lines, *self._wrapped(["  ", ("hint: ", "cyan")], warning.hint, 1)]
        for one in self._status.items.uncovered:
            exchanges = words.count(one.exchanges, "exchange")
            told = f"{exchanges} of {words.count(one.sessions, 'session')} gave no items"
            message = f"language not covered: {one.language}, {told}"
            yield self._wrapped([("! ", "bold yellow")], message, STATUS_WARNING_LINES)

    def _words_of_comfort(self) -> list[Line]:
        """Said only when nothing needs the user but what waits for review."""
        status = self._status
        if status.daemon.state != "running" or status.warnings:
            return []
        if (status.daemon.tick_age_seconds or 0.0) > LATE_LOOP_SECONDS:
            return []  # it may have been stopped, or have much to do
        if any(agent.note for agent in status.agents) or _is_owed(status):
            return []
        reads = any(agent.behind_bytes for agent in status.agents)
        rest = "what is behind is being read" if reads else "everything is read"
        waits = status.items.waiting_for_review
        needed = "only `ctxd review` waits" if waits else "nothing needs you"
        return [[("all is well", "green"), f": {rest}; {needed}"]]

    def _wrapped(self, lead: Line, text: str, most: int) -> list[Line]:
        """A text in so many lines at most, each behind as much space as `lead` takes."""
        text = one_line(text)
        if self._out.width is None:
            return [[*lead, text]]
        from textwrap import wrap

        indent = sum(len(span if isinstance(span, str) else span[0]) for span in lead)
        width = max(self._out.width - indent, _LEAST_WIDTH)
        lines = wrap(self._out.show(text), width, break_on_hyphens=False) or [""]
        if len(lines) > most:
            lines[most - 1] = self._out.cut(" ".join(lines[most - 1 :]), width)
        return [
            [*(lead if not at else [" " * indent]), line] for at, line in enumerate(lines[:most])
        ]

    def _write(self, lines: Sequence[Line]) -> None:
        """Write lines, each cut where the terminal ends."""
        for line in lines:
            room = self._out.width
            kept: list[Span] = []
            for span in line:
                text, style = (span, "") if isinstance(span, str) else span
                shown = text if room is None else self._out.cut(text, room)
                room = None if room is None else room - len(shown)
                kept.append((shown, style))
            self._out.print(*kept)

    def _print_needs(self, needs: Sequence[list[Line]]) -> None:
        for lines in needs:
            for line in lines:
                self._out.print(*line)

    def _print_agents(self, agents: Sequence[AgentStatus]) -> None:
        columns = [
            Column("AGENT"),
            Column("SESSIONS", right=True),
            Column("LIVE", right=True),
            Column("LAST EVENT", right=True),
            Column("BEHIND", right=True, drop=1),
            Column("PARSED", right=True),
            Column("NOTE", drop=2, least=10),
        ]
        print_table(self._out, columns, [self._agent(agent) for agent in agents])

    def _agent(self, agent: AgentStatus) -> list[Span]:
        return [
            agent.agent,
            words.number(agent.sessions),
            words.number(agent.live),
            words.ago(agent.last_event, self._now),
            words.size(agent.behind_bytes) if agent.behind_bytes else "0",
            words.share(agent.understood_share),
            agent.note,
        ]

    def _print_worktrees(self, worktrees: Sequence[WorktreeStatus]) -> None:
        columns = [
            Column("CONTEXT FILES OF", least=16, keep_end=True),
            Column("LAST EDIT", drop=2),
            Column("PROPOSED", right=True),
            Column("NOTE", drop=1, least=12),
        ]
        print_table(self._out, columns, [self._worktree(one) for one in worktrees])

    def _worktree(self, one: WorktreeStatus) -> list[Span]:
        last = f"{one.last_file} {words.ago(one.last_edit, self._now)}" if one.last_edit else ""
        note = one.standing if one.standing in ("waiting", "stopped", "off") else ""
        return [
            short_path(one.root, Path.home()),
            last or words.NONE,
            words.count(one.proposed_lines, "line") if one.proposed_lines else words.NONE,
            ": ".join(filter(None, (note, one_line(one.why)))),
        ]

    def _print_sessions(self, sessions: Sequence[SessionStatus]) -> None:
        columns = [
            Column("OPEN SESSION", least=16),
            Column("AGENT", drop=3),
            Column("REPOSITORY", least=12, keep_end=True),
            Column("STATE"),
            Column("WINDOW", right=True),
            Column("LAST COMPACTION", drop=1),
        ]
        print_table(self._out, columns, [self._session(session) for session in sessions])

    def _session(self, session: SessionStatus) -> list[Span]:
        return [
            f"{session.session[:8]} {one_line(session.title or '')}".rstrip(),
            session.agent,
            short_path(session.cwd, Path.home()) if session.cwd else words.NONE,
            (session.state, _STYLES.get(session.state, "")),
            window(session),
            self._last_compaction(session),
        ]

    def _last_compaction(self, session: SessionStatus) -> str:
        own = [found for found in session.latest_compactions if found.sub_agent is None]
        if not own:
            return words.NONE
        number = f" ({session.compactions})" if session.compactions > 1 else ""
        when = words.ago(own[0].time, self._now)
        return f"{own[0].trigger or 'made'} {when}{tokens(own[0])}{number}"


def _is_owed(status: Status) -> bool:
    """Whether a session goes on without what its compaction dropped."""
    latest = status.compactions.latest
    open_ones = {(one.agent, one.session) for one in status.sessions}
    return bool(latest and latest.owed and (latest.agent, latest.session) in open_ones)


def outcome(one: LatestCompaction, session: str) -> str:
    """What became of the items at a compaction, and what was done about it, in words."""
    number = sum(getattr(one.counts, name) for name in one.counts.__struct_fields__)
    if not number:
        return "no items were in its window"
    if not one.dropped:
        return f"none of {words.count(number, 'item')} dropped"
    said = f"{words.number(one.dropped)} of {words.number(number)} dropped"
    if not one.live:
        return f"{said}, before ctxd followed it"
    done = {
        "given back": one.given_back,
        "in a context file": one.in_files,
        "not told again yet": one.owed,
    }
    told = [f"{words.number(count)} {what}" for what, count in done.items() if count]
    return f"{said}: {', '.join(told) or f'not put back, see `ctxd compactions {session}`'}"


def window(session: SessionStatus) -> str:
    """How full the window of a session is."""
    if session.window_percent is not None:
        return f"{session.window_percent:.0f}%"
    return words.NONE if session.context_tokens is None else words.number(session.context_tokens)


def tokens(compaction: CompactionStatus) -> str:
    """How many tokens a compaction took away; empty where that is not known."""
    before, after = compaction.tokens_before, compaction.tokens_after
    if before is None:
        return ""
    return f", {words.number(before)} -> {words.number(after) if after is not None else '?'}"


def _counted(said: str, more: Sequence[str]) -> Line:
    return [said, (f"  {', '.join(more)}" if more else "", "dim")]


def _ones(rows: Sequence[object]) -> list[int]:
    return [1] * len(rows)


def _rank(session: SessionStatus) -> int:
    return _FIRST.index(session.state) if session.state in _FIRST else len(_FIRST)
