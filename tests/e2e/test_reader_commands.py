"""`ctxd reader` with the real Claude Code: chosen, tried, counted, and nothing of it read back."""

import json
import os
import subprocess
import sys

import pytest

from cli.test_reader import GOOD
from e2e.clients import installed
from e2e.clients.claude_code import KEY
from e2e.clients.dialects import Messages
from e2e.clients.model_server import ModelServer, Reply, Tool
from e2e.clients.reader import SERVICE_PATH
from e2e.daemon import ROOT

NEWEST = installed.CLAUDE_CODE[0]

pytestmark = pytest.mark.long


class OneLane(Messages):
    """All that is asked is the conversation itself."""

    def lane(self, headers, body):
        return "main"


@pytest.fixture
def model():
    model = ModelServer(OneLane())
    yield model
    model.close()


@pytest.fixture
def ctxd(tmp_path, model):
    """Runs ctxd in a home where Claude Code is installed."""
    found = installed.find("claude-code", NEWEST)
    if found is None:
        pytest.skip(f"Claude Code {NEWEST} is not installed: make clients")
    home = tmp_path / "home"
    program = home / ".local" / "bin" / "claude"
    program.parent.mkdir(parents=True)
    program.symlink_to(found.command[-1])
    state = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
    }
    (home / ".claude.json").write_text(json.dumps(state), encoding="utf-8")
    variables = {
        "HOME": str(home),
        "PATH": SERVICE_PATH,
        "CTXD_HOME": str(tmp_path / "own"),
        "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("daemon", "parsers")),
        "LC_ALL": "C.UTF-8",
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": KEY,
        "IS_SANDBOX": "1",
    }

    def run(*arguments):
        command = [sys.executable, "-m", "ctxd", *arguments]
        return subprocess.run(
            command,
            env=variables,
            cwd=home,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def test_it_is_chosen_tried_and_counted(ctxd, model):
    chosen = ctxd("reader", "setup", "claude-code")
    assert (chosen.returncode, model.requests) == (0, [])
    assert "exchanges of your sessions go to `127.0.0.1`" in " ".join(chosen.stdout.split())
    shown = ctxd("reader")
    assert f"ready       yes: Claude Code {NEWEST}" in shown.stdout
    assert model.requests == []
    model.replies.append(Reply(tools=(Tool("StructuredOutput", json.loads(GOOD)),), tokens=900))
    tried = ctxd("reader", "test", "--json")
    found = json.loads(tried.stdout)
    assert (tried.returncode, found["is_answer"], found["items"], found["refused"]) == (0, 1, 1, 0)
    assert found["input_tokens"] > found["output_tokens"] > 0
    assert found["money_dollars"] > 0
    [request] = model.requests
    assert request.states("four spaces everywhere")


def test_what_the_user_has_to_mend_is_said_with_how(ctxd, model):
    ctxd("reader", "setup", "claude-code", "--program", "/nowhere/claude")
    for line in (["reader"], ["reader", "test"]):
        run = ctxd(*line)
        assert run.returncode in (1, 4)
        assert "/nowhere/claude" in run.stdout + run.stderr
    assert model.requests == []
