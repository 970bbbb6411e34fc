"""Compactions of real clients at every moment: twice in a row, before a resume, in a sub-agent,
around `/clear`, and with a daemon that is away or hangs."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import time

import pytest

from e2e.clients import installed
from e2e.clients.claude_code import FULL, ClaudeCodeStream, ClaudeCodeTerminal
from e2e.clients.copilot import CopilotProgram
from e2e.clients.guarded import Guard, dropped, guarded, names, running
from e2e.clients.model_server import Reply, Tool
from e2e.clients.scenario import TYPED, summary_of
from e2e.clients.survival import Outcome, begin, compact, request_after, talk
from e2e.daemon import wait_until

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(installed.missing()), reason=installed.missing() or "-"),
]
CLAUDE_CODE = pytest.param(ClaudeCodeStream, installed.CLAUDE_CODE[0])
COPILOT = pytest.param(CopilotProgram, installed.COPILOT[0])
BOTH = pytest.mark.parametrize(("client", "version"), [CLAUDE_CODE, COPILOT])
ONLY_CLAUDE_CODE = pytest.mark.parametrize(("client", "version"), [CLAUDE_CODE])
NUMBER = "The warehouse client must time out after 3 seconds."
HOOK_SECONDS = 0.3
MARGIN_SECONDS = 0.3
"""Beside a hook's deadline, for machines that have other things to do."""


def spoken(client):
    """Say everything, shortly."""
    client.start()
    talk(client, TYPED)
    return TYPED


def after(client, said, how="manual", summary=None):
    """Compact, and tell what the next request states."""
    compact(client, how, summary_of(said) if summary is None else summary)
    return Outcome(said, request_after(client))


@BOTH
def test_two_compactions_in_a_row_lose_nothing(client, version):
    with running(client, version) as it, guarded(it) as guard:
        said = spoken(it)
        assert after(it, said).missing == []
        assert after(it, said, "automatic", "The user wants to go on.").missing == []
        first, second = guard.compactions(2)
        assert names(dropped(first), "retry failed webhooks")
        assert names(dropped(second), "retry failed webhooks")
        assert not names(dropped(first), "are UTC")


@BOTH
def test_what_was_given_back_is_not_told_again_with_every_prompt(client, version):
    with running(client, version) as it, guarded(it):
        said = spoken(it)
        words = "retry failed webhooks three times"
        once = after(it, said).request.text.count(words)
        assert request_after(it).text.count(words) == once


@BOTH
def test_a_session_that_is_resumed_after_a_compaction_has_it_all(client, version):
    with running(client, version) as it, guarded(it):
        said = spoken(it)
        compact(it, "manual", summary_of(said))
        it.stop()
        it.resume()
        assert Outcome(said, request_after(it)).missing == []


def _sub_agent_of_claude_code(client):
    file = str(client.repo / "readme.txt")
    look = Tool("Read", {"file_path": file})
    task = {
        "description": "Find callers",
        "prompt": "Find the callers.",
        "subagent_type": "general-purpose",
    }
    client.model.agent_replies.extend(
        [Reply("I look.", (look,)), Reply("I look on.", (look,), tokens=FULL), "No callers."]
    )
    client.expect("The agent looked for callers.")
    return Tool("Agent", task)


def _sub_agent_of_copilot(client):
    look = Tool("view", {"path": str(client.repo / "readme.txt")})
    task = {"description": "Find callers", "prompt": "Find the callers.", "name": "finder"}
    client.model.agent_replies.extend(
        [Reply("I look.", (look,)), Reply("I look on.", (look,), tokens=58_000), "No callers."]
    )
    client.expect("The agent looked for callers.")
    return Tool("task", task | {"agent_type": "general-purpose", "mode": "sync"})


SUB_AGENTS = {
    ClaudeCodeStream: _sub_agent_of_claude_code,
    CopilotProgram: _sub_agent_of_copilot,
}


@BOTH
def test_a_sub_agent_that_compacts_raises_no_alarm(client, version):
    with running(client, version) as it, guarded(it) as guard:
        said = spoken(it)
        call = SUB_AGENTS[client](it)
        it.say(
            "Have somebody find the callers.", Reply("I delegate it.", (call,)), "There are none."
        )
        wait_until(lambda: it.model.of("summary"), 30, "the sub-agent compacts")
        it.wait_quiet()
        assert Outcome(said, request_after(it)).missing == []
        guard.settled()
        assert guard.told() == []
        assert [one for one in guard.all_compactions() if one["items"]] == []


@pytest.mark.skipif(not installed.TMUX, reason="needs tmux")
def test_a_cleared_session_drops_nothing_and_finds_the_rules():
    rule = TYPED[0]
    with running(ClaudeCodeTerminal, installed.CLAUDE_CODE[0]) as it, guarded(it) as guard:
        it.start()
        rule.act(it)
        wait_until(lambda: rule.wanted in guard.rules, 20, "the rule is written")
        it.clear()
        assert request_after(it).states(rule.wanted)
        guard.settled()
        assert guard.told() == []
        assert guard.all_compactions() == []


@BOTH
def test_a_client_does_not_notice_that_no_daemon_runs(client, version):
    with running(client, version) as it:
        guard = Guard(it, None)
        guard.install()
        said = begin(it)
        outcome = after(it, said)
        assert outcome.missing, "there is nobody to give anything back"
        assert it.model.replies == it.model.summaries, "something was not asked for"


@ONLY_CLAUDE_CODE
def test_what_was_dropped_is_given_back_though_the_daemon_has_ended(client, version):
    with running(client, version) as it, guarded(it) as guard:
        said = spoken(it)
        guard.settled()
        guard.daemon.stop()
        assert after(it, said).missing == []


@ONLY_CLAUDE_CODE
def test_a_daemon_that_hangs_delays_a_hook_by_no_more_than_its_deadline(client, version):
    with running(client, version) as it, guarded(it) as guard:
        said = spoken(it)
        guard.settled()
        with hanging(guard.daemon):
            assert after(it, said).said
            took = min(hook_seconds(it) for _ in range(3))
            idle = min(seconds_of(["sh", "-c", "python3 -I -S -c pass"]) for _ in range(3))
        assert took < HOOK_SECONDS + idle + MARGIN_SECONDS
        [told] = wait_until(guard.told, 20, "the notice, late")
        assert "ompaction dropped" in told


@contextlib.contextmanager
def hanging(daemon):
    os.kill(daemon.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(daemon.pid, signal.SIGCONT)


def hook_seconds(client):
    """How long a hook takes as the client runs it."""
    settings = json.loads((client.home / ".claude" / "settings.json").read_text(encoding="utf-8"))
    [hook] = settings["hooks"]["UserPromptSubmit"][0]["hooks"]
    payload = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": client.session,
        "transcript_path": str(client.logs[-1]),
        "cwd": str(client.repo),
        "prompt": "Go on.",
    }
    return seconds_of(["sh", "-c", hook["command"]], json.dumps(payload).encode())


def seconds_of(command, data=b""):
    begun = time.monotonic()
    done = subprocess.run(command, input=data, capture_output=True, timeout=30, check=False)
    took = time.monotonic() - begun
    assert done.returncode == 0, f"{shlex.join(command)}: {done.stderr}"
    return took
