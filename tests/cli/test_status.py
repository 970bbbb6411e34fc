"""`ctxd status`: on one screen whatever there is, in the order in which it matters."""

import io
import os
import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.known import fill
from cli.running import plain
from ctxd.cli.status_room import Part, share_out
from ctxd.cli.status_screen import Screen
from ctxd.compaction_report import Counts
from ctxd.compaction_status import CompactionsStatus, LatestCompaction
from ctxd.item_status import ItemsStatus, UncoveredStatus
from ctxd.policy.shown import STATUS_LINES
from ctxd.reader_status import ReaderDay, ReaderStatus
from ctxd.status import (
    AgentStatus,
    CompactionStatus,
    DaemonStatus,
    Notice,
    SessionStatus,
    Status,
)
from ctxd.terminal import Terminal
from ctxd.worktree_status import WorktreeStatus

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
AGENTS = ("claude-code", "copilot-cli", "copilot-vscode", "kiro-cli", "kiro-ide")
on_terminal = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")


def ago(**time):
    return NOW - timedelta(**time)


def daemon(**facts):
    known = {"pid": 4127, "version": "0.1.0", "started": ago(hours=3), "tick": ago(seconds=2)}
    known |= {"state": "running", "watched_folders": 9, "last_item": ago(minutes=2)}
    return DaemonStatus(**known | facts)


def agent(name="claude-code", **facts):
    known = {"sessions": 70, "live": 1, "transcripts": 107, "last_event": ago(seconds=4)}
    known |= {"behind_bytes": 0, "understood_share": 1.0, "note": ""}
    return AgentStatus(agent=name, **known | facts)


def worktree(name="api", standing="ok", **facts):
    known = {"mode": "auto", "why": "", "proposed_lines": 0, "last_edit": ago(minutes=12)}
    known |= {"last_file": "AGENTS.md", "last_lines": 1}
    place = f"/srv/{name}"
    return WorktreeStatus(root=place, repository=place, standing=standing, **known | facts)


def session(name="5b0e8a1c-9d47", state="live", **facts):
    known = {"title": "Rate limits", "cwd": "/srv/api", "branch": "main", "known_by": None}
    known |= {"started": ago(hours=1), "last_event": ago(seconds=4), "turns": 3, "sub_agents": 0}
    known |= {"context_tokens": 17_356, "window_tokens": 200_000, "window_percent": 8.7}
    made = CompactionStatus(ago(minutes=9), "manual", 16_229, 2_874, None, None)
    known |= {"items": 2, "uncovered_language": None, "compactions": 1}
    known |= {"latest_compactions": (made,)}
    return SessionStatus(agent="claude-code", session=name, state=state, **known | facts)


def latest(**facts):
    known = {"live": True, "dropped": 2, "given_back": 1, "in_files": 1, "owed": 0}
    counts = Counts(kept=5, lost=2)
    return LatestCompaction(
        agent="claude-code",
        session="5b0e8a1c-9d47",
        time=ago(minutes=9),
        counts=counts,
        **known | facts,
    )


def second(**facts):
    day = {"calls": 12, "calls_most": 100, "tokens": 84_210, "tokens_most": 1_000_000}
    day |= {"money_dollars": 0.31, "money_most_dollars": 2.0, "failed": 0, "refused": 3}
    known = {"backend": "claude-code", "model": "", "unasked": True, "waiting": 0}
    known |= {"sends_to": "Anthropic, through your Claude Code login", "trouble": None}
    return ReaderStatus(today=ReaderDay(**day), **known | facts)


def status(**parts):
    known = {
        "daemon": daemon(),
        "agents": (agent(), agent("copilot-cli", live=0, last_event=ago(days=2))),
        "items": ItemsStatus(active=34, waiting_for_review=5, repositories=3),
        "compactions": CompactionsStatus(3, 0, 7, 5, latest()),
        "worktrees": (worktree(),),
        "sessions": (session(),),
        "warnings": (),
        "ledger_bytes": 1,
    }
    return Status(schema="ctxd.status/1", **known | parts)


def screen(found, width=80):
    stream = io.StringIO()
    out = Terminal(stream, "never", {})
    out.width = width
    Screen(out, found, NOW).print()
    return stream.getvalue()


FULL = status(
    agents=tuple(map(agent, AGENTS)),
    items=ItemsStatus(34, 5, 3, 12, (UncoveredStatus("Finnish", 2, 9),)),
    worktrees=tuple(worktree(f"repository-{number}") for number in range(30)),
    sessions=tuple(session(f"{number:08x}") for number in range(40)),
    warnings=tuple(
        Notice("transcript.set_aside", f"cannot read `/logs/{number}/" + "x" * 150, "do " * 40)
        for number in range(20)
    ),
)


class TestScreen:
    @pytest.mark.parametrize("width", [60, 80, 200, None])
    def test_a_day_like_any_other(self, snapshot, width):
        text = screen(status(), width)
        assert max(map(len, text.splitlines())) <= (width or 1000)
        snapshot(f"status-{width or 'piped'}", text)

    @pytest.mark.parametrize("width", [60, 80, 200])
    def test_all_that_can_be_is_on_one_screen(self, snapshot, width):
        text = screen(FULL, width)
        assert len(text.splitlines()) <= STATUS_LINES
        assert max(map(len, text.splitlines())) <= width
        snapshot(f"status-full-{width}", text)

    def test_what_is_left_out_is_counted_with_where_it_is(self):
        text = screen(FULL)
        assert re.search(r"^and \d+ more$", text, re.MULTILINE)
        assert re.search(r"^and \d+ more: `ctxd sessions`$", text, re.MULTILINE)
        assert re.search(r"^and \d+ more: `ctxd doctor`$", text, re.MULTILINE)

    def test_six_worktrees_are_listed_where_there_is_room(self):
        trees = tuple(worktree(f"r{number}") for number in range(8))
        text = screen(status(worktrees=trees, sessions=(), agents=(agent(),)))
        assert len(re.findall(r"^/srv/r\d ", text, re.MULTILINE)) == 6
        assert "and 2 more\n" in text

    def test_what_stopped_and_who_waits_come_first(self):
        trees = tuple(worktree(f"r{number}") for number in range(9))
        text = screen(
            status(
                worktrees=(*trees, worktree("broken", "stopped", why="its markers were removed")),
                sessions=(
                    *(session(f"{n:08x}", "idle") for n in range(9)),
                    session("f0f0f0f0", "waiting"),
                ),
            )
        )
        assert text.index("/srv/broken") < text.index("/srv/r0")
        assert "f0f0f0f0" in text
        assert "00000000" not in text

    def test_the_order_is_alive_read_written_open_needed(self):
        text = screen(status(warnings=(Notice("x", "something is wrong", "mend it"),)))
        marks = ["running", "AGENT ", "34 items", "CONTEXT FILES", "OPEN SESSION", "! something"]
        places = [text.index(mark) for mark in marks]
        assert places == sorted(places)
        assert text.endswith("  hint: mend it\n")

    def test_when_all_is_well_one_line_says_so(self):
        text = screen(status(items=ItemsStatus(active=34, repositories=3)))
        assert text.endswith("all is well: everything is read; nothing needs you\n")

    def test_what_waits_for_review_is_not_called_nothing(self):
        text = screen(status())
        assert text.endswith("all is well: everything is read; only `ctxd review` waits\n")

    @pytest.mark.parametrize(
        "parts",
        [
            {"warnings": (Notice("x", "something is wrong", "mend it"),)},
            {"daemon": daemon(state="stopped")},
            {"daemon": daemon(state="paused")},
            {"daemon": daemon(tick_age_seconds=22.0)},
            {"agents": (agent(note="1 unknown kind"),)},
            {"compactions": CompactionsStatus(3, 0, 7, 5, latest(owed=1))},
        ],
    )
    def test_it_does_not_say_so_when_it_is_not(self, parts):
        assert "all is well" not in screen(status(**parts))

    def test_what_a_session_that_is_over_goes_without_needs_nobody(self):
        found = CompactionsStatus(3, 0, 7, 5, latest(owed=1))
        assert "all is well" in screen(status(compactions=found, sessions=()))

    def test_while_logs_are_behind_it_does_not_claim_that_they_are_read(self):
        text = screen(status(agents=(agent(behind_bytes=5_000),)))
        assert "all is well: what is behind is being read; only `ctxd review` waits" in text

    @pytest.mark.parametrize(
        ("facts", "words"),
        [
            ({}, "2 of 7 dropped: 1 given back, 1 in a context file"),
            ({"given_back": 0, "in_files": 0, "owed": 2}, "2 of 7 dropped: 2 not told again yet"),
            (
                {"given_back": 0, "in_files": 0},
                "2 of 7 dropped: not put back, see `ctxd compactions 5b0e8a1c`",
            ),
            ({"live": False}, "2 of 7 dropped, before ctxd followed it"),
            ({"dropped": 0}, "none of 7 items dropped"),
        ],
    )
    def test_the_last_compaction_is_told_with_what_was_put_back(self, facts, words):
        found = status(compactions=CompactionsStatus(3, 0, 7, 5, latest(**facts)))
        assert f"the last 9m ago in 5b0e8a1c  {words}\n" in screen(found, None)

    @pytest.mark.parametrize(
        ("state", "hint"),
        [
            ("stopped", "start it with `ctxd service start`, or `ctxd run`"),
            ("never started", "start it with `ctxd service install`, or `ctxd run`"),
        ],
    )
    def test_one_that_does_not_run_is_said_at_once_with_what_starts_it(self, state, hint):
        first, second, *_ = screen(status(daemon=daemon(state=state))).splitlines()
        assert first.startswith("ctxd is not running  (")
        assert second == f"hint: {hint}"

    def test_hostile_words_do_nothing(self):
        bad = "\x1b[2J\u202e\n[/nope] "
        text = screen(
            status(
                sessions=(session(title=bad),),
                worktrees=(worktree("x", "stopped", why=bad),),
                warnings=(Notice("x", bad * 30, bad),),
            )
        )
        assert not {"\x1b", "\u202e"} & set(text)
        assert len(text.splitlines()) <= STATUS_LINES

    @pytest.mark.parametrize("width", [60, 80, 200, None])
    def test_a_reader_that_was_chosen_takes_one_line(self, snapshot, width):
        text = screen(status(reader=second()), width)
        assert max(map(len, text.splitlines())) <= (width or 1000)
        assert len(text.splitlines()) == len(screen(status(), width).splitlines()) + 1
        assert text.count("reader claude-code: to Anthropic") == 1
        snapshot(f"status-reader-{width or 'piped'}", text)

    def test_where_none_was_chosen_no_reader_is_spoken_of(self):
        assert "reader" not in screen(status())

    def test_a_reader_on_this_machine_sends_nothing_and_that_is_said(self):
        text = screen(status(reader=second(backend="openai", sends_to="", waiting=2)), None)
        assert "reader openai: stays on this machine  12/100 calls, 84.2k/1M tokens" in text
        assert "$0.31/$2.00 today, 2 sessions waiting\n" in text

    @settings(max_examples=60, deadline=None)
    @given(
        st.tuples(*[st.integers(0, most) for most in (5, 40, 40, 40, 8)]),
        st.sampled_from([20, 40, 60, 80, 200]),
        st.sampled_from(["running", "paused", "hung", "stopped", "never started"]),
        st.sampled_from([None, second(), second(sends_to="x" * 300)]),
    )
    def test_it_never_takes_more_than_a_screen(self, numbers, width, state, reader):
        agents, trees, sessions, warnings, languages = numbers
        found = status(
            daemon=daemon(state=state, polled_folders=3),
            reader=reader,
            agents=FULL.agents[:agents],
            worktrees=tuple(worktree(f"r{n}") for n in range(trees)),
            sessions=tuple(session(f"{n:08x}") for n in range(sessions)),
            warnings=(FULL.warnings * 2)[:warnings],
            items=ItemsStatus(
                uncovered=tuple(UncoveredStatus(f"L{n}", 1, 1) for n in range(languages))
            ),
        )
        assert len(screen(found, width).splitlines()) <= STATUS_LINES


class TestRoom:
    parts = st.builds(
        Part,
        rows=st.lists(st.integers(1, 3), max_size=30),
        heading=st.integers(0, 1),
        most=st.integers(1, 10),
        turn=st.integers(0, 2),
    )

    @given(st.lists(parts, max_size=4), st.integers(0, 40))
    def test_every_part_that_has_rows_shows_one_and_no_more_than_its_most(self, parts, lines):
        room = share_out(parts, lines)
        for part, shown in zip(parts, room.shown, strict=True):
            assert min(1, len(part.rows)) <= shown <= max(part.most, 0)

    @given(st.lists(parts, max_size=4))
    def test_with_room_for_all_nothing_is_left_out_but_what_is_never_shown(self, parts):
        room = share_out(parts, 1000)
        wanted = [min(part.most, len(part.rows)) for part in parts]
        assert list(room.shown) == wanted

    def test_what_is_told_first_is_filled_first(self):
        parts = [Part(rows=[1] * 9, most=9, turn=1), Part(rows=[1] * 9, most=9, turn=0)]
        assert share_out(parts, 13).shown == (1, 9)


class TestCommand:
    def test_it_tells_of_a_ledger_without_a_daemon(self, home):
        fill(home)
        run = home.ctxd("status")
        assert run.code == 3
        assert run.lines[0].startswith("ctxd is not running")
        assert len(run.lines) <= STATUS_LINES

    @on_terminal
    @pytest.mark.parametrize("width", [60, 80, 200])
    def test_it_fits_the_terminal(self, home, width):
        fill(home)
        text = plain(home.on_terminal(width, "status").out)
        assert max(map(len, text.splitlines())) <= width
        assert len(text.splitlines()) <= STATUS_LINES

    def test_the_short_form_is_one_line(self, home):
        fill(home)
        assert len(home.ctxd("status", "--short").lines) == 1
