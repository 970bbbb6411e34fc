"""`ctxd reader`: off unless chosen, chosen with open eyes, counted, and said plainly."""

import json
import os
import sys
import tomllib

import jsonschema
import pytest

from api_shapes import KEY, OpenAiShape
from cli.known import fill, open_ledger
from cli.running import Run, plain, typing
from cli.test_json import schema
from ctxd.cli.reader_talk import SetupTalk
from ctxd.ledger import Ledger
from ctxd.ledger.second_values import URGENCY
from ctxd.reader.alone import alone
from ctxd.reader.budget import day_of
from ctxd.reader.own import FOLDER
from ctxd.reader.values import Called, Spent
from scripted_api import Said, scripted

OPENAI = OpenAiShape()
GOOD = json.dumps(
    {
        "items": [
            {
                "turn": 1,
                "quote": "B, four spaces everywhere",
                "from_turn": 1,
                "proposal_quote": "B) with four spaces",
                "statement": "Indent the files of this example with four spaces",
                "kind": "decision",
                "reason": "the linter of this example wants it so",
                "rejected": ["with tabs"],
                "scope": [],
                "authority": "user",
                "durability": "repo",
                "sure": 3,
                "candidate": None,
                "supersedes": [],
            }
        ],
        "not_items": [],
    }
)
on_terminal = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")


@pytest.fixture
def home(home):
    """One without keys, programs of agents and a keyring."""
    home.variables |= {
        "CTXD_HOME": str(home.path / "own"),
        "PATH": os.pathsep.join(["/usr/bin", "/bin"]),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    }
    return home


@pytest.fixture
def file(home):
    return home.path / "own" / "config" / "config.toml"


@pytest.fixture
def kept(home):
    """A keyring that keeps keys in a file, as a user's own does in a safe place."""
    module = home.path / "ring" / "ring_of_a_test.py"
    module.parent.mkdir()
    keys = home.path / "ring" / "keys.json"
    module.write_text(
        "import json, pathlib\n"
        "from keyring.backend import KeyringBackend\n"
        f"FILE = pathlib.Path({str(keys)!r})\n"
        "class Ring(KeyringBackend):\n"
        "    priority = 9\n"
        "    def _all(self):\n"
        "        return json.loads(FILE.read_text()) if FILE.exists() else {}\n"
        "    def get_password(self, service, name):\n"
        "        return self._all().get(name)\n"
        "    def set_password(self, service, name, key):\n"
        "        FILE.write_text(json.dumps({**self._all(), name: key}))\n",
        encoding="utf-8",
    )
    home.variables["PYTHONPATH"] += os.pathsep + str(module.parent)
    home.variables["PYTHON_KEYRING_BACKEND"] = "ring_of_a_test.Ring"
    return keys


@pytest.fixture
def server():
    """A server on this machine that answers well."""
    with scripted([Said(OPENAI.answer(GOOD))]) as api:
        yield api


def chosen(file):
    return tomllib.loads(file.read_text(encoding="utf-8"))["reader"]


def local(home, server, *more):
    """Choose the server on this machine."""
    url = server.url + OPENAI.suffix
    return home.ctxd("reader", "setup", "openai", "--base-url", url, "--model", "model-1", *more)


def spend(home, **facts):
    """What was asked today, of a home's ledger that is there."""
    with Ledger.open(home.path / "own" / "state" / "ledger.sqlite3") as ledger:
        called = Called(spent=Spent(40_000, 2_000, 0.31), **facts)
        import time

        ledger.count_call(day_of(time.time()), "openai", called)


def on_pipe(home, text, *arguments):
    """Run with a text on standard input."""
    import subprocess

    done = subprocess.run(
        home.command(*arguments),
        env=home.variables,
        cwd=home.path,
        input=text.encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


class TestShown:
    def test_none_is_chosen_and_nothing_is_written_to_say_so(self, home):
        run = home.ctxd("reader")
        assert (run.code, run.err) == (0, "")
        assert run.lines == [
            "reader      off: no session text leaves ctxd",
            "hint: `ctxd reader setup` lists what could read, and where text would go",
        ]
        assert not (home.path / "own").exists()

    def test_the_chosen_one_is_shown_with_where_the_text_goes(self, home, snapshot):
        fill(home)
        assert home.ctxd("reader", "setup", "openai", "--model", "m-1").code == 4
        spend(home)
        run = home.ctxd("reader")
        assert (run.code, run.err) == (4, "")
        snapshot("reader-piped", run.out)

    @on_terminal
    @pytest.mark.parametrize("width", [60, 80, 200])
    def test_it_fits_a_terminal(self, home, snapshot, width):
        fill(home)
        home.ctxd("reader", "setup", "openai", "--model", "m-1")
        with open_ledger(home) as ledger:
            ledger.want_reading(("claude-code", "5b0e8a1c-9d47"), "asked", 0.0)
        spend(home, trouble="malformed", message="what came is no answer", refused=3)
        run = home.on_terminal(width, "reader")
        assert max(map(len, plain(run.out).splitlines())) <= width
        snapshot(f"reader-{width}", plain(run.out))
        bare = home.on_terminal(width, "reader", NO_COLOR="1").out
        assert "\x1b" not in bare
        assert bare == plain(run.out)

    @pytest.mark.parametrize("why", URGENCY)
    def test_why_a_session_waits_is_said_in_words(self, home, why):
        fill(home)
        home.ctxd("reader", "setup", "openai", "--model", "m-1")
        with open_ledger(home) as ledger:
            ledger.want_reading(("claude-code", "5b0e8a1c-9d47"), why, 0.0)
        run = home.ctxd("reader")
        assert run.err == ""
        [line] = [line for line in run.lines if "5b0e8a1c" in line]
        assert "since" in line

    def test_it_is_printed_as_published(self, home, server):
        fill(home)
        for line in (["reader"], ["reader", "setup"]):
            found = json.loads(home.ctxd(*line, "--json").out)
            jsonschema.validate(found, schema("reader-1"))
            assert (found["backend"], found["chosen"], found["today"]) == ("off", None, None)
        assert {one["backend"] for one in found["backends"]} >= {"openai", "anthropic", "bedrock"}
        local(home, server)
        spend(home)
        found = json.loads(home.ctxd("reader", "--json").out)
        jsonschema.validate(found, schema("reader-1"))
        assert (found["chosen"]["sends_to"], found["chosen"]["is_ready"]) == ("", True)
        assert (found["today"]["calls"], found["today"]["tokens"]) == (1, 42_000)


class TestSetup:
    def test_without_a_terminal_it_is_listed_and_nothing_is_chosen(self, home, file):
        run = home.ctxd("reader", "setup")
        assert run.code == 2
        assert "hint: `ctxd reader setup NAME` chooses one" in run.err
        assert "Nothing is sent unless you choose one." in " ".join(run.lines)
        assert "OpenAI (api.openai.com)" in run.out
        assert not file.exists()

    def test_a_named_one_is_chosen_and_who_gets_the_text_is_said(self, home, file):
        run = home.ctxd("reader", "setup", "openai", "--model", "m-1")
        assert run.code == 4
        assert "exchanges of your sessions go to OpenAI (api.openai.com)" in run.out
        assert "it cannot be used yet: there is no key for api.openai.com" in run.err
        assert chosen(file) == {"backend": "openai", "model": "m-1"}

    def test_one_that_is_ready_needs_nothing_more(self, home, file, server):
        run = local(home, server)
        assert (run.code, run.err) == (0, "it holds from the next start of the daemon\n")
        assert "all of it stays on this machine" in run.out
        assert "`ctxd reader test` tries it" in run.out
        assert chosen(file)["base_url"] == server.url + "/v1"

    def test_what_was_set_for_another_one_goes_with_it(self, home, file):
        home.ctxd("reader", "setup", "openai", "--model", "m-1", "--base-url", "https://h/v1")
        home.ctxd("config", "set", "reader.calls_a_day", "7")
        home.ctxd("reader", "setup", "openai", "--model", "m-2")
        assert chosen(file)["base_url"] == "https://h/v1"
        home.ctxd("reader", "setup", "anthropic")
        assert chosen(file) == {"backend": "anthropic", "calls_a_day": 7}

    @pytest.mark.parametrize("agent", ["claude-code", "copilot-cli", "codex", "gemini-cli"])
    def test_an_agents_program_is_named_and_kept(self, home, file, agent):
        run = home.ctxd("reader", "setup", agent, "--program", "/nowhere/program")
        assert run.code == 4
        assert chosen(file) == {"backend": agent, "program": "/nowhere/program"}

    @pytest.mark.parametrize("name", ["anthropic", "openai", "bedrock"])
    def test_a_server_is_named_and_kept(self, home, file, name):
        home.ctxd("reader", "setup", name, "--base-url", "https://llm.example.com/v1")
        assert chosen(file) == {"backend": name, "base_url": "https://llm.example.com/v1"}

    def test_off_is_off(self, home, file, server):
        local(home, server)
        run = home.ctxd("reader", "off")
        assert (run.code, run.out) == (0, "the reader is off: no session text leaves ctxd\n")
        assert chosen(file)["backend"] == "off"
        assert home.ctxd("reader", "off", "--json").out.startswith('{"backend":"off"')

    @pytest.mark.parametrize(
        ("arguments", "message", "hint"),
        [
            (["setup", "opnai"], "error: there is no backend `opnai`", "known are: "),
            (["setup", "openai", "--base-url", f"https://me:{KEY}@h/"], "no user", "keyring"),
            (["setup", "openai", "--base-url", "localhost"], "no address", "http://"),
            (["setup", "openai", "--json"], "lists what could be chosen", "leave out"),
            (["off", "openai"], "takes no backend", "setup NAME"),
            (["test", "--model", "m"], "`--model` says nothing to `test`", "reader -h"),
            (["setup", "openai", "--api-key", KEY], "no option `--api-key`", ""),
            (["setup", "openai", "--program", "/p"], "`--program` says nothing", "for agents"),
            (["setup", "codex", "--base-url", "https://h/"], "`--base-url` says nothing", "server"),
        ],
    )
    def test_what_is_wrong_is_said_and_nothing_is_written(
        self, home, file, arguments, message, hint
    ):
        run = home.ctxd("reader", *arguments)
        assert run.code == 2
        assert message in run.err
        assert hint in run.err
        assert KEY not in run.out + run.err
        assert not file.exists()

    def test_an_environment_that_chooses_something_else_is_named(self, home):
        run = home.ctxd("reader", "off", CTXD_READER_BACKEND="openai")
        assert "`CTXD_READER_BACKEND=openai` in the environment comes before the file" in run.err
        assert "hint: `unset CTXD_READER_BACKEND`" in run.err
        assert (run.code, run.out) == (4, "")  # not that no text leaves ctxd

    def test_what_is_wrong_with_an_option_is_not_said_of_the_file(self, home):
        run = home.ctxd("reader", "setup", "openai", "--base-url", "localhost")
        assert "`reader.base_url` in these options: it is no address" in run.err

    def test_an_address_that_nothing_may_be_sent_to_comes_with_the_command_for_another(self, home):
        run = home.ctxd("reader", "setup", "openai", "--base-url", "http://example.com/v1")
        assert run.code == 4
        assert "hint: `ctxd reader setup openai --base-url https://...` sets another" in run.err

    def test_a_key_on_stdin_is_kept_in_the_keyring_and_shown_nowhere(self, home, file, kept):
        run = on_pipe(home, f"{KEY}\n", "reader", "setup", "anthropic", "--key-stdin")
        assert run.code == 0
        assert json.loads(kept.read_text(encoding="utf-8")) == {"anthropic": KEY}
        assert chosen(file) == {"backend": "anthropic"}
        shown = home.ctxd("reader")
        assert "key from the system's keyring" in shown.out
        for told in (run, shown, home.ctxd("config"), home.ctxd("reader", "--json")):
            assert KEY not in told.out + told.err

    def test_a_key_that_cannot_be_kept_leaves_all_as_it_was(self, home, file):
        run = on_pipe(home, f"{KEY}\n", "reader", "setup", "anthropic", "--key-stdin")
        assert run.code == 1
        assert "there is no keyring on this system" in run.err
        assert KEY not in run.out + run.err
        assert not file.exists()

    def test_one_that_has_no_use_for_a_key_says_so(self, home, file):
        run = on_pipe(home, f"{KEY}\n", "reader", "setup", "bedrock", "--key-stdin")
        assert run.code == 1
        assert "`bedrock` takes no key from ctxd" in run.err
        assert not file.exists()


@on_terminal
class TestDialog:
    def typed(self, home, *keys):
        return typing(home, 100, "reader", "setup", keys=list(keys))

    def test_enter_chooses_nothing(self, home, file):
        run = self.typed(home, "")
        assert run.code == 0
        assert run.out.endswith("nothing was changed\n")
        assert not file.exists()

    def test_who_is_asked_is_told_before_where_the_text_goes(self, home, file, snapshot):
        run = self.typed(home, "openai", "https://llm.example.com/v1", "m-1", "n")
        assert run.code == 0
        text = plain(run.out)
        assert "Exchanges of your sessions will be sent to llm.example.com." in text
        assert text.index("will be sent") < text.index("choose it?")
        assert text.endswith("nothing was changed\n")
        assert not file.exists()

    def test_a_yes_chooses_and_the_key_is_not_shown(self, home, file, kept):
        run = self.typed(home, "anthropic", "", "", "y", KEY)
        assert run.code == 0
        assert KEY not in run.out
        assert json.loads(kept.read_text(encoding="utf-8")) == {"anthropic": KEY}
        assert chosen(file) == {"backend": "anthropic"}

    def test_a_key_may_be_left_for_later(self, home, file, kept):
        run = self.typed(home, "anthropic", "", "", "y", "")
        assert run.code == 4
        assert chosen(file) == {"backend": "anthropic"}

    def test_without_a_keyring_no_key_is_asked_for_and_the_other_way_is_told(self, home, file):
        run = self.typed(home, "anthropic", "", "", "y")
        assert run.code == 4
        assert "there is no keyring on this system" in run.out
        assert "which is not shown" not in run.out
        assert "ANTHROPIC_API_KEY" in run.out
        assert chosen(file) == {"backend": "anthropic"}

    def test_a_server_of_this_machine_needs_no_key(self, home, file, server):
        run = self.typed(home, "openai", f"{server.url}/v1", "model-1", "y")
        assert run.code == 0
        assert "Nothing leaves this machine with this one." in run.out
        assert chosen(file)["base_url"] == f"{server.url}/v1"

    def test_what_is_no_backend_is_asked_for_again(self, home, file):
        run = self.typed(home, "nonsense", "99", "none")
        assert run.code == 0
        assert run.out.count("one of the numbers or names above") == 2
        assert not file.exists()

    def test_ctrl_c_chooses_nothing(self, home, file):
        assert self.typed(home, "anthropic", "\x03").code == 130
        assert not file.exists()

    def test_hanging_up_chooses_nothing(self, home, file):
        assert self.typed(home, "anthropic", "", "", "\x04").code == 0
        assert not file.exists()

    @pytest.mark.parametrize("width", [60, 80, 200])
    def test_the_list_fits_a_terminal(self, home, width):
        run = typing(home, width, "reader", "setup", keys=[""])
        lines = plain(run.out).splitlines()
        table = [line for line in lines if "which one?" not in line]
        assert max(map(len, table)) <= width
        assert any(line.startswith("1  claude-code  Claude Code (claude -p): ") for line in lines)
        told = " ".join(plain(run.out).split())
        assert "text goes to Anthropic, through your Claude Code login" in told


class TestTest:
    def test_without_a_reader_there_is_nothing_to_try(self, home):
        run = home.ctxd("reader", "test")
        assert run.code == 1
        assert run.err.startswith("error: no reader is chosen\n\nhint: `ctxd reader setup`")

    def test_a_good_answer_is_told_with_what_it_took_and_is_counted(self, home, server):
        fill(home)
        local(home, server)
        run = home.ctxd("reader", "test")
        assert (run.code, run.err) == (0, "")
        assert (
            "answer      it answers as asked for: 1 item, with quotes that are there" in run.lines
        )
        assert "text        stayed here" in run.lines
        assert "tokens      100 sent, 7 answered" in run.lines
        assert "price       not told" in run.lines
        [heard] = server.heard
        assert "four spaces" in OPENAI.words_of(heard.body)[1]
        today = json.loads(home.ctxd("reader", "--json").out)["today"]
        assert (today["calls"], today["tokens"]) == (1, 107)

    def test_it_is_printed_as_published(self, home, server):
        local(home, server)
        home.ctxd("config", "set", "reader.money_in", "10")
        found = json.loads(home.ctxd("reader", "test", "--json").out)
        jsonschema.validate(found, schema("reader-test-1"))
        assert (found["is_answer"], found["items"], found["trouble"]) == (True, 1, "")
        assert found["money_dollars"] == pytest.approx(0.001)

    def test_where_the_daemon_never_ran_hardly_anything_is_left(self, home, server):
        local(home, server)
        before = home.files()
        assert home.ctxd("reader", "test").code == 0
        left = {path.name for path in home.files() - before}
        assert left <= {"state", "ctxd-reader-calls", "call-1.lock", "reading.lock"}

    def test_an_answer_that_is_none_is_asked_for_once_more_and_told(self, home):
        with scripted([Said(OPENAI.answer("I would rather not."))]) as api:
            fill(home)
            local(home, api)
            run = home.ctxd("reader", "test")
            assert run.code == 1
            assert "openai did not answer: " in run.err
            assert "hint: a more capable model answers in the form asked for" in run.err
            assert len(api.heard) == 2
        assert json.loads(home.ctxd("reader", "--json").out)["today"]["failed"] >= 1

    def test_quotes_that_are_not_there_do_not_count(self, home):
        made_up = GOOD.replace("B, four spaces everywhere", "rewrite it all in Rust")
        with scripted([Said(OPENAI.answer(made_up))]) as api:
            local(home, api)
            run = home.ctxd("reader", "test")
        assert run.code == 0
        assert "it answers: 0 items, and 1 part of the answer did not count" in run.out

    def test_an_answer_without_the_decision_is_not_called_good(self, home):
        with scripted([Said(OPENAI.answer('{"items": [], "not_items": []}'))]) as api:
            local(home, api)
            run = home.ctxd("reader", "test")
        assert run.code == 0
        assert "it answers, but misses what was decided in the text" in run.out

    def test_it_waits_for_no_reading_that_is_under_way_and_asks_nothing_beside_it(
        self, home, server
    ):
        fill(home)
        local(home, server)
        [ledger] = home.path.rglob("ledger.sqlite3")
        folder = ledger.parent / FOLDER
        with alone(folder):
            run = home.ctxd("reader", "test")
        assert run.code == 1
        assert "another ctxd asks the reader just now" in run.err
        assert "hint: try it again later" in run.err
        assert server.heard == []

    def test_a_spent_budget_is_said_and_nothing_is_asked(self, home, server):
        fill(home)
        local(home, server)
        home.ctxd("config", "set", "reader.calls_a_day", "1")
        spend(home)
        run = home.ctxd("reader", "test")
        assert run.code == 1
        assert run.err.startswith("error: today's budget is spent\n\nhint: it goes on tomorrow")
        assert server.heard == []


def test_the_dialog_takes_numbers_for_names(capsys, monkeypatch):
    class Row:
        backend = "openai"

    class Out:
        def print(self, *spans):
            pass

    monkeypatch.setattr("builtins.input", lambda _question: "1")
    assert SetupTalk(Out(), None, [Row]).backend() == "openai"


@on_terminal
@pytest.mark.skipif(sys.platform != "linux", reason="as Linux has it")
def test_a_terminal_of_twenty_columns_is_no_trouble(home):
    assert "Traceback" not in home.on_terminal(20, "reader").out
    home.ctxd("reader", "setup", "openai")
    assert "Traceback" not in home.on_terminal(20, "reader").out
