"""What Claude Code said when it was asked, and what is made of it.

The files below `said/claude-code` were written by the real clients, one a version, see
`tests/e2e/test_reader_claude_code.py`; homes are renamed in them.
"""

import contextlib
import json
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from ctxd.reader.backends import claude_code_backend
from ctxd.reader.backends.claude_code_backend import BACKEND
from ctxd.reader.values import Ask, Choice, Finished, ReaderError

SAID = Path(__file__).with_name("said") / "claude-code"
VERSIONS = ("2.0.77", "2.1.197", "2.1.332")
TROUBLES = {
    "busy": "rate",
    "credit": "account",
    "empty": "malformed",
    "key": "key",
    "limit": "rate",
    "login": "account",
    "long": "long",
    "model": "account",
    "rate": "rate",
    "refused": "refused",
    "scope": "account",
    "torn": "broken",
    "trouble": "broken",
}
ASK = Ask(instructions="Read.", text="x", schema={"type": "object"}, answer_tokens=400)


def said(name, version=VERSIONS[-1]):
    return msgspec.json.decode((SAID / f"{name}-{version}.json").read_bytes(), type=Finished)


def result(**fields):
    told = {"type": "result", "subtype": "success", "is_error": False, **fields}
    return Finished(code=0, stdout=json.dumps(told), stderr="")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", TROUBLES)
def test_what_went_wrong_is_told_without_its_own_words(name, version):
    with pytest.raises(ReaderError) as caught:
        BACKEND.reply(said(name, version))
    assert caught.value.trouble == TROUBLES[name]
    assert caught.value.message.startswith("Claude Code ")
    assert len(caught.value.message) < 100
    assert "\n" not in caught.value.message


def test_all_that_was_recorded_is_looked_at():
    names = {path.stem for path in SAID.glob("*.json")}
    wanted = TROUBLES.keys() | {"answer", "cut"}
    assert names == {f"{name}-{version}" for name in wanted for version in VERSIONS}


@pytest.mark.parametrize("version", VERSIONS)
def test_an_answer_is_a_reply_with_what_it_took(version):
    answered = BACKEND.reply(said("answer", version))
    assert json.loads(answered.text)["not_items"] == ["c1"]
    assert answered.model.startswith("claude-")
    assert "[" not in answered.model
    assert answered.input_tokens > 100
    assert answered.output_tokens == 20
    assert 0 < answered.money < 0.1
    assert not answered.cut


@pytest.mark.parametrize("version", VERSIONS)
def test_an_answer_that_was_cut_says_so_with_what_it_took(version):
    cut = BACKEND.reply(said("cut", version))
    assert (cut.cut, cut.text) == (True, "")
    assert cut.money > 0


def test_a_call_that_became_too_dear_was_cut():
    dear = result(subtype="error_max_budget_usd", is_error=True, total_cost_usd=1.1)
    assert BACKEND.reply(dear).cut
    assert BACKEND.reply(dear).money == 1.1


@pytest.mark.parametrize(
    "subtype",
    ["error_max_turns", "error_during_execution", "error_max_structured_output_retries", "new"],
)
def test_an_end_without_an_answer_is_malformed(subtype):
    with pytest.raises(ReaderError) as caught:
        BACKEND.reply(result(subtype=subtype, result="half an answer"))
    assert caught.value.trouble == "malformed"


def test_something_may_be_printed_around_the_result():
    whole = said("answer")
    noisy = msgspec.structs.replace(whole, stdout=f'Warning: old\n{{"type":"x"}}\n{whole.stdout}\n')
    assert BACKEND.reply(noisy) == BACKEND.reply(whole)


def test_what_it_took_is_known_as_far_as_it_says_it():
    spent = {"input_tokens": 1, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 4}
    reply = BACKEND.reply(result(result="x", usage=spent, modelUsage={"m[1m]": {}, "n": "?"}))
    assert (reply.input_tokens, reply.output_tokens, reply.money) == (7, 0, None)
    assert reply.model == "m"
    reply = BACKEND.reply(result(result="x", usage={"input_tokens": "many"}))
    assert (reply.input_tokens, reply.model) == (0, "")


@pytest.mark.parametrize("name", ["answer", "limit", "cut"])
def test_an_output_that_breaks_off_anywhere_is_a_reply_or_a_trouble(name):
    whole = said(name)
    for end in range(0, len(whole.stdout), 7):
        cut = msgspec.structs.replace(whole, stdout=whole.stdout[:end])
        with contextlib.suppress(ReaderError):
            assert BACKEND.reply(cut)


@pytest.mark.parametrize("code", [0, 1, -9, 130])
@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", "{" * 100_000, '{"a":' * 100_000, "\x00", '{"type": 3}', "x" * 10**6],
)
def test_what_is_no_output_of_it_is_a_trouble(code, text):
    with pytest.raises(ReaderError):
        BACKEND.reply(Finished(code=code, stdout=text, stderr=text))


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("You've hit your session limit · resets 6:35pm (UTC)", 5 * 60),
        ("You've hit your session limit · resets 7pm (UTC)", 30 * 60),
        ("You've hit your limit · resets 8pm (Europe/Berlin)", 30 * 60),
        ("You've hit your limit · resets 2:35pm (America/New_York)", None),
        ("You've hit your limit · resets 6pm (UTC)", 23.5 * 3600),
        ("You've hit your weekly limit · resets Dec 3 at 6pm (UTC)", None),
        ("You've hit your limit · resets 7pm (Nowhere/At_All)", None),
        ("You've hit your limit · resets 13:70pm (UTC)", None),
        ("Claude AI usage limit reached|1796063460", 60),
        ("Claude AI usage limit reached|1700000000", 1),
        ("Overloaded", None),
    ],
)
def test_the_limit_of_a_plan_tells_when_it_ends(words, seconds):
    now = datetime(2026, 11, 30, 18, 30, tzinfo=UTC).timestamp()
    if "New_York" in words:
        now, seconds = datetime(2026, 11, 30, 19, 30, tzinfo=UTC).timestamp(), 5 * 60
    assert claude_code_backend._wait(words, now) == seconds


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program of a version that is told."""

    def of(version, name="claude"):
        path = tmp_path / version / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n", encoding="utf-8")
        path.chmod(0o755)
        return Choice(backend="claude-code", program=str(path))

    return of


@pytest.mark.parametrize(
    ("version", "is_safe"),
    [("2.0.77", False), ("2.1.196", False), ("2.1.197", True), ("3.0.0", True), ("what", True)],
)
def test_each_version_is_asked_in_the_way_that_it_knows(version, is_safe, program):
    argv = BACKEND.command(ASK, program(version)).argv
    assert ("--safe-mode" in argv) == is_safe
    assert ("--json-schema" in argv) == is_safe
    assert ("--setting-sources" in argv) == (not is_safe)
    assert argv[argv.index("--tools") + 1] == ""
    assert "--bare" not in argv


def test_a_script_of_windows_is_given_no_quotes(program):
    argv = BACKEND.command(ASK, program("2.1.332", "claude.CMD")).argv
    assert not [word for word in argv if '"' in word]


def test_what_is_read_is_not_in_the_arguments(program):
    command = BACKEND.command(ASK, program("2.1.332"))
    assert ASK.instructions not in command.argv
    assert command.stdin == "[ctxd reader 1]\nx"
    assert command.env["CLAUDECODE"] == ""


@pytest.mark.parametrize(
    ("version", "why_not"),
    [("2.0.77", ""), ("2.0.76", "older than 2.0.77"), ("1.0.128", "older than 2.0.77")],
)
def test_old_versions_are_not_asked(version, why_not, program):
    ready = BACKEND.ready(program(version))
    assert (ready.is_ready, ready.why_not) == (not why_not, why_not)
    assert ready.what == f"Claude Code {version}"


def test_a_program_that_is_not_there_is_told_with_what_to_do(tmp_path):
    choice = Choice(backend="claude-code", program=str(tmp_path / "none"))
    ready = BACKEND.ready(choice)
    assert not ready.is_ready
    assert "reader.program" in ready.hint
    with pytest.raises(ReaderError) as caught:
        BACKEND.command(ASK, choice)
    assert caught.value.trouble == "missing"
