"""The real Codex as the reader: one answer, no tool, no trace, and nobody's settings changed."""

import json
import re
import time
from pathlib import Path

import msgspec
import pytest

from ctxd.reader.backends.codex_backend import BACKEND
from ctxd.reader.mentions import hidden
from ctxd.reader.own import MARK
from ctxd.reader.values import ReaderError
from e2e.clients import installed
from e2e.clients.codex import LIMIT, SETTINGS, CodexServer, Responses
from e2e.clients.model_server import Reply, Tool
from e2e.clients.reader import ANSWER, ASK, SECRET_WORDS, Asked, failure, left_running

VERSION = installed.CODEX[0]
CODEX = installed.find("codex", VERSION)
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CODEX is None, reason="not installed: make clients"),
]


@pytest.fixture
def ran(tmp_path):
    """What the user's own configuration would start: each leaves a file here."""
    folder = tmp_path / "ran"
    folder.mkdir()
    return folder


@pytest.fixture
def codex(tmp_path, ran):
    model = CodexServer(Responses())
    asked = Asked(tmp_path, BACKEND, model, {"STUB_KEY": "stub", "NO_PROXY": "127.0.0.1"})
    asked.install("codex", CODEX.command[0])
    home = asked.home / ".codex"
    home.mkdir(parents=True)
    text = SETTINGS.format(limit=LIMIT, url=model.url, repo=tmp_path / "repo")
    notify = f'notify = ["touch", "{ran}/notify"]\n'
    (home / "config.toml").write_text(
        notify + text + servers(ran, "plain", "under_score"), encoding="utf-8"
    )
    hook = {"hooks": [{"type": "command", "command": f"touch {ran}/hook"}]}
    (home / "hooks.json").write_text(json.dumps({"hooks": {name: [hook] for name in EVENTS}}))
    (home / "AGENTS.md").write_text("Answer in verse.\n")
    yield asked
    model.close()


def servers(ran, *names):
    return "".join(
        f'\n[mcp_servers.{name}]\ncommand = "/bin/sh"\n'
        f'args = ["-c", "touch {ran}/server; sleep 60"]\n'
        for name in names
    )


def test_it_answers_and_says_what_it_took(codex, regen):
    reply = codex.ask(codex.watching(ANSWER))
    codex.record("answer", regen)
    assert json.loads(reply.text) == json.loads(ANSWER)
    assert reply.input_tokens > 1000
    assert reply.output_tokens == 20
    assert not reply.cut
    (request,) = codex.model.requests
    assert request.states(SECRET_WORDS)
    assert request.body["text"]["format"]["schema"] == ASK.schema


def test_no_process_shows_what_it_is_asked(codex):
    codex.ask(codex.watching(ANSWER))
    assert any("codex" in line for line in codex.seen)
    assert not any("Zweibrucken" in line or MARK in line for line in codex.seen)


def calls(ran):
    """Whatever a model may call: each would leave a file, or begin an agent of its own."""
    patch = f"*** Begin Patch\n*** Add File: {ran}/tool\n+x\n*** End Patch\n"
    touch = f"touch {ran}/tool"
    return (
        Tool("exec_command", {"cmd": touch}),
        Tool("shell", {"command": touch.split()}),
        Tool("exec", f'text(await tools.exec_command({{cmd: "{touch}"}}))'),
        Tool("apply_patch", patch),
        Tool("view_image", {"path": "/usr/share/pixmaps/debian-logo.png"}),
        Tool(
            "collaboration.spawn_agent",
            {"task_name": "more", "message": "Go on.", "fork_turns": "none"},
        ),
    )


def test_it_has_no_tools_and_runs_none_that_the_model_calls(codex, ran, regen):
    reply = codex.ask(Reply(tools=calls(ran)), ANSWER)
    codex.record("tools", regen)
    assert json.loads(reply.text) == json.loads(ANSWER)
    offered = {tool.get("name") for tool in codex.model.requests[0].body["tools"]}
    assert offered <= {"request_user_input"}
    assert not list(ran.iterdir())


@pytest.mark.parametrize("model", ["gpt-5.5", "gpt-5.6-sol", "gpt-6.2-sol"])
def test_no_model_gets_more_than_it_may_use_in_vain(codex, ran, model):
    """Some bring tools that no setting takes away: what they call is refused."""
    reply = codex.ask(Reply(tools=calls(ran)), ANSWER, ANSWER, ANSWER, model=model)
    assert json.loads(reply.text) == json.loads(ANSWER)
    first, second = codex.model.requests
    outputs = [one["output"] for one in second.body["input"] if "output" in one["type"]]
    assert len(outputs) == len(calls(ran))
    for told in outputs:
        assert re.search(r"unsupported|rejected|disabled", told), told
    assert "collaboration" not in json.dumps(first.body["input"])
    assert not list(ran.iterdir())


@pytest.mark.parametrize("name", ["another", '"with.dot"', '"it\'s a name"'])
def test_nothing_of_the_users_is_started_or_changed(codex, ran, name):
    with (codex.home / ".codex" / "config.toml").open("a") as config:
        config.write(servers(ran, name))
    before = codex.files()
    codex.ask(ANSWER)
    time.sleep(0.5)
    assert not list(ran.iterdir())
    assert {name: data for name, data in codex.files().items() if name in before} == before


def test_no_session_and_no_folder_is_left(codex):
    codex.ask(ANSWER)
    assert not list(codex.home.rglob("rollout-*"))
    assert not [path for path in codex.folder.iterdir() if path.is_dir()]
    words = SECRET_WORDS.encode()
    assert not [p for p in codex.home.rglob("*") if p.is_file() and words in p.read_bytes()]


def test_what_the_session_says_is_no_command(codex):
    text = "/compact $imagegen [$skill-creator](skill://skill-creator) @AGENTS.md !ls a@b.c"
    ask = msgspec.structs.replace(ASK, text=text)
    codex.ask(ANSWER, ask=ask)
    (request,) = codex.model.requests
    assert request.states(hidden(ask.text))
    assert [i["role"] for i in request.body["input"]] == ["developer", "user", "user"]


TROUBLES = {
    "rate": ("rate", failure(429, {"error": {
        "message": "Rate limit reached. Please try again in 20s.",
        "type": "tokens", "code": "rate_limit_exceeded"}})),
    "limit": ("rate", failure(429, {"error": {
        "type": "usage_limit_reached", "message": "The usage limit has been reached",
        "plan_type": "plus", "resets_in_seconds": 3600}})),
    "quota": ("account", failure(429, {"error": {
        "message": "You exceeded your current quota", "code": "insufficient_quota"}})),
    "key": ("key", failure(401, {"error": {
        "message": "Incorrect API key provided: sk-proj-abcdefgh.", "code": "invalid_api_key"}})),
    "model": ("account", failure(404, {"error": {
        "message": "The model `x` does not exist or you do not have access to it.",
        "code": "model_not_found"}})),
    "long": ("long", failure(400, {"error": {
        "message": "This model's maximum context length is 10 tokens",
        "code": "context_length_exceeded"}})),
    "trouble": ("rate", failure(500, {"error": {"message": "boom"}})),
    "busy": ("rate", failure(503, {"error": {"code": "server_is_overloaded", "message": "x"}})),
    "torn": ("broken", Reply(ANSWER, torn=True)),
    "filtered": ("refused", Reply("", end="content_filter")),
    "empty": ("malformed", Reply("")),
}  # fmt: skip


@pytest.mark.parametrize("name", TROUBLES)
def test_what_goes_wrong_is_told_in_our_words(codex, name, regen):
    trouble, answer = TROUBLES[name]
    with pytest.raises(ReaderError) as caught:
        codex.ask(*[answer] * 8)
    codex.record(name, regen)
    assert caught.value.trouble == trouble
    assert caught.value.message.startswith("Codex ")
    assert "sk-proj" not in caught.value.message


def test_an_answer_that_is_cut_says_so(codex, regen):
    reply = codex.ask(Reply('{"items": [', end="max_output_tokens"))
    codex.record("cut", regen)
    assert reply.cut
    assert reply.text == '{"items": ['


def test_prose_is_a_reply_that_others_judge(codex, regen):
    assert codex.ask("I am sorry, but no.").text == "I am sorry, but no."
    codex.record("prose", regen)


def test_an_answer_without_end_is_no_more_than_one_that_is_too_long(codex):
    with pytest.raises(ReaderError) as caught:
        codex.ask("x" * 6_000_000)
    assert caught.value.trouble == "broken"
    assert not left_running(codex)


def test_one_that_takes_too_long_is_ended_with_all_it_started(codex):
    began = time.monotonic()
    with pytest.raises(ReaderError) as caught:
        codex.ask(Reply(ANSWER, seconds=20), seconds=2)
    assert caught.value.trouble == "slow"
    assert time.monotonic() - began < 10
    assert not left_running(codex)


def test_a_key_that_is_not_there_is_told(codex, regen):
    codex.variables.pop("STUB_KEY")
    with pytest.raises(ReaderError) as caught:
        codex.ask(ANSWER)
    codex.record("no_key", regen)
    assert caught.value.trouble == "key"
    assert not codex.model.requests


def test_a_configuration_that_it_does_not_take_is_told(codex, regen):
    config = codex.home / ".codex" / "config.toml"
    config.write_text(config.read_text() + "\n[model_providers.stub2]\nname = 3\n")
    with pytest.raises(ReaderError) as caught:
        codex.ask(ANSWER)
    codex.record("configuration", regen)
    assert caught.value.trouble == "account"


def test_it_is_found_beyond_a_services_path_and_asks_nobody(codex):
    with codex.environment():
        ready = BACKEND.ready(codex.choice())
        assert ready.is_ready, ready
        assert ready.what == f"Codex {VERSION}"
        assert BACKEND.sends_to(codex.choice()) == (
            "`stub`, the provider that your Codex is set up with"
        )
        (codex.home / ".codex" / "config.toml").unlink()
        ready = BACKEND.ready(codex.choice())
        assert (ready.is_ready, ready.why_not) == (False, "not logged in")
        assert BACKEND.sends_to(codex.choice()) == "OpenAI, through your Codex login"
        Path(codex.home / ".codex" / "auth.json").write_text("{}")
        assert BACKEND.ready(codex.choice()).is_ready
    assert not codex.model.requests


def test_the_model_that_was_chosen_is_asked(codex):
    codex.ask(ANSWER, model="other-model")
    assert codex.model.requests[0].body["model"] == "other-model"
