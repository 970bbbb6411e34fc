"""The Kiro CLI as a reader, which no test can run: what is made of output as users report it.

The forms are those of kirodotdev/Kiro#7933, #8352 and #7929, and of its documentation on headless
mode; the answers are ours.
"""

import json
import re

import pytest

from ctxd.reader import programs
from ctxd.reader.answer import schema
from ctxd.reader.backends.kiro_cli_backend import BACKEND
from ctxd.reader.own import MARK, is_own_words
from ctxd.reader.values import Ask, Choice, Finished, ReaderError

ANSWER = {"items": [], "not_items": ["c1", "a\u2192b", "> quoted"]}
ASK = Ask(instructions=f"{MARK}\nRead.", text="user: never", schema=schema(), answer_tokens=100)
PURPLE, RESET = "\x1b[38;5;141m", "\x1b[0m"


def ended(stdout="", stderr="", code=0):
    return Finished(code=code, stdout=stdout, stderr=stderr)


@pytest.fixture
def program(tmp_path, monkeypatch):
    found = tmp_path / "kiro-cli"
    found.write_text("#!/bin/sh\necho kiro-cli 2.21.4\n")
    found.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return str(found)


@pytest.mark.parametrize(
    "printed",
    [
        f"{PURPLE}> {RESET}{{}}",
        f"\x1b[m> {RESET}{{}}",
        f"\x1b[?25l{PURPLE}> {RESET}Here it is:\r\n```json\r\n{{}}\r\n```\r\n\x1b[?25h",
        f"{PURPLE}> {RESET}```json\n\x1b[38;5;10m{{}}{RESET}\n```\n\n \u25b8 Credits: 0.05\n",
        "\x1b]0;kiro\x07\x1b[1m{}\x1b[0m\x1b[0m",
        "{}",
    ],
)
def test_the_answer_is_found_in_what_is_printed_for_people(printed):
    text = BACKEND.reply(ended(printed.replace("{}", json.dumps(ANSWER, ensure_ascii=False)))).text
    assert "\x1b" not in text
    assert "Credits" not in text
    found = re.search(r"\{.*\}", text, re.DOTALL)
    assert json.loads(found[0]) == ANSWER


@pytest.mark.parametrize(
    ("finished", "trouble"),
    [
        (ended(stderr="\x1b[31merror: Tool approval required but --no-interactive was specified."
                      " Use --trust-all-tools", code=1), "malformed"),
        (ended("\x1b[?25lAuthentication failed. Your API key may be invalid or expired. Check your"
               " KIRO_API_KEY value.\n\x1b[?25h", code=1), "key"),
        (ended(stderr="You are not logged in, please log in with kiro-cli login", code=1), "key"),
        (ended("The request was throttled by the service (request_id: 75c1)", code=1), "rate"),
        (ended("Too many requests, please wait before trying again. (Request ID: d64e)"), "rate"),
        (ended("Kiro is having trouble responding right now:"), "broken"),
        (ended(stderr="error: unexpected argument '--wrap' found", code=2), "account"),
        (ended("Monthly request limit reached", code=1), "account"),
        (ended("> I cannot do that."), "malformed"),
        (ended(""), "malformed"),
        (ended(code=1), "broken"),
        (ended(code=-9), "broken"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_told(finished, trouble):
    with pytest.raises(ReaderError) as caught:
        BACKEND.reply(finished)
    assert caught.value.trouble == trouble
    assert "request" not in caught.value.message.casefold()


def test_output_made_to_be_slow_is_not():
    for piece in ("\x1b[", "\x1b]", "\x1bP", "> ", "\u25b8", "\r"):
        with pytest.raises(ReaderError):
            BACKEND.reply(ended(piece * 500_000))


def test_it_is_asked_on_its_standard_input_and_without_tools(program):
    command = BACKEND.command(ASK, Choice(backend="kiro-cli", model="claude-sonnet-4.6"))
    assert command.argv[:3] == [program, "chat", "--no-interactive"]
    assert "--trust-tools=" in command.argv
    assert "--trust-all-tools" not in command.argv
    assert command.argv[-2:] == ["--model", "claude-sonnet-4.6"]
    assert not any("never" in one and one != "never" for one in command.argv)
    assert command.stdin.startswith(ASK.prompt)
    assert is_own_words(command.stdin)
    (agent,) = [json.loads(text) for text in command.files.values()]
    assert agent["name"] == command.argv[command.argv.index("--agent") + 1]
    assert (agent["tools"], agent["mcpServers"], agent["hooks"]) == ([], {}, {})
    assert agent["includeMcpJson"] is False


def test_it_is_ready_where_it_is_installed(program, tmp_path, monkeypatch):
    assert BACKEND.ready(Choice(backend="kiro-cli")).what == "Kiro CLI 2.21.4"
    monkeypatch.setenv("HOME", str(tmp_path / "empty"))
    monkeypatch.setenv("PATH", "/nowhere")
    assert not BACKEND.ready(Choice(backend="kiro-cli")).is_ready
    with pytest.raises(ReaderError) as caught:
        programs.find(("kiro-cli",), Choice(backend="kiro-cli"))
    assert caught.value.trouble == "missing"
