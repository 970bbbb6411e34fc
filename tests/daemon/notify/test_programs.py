"""The programs of macOS and Windows that show a notice, stood in for by one that tells what it got.
What the real ones do with it can only be seen there."""

import json
import os
import sys

import pytest

from ctxd.notify import applescript, powershell
from ctxd.notify.programs import run
from ctxd.notify.values import Notice

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script")

HOSTILE = Notice(
    "k",
    '-e display dialog "x"',
    "\"; Start-Process calc; $(calc) `calc` ' <toast/>\nunter Größe 世界",
    "critical",
)


@pytest.fixture
def stand_in(tmp_path):
    """A program that writes down its arguments and its input."""
    program, log = tmp_path / "program", tmp_path / "log"
    program.write_text(
        f"#!{sys.executable}\nimport json, sys\n"
        "said = {'arguments': sys.argv[1:], 'input': sys.stdin.buffer.read().decode()}\n"
        f"open({str(log)!r}, 'w').write(json.dumps(said))\n",
        encoding="utf-8",
    )
    program.chmod(0o700)
    return str(program), lambda: json.loads(log.read_text(encoding="utf-8"))


@pytest.fixture
def broken(tmp_path):
    program = tmp_path / "broken"
    program.write_text("#!/bin/sh\necho no screen >&2\nexit 1\n", encoding="utf-8")
    program.chmod(0o700)
    return str(program)


def test_on_macos_the_texts_are_arguments_of_a_fixed_script(stand_in):
    program, said = stand_in
    assert applescript.show(HOSTILE, program).state == "dispatched"
    assert said()["arguments"] == ["-", HOSTILE.title, HOSTILE.body]
    script = said()["input"]
    applescript.show(Notice("k", "other", "words"), program)
    assert said()["input"] == script


def test_on_windows_the_texts_are_ascii_on_stdin_of_a_fixed_script(stand_in):
    program, said = stand_in
    assert powershell.show(HOSTILE, program).state == "dispatched"
    assert said()["input"].isascii()
    assert json.loads(said()["input"]) == {
        "title": HOSTILE.title,
        "body": HOSTILE.body,
        "urgency": "critical",
    }
    options = said()["arguments"]
    powershell.show(Notice("k", "other", "words"), program)
    assert said()["arguments"] == options
    assert '"' not in "".join(options)


@pytest.mark.parametrize("backend", [applescript, powershell])
def test_a_program_that_fails_is_a_failure_in_its_own_words(backend, broken):
    answer = backend.show(HOSTILE, broken)
    assert (answer.state, answer.why) == ("failed", "no screen")
    assert answer.hint


@pytest.mark.parametrize("backend", [applescript, powershell])
def test_a_program_that_is_not_there_is_a_failure(backend):
    answer = backend.show(HOSTILE, "/nonexistent/program")
    assert answer.state == "failed"
    assert "cannot start `/nonexistent/program`" in answer.why


def test_a_program_that_does_not_end_is_given_up():
    assert "does not end" in run([sys.executable, "-c", "input()\nwhile True: pass"], "\n", 0.5)
