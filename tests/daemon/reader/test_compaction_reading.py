"""A compaction of now, read by a model behind an API: from its record to what is owed, through the
process that reads and a real server."""

import json
import os
import threading
import time

import pytest

from api_shapes import KEY, OpenAiShape
from compacting import World, answers, of
from ctxd.policy.reader import READER_CALL_TOKENS
from ctxd.reader.compaction_tasks import CompactionTask, compaction_tasks
from ctxd.reader.job import Means
from ctxd.reader.running import Running
from ctxd.reader.values import Reply
from ctxd.settings_reader import ReaderSettings
from scripted_api import Said, scripted

MAIN = "never push to main"
TABS = "indent with four spaces"
SUMMARY = f"The report is exported as CSV. You must {MAIN}.\n```\nrun('x')\n```\n"
ENOUGH = 60.0


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """Nothing of the machine's keys, proxies and keyring."""
    for name in list(os.environ):
        if name.startswith("OPENAI_") or "PROXY" in name.upper():
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    made.start()
    yield made
    made.ledger.close()


def said(*rows):
    names = ("item", "answer", "passage", "why")
    text = json.dumps({"items": [dict(zip(names, row, strict=True)) for row in rows]})
    return Said(OpenAiShape().answer(text))


class Daemon:
    """The part of it that has sessions read."""

    def __init__(self, world, api, monkeypatch):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{api.url}/v1")
        settings = ReaderSettings(backend="openai", base_url=f"{api.url}/v1", model="model-1")
        self.world, self.word = world, threading.Event()
        self.running = Running(
            world.ledger,
            Means(
                wishes=lambda: settings,
                folder=world.folder / "reader",
                monotonic=time.monotonic,
                wall=lambda: world.wall,
                wake=self.word.set,
                judge=lambda _key: None,
                revised=world.retaining.look,
            ),
        )

    def run(self):
        """Have all read that waits."""
        until = time.monotonic() + ENOUGH
        while self.world.ledger.wanted_readings() or self.running._job:
            assert time.monotonic() < until
            self.word.clear()
            if not self.running.step():
                self.word.wait(0.05)
        self.world.retain()


@pytest.fixture
def daemon(world, monkeypatch):
    running = []

    def made(api):
        running.append(Daemon(world, api, monkeypatch))
        return running[-1]

    yield made
    for one in running:
        one.running.close()


def compacted(world, *rules, summary=SUMMARY):
    for rule in rules:
        world.user(f"rule: {rule}")
    world.compacts(summary, "c1", now=True)
    world.go()
    return world.told[-1]


def owed(world):
    return {one.id for one in world.ledger.owed(world.agent, "s")}


def second(world):
    [record] = world.ledger.records()
    return {one.item: one.second for one in record.items}


def wait_for(world, daemon, dropped):
    daemon.running.compacted(dropped)
    daemon.run()


def test_its_word_counts_once_the_record_stands(world, daemon):
    dropped = compacted(world, MAIN, TABS)
    assert owed(world) == {of(TABS)}
    answer = said(("i1", "lost", "", "not stated"), ("i2", "lost", "", "not stated"))
    with scripted([answer, said(("i2", "lost", "", "not stated"))]) as api:
        reading = daemon(api)
        wait_for(world, reading, dropped)
        [record] = world.ledger.records()
        # The words of the one stand there, whatever a reader says.
        assert answers(record) == {of(MAIN): "kept", of(TABS): "lost"}
        assert second(world)[of(MAIN)].verdict is None
        assert second(world)[of(TABS)].reader == "openai model-1-20260101"
        assert "own words" in str(api.heard[1].body)
        calls = len(api.heard)
        wait_for(world, reading, dropped)
        assert len(api.heard) == calls == 2, "nothing is asked twice"
    assert len(world.told) == 1


def test_what_it_alone_missed_is_owed_and_told_and_what_it_found_is_not(world, daemon):
    summary = "The branch main is only changed by pull requests. Retries: at most three, as said."
    rule = "retry at most three times"
    dropped = compacted(world, rule, MAIN, summary=summary)
    before = answers(world.ledger.records()[0])
    rows = {
        rule: ("lost", "", "not stated"),
        MAIN: ("kept", "main is only changed by pull requests", "other words"),
    }
    with scripted([said(("i1", *rows[rule]), ("i2", *rows[MAIN]))]) as api:
        wait_for(world, daemon(api), dropped)
    assert (before[of(rule)], answers(world.ledger.records()[0])) == (
        "kept",
        {of(rule): "lost", of(MAIN): "kept"},
    )
    assert owed(world) == {of(rule)}
    assert [one.state.text for one in world.told[-1].items] == [rule]
    assert len(world.told) == 2


def test_only_what_may_be_is_sent_and_no_more_than_a_call_takes(world, daemon):
    secret = "ghp_" + "a1B2c3D4e5" * 4
    dropped = compacted(world, MAIN, summary=f"{SUMMARY}\nThe token is {secret}.")
    with scripted([said(("i1", "lost", "", "not stated"))]) as api:
        wait_for(world, daemon(api), dropped)
    sent = json.dumps(api.heard[0].body)
    assert "exported as CSV" in sent
    assert secret not in sent
    assert "run(" not in sent
    assert len(sent) < READER_CALL_TOKENS * 4


@pytest.mark.parametrize(
    "bad",
    [
        Said(OpenAiShape().answer("I cannot help with that.")),
        Said(OpenAiShape().answer("{}")),
        said(("i1", "kept", "you may push to main", "same words")),
        said(("i9", "kept", SUMMARY, "same words")),
    ],
    ids=["refuses", "empty", "made up", "no such item"],
)
def test_what_does_not_count_leaves_the_comparison_in_force_and_is_asked_once(world, daemon, bad):
    dropped = compacted(world, MAIN, summary="The report is exported as CSV.")
    with scripted([bad]) as api:
        wait_for(world, daemon(api), dropped)
    assert answers(world.ledger.records()[0]) == {of(MAIN): "lost"}
    assert owed(world) == {of(MAIN)}
    assert second(world)[of(MAIN)].verdict is None
    assert compaction_tasks(world.ledger, (world.agent, "s")) == []
    assert len(world.told) == 1


def test_a_server_that_is_down_leaves_it_waiting_and_nothing_else_waits_for_it(world, daemon):
    dropped = compacted(world, MAIN, summary="The report is exported as CSV.")
    with scripted([Said({"error": {"message": "overloaded"}}, 503)]) as api:
        reading = daemon(api)
        reading.running.compacted(dropped)
        until = time.monotonic() + ENOUGH
        while not api.heard or reading.running._job:
            assert time.monotonic() < until
            reading.word.clear()
            if not reading.running.step():
                reading.word.wait(0.05)
    assert owed(world) == {of(MAIN)}
    assert second(world) == {of(MAIN): None}
    assert [one.why for one in world.ledger.wanted_readings()] == ["compacted"]


def test_a_session_that_goes_on_is_not_read_for_it(world, daemon):
    dropped = compacted(world, MAIN)
    with scripted([said(("i1", "kept", f"must {MAIN}", "same words"))]) as api:
        wait_for(world, daemon(api), dropped)
    assert len(api.heard) == 1
    assert "the items that were agreed before" in str(api.heard[0].body)
    assert world.ledger.chunks_read((world.agent, "s")) == frozenset()


class TestWhatIsAsked:
    def test_what_is_known_without_a_reader_is_not(self, world):
        world.has_file("CLAUDE.md", f"# Rules\n- {TABS}\n")
        world.user(f"rule: {MAIN}", "kept")
        world.user(f"rule: {TABS}")
        world.compacts("The report is exported as CSV.", "c1", kept=("kept",), now=True)
        world.go()
        assert answers(world.ledger.records()[0]) == {of(MAIN): "kept", of(TABS): "reloaded"}
        assert compaction_tasks(world.ledger, (world.agent, "s")) == []

    def test_what_only_stands_in_what_is_not_shown_is_not(self, world):
        compacted(world, TABS, summary=f"```\n{TABS}\n```\nThe report is exported as CSV.")
        assert answers(world.ledger.records()[0]) == {of(TABS): "kept"}
        assert compaction_tasks(world.ledger, (world.agent, "s")) == []

    def test_the_last_compaction_is_asked_about_first(self, world):
        compacted(world, MAIN)
        world.compacts(SUMMARY, "c2", now=True)
        world.go()
        found = compaction_tasks(world.ledger, (world.agent, "s"))
        assert [task.told().event for task in found] == ["c2", "c1"]

    def test_what_counted_of_a_first_answer_stands_when_a_second_one_lacks_it(self, world):
        compacted(world, MAIN, TABS)
        [task] = compaction_tasks(world.ledger, (world.agent, "s"))
        assert isinstance(task, CompactionTask)
        labels = {one.item: label for label, one in task._chunk.labels.items()}
        first = {"item": labels[of(TABS)], "answer": "lost", "passage": "", "why": "not stated"}
        again = {"item": labels[of(MAIN)], "answer": "kept", "passage": MAIN, "why": "same words"}
        assert task.take(Reply(text=json.dumps({"items": [first]})), "r")
        assert task.take(Reply(text=json.dumps({"items": [again]})), "r")
        told = {one.item: one.verdict.answer for one in task.told().items}
        assert told == {of(MAIN): "kept", of(TABS): "lost"}
