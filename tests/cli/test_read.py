"""`ctxd read`: told before what it takes, word for word if wanted, and done where a daemon runs or
none does."""

import contextlib
import json
import os
import re
import subprocess
import time

import jsonschema
import pytest

from api_shapes import OpenAiShape
from batches import batch
from cli.known import AGENT, LOG, SESSION, TALK, fill, open_ledger
from cli.running import Run, plain
from cli.test_json import schema
from ctxd.ledger import Ledger, SessionRow
from ctxd.session_state import Session
from e2e.daemon import wait_until
from scripted_api import Said, scripted

OPENAI = OpenAiShape()
FOUND = {
    "turn": 2,
    "quote": "never log request bodies",
    "from_turn": None,
    "proposal_quote": None,
    "statement": "Never log request bodies",
    "kind": "constraint",
    "reason": "they hold patient data",
    "rejected": [],
    "scope": [],
    "authority": "user",
    "durability": "repo",
    "sure": 3,
    "candidate": None,
    "supersedes": [],
}
SAID = "\n".join(text for *_, text in TALK)
ANSWER = json.dumps({"items": [FOUND], "not_items": []})
on_terminal = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")


@pytest.fixture
def home(home):
    home.variables |= {
        "PATH": os.pathsep.join(["/usr/bin", "/bin"]),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    }
    fill(home)
    here = str(home.path.resolve())
    known = Session(agent=AGENT, id=SESSION, cwd=here, title="Rate limits", user_messages=3)
    with open_ledger(home) as ledger:
        ledger.record(batch(path=LOG, sessions=[SessionRow.of(known)]))
    return home


@pytest.fixture
def server():
    with scripted([Said(OPENAI.answer(ANSWER))]) as api:
        yield api


def choose(home, server):
    url = server.url + OPENAI.suffix
    run = home.ctxd("reader", "setup", "openai", "--base-url", url, "--model", "model-1")
    assert run.code == 0


def findings(home):
    """What a reader found in the exchanges of the home's session."""
    with Ledger.reader(home.path / "own" / "state" / "ledger.sqlite3") as reader:
        key = ("claude-code", SESSION)
        kept = [reader.findings((*key, event)) for event in ("u1", "u2", "u3")]
        return [one.statement for found in kept if found for one in found.found]


class TestBefore:
    def test_what_it_would_take_is_told_though_no_reader_is_chosen(self, home, snapshot):
        run = home.ctxd("read", "5b0e", "--dry-run")
        assert (run.code, run.err) == (0, "")
        assert run.lines[0].split()[:3] == ["SESSION", "AGENT", "CALLS"]
        assert run.lines[1].split()[0] == SESSION
        assert "no reader is chosen. Nothing was sent." in run.out
        assert run.lines[-1] == "hint: `ctxd reader setup` lists what could read"

    @on_terminal
    @pytest.mark.parametrize("width", [60, 80, 200])
    def test_that_fits_a_terminal(self, home, server, width):
        choose(home, server)
        run = home.on_terminal(width, "read", "--repo", "--dry-run")
        assert run.code == 0
        assert max(map(len, plain(run.out).splitlines())) <= width
        assert "all of it stays on this machine" in " ".join(plain(run.out).split())
        assert server.heard == []

    def test_all_that_would_be_sent_is_shown_word_for_word(self, home, server):
        choose(home, server)
        shown = home.ctxd("read", "5b0e", "--show")
        assert (shown.code, shown.err) == (0, "")
        assert server.heard == []
        home.ctxd("read", "5b0e")
        [heard] = server.heard
        instructions, text = OPENAI.words_of(heard.body)
        assert f"{instructions}\n\n{text}\n" in shown.out
        assert json.loads(shown.lines[-1]) == OPENAI.form_of(heard.body)

    def test_it_is_printed_as_published(self, home):
        for option in ("--dry-run", "--show"):
            found = json.loads(home.ctxd("read", "--repo", option, "--json").out)
            jsonschema.validate(found, schema("read-1"))
            assert (found["backend"], found["calls"]) == ("off", 1)
            [session] = found["sessions"]
            [call] = session["calls"]
            assert (call["question"] is not None) is (option == "--show")
            assert found["input_tokens"] == call["input_tokens"] > 0


def test_a_shell_completes_sessions(home):
    asked = {"_CTXD_COMPLETE": "bash_complete", "COMP_WORDS": "ctxd read 5b", "COMP_CWORD": "2"}
    assert home.ctxd(**asked).lines == [f"plain,{SESSION}"]


class TestAsked:
    @pytest.mark.parametrize(
        ("arguments", "message", "hint"),
        [
            ([], "say which sessions, or `--repo`", "ctxd sessions"),
            (["5b0e", "--repo", "."], "sessions and `--repo` do not go together", "leave out"),
            (["5b0e", "--json"], "`--json` is for `--dry-run`", "add one"),
        ],
    )
    def test_what_makes_no_sense_is_said(self, home, arguments, message, hint):
        run = home.ctxd("read", *arguments)
        assert run.code == 2
        assert message in run.err
        assert hint in run.err

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["5b0e"], "no reader is chosen"),
            (["xyzzy", "--dry-run"], "no session `xyzzy`"),
            (["--repo", "/nowhere", "--dry-run"], "no session ran in `/nowhere`"),
        ],
    )
    def test_what_cannot_be_read_is_said(self, home, arguments, message):
        run = home.ctxd("read", *arguments)
        assert run.code == 1
        assert message in run.err
        assert "hint: `ctxd " in run.err

    @pytest.mark.parametrize(
        ("facts", "why"),
        [
            ({"how": "sub_agent", "user_messages": 2}, "it is a sub-agent's"),
            ({"own": True, "user_messages": 2}, "it is ctxd's own"),
            ({"user_messages": 0}, "nobody spoke in it"),
        ],
    )
    def test_what_nobody_said_is_not_read_wherever_it_is_asked(self, home, server, facts, why):
        choose(home, server)
        here = str(home.path.resolve())
        with open_ledger(home) as ledger:
            other = Session(agent=AGENT, id="0ther", cwd=here, **facts)
            ledger.record(batch(path="/logs/other.jsonl", sessions=[SessionRow.of(other)]))
        for more in ([], ["--dry-run"], ["--again"]):
            run = home.ctxd("read", "0ther", *more)
            assert run.code == 1
            assert f"session `0ther` is not read: {why}" in run.err
        assert server.heard == []
        planned = json.loads(home.ctxd("read", "--repo", "--dry-run", "--json").out)
        assert [one["session"] for one in planned["sessions"]] == [SESSION]

    def test_where_ctxd_never_ran_there_is_nothing_to_read(self, tmp_path):
        from cli.running import Home

        run = Home(tmp_path).ctxd("read", "--repo", "--dry-run")
        assert run.code == 1
        assert "there is no ledger" in run.err


class TestHere:
    """Without a daemon the command does it itself."""

    def test_a_session_is_read_once_and_what_was_found_is_kept(self, home, server):
        choose(home, server)
        run = home.ctxd("read", "5b0e")
        assert (run.code, run.err) == (0, "")
        assert run.lines[0] == "read: 1 call, 107 tokens"
        assert findings(home) == ["Never log request bodies"]
        again = home.ctxd("read", "5b0e")
        assert (again.code, again.lines[0]) == (0, "nothing was asked: all of it was read before")
        planned = home.ctxd("read", "5b0e", "--dry-run")
        assert "Nothing would be sent: all of it was read before." in planned.out
        assert len(server.heard) == 1

    def test_again_means_again(self, home, server):
        choose(home, server)
        home.ctxd("read", "5b0e")
        assert home.ctxd("read", "5b0e", "--again").lines[0] == "read: 1 call, 107 tokens"
        assert len(server.heard) == 2
        assert findings(home) == ["Never log request bodies"]

    def test_all_of_a_repository(self, home, server):
        choose(home, server)
        assert home.ctxd("read", "--repo", str(home.path)).code == 0
        assert len(server.heard) == 1

    def test_a_failure_is_said_with_what_to_do_and_the_exit_code_tells_it(self, home):
        limited = OPENAI.failure(429, "rate_limit_exceeded", "slow down")
        with scripted([limited]) as api:
            choose(home, api)
            run = home.ctxd("read", "5b0e")
        assert run.code == 6
        assert run.err.startswith("! 1 session left: ")
        assert "hint: nothing to do: it is asked again later" in run.err
        assert findings(home) == []

    def test_answers_that_are_none_are_not_called_read(self, home):
        with scripted([Said(OPENAI.answer("I would rather not."))]) as api:
            choose(home, api)
            run = home.ctxd("read", "5b0e")
        assert run.code == 6
        assert "read: " not in run.out
        assert "none gave an answer that could be read" in run.err
        assert "hint: `ctxd reader test` tries it" in run.err

    def test_parts_of_answers_that_did_not_count_are_told(self, home):
        made_up = ANSWER.replace("never log request bodies", "rewrite it all in Rust")
        with scripted([Said(OPENAI.answer(made_up))]) as api:
            choose(home, api)
            run = home.ctxd("read", "5b0e")
        assert run.code == 0
        assert re.match(r"read: 2 calls, .*; \d parts? of answers did not count$", run.lines[0])

    @on_terminal
    def test_ctrl_c_ends_it_and_says_what_is_kept(self, home):
        with scripted([Said(OPENAI.answer(ANSWER), seconds=4.0)]) as api:
            choose(home, api)
            run = interrupted(home, "read", "5b0e")
        assert run.code == 130
        assert "stopped; what was read until now is kept" in run.out

    def test_a_budget_that_is_too_small_for_a_call_is_said(self, home, server):
        choose(home, server)
        home.ctxd("config", "set", "reader.tokens_a_day", "100")
        run = home.ctxd("read", "5b0e")
        assert run.code == 6
        assert "budget is spent" in run.err
        assert "`ctxd config set reader.calls_a_day N`" in run.err
        assert server.heard == []

    @on_terminal
    def test_on_a_terminal_the_progress_goes_away_when_it_is_done(self, home, server):
        choose(home, server)
        run = home.on_terminal(80, "read", "5b0e")
        assert run.code == 0
        assert "openai reads, 1 session left" in run.out
        assert plain(run.out).split("\r")[-1].startswith("read: 1 call")


@contextlib.contextmanager
def daemon(home):
    process = subprocess.Popen(
        home.command("run"), env=home.variables, cwd=home.path, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 30
        while home.ctxd("ping").code != 0:
            assert time.monotonic() < deadline
        yield process
    finally:
        process.terminate()
        assert process.wait(30) == 0


class TestByTheDaemon:
    def test_without_a_terminal_it_is_queued_and_goes_on_by_itself(self, home, server):
        choose(home, server)
        with daemon(home):
            run = home.ctxd("read", "5b0e")
            assert run.code == 0
            assert run.out.startswith("1 session queued")
            assert run.err == "hint: `ctxd reader` tells how far it is\n"
            wait_until(lambda: findings(home) == ["Never log request bodies"], 30)

    @on_terminal
    def test_on_a_terminal_it_is_followed_until_it_is_done(self, home, server):
        choose(home, server)
        with daemon(home):
            run = home.on_terminal(80, "read", "5b0e", CTXD_NO_PROGRESS="1")
            assert run.code == 0
            assert "read: 1 call, 107 tokens" in plain(run.out)
            assert findings(home) == ["Never log request bodies"]
            assert home.on_terminal(80, "read", "5b0e", "--again").code == 0
        assert len(server.heard) == 2

    @on_terminal
    def test_what_keeps_it_from_reading_is_told(self, home):
        with scripted([OPENAI.failure(401, "invalid_api_key", "Incorrect key")]) as api:
            choose(home, api)
            with daemon(home):
                run = home.on_terminal(80, "read", "5b0e")
                assert run.code == 6
                assert "1 session left: " in plain(run.out)
                assert "`ctxd reader setup` takes one" in plain(run.out)
                status = home.ctxd("status")
                assert "! the reader openai waits: " in status.out
                found = json.loads(home.ctxd("status", "--json").out)
                assert "reader.key" in {one["code"] for one in found["warnings"]}
                shown = home.ctxd("reader")
                assert "! it did not read: " in shown.out
                assert home.ctxd("doctor").out.count("hint: `ctxd reader setup` takes one") == 1

    @on_terminal
    def test_ctrl_c_ends_the_waiting_and_not_the_reading(self, home):
        with scripted([Said(OPENAI.answer(ANSWER), seconds=4.0)]) as api:
            choose(home, api)
            with daemon(home):
                run = interrupted(home, "read", "5b0e")
                assert run.code == 130
                assert "it goes on; `ctxd reader` tells how far it is" in run.out
                wait_until(lambda: findings(home) == ["Never log request bodies"], 30)


def interrupted(home, *arguments):
    """On a terminal, with Ctrl-C as soon as it says that it reads."""
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        home.command(*arguments),
        env=home.variables,
        cwd=home.path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(1, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):
        while part := os.read(ours, 65536):
            if b" reads, " in part and b" reads, " not in shown:
                os.write(ours, b"\x03")
            shown += part
    os.close(ours)
    return Run(process.wait(30), shown.decode(), "")


class TestShown:
    def test_an_item_tells_what_the_reader_made_of_it(self, home, server):
        choose(home, server)
        home.ctxd("read", "5b0e")
        rows = [json.loads(line) for line in home.ctxd("items", "--json").lines]
        [row] = [row for row in rows if "log request bodies" in row["text"]]
        shown = json.loads(home.ctxd("show", row["id"], "--json").out)
        jsonschema.validate(shown, schema("show-1"))
        second = shown["second_reader"]
        assert second["reader"] == "openai model-1-20260101"
        assert second["verdict"] in ("worded", "agrees")
        assert all(one["quote"] in SAID for one in shown["evidence"])
        page = home.ctxd("show", row["id"]).out
        assert re.search(r"^  reader +openai model-1-20260101 ", page, re.MULTILINE)

    def test_an_item_that_the_reader_passes_over_says_so(self, home):
        with scripted([Said(OPENAI.answer('{"items": [], "not_items": []}'))]) as api:
            choose(home, api)
            assert home.ctxd("read", "5b0e").code == 0
        rows = [json.loads(line) for line in home.ctxd("items", "--json").lines]
        [row] = [row for row in rows if "log request bodies" in row["text"]]
        shown = json.loads(home.ctxd("show", row["id"], "--json").out)
        jsonschema.validate(shown, schema("show-1"))
        assert shown["second_reader"]["verdict"] == "unnamed"
        assert "read the words and does not name it" in home.ctxd("show", row["id"]).out

    def test_what_no_reader_has_read_says_nothing_of_one(self, home):
        [row, *_] = [json.loads(line) for line in home.ctxd("items", "--json").lines]
        assert json.loads(home.ctxd("show", row["id"], "--json").out)["second_reader"] is None
        assert "  reader" not in home.ctxd("show", row["id"]).out
