"""What each agent's configuration gets: places, forms, and only events its client knows."""

import json
import os
from pathlib import Path, PurePosixPath

import pytest

from agent_hooks import ALL_AGENTS, Hooks
from ctxd.hooks.configuration import hooks_in, installed
from ctxd.hooks.registry import BY_AGENT, VENDORS
from ctxd.hooks.talks.registry import TALKS
from ctxd_parsers.environment import Environment

WORDS = ["/py", "-I", "-S", "/ctxd/hooks/client.py", "a", "/s"]
COMMAND = (
    "[ -x /py ] && [ -f /ctxd/hooks/client.py ] && /py -I -S /ctxd/hooks/client.py a /s || true"
)
HOME = PurePosixPath("/home/me")


def events(agent, version):
    return [moment.event for moment in BY_AGENT[agent].known_by(version)]


def fresh(agent):
    """A new file of an agent, with its first moment alone."""
    vendor = BY_AGENT[agent]
    [file] = vendor.user_files(Environment("linux", HOME))
    return json.loads(installed(None, file.form, vendor.moments[:1], lambda _moment: WORDS))


@pytest.mark.parametrize(
    ("agent", "version", "known"),
    [
        ("claude-code", None, ["PreCompact", "SessionStart", "UserPromptSubmit", "SessionEnd"]),
        ("claude-code", (1, 0, 128), "as above"),
        ("claude-code", (2, 1, 332), "as above"),
        ("claude-code", (1, 0, 127), []),
        ("claude-code", (1,), []),
        ("codex", (0, 98, 0), []),
        ("codex", (0, 144, 0), "as above"),
        ("gemini-cli", (0, 27, 9), []),
        ("gemini-cli", (0, 61, 0), ["SessionStart", "BeforeAgent", "SessionEnd"]),
        ("cursor", (2, 3, 41), []),
        ("cursor", None, ["preCompact", "sessionEnd"]),
        ("kiro-cli", (2, 29, 0), []),
        ("kiro-cli", (3, 0, 4), ["SessionStart", "UserPromptSubmit"]),
        (
            "kiro-cli",
            (3, 1),
            ["PreCompact", "PostCompact", "SessionStart", "UserPromptSubmit"],
        ),
        ("kiro-ide", (1, 4, 120), ["SessionStart", "UserPromptSubmit"]),
        ("kiro-ide", None, ["SessionStart", "UserPromptSubmit"]),
    ],
)
def test_only_events_that_the_version_knows_are_registered(agent, version, known):
    if known == "as above":
        known = ["PreCompact", "SessionStart", "UserPromptSubmit", "SessionEnd"]
    assert events(agent, version) == known


@pytest.mark.parametrize(
    ("agent", "whole"),
    [
        (
            "claude-code",
            {
                "hooks": {
                    "PreCompact": [
                        {"hooks": [{"type": "command", "command": COMMAND, "timeout": 10}]}
                    ]
                }
            },
        ),
        (
            "gemini-cli",
            {
                "hooks": {
                    "SessionStart": [
                        {
                            "matcher": "*",
                            "hooks": [
                                {
                                    "name": "ctxd",
                                    "type": "command",
                                    "command": COMMAND,
                                    "timeout": 5000,
                                }
                            ],
                        }
                    ]
                }
            },
        ),
        ("cursor", {"version": 1, "hooks": {"preCompact": [{"command": COMMAND}]}}),
        (
            "kiro-cli",
            {
                "version": "v1",
                "hooks": [
                    {
                        "name": "ctxd-PreCompact",
                        "trigger": "PreCompact",
                        "action": {"type": "command", "command": COMMAND},
                        "timeout": 10,
                        "enabled": True,
                    }
                ],
            },
        ),
        (
            "windsurf",
            {
                "hooks": {
                    "post_cascade_response_with_transcript": [
                        {"command": COMMAND, "show_output": False}
                    ]
                }
            },
        ),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="the command is another one there")
def test_each_agent_has_a_form_of_its_own(agent, whole):
    assert fresh(agent) == whole


def test_the_copilot_cli_gets_a_command_for_each_system():
    [hook] = fresh("copilot-cli")["hooks"]["preCompact"]
    assert hook["bash"] == COMMAND
    assert hook["powershell"].startswith("if ((Test-Path -LiteralPath '/py')")
    assert hook["timeoutSec"] == 10


@pytest.mark.parametrize(
    ("agent", "variables", "path"),
    [
        ("claude-code", {}, "/home/me/.claude/settings.json"),
        ("claude-code", {"CLAUDE_CONFIG_DIR": "/c"}, "/c/settings.json"),
        ("copilot-cli", {"COPILOT_HOME": "/c"}, "/c/hooks/ctxd.json"),
        ("copilot-vscode", {}, "/home/me/.claude/settings.json"),
        ("codex", {"CODEX_HOME": "/c"}, "/c/hooks.json"),
        ("gemini-cli", {"GEMINI_CLI_HOME": "/c"}, "/c/.gemini/settings.json"),
        ("cursor", {}, "/home/me/.cursor/hooks.json"),
        ("kiro-ide", {"KIRO_HOME": "/c"}, "/c/hooks/ctxd.json"),
        ("windsurf", {}, "/home/me/.codeium/windsurf/hooks.json"),
    ],
)
def test_hooks_are_where_the_agent_reads_them(agent, variables, path):
    [file] = BY_AGENT[agent].user_files(Environment("linux", HOME, variables))
    assert str(file.path) == path


def test_further_accounts_have_hooks_of_their_own(tmp_path):
    for name in (".claude", ".claude-work", ".claude-gone"):
        (tmp_path / name).mkdir()
    (tmp_path / ".claude-work" / "projects").mkdir()
    env = Environment("linux", tmp_path)
    files = [file.path.parent.name for file in BY_AGENT["claude-code"].user_files(env)]
    assert files == [".claude", ".claude-work"]
    assert len(BY_AGENT["copilot-vscode"].user_files(env)) == 1


@pytest.mark.parametrize("agent", ALL_AGENTS)
def test_a_project_has_a_file_of_its_own(agent):
    [file] = BY_AGENT[agent].project_files(HOME / "api")
    assert HOME / "api" in file.path.parents


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.agent)
def test_every_event_that_is_registered_is_understood_when_it_comes(vendor):
    talk = TALKS.get(vendor.calls or vendor.agent)
    if not vendor.by_all:
        assert talk is None
        return
    assert {moment.event for moment in vendor.moments} <= set(talk.moments)


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli"])
def test_what_turns_hooks_off_is_seen(tmp_path, agent):
    hooks = Hooks(tmp_path, agent)
    off = hooks.vendor.off
    for data in ({}, [], None, {"disableAllHooks": False}, {"hooksConfig": 1}):
        assert off(hooks.env, data) == ""
    hooks.path.parent.mkdir()
    (hooks.path.parent / "config.toml").write_text("[features]\nhooks = false", encoding="utf-8")
    assert off(hooks.env, {"disableAllHooks": True, "hooksConfig": {"enabled": False}})


def test_settings_that_cannot_be_read_turn_nothing_off(tmp_path):
    hooks = Hooks(tmp_path, "codex")
    hooks.path.parent.mkdir()
    for text in (
        "features = 1",
        "[features]\nhooks = true",
        "[features",
        "[features]\napps = false",
    ):
        (hooks.path.parent / "config.toml").write_text(text, encoding="utf-8")
        assert hooks.vendor.off(hooks.env, {}) == ""


def test_hooks_are_known_wherever_they_stand():
    data = {
        "hooks": {
            "Stop": [1, {"hooks": [{"command": COMMAND}, {"command": "echo"}]}, None],
            "Other": {"command": COMMAND},
        },
        "else": [{"command": COMMAND}],
    }
    assert [(hook.event, hook.path) for hook in hooks_in(data)] == [
        ("Stop", ("hooks", "Stop", 1, "hooks", 0))
    ]
    for other in (None, [], 1, {"hooks": 1}, {"hooks": [COMMAND]}, {"hooks": [[COMMAND]]}):
        assert hooks_in(other) == []


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.agent)
def test_the_guide_names_the_file_and_the_events_of_every_agent(vendor):
    guide = (Path(__file__).parents[3] / "docs" / "hooks.md").read_text(encoding="utf-8")
    [file] = vendor.user_files(Environment("linux", HOME))
    assert vendor.product in guide
    assert str(file.path).replace(str(HOME), "~") in guide
    for moment in vendor.moments:
        assert moment.event in guide
