"""The running daemon at a compaction: it is recorded once, and the context file has the item."""

import json
import random
import time
from datetime import timedelta

import pytest

from ctxd.ledger import Ledger
from e2e.conversations import ClaudeCode, CopilotCli
from e2e.daemon import Daemon, wait_until
from git_repos import commit, new_repository

BAN = "Never log request bodies, not even at debug level."
SUMMARY = "The user asked to look at the code. The code was looked at, and the tests pass."


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path)
    yield daemon
    daemon.close()


@pytest.fixture
def repository(tmp_path):
    folder = new_repository(tmp_path / "shop")
    commit(folder, {"README.md": "# shop\n"})
    return folder


def records(daemon):
    with Ledger.reader(daemon.ledger) as reader:
        return reader.records()


def talked(daemon, repository, kind=ClaudeCode, name="one", **more):
    talk = kind(daemon.home, name, str(repository))
    for key, value in more.items():
        setattr(talk, key, value)
    talk.user("please look at the code")
    talk.assistant("I looked at it. What now?")
    talk.user(BAN)
    talk.assistant("Understood.")
    return talk


@pytest.mark.parametrize("kind", [ClaudeCode, CopilotCli])
def test_what_is_dropped_is_recorded_and_stands_in_the_context_file(daemon, repository, kind):
    daemon.start()
    talk = talked(daemon, repository, kind)
    talk.compacted(SUMMARY)
    [record] = wait_until(lambda: records(daemon), 10, "a record")
    assert (record.session, record.live) == (talk.session, True)
    [verdict] = record.items
    kept = kind is CopilotCli  # it keeps prompts word for word
    assert verdict.verdict.answer == ("kept" if kept else "lost")
    home = repository / "AGENTS.md"
    wait_until(lambda: home.exists() and BAN in home.read_text(encoding="utf-8"), 15, "its line")
    shown = daemon.ctxd("compactions", talk.session[:8], "--json")
    row = json.loads(shown.stdout)
    assert row["counts"]["kept" if kept else "lost"] == 1
    assert row["items"][0]["files"] == ["AGENTS.md"]
    assert daemon.status().compactions.judged == 1


def test_history_is_recorded_and_told_to_nobody(daemon, repository):
    talk = talked(daemon, repository, ago=timedelta(days=9))
    for _ in range(3):
        talk.compacted(SUMMARY)
        talk.user("go on with the rest of the code, please")
    daemon.start()
    found = wait_until(lambda: len(records(daemon)) == 3 and records(daemon), 20, "three records")
    assert [record.live for record in found] == [False] * 3
    assert len(found[0].items) == 1
    with Ledger.reader(daemon.ledger) as reader:
        assert reader.notices() == []
        assert reader.untold(9) == []
        assert reader.owed(ClaudeCode.agent, talk.session) == []


def test_kills_around_compactions_lose_and_double_nothing(daemon, repository):
    chance = random.Random(5)
    talk = ClaudeCode(daemon.home, "one", str(repository))
    for number in range(6):
        daemon.start(ready=False)
        talk.user(f"Never delete table number {number + 40} of the shop.")
        talk.assistant("Understood.")
        if chance.random() < 0.5:
            time.sleep(chance.uniform(0.2, 1.0))
        talk.compacted(SUMMARY)
        time.sleep(chance.uniform(0.0, 1.2))
        daemon.kill()
    daemon.start()
    daemon.flush()
    found = wait_until(lambda: len(records(daemon)) == 6 and records(daemon), 30, "six records")
    assert len({record.event for record in found}) == 6
    items = [one.item for record in found for one in record.items]
    assert len(items) == len(set(items)), "lost once, and not judged again"
    with Ledger.reader(daemon.ledger) as reader:
        assert reader.untold(9) == []
        assert not reader.is_boundary_waiting()
