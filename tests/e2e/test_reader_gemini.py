"""The real Gemini CLI as the reader: one answer, no tool, and nobody's settings changed."""

import json
import shutil
import tempfile
import time
from pathlib import Path

import msgspec
import pytest

from ctxd.reader.backends.gemini_cli_backend import BACKEND
from ctxd.reader.own import MARK, is_own
from ctxd.reader.values import ReaderError
from ctxd_parsers.discovery import find_transcripts
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import UserMessage
from ctxd_parsers.reading import read_events
from e2e.clients import installed
from e2e.clients.gemini import SETTINGS, Contents, GeminiServer
from e2e.clients.model_server import Reply, Tool
from e2e.clients.reader import ANSWER, ASK, SECRET_WORDS, Asked, failure, left_running

VERSION = installed.GEMINI[0]
GEMINI = installed.find("gemini-cli", VERSION)
EVENTS = ("SessionStart", "BeforeAgent", "BeforeModel", "AfterAgent", "SessionEnd")
MODEL = "gemini-2.5-pro"
TWIN = "\N{FULLWIDTH COMMERCIAL AT}"

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(GEMINI is None, reason="not installed: make clients"),
]


@pytest.fixture
def ran(tmp_path):
    """What the user's own configuration would start: each leaves a file here."""
    folder = tmp_path / "ran"
    folder.mkdir()
    return folder


@pytest.fixture
def gemini(tmp_path, ran):
    model = GeminiServer(Contents())
    variables = {"GEMINI_API_KEY": "stub", "GOOGLE_GEMINI_BASE_URL": model.url}
    asked = Asked(tmp_path, BACKEND, model, variables)
    asked.install("gemini", GEMINI.command[-1])
    asked.install("node", shutil.which("node"))
    home = asked.home / ".gemini"
    home.mkdir(parents=True)
    settings = json.loads(json.dumps(SETTINGS))
    settings["security"]["folderTrust"] = {"enabled": True}
    hook = {"hooks": [{"type": "command", "command": f"touch {ran}/hook"}]}
    settings["hooks"] = {name: [hook] for name in EVENTS}
    server = {"command": "/bin/sh", "args": ["-c", f"touch {ran}/server; sleep 60"]}
    settings["mcpServers"] = {"plain": server, "with.dot": server}
    settings["tools"] = {"discoveryCommand": f"touch {ran}/discovery; echo []"}
    (home / "settings.json").write_text(json.dumps(settings))
    (home / "GEMINI.md").write_text("Answer in verse.\n")
    extension = home / "extensions" / "one"
    extension.mkdir(parents=True)
    (extension / "gemini-extension.json").write_text(
        json.dumps({"name": "one", "version": "1.0.0", "mcpServers": {"more": server}})
    )
    yield asked
    model.close()


def ask(asked, *replies, **more):
    return asked.ask(*replies, **{"model": MODEL} | more)


def test_it_answers_and_says_what_it_took(gemini, regen):
    reply = ask(gemini, gemini.watching(ANSWER))
    gemini.record("answer", regen)
    assert json.loads(reply.text) == json.loads(ANSWER)
    assert reply.model == MODEL
    assert reply.input_tokens > 100
    assert reply.output_tokens == 20
    (request,) = gemini.model.requests
    assert request.states(SECRET_WORDS)
    assert request.states(json.dumps(ASK.schema))


def test_no_process_shows_what_it_is_asked(gemini):
    ask(gemini, gemini.watching(ANSWER))
    assert any("gemini" in line for line in gemini.seen)
    assert not any("Zweibrucken" in line or MARK in line for line in gemini.seen)


def test_it_has_no_tools_and_runs_none_that_the_model_calls(gemini, ran, regen):
    calls = (
        Tool("run_shell_command", {"command": f"touch {ran}/tool"}),
        Tool("write_file", {"file_path": f"{ran}/tool", "content": "x"}),
        Tool("read_file", {"file_path": "system.md"}),
        Tool("save_memory", {"fact": "x"}),
    )
    reply = ask(gemini, Reply(tools=calls), ANSWER)
    gemini.record("tools", regen)
    assert json.loads(reply.text) == json.loads(ANSWER)
    for request in gemini.model.requests:
        offered = [tool.get("functionDeclarations") for tool in request.body.get("tools", [])]
        assert not any(offered)
    assert not list(ran.iterdir())


def test_nothing_of_the_users_is_started_or_changed(gemini, ran):
    before = gemini.files()
    ask(gemini, ANSWER)
    time.sleep(0.5)
    assert not list(ran.iterdir())
    assert {name: data for name, data in gemini.files().items() if name in before} == before


def test_its_session_is_recognised_and_nothing_else_is_left(gemini):
    before = set(Path(tempfile.gettempdir()).iterdir())
    ask(gemini, ANSWER)
    with pytest.raises(ReaderError):
        ask(gemini, *[failure(400, {"error": {"code": 400, "message": "no"}})] * 4)
    logs = list(find_transcripts(Environment("linux", gemini.home)))
    assert logs
    for log in logs:
        said = [one for one in read_events(log) if isinstance(one, UserMessage)]
        assert is_own(None, said[0].text)
    assert not [path for path in gemini.folder.iterdir() if path.is_dir()]
    new = set(Path(tempfile.gettempdir()).iterdir()) - before
    assert not [path for path in new if "gemini" in path.name]


def test_paths_in_a_session_are_not_followed_and_come_back_as_they_were(gemini):
    path = gemini.home / ".gemini" / "GEMINI.md"
    text = f"@system.md @.gemini/settings.json @{path} dev@example.org \\@x @plain /help !ls"
    asked = msgspec.structs.replace(ASK, text=text)
    quote = "@system.md dev@example.org"
    answer = json.dumps({"items": [quote], "not_items": []}).replace("@", TWIN, 1)
    reply = ask(gemini, json.dumps({"quotes": [quote.replace("@", TWIN)]}) + answer, ask=asked)
    (request,) = gemini.model.requests
    assert request.states(text.replace("@", TWIN))
    assert "Content from" not in request.text.replace("Context from", "")
    assert reply.text.count(quote) == 2


def refused(code, message, status, *details):
    told = {"code": code, "message": message, "status": status, "details": list(details)}
    return failure(code, {"error": told})


def quota(name):
    kind = "type.googleapis.com/google.rpc.QuotaFailure"
    return {"@type": kind, "violations": [{"quotaMetric": "x", "quotaId": name}]}


RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}
TROUBLES = {
    "rate": ("rate", refused(429, "You exceeded your current quota. Please retry in 34s.",
        "RESOURCE_EXHAUSTED", quota("GenerateRequestsPerMinutePerProject"), RETRY)),
    "day": ("rate", refused(429, "You exceeded your current quota, please check your plan and "
        "billing details.", "RESOURCE_EXHAUSTED", quota("GenerateRequestsPerDayPerProject"))),
    "key": ("key", refused(400, "API key not valid. Please pass a valid API key.",
        "INVALID_ARGUMENT")),
    "login": ("key", refused(401, "Request had invalid authentication credentials.",
        "UNAUTHENTICATED")),
    "model": ("account", refused(404, "models/x is not found for API version v1beta", "NOT_FOUND")),
    "long": ("long", refused(400, "The input token count (1200000) exceeds the maximum number of "
        "tokens allowed (1048576).", "INVALID_ARGUMENT")),
    "trouble": ("broken", refused(500, "An internal error has occurred.", "INTERNAL")),
    "busy": ("rate", refused(503, "The model is overloaded. Please try again later.",
        "UNAVAILABLE")),
    "torn": ("broken", Reply(ANSWER, torn=True)),
    "safety": ("refused", Reply("", end="SAFETY")),
    "empty": ("malformed", Reply("")),
}  # fmt: skip


@pytest.mark.parametrize("name", TROUBLES)
def test_what_goes_wrong_is_told_in_our_words(gemini, name, regen):
    trouble, answer = TROUBLES[name]
    with pytest.raises(ReaderError) as caught:
        ask(gemini, *[answer] * 8)
    gemini.record(name, regen)
    assert caught.value.trouble == trouble
    assert caught.value.message.startswith("Gemini CLI ")


def test_a_wait_that_is_told_is_kept(gemini):
    with pytest.raises(ReaderError) as caught:
        ask(gemini, *[TROUBLES["rate"][1]] * 8)
    assert caught.value.retry_after == 34.0


def test_an_answer_that_is_cut_is_what_came(gemini, regen):
    assert ask(gemini, Reply('{"items": [', end="MAX_TOKENS")).text == '{"items": ['
    gemini.record("cut", regen)


def test_prose_is_a_reply_that_others_judge(gemini, regen):
    assert ask(gemini, "I am sorry, but no.").text == "I am sorry, but no."
    gemini.record("prose", regen)


def test_an_answer_without_end_is_ended(gemini):
    with pytest.raises(ReaderError) as caught:
        ask(gemini, "x" * 6_000_000)
    assert caught.value.trouble in {"broken", "malformed"}
    assert not left_running(gemini)


def test_one_that_takes_too_long_is_ended_with_all_it_started(gemini):
    began = time.monotonic()
    with pytest.raises(ReaderError) as caught:
        ask(gemini, Reply(ANSWER, seconds=20), seconds=4)
    assert caught.value.trouble == "slow"
    assert time.monotonic() - began < 12
    assert not left_running(gemini)


def test_no_login_is_told(gemini, regen):
    gemini.variables.pop("GEMINI_API_KEY")
    with pytest.raises(ReaderError) as caught:
        ask(gemini, ANSWER)
    gemini.record("no_key", regen)
    assert caught.value.trouble == "key"
    assert not gemini.model.requests


def test_it_is_found_beyond_a_services_path_and_asks_nobody(gemini):
    with gemini.environment():
        ready = BACKEND.ready(gemini.choice())
        assert ready.is_ready, ready
        assert ready.what == f"Gemini CLI {VERSION}"
    gemini.variables.pop("GEMINI_API_KEY")
    (gemini.home / ".gemini" / "settings.json").unlink()
    with gemini.environment():
        ready = BACKEND.ready(gemini.choice())
        assert (ready.is_ready, ready.why_not) == (False, "not logged in")
    assert not gemini.model.requests


def test_without_a_chosen_model_the_users_own_is_asked(gemini):
    path = gemini.home / ".gemini" / "settings.json"
    settings = json.loads(path.read_text()) | {"model": {"name": "gemini-2.5-flash"}}
    path.write_text(json.dumps(settings))
    assert gemini.ask(ANSWER).model == "gemini-2.5-flash"


def test_the_text_is_sent_once_also_where_no_model_was_ever_chosen(gemini):
    assert "flash" in gemini.ask(ANSWER).model
    (request,) = gemini.model.requests
    assert request.states(SECRET_WORDS)
