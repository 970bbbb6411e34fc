"""What happens in a session shows in `ctxd status` within two seconds."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime

import pytest

from ctxd.processes import living
from ctxd_parsers.events import Compaction, SessionEnded
from e2e.daemon import Daemon, wait_until
from e2e.homes import append, case, lines_of, moments, put_beside

PROMISE_SECONDS = 5.0
"""The promise is two; the machine that runs the tests does other things, too."""
USUAL_SECONDS = 1.0

CASES = [
    "claude-code/1.0.35/lifecycle",
    "claude-code/2.0.37/lifecycle",
    "claude-code/2.1.332/compact_auto",
    "claude-code/2.1.332/compact_manual",
    "claude-code/2.1.332/print_compact",
    "claude-code/2.1.332/subagent_compact",
    "claude-code/2.1.332/summarize_upto",
    "copilot-cli/1.0.20/auto_compact",
    "copilot-cli/1.0.61/auto_compact_and_truncation",
    "copilot-cli/1.0.102/auto_compact_background",
    "copilot-cli/1.0.102/subagent_compaction",
    "copilot-cli/1.0.102/tools_manual_compact",
    "copilot-vscode/operation-log/compactions_and_rewind",
    "kiro/cli-v2/webhook_retries",
    "kiro/v3/webhook_retries",
]
"""All ways to compact and to end of the stores that are written line by line."""


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path).start()
    yield daemon
    daemon.close()


@pytest.fixture
def client():
    """A process that stands for an agent's client."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield process
    process.kill()
    process.wait()


class Watch:
    """Waits for what a case's events have to lead to, and keeps how long that took."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.compactions = Counter()
        self.ends = Counter()
        self.took = []

    def follow(self, name, shadow):
        put_beside(case(name), self.daemon.home)
        for moment in moments(case(name), self.daemon.home, shadow):
            append(moment.target, moment.line)
            self._began = time.monotonic()
            for event in moment.events:
                if isinstance(event, Compaction):
                    self.compactions[event.session] += 1
                    self._wait(event.session, self._shows_all_compactions)
                elif isinstance(event, SessionEnded):
                    self.ends[event.session] += 1
                    self._wait(event.session, lambda shown: shown.known_by == "end record")

    def _shows_all_compactions(self, shown):
        return len(shown.latest_compactions) == self.compactions[shown.session]

    def _wait(self, session, is_told):
        def shows():
            shown = self.daemon.session(session)
            return shown is not None and is_told(shown)

        wait_until(shows, PROMISE_SECONDS, session)
        self.took.append(time.monotonic() - self._began)


def test_every_compaction_and_every_end_shows_while_it_is_news(daemon, tmp_path):
    watch = Watch(daemon)
    for name in CASES:
        watch.follow(name, tmp_path / "shadow" / name)
    assert watch.compactions.total() > 20
    assert watch.ends.total() > 5
    assert sorted(watch.took)[len(watch.took) // 2] < USUAL_SECONDS


def test_the_command_shows_a_live_session_with_its_window_and_compactions(daemon):
    for target, line in lines_of(case("copilot-cli/1.0.102/tools_manual_compact"), daemon.home):
        if b'"session.shutdown"' not in line:
            append(target, line)
    daemon.flush()
    status = daemon.status_json()
    (session,) = status["sessions"]
    assert status["daemon"]["state"] == "running"
    assert session["state"] in {"live", "idle"}
    assert session["compactions"] == 1
    assert session["latest_compactions"][0]["trigger"] == "manual"
    assert 0 < session["window_percent"] <= 100
    one = daemon.ctxd("status", "--json", "--session", session["session"][:8])
    assert json.loads(one.stdout)["session"] == session["session"]


def sign_of_claude_code(home, client, session):
    """The file that this client keeps beside its projects while it runs."""
    folder = home / ".claude" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    sign = {"pid": client.pid, "sessionId": session, "status": "idle"}
    sign["procStart"] = f"{living(client.pid).started:.0f}"
    path = folder / f"{client.pid}.json"
    path.write_text(json.dumps(sign), encoding="utf-8")
    return path


def sign_of_copilot_cli(home, client, session):
    path = home / ".copilot" / "session-state" / session / f"inuse.{client.pid}.lock"
    path.write_text(str(client.pid), encoding="utf-8")
    return path


def sign_of_kiro_cli(home, client, session):
    path = home / ".kiro" / "sessions" / "cli" / f"{session}.lock"
    started = datetime.now(UTC).isoformat()
    path.write_text(json.dumps({"pid": client.pid, "started_at": started}), encoding="utf-8")
    return path


SIGNS = [
    (sign_of_claude_code, "claude-code/2.1.332/exit_kill9"),
    (sign_of_copilot_cli, "copilot-cli/1.0.102/ask_user_abort"),
    (sign_of_kiro_cli, "kiro/cli-v2/webhook_retries"),
]


def open_session(daemon, client, sign, name):
    """A session as it is while its client is there: the sign of the process, and its log."""
    put_beside(case(name), daemon.home)
    lines = list(lines_of(case(name), daemon.home))
    log = lines[0][0]
    session = log.parent.name if log.name == "events.jsonl" else log.stem
    log.parent.mkdir(parents=True, exist_ok=True)
    path = sign(daemon.home, client, session)
    for target, line in lines:
        if target == log and b'"session.shutdown"' not in line:
            append(target, line)
    wait_until(lambda: is_open(daemon, session), PROMISE_SECONDS, "opened")
    return session, path


def is_open(daemon, session):
    shown = daemon.session(session)
    return shown is not None and shown.known_by == "process"


@pytest.mark.parametrize(("sign", "name"), SIGNS, ids=[name for _, name in SIGNS])
def test_a_client_that_is_killed_leaves_a_crashed_session(daemon, client, sign, name):
    session, _ = open_session(daemon, client, sign, name)
    os.kill(client.pid, signal.SIGKILL)
    wait_until(lambda: daemon.session(session).state == "crashed", PROMISE_SECONDS, "crashed")
    assert daemon.session(session).known_by == "dead process"


@pytest.mark.parametrize(("sign", "name"), SIGNS, ids=[name for _, name in SIGNS])
def test_a_client_that_takes_its_sign_along_leaves_an_ended_session(daemon, client, sign, name):
    session, path = open_session(daemon, client, sign, name)
    path.unlink()
    wait_until(lambda: daemon.session(session).state == "ended", PROMISE_SECONDS, "ended")
    assert daemon.session(session).known_by == "sign gone"


def test_a_client_that_ended_while_no_daemon_ran_is_found_to_have_ended(daemon, client):
    session, _ = open_session(daemon, client, *SIGNS[0])
    daemon.kill()
    client.kill()
    client.wait()
    daemon.start()
    wait_until(lambda: daemon.session(session).state == "crashed", PROMISE_SECONDS, "crashed")


def test_a_resume_reopens_an_ended_session(daemon):
    *before, last = list(lines_of(case("copilot-cli/1.0.102/tools_manual_compact"), daemon.home))
    for target, line in [*before, last]:
        append(target, line)
    daemon.flush()
    (session,) = (session for _, session in daemon.session_keys())
    assert daemon.session(session).state == "ended"
    target, line = last
    assert b'"session.shutdown"' in line
    resumed = json.loads(line) | {"id": "resumed", "type": "session.resume"}
    resumed["timestamp"] = datetime.now(UTC).isoformat()
    resumed["data"] = {"resumeTime": resumed["timestamp"], "eventCount": len(before)}
    append(target, json.dumps(resumed).encode() + b"\n")
    wait_until(lambda: daemon.session(session).state != "ended", PROMISE_SECONDS, "resumed")
