"""The real Copilot CLI as the reader: one answer, no tool, nobody's settings changed, and a session
that ctxd knows as its own."""

import json
import time

import pytest

from ctxd.reader.backends.copilot_cli_backend import BACKEND
from ctxd.reader.mentions import hidden
from ctxd.reader.own import MARK, is_own_folder, is_own_words
from ctxd.reader.values import ReaderError
from ctxd_parsers.discovery import find_transcripts
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import SessionStarted, UserMessage
from ctxd_parsers.reading import read_events
from e2e.clients import installed
from e2e.clients.dialects import Completions
from e2e.clients.model_server import ModelServer, Reply, Tool
from e2e.clients.reader import ANSWER, ASK, SECRET_WORDS, Asked, failure, left_running

VERSION = installed.COPILOT[0]
COPILOT = installed.find("copilot-cli", VERSION)
EVENTS = ("sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse", "sessionEnd")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(COPILOT is None, reason="not installed: make clients"),
]


class OneLane(Completions):
    """All that is asked is the conversation itself: it has no tools to be known by."""

    def lane(self, headers, body):
        return "main"


@pytest.fixture
def ran(tmp_path):
    """What the user's own configuration would start: each leaves a file here."""
    folder = tmp_path / "home" / "ran"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def copilot(tmp_path, ran):
    model = ModelServer(OneLane())
    variables = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "stub",
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_ALLOW_ALL": "true",
    }
    asked = Asked(tmp_path, BACKEND, model, variables)
    asked.install("copilot", COPILOT.command[0])
    home = asked.home / ".copilot"
    (home / "hooks").mkdir(parents=True)
    hook = {"type": "command", "bash": f"touch {ran}/hook"}
    hooks = {"version": 1, "hooks": {name: [hook] for name in EVENTS}}
    server = {"type": "local", "command": "/bin/sh", "tools": ["*"]}
    one, two, three = (
        {"mcpServers": {name: server | {"args": ["-c", f"touch {ran}/server; sleep 60"]}}}
        for name in ("one", "--two", "three")
    )
    plugin = home / "installed-plugins" / "market" / "tools"
    plugin.mkdir(parents=True)
    texts = {
        home / "settings.json": {"banner": "never", "autoUpdate": False},
        home / "hooks" / "mine.json": hooks,
        home / "mcp-config.json": {"mcpServers": one["mcpServers"] | two["mcpServers"]},
        plugin / ".mcp.json": three,
        plugin / "plugin.json": {"name": "tools", "version": "1.0.0"},
    }
    for path, data in texts.items():
        path.write_text(json.dumps(data), encoding="utf-8")
    asked.places.state.mkdir(parents=True)
    for folder in (asked.home, tmp_path, asked.places.state):
        (folder / "AGENTS.md").write_text("Answer in verse.\n", encoding="utf-8")
    (home / "copilot-instructions.md").write_text("Answer in verse.\n", encoding="utf-8")
    yield asked
    model.close()


def test_it_answers_and_says_what_it_took(copilot, regen):
    reply = copilot.ask(copilot.watching(ANSWER))
    copilot.record("answer", regen)
    assert json.loads(reply.text) == json.loads(ANSWER)
    assert reply.model == "gpt-4.1"
    assert 1000 < reply.input_tokens < 5000
    assert reply.output_tokens == 20
    assert not reply.cut
    (request,) = copilot.model.requests
    assert request.states(SECRET_WORDS)
    assert request.states(ASK.instructions)
    assert not request.states("verse")


def test_no_process_shows_what_it_is_asked(copilot):
    copilot.ask(copilot.watching(ANSWER))
    assert any("copilot" in line for line in copilot.seen)
    assert not any("Zweibrucken" in line or MARK in line for line in copilot.seen)


def test_it_has_no_tools_and_runs_none_that_the_model_calls(copilot, ran, regen):
    calls = (
        Tool("bash", {"command": f"touch {ran}/tool", "description": "x"}),
        Tool("create", {"path": f"{ran}/written", "file_text": "x"}),
        Tool("view", {"path": str(copilot.home / ".copilot" / "settings.json")}),
        Tool("task", {"description": "x", "prompt": "x", "agent_type": "general-purpose"}),
        Tool("one-any", {}),
    )
    reply = copilot.ask(Reply(tools=calls), ANSWER)
    copilot.record("tools", regen)
    assert json.loads(reply.text) == json.loads(ANSWER)
    assert not any(request.body.get("tools") for request in copilot.model.requests)
    assert not any(request.states("autoUpdate") for request in copilot.model.requests)
    assert not list(ran.iterdir())


def test_nothing_of_the_users_is_started_or_changed(copilot, ran):
    before = copilot.files()
    copilot.ask(ANSWER)
    time.sleep(0.5)
    assert not list(ran.iterdir())
    assert {name: data for name, data in copilot.files().items() if name in before} == before
    config = copilot.home / ".copilot" / "config.json"
    assert "trusted" not in config.read_text(encoding="utf-8").casefold()


def test_the_session_that_it_keeps_is_known_as_ours(copilot):
    """By its folder, and by its first words wherever ctxd's home is by then."""
    copilot.ask(ANSWER)
    assert not [path for path in copilot.folder.iterdir() if path.is_dir()]
    (transcript,) = find_transcripts(Environment("linux", copilot.home))
    events = list(read_events(transcript))
    folders = [one.cwd for one in events if isinstance(one, SessionStarted)]
    words = [one.text for one in events if isinstance(one, UserMessage)]
    assert is_own_folder(folders[0])
    assert is_own_words(words[0])


def test_what_the_session_says_is_no_command(copilot):
    secret = copilot.home / "secret.txt"
    secret.write_text("xyzzy and verse", encoding="utf-8")
    text = f"/compact /exit @AGENTS.md @{secret} see @{secret}\n@~/secret.txt !ls #1"
    ask = ASK.__class__(
        instructions=ASK.instructions, text=text, schema=ASK.schema, answer_tokens=500
    )
    copilot.ask(ANSWER, ask=ask)
    (request,) = copilot.model.requests
    assert request.states(hidden(text))
    assert not request.states("verse")


TROUBLES = {
    "rate": ("rate", failure(429, {"error": {
        "message": "Rate limit reached", "code": "rate_limit_exceeded"}}, retry_after="3600")),
    "busy": ("rate", failure(503, {"error": {"message": "The server is overloaded"}})),
    "trouble": ("broken", failure(500, {"error": {"message": "boom"}})),
    "key": ("key", failure(401, {"error": {
        "message": "Incorrect API key provided: sk-proj-abcdefgh.", "code": "invalid_api_key"}})),
    "model": ("account", failure(404, {"error": {
        "message": "The model `x` does not exist", "code": "model_not_found"}})),
    "long": ("long", failure(400, {"error": {
        "message": "This model's maximum context length is 10 tokens",
        "code": "context_length_exceeded"}})),
    "torn": ("broken", Reply(ANSWER * 100, torn=True)),
    "filtered": ("refused", Reply("", end="content_filter")),
    "empty": ("malformed", Reply("")),
}  # fmt: skip


@pytest.mark.parametrize("name", TROUBLES)
def test_what_goes_wrong_is_told_in_our_words(copilot, name, regen):
    trouble, said = TROUBLES[name]
    with pytest.raises(ReaderError) as caught:
        copilot.ask(*[said] * 12)
    copilot.record(name, regen)
    assert caught.value.trouble == trouble
    assert caught.value.message.startswith("Copilot CLI ")
    assert "sk-proj" not in caught.value.message


def test_without_a_login_it_is_told(copilot, regen):
    copilot.variables = {
        name: value for name, value in copilot.variables.items() if not name.startswith("COPILOT")
    }
    with pytest.raises(ReaderError) as caught:
        copilot.ask(ANSWER)
    copilot.record("login", regen)
    assert caught.value.trouble == "account"
    assert not copilot.model.requests


def test_pieces_and_prose_are_replies_that_others_judge(copilot, regen):
    assert copilot.ask("I am sorry, but no.").text == "I am sorry, but no."
    copilot.record("prose", regen)
    assert copilot.ask(*[Reply('{"items": [', end="length")] * 4).text == '{"items": ['
    copilot.record("cut", regen)


def test_an_answer_without_end_is_no_more_than_one_that_is_too_long(copilot):
    with pytest.raises(ReaderError) as caught:
        copilot.ask("x" * 6_000_000)
    assert caught.value.trouble == "broken"
    assert not left_running(copilot)


def test_one_that_takes_too_long_is_ended_with_all_it_started(copilot):
    """Its first start in a home takes long: it unpacks itself."""
    copilot.ask(ANSWER)
    with pytest.raises(ReaderError) as caught:
        copilot.ask(Reply(ANSWER, seconds=60), seconds=20)
    assert caught.value.trouble == "slow"
    assert len(copilot.model.requests) == 1
    assert not left_running(copilot)


def test_it_is_found_beyond_a_services_path_and_asks_nobody(copilot):
    with copilot.environment():
        ready = BACKEND.ready(copilot.choice())
        assert ready.is_ready, ready
        assert ready.what == f"Copilot CLI {VERSION}"
    assert not copilot.model.requests


def test_the_model_that_was_chosen_is_asked(copilot):
    copilot.ask(ANSWER, model="gpt-4o")
    assert copilot.model.requests[0].body["model"] == "gpt-4o"


def test_who_gets_the_text_is_said(copilot, monkeypatch):
    with copilot.environment():
        assert BACKEND.sends_to(copilot.choice()) == ""
        monkeypatch.setenv("COPILOT_PROVIDER_BASE_URL", "https://llm.example.org/v1")
        assert "`llm.example.org`" in BACKEND.sends_to(copilot.choice())
        monkeypatch.delenv("COPILOT_PROVIDER_BASE_URL")
        assert BACKEND.sends_to(copilot.choice()).startswith("GitHub, ")
