"""Windsurf and Devin's command line, followed while they write."""

import json

import pytest

from ctxd_parsers.events import AssistantMessage, Compaction, UserMessage
from e2e.daemon import Daemon, wait_until
from parsers.test_windsurf import CONVERSATION, EXITED, FOREST
from parsers.windsurf_logs import Store, conversation

AGENT = "windsurf"
SECONDS = 15.0


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    daemon = Daemon(tmp_path_factory.mktemp("windsurf")).start()
    yield daemon
    daemon.close()


def said(daemon, session):
    found = daemon.events(AGENT, session)
    return [e.text for e in found if isinstance(e, (UserMessage, AssistantMessage))]


def write(path, *said):
    """The whole conversation in place, as the client does; the user's words are in capitals."""
    steps = [
        {"status": "done", "type": "user_input", "user_input": {"user_response": words}}
        if words.isupper()
        else {"status": "done", "type": "planner_response", "planner_response": {"response": words}}
        for words in said
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(json.dumps(step).encode() + b"\n" for step in steps))
    path.chmod(0o600)


def test_a_transcript_that_is_written_anew_is_told_once_and_what_is_gone_is_taken_back(daemon):
    path = daemon.home / ".windsurf" / "transcripts" / "trajectory-1.jsonl"
    for spoken in (["ONE", "ok"], ["ONE", "ok", "TWO", "done"], ["ONE", "ok", "THREE", "done so"]):
        write(path, *spoken)
        wait_until(lambda s=spoken: said(daemon, path.stem) == s, SECONDS, str(spoken))


def test_the_database_is_followed_while_its_client_writes(daemon):
    with Store(daemon.home / ".local/share/devin/cli/sessions.db") as store:
        conversation(store)
        wait_until(lambda: said(daemon, "calm-river") == CONVERSATION, SECONDS, "the conversation")
        store.node(22, 20, "user", "Money is a decimal.")
        store.session(tip=22)
        expected = [*CONVERSATION[:-1], "Money is a decimal."]
        wait_until(lambda: said(daemon, "calm-river") == expected, SECONDS, "the other branch")
    compactions = [e for e in daemon.events(AGENT, "calm-river") if isinstance(e, Compaction)]
    assert len(compactions) == 1
    assert len(daemon.session("calm-river").latest_compactions) == 1


def test_a_session_that_was_left_is_over_and_its_messages_are_told_once(daemon):
    folder = daemon.home / ".local/share/devin/cli-next"
    (folder / "transcripts").mkdir(parents=True)
    (folder / "sessions.db").write_bytes(FOREST.read_bytes())
    wait_until(lambda: len(said(daemon, "brave-otter-1234")) == 4, SECONDS, "the session")
    before = said(daemon, "brave-otter-1234")
    (folder / "transcripts" / EXITED.name).write_bytes(EXITED.read_bytes())
    wait_until(lambda: daemon.session("brave-otter-1234").state == "ended", SECONDS, "its end")
    assert said(daemon, "brave-otter-1234") == before
