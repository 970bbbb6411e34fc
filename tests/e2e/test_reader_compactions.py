"""The running daemon with a reader at a compaction: the record, the notice and what is given back
never wait for it, and what it finds is given back by the hook of the next prompt."""

import json
import subprocess

import pytest

from ctxd.hooks.command import client_command
from ctxd.ledger import Ledger
from e2e.conversations import ClaudeCode
from e2e.daemon import Daemon, wait_until
from fake_reader import FakeReader

BAN = "Never log request bodies, not even at debug level."
KEPT = "Rules:\n- Request bodies must never be logged, not even at debug level.\n"
GONE = "The user asked to look at the code. The code was looked at, and the tests pass."


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path)
    yield daemon
    daemon.close()
    assert "defect" not in daemon.log


@pytest.fixture
def reader(tmp_path, daemon):
    reader = FakeReader(tmp_path, "lost")
    daemon.settings(reader.settings)
    yield reader
    daemon.close()
    assert reader.is_gone()


def compacted(daemon, summary):
    talk = ClaudeCode(daemon.home, "one")
    talk.user("please look at the code")
    talk.assistant("I looked at it. What now?")
    talk.user(BAN)
    talk.assistant("Understood.")
    talk.compacted(summary)
    return talk


def item(daemon):
    with Ledger.reader(daemon.ledger) as ledger:
        found = [one for record in ledger.records() for one in record.items]
    return found[0] if found else None


def owed(daemon, talk):
    with Ledger.reader(daemon.ledger) as ledger:
        return [one.state.text for one in ledger.owed(talk.agent, talk.session)]


def prompted(daemon, talk):
    """What the client puts before the agent with the user's next prompt."""
    told = {
        "session_id": talk.session,
        "cwd": talk.cwd,
        "hook_event_name": "UserPromptSubmit",
        "transcript_path": str(talk.path),
        "prompt": "go on",
    }
    done = subprocess.run(
        client_command(talk.agent, daemon.places, ""),
        input=json.dumps(told).encode(),
        env={"CTXD_HOME": str(daemon.own)},
        capture_output=True,
        timeout=10,
        check=True,
    )
    return done.stdout.decode()


def test_what_the_reader_alone_misses_is_given_back_with_the_next_prompt(daemon, reader):
    daemon.start()
    talk = compacted(daemon, KEPT)
    one = wait_until(lambda: (got := item(daemon)) and got.second and got, 40, "its word")
    assert (one.offline.answer, one.verdict.answer) == ("kept", "lost")
    assert owed(daemon, talk) == [BAN]
    assert reader.calls == 1
    shown = json.loads(daemon.ctxd("compactions", talk.session[:8], "--json").stdout)
    assert shown["items"][0]["reader"].startswith("codex")
    with Ledger.reader(daemon.ledger) as ledger:
        [notice] = ledger.notices()
    assert "request bodies" in notice.title + notice.body
    assert BAN in prompted(daemon, talk)
    wait_until(lambda: not owed(daemon, talk), 5, "it is noted as given")
    assert BAN not in prompted(daemon, talk), "once"


def test_while_it_hangs_all_is_as_without_it(daemon, reader):
    reader.does("hang")
    daemon.start()
    talk = compacted(daemon, GONE)
    wait_until(lambda: reader.notes("hangs"), 40, "it hangs")
    assert (item(daemon).verdict.answer, item(daemon).second) == ("lost", None)
    assert BAN in prompted(daemon, talk)


def test_what_makes_no_sense_changes_nothing_and_is_asked_once_more(daemon, reader):
    reader.does("babble")
    daemon.start()
    talk = compacted(daemon, GONE)
    one = wait_until(lambda: (got := item(daemon)) and got.second and got, 40, "it is over")
    assert (one.verdict.answer, one.second.verdict) == ("lost", None)
    assert owed(daemon, talk) == [BAN]
    assert reader.calls == 2
