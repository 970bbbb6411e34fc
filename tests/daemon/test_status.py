"""Status from the ledger alone: what is said of the daemon, its agents, sessions and trouble."""

import os
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ctxd import __version__
from ctxd.ledger import Heartbeat, Ledger
from ctxd.pipeline import Pipeline
from ctxd.policy.shown import STALE_LOOP_SECONDS, UNREAD_WARNING_SECONDS
from ctxd.service.asking import Answer
from ctxd.status import no_status, session_status, take_status
from ctxd_parsers.discovery import transcripts_under

CASES = Path(__file__).parent.parent / "parsers"
LIFECYCLE = CASES / "claude-code" / "2.1.332" / "compact_auto" / "log"


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "ledger.sqlite3") as ledger:
        yield ledger


def beat(ledger, **changes):
    now = time.time()
    facts = {"pid": os.getpid(), "version": __version__, "started": now, "tick": now}
    ledger.beat(Heartbeat(**facts | changes))


def status(ledger, answer=None, later=0.0):
    return take_status(ledger, answer, datetime.now(UTC) + timedelta(seconds=later))


def read_all(ledger, logs, wall=time.time):
    pipeline = Pipeline(ledger, wall)
    for transcript in transcripts_under(logs):
        while pipeline.advance(transcript).more:
            pass


def dead_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_daemon_that_never_ran_is_said_so():
    assert no_status(datetime.now(UTC)).daemon.state == "never started"


def test_a_daemon_that_answers_runs(ledger):
    beat(ledger)
    assert status(ledger, Answer(ok=True)).daemon.state == "running"


def test_a_daemon_that_does_not_answer_but_ticks_runs_and_is_busy(ledger):
    beat(ledger)
    assert status(ledger).daemon.state == "running"


def test_a_daemon_whose_process_is_gone_is_stopped_however_fresh_its_tick(ledger):
    beat(ledger, pid=dead_pid())
    assert status(ledger).daemon.state == "stopped"


def test_a_daemon_that_said_goodbye_is_stopped(ledger):
    beat(ledger, state="stopped")
    assert status(ledger).daemon.state == "stopped"


def test_a_daemon_whose_loop_stands_still_hangs_and_that_is_a_warning(ledger):
    beat(ledger)
    found = status(ledger, later=STALE_LOOP_SECONDS + 5)
    assert found.daemon.state == "hung"
    assert [warning.code for warning in found.warnings] == ["daemon.hung"]


def test_an_older_daemon_than_the_one_installed_is_a_warning(ledger):
    beat(ledger, version="0.0.1")
    assert [w.code for w in status(ledger, Answer(ok=True)).warnings] == ["daemon.outdated"]


def test_what_the_daemon_says_of_its_trouble_is_passed_on(ledger):
    beat(ledger)
    found = status(ledger, Answer(ok=False, message="cannot write the ledger: disk full"))
    assert found.daemon.trouble == "cannot write the ledger: disk full"
    assert [warning.code for warning in found.warnings] == ["ledger.unwritable"]


def test_a_paused_daemon_is_paused(ledger):
    beat(ledger, state="paused")
    assert status(ledger, Answer(ok=True)).daemon.state == "paused"


def test_a_session_shows_each_compaction_with_trigger_time_and_tokens(ledger):
    read_all(ledger, LIFECYCLE)
    row = ledger.sessions()[0]
    [session] = session_status(ledger, row.id[:8])
    assert session.compactions == 2
    shown = [(c.trigger, c.tokens_before, c.tokens_after) for c in session.latest_compactions]
    assert shown == [("auto", 195068, 2945), ("auto", 194024, 2991)], "the newest first"
    assert all(compaction.time for compaction in session.latest_compactions)


def test_a_session_whose_log_tells_its_end_is_not_listed_as_open(ledger):
    read_all(ledger, LIFECYCLE)
    found = status(ledger)
    assert found.sessions == ()
    assert [(agent.agent, agent.sessions, agent.live) for agent in found.agents] == [
        ("claude-code", 1, 0)
    ]


def test_a_log_that_stops_in_mid_turn_is_an_open_session(ledger, tmp_path):
    original = next(LIFECYCLE.rglob("*.jsonl"))
    copy = tmp_path / "projects" / "x" / original.name
    copy.parent.mkdir(parents=True)
    lines = original.read_bytes().split(b"\n")
    copy.write_bytes(b"\n".join(lines[: len(lines) // 2]) + b"\n")
    last = ledger_time(copy)
    read_all(ledger, copy.parent, wall=lambda: last + 1)
    [session] = status(ledger).sessions
    assert session.state in {"live", "idle"}
    assert session.known_by == "recent event"


def ledger_time(log):
    """The newest event's time in a log."""
    from ctxd_parsers.reading import read_events

    [transcript] = transcripts_under(log)
    return max(event.time for event in read_events(transcript) if event.time).timestamp()


def test_unknown_kinds_and_damage_are_noted_and_lower_the_share(ledger, tmp_path):
    original = next(LIFECYCLE.rglob("*.jsonl"))
    copy = tmp_path / "projects" / "x" / original.name
    copy.parent.mkdir(parents=True)
    session = original.stem
    odd = f'{{"type":"hologram","sessionId":"{session}","uuid":"h1"}}\n{{"type":"us\n'
    copy.write_bytes(original.read_bytes() + odd.encode())
    read_all(ledger, copy.parent)
    [agent] = status(ledger).agents
    assert agent.note == "1 unknown kind, 1 damaged"
    assert 0.9 < agent.understood_share < 1


def test_a_file_set_aside_is_a_warning_until_it_can_be_read(ledger, tmp_path):
    path = tmp_path / "broken.jsonl"
    ledger.set_aside(path, "input/output error", 10, 20)
    [warning] = status(ledger).warnings
    assert warning.code == "transcript.set_aside"
    assert "input/output error" in warning.message
    ledger.forgive(path)
    assert status(ledger).warnings == ()


def test_a_log_that_grows_without_being_understood_for_long_is_a_warning(tmp_path):
    now = [1_900_000_000.0]
    logs = tmp_path / "projects" / "x"
    logs.mkdir(parents=True)
    shutil.copy(
        next(LIFECYCLE.rglob("*.jsonl")), logs / f"{'a' * 8}-0000-4000-8000-{'b' * 12}.jsonl"
    )
    [transcript] = transcripts_under(logs)
    with Ledger.open(tmp_path / "l.sqlite3", lambda: now[0]) as ledger:
        pipeline = Pipeline(ledger, lambda: now[0])
        pipeline.advance(transcript)
        for _ in range(3):
            with transcript.path.open("ab") as file:
                file.write(b'{"new":"format"}\n')
            pipeline.advance(transcript)
            now[0] += UNREAD_WARNING_SECONDS
        codes = [warning.code for warning in status(ledger).warnings]
        assert codes == ["transcript.not_understood"]


def test_settings_that_were_refused_are_a_warning(ledger):
    ledger.set_meta("settings_error", "unknown key `x`")
    assert [warning.code for warning in status(ledger).warnings] == ["settings.bad"]
    ledger.set_meta("settings_error", "")
    assert status(ledger).warnings == ()
