"""What the daemon answers to a hook, given what the ledger knows."""

import json
import os
import re
import time

import msgspec
import pytest

from batches import batch
from ctxd.context_files import memories
from ctxd.context_files.values import Memory
from ctxd.hooks.answers import Answers
from ctxd.hooks.giving import Asked, gifts
from ctxd.hooks.talks.registry import TALKS
from ctxd.inventory import Inventory
from ctxd.item import item_id
from ctxd.ledger import Judgement, Ledger, SessionRow, WaitingBoundary
from ctxd.pipeline import Pipeline
from ctxd.policy.hooks import HOOK_AGAIN_SECONDS, HOOK_QUESTIONS, HOOK_READING_SECONDS
from ctxd.repositories import repository_key
from ctxd.retention.values import ItemVerdict, Record, Verdict
from ctxd.service.control import HookCall
from ctxd.service.loop import Loop, Parts
from ctxd.service.timing import Clock
from ctxd.session import Session, advance
from ctxd.signals import Boundary
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import Compaction, Usage, UserMessage
from made_items import item
from session_events import NOON

AGENT = "claude-code"
KEY = (AGENT, "s")
OLD = (AGENT, "old")


class Prompt:
    """A loop that does at once what it is asked to."""

    def __init__(self):
        self.read = []
        self.hurried = []
        self.ended = []
        self.jobs = 0

    def read_now(self, hint, keys, seconds):
        self.read.append((hint, list(keys), seconds))

    def hurry_files(self, keys):
        self.hurried.append(list(keys))

    def end(self, keys):
        self.ended.append(list(keys))

    def call(self, job):
        self.jobs += 1
        job()


class House:
    """A ledger with one session in a folder, and the answers to its hooks."""

    def __init__(self, folder):
        self.folder = folder
        self.now = NOON.timestamp()
        self.ledger = Ledger.open(folder / "ledger.sqlite3")
        self.repository = repository_key(str(folder))
        self.loop = Prompt()
        clock = Clock(monotonic=lambda: self.now, wall=lambda: self.now)
        self.answers = Answers(self.ledger, self.loop, clock)
        self.session = Session(*KEY, cwd=str(folder), client_version="2.1.109")
        self.ledger.save_sessions([SessionRow.of(Session(*OLD), None, None)])

    def said(self, words, key=KEY, **more):
        """The user said something that an item was made of, and it is in the window."""
        agent, session = key
        made = item(words, agent=agent, session=session, **more)
        if key == KEY:
            self.happened(UserMessage(**self.fact(made.event), text=words))
        exchange = (*key, made.event)
        self.ledger.settle([Judgement(key=exchange, repository=self.repository, items=[made])])
        return made.id

    def fact(self, name):
        return {"agent": AGENT, "session": "s", "id": name, "time": NOON}

    def happened(self, event):
        advance(self.session, event)
        self.ledger.save_sessions([SessionRow.of(self.session, None, None)])

    def wait_for(self, event, window):
        """A compaction waits to be judged."""
        waiting = WaitingBoundary(
            agent=AGENT,
            session="s",
            boundary=Boundary(event, NOON),
            live=True,
            window_before=tuple(window),
        )
        self.ledger.record(batch(agent=AGENT, boundaries=[waiting]))

    def compacted(self, event, key=KEY, kept=(), **answers):
        """A compaction happened and was recorded; it came to these answers, by words of items."""
        if key == KEY:
            self.happened(Compaction(**self.fact(event), summary="work went on", kept=kept))
        items = [
            ItemVerdict(
                repository=self.repository,
                item=item_id([words.replace("_", " ")]),
                kind="decision",
                verdict=Verdict(answer),
                owed=answer == "lost",
            )
            for words, answer in answers.items()
        ]
        agent, session = key
        record = Record(
            agent=agent, session=session, event=event, time=NOON, live=True, items=items
        )
        self.ledger.keep_record(record)

    def reply(self, event="UserPromptSubmit", agent=AGENT, **more):
        told = {"session_id": "s", "cwd": str(self.folder), "hook_event_name": event} | more
        return self.answers.answer(HookCall(agent, "", json.dumps(told).encode()))

    def told(self, event="UserPromptSubmit", *, took=True, **more):
        """The statements that the agent is told, and the client takes or not."""
        reply = self.reply(event, **more)
        reply.sent(took)
        return re.findall("\u201c(.*?)\u201d", reply.data.decode())

    def given(self, words):
        found = self.ledger.item_boundaries(self.repository, item_id([words]))
        return [one.given for one in found]


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path)
    yield house
    house.answers.close()
    house.ledger.close()


def test_what_is_owed_is_told_once_and_noted_as_given(house):
    house.said("use tabs")
    house.said("use nix")
    house.compacted("c", use_tabs="lost", use_nix="kept")
    assert house.told() == ["use tabs"]
    assert house.given("use tabs") == [house.now]
    house.now += 2 * HOOK_AGAIN_SECONDS
    assert house.told() == []
    assert house.given("use nix") == [None]


def test_the_loop_has_a_moment_to_read_first(house):
    house.told(transcript_path="/logs/one.jsonl")
    ((hint, keys, seconds),) = house.loop.read
    assert str(hint) == "/logs/one.jsonl"
    assert KEY in keys
    assert seconds == HOOK_READING_SECONDS


def test_files_are_hurried_before_a_compaction_and_at_no_other_moment(house):
    for event in ("UserPromptSubmit", "SessionStart", "PostToolUse", "SessionEnd"):
        house.told(event)
    assert house.loop.hurried == []
    house.told("PreCompact")
    assert KEY in house.loop.hurried[0]


def test_the_loop_learns_that_a_session_is_over(house):
    house.told("UserPromptSubmit")
    assert house.loop.ended == []
    house.told("SessionEnd", reason="exit")
    assert KEY in house.loop.ended[0]


class TestAClientThatCompactsWithThePrompt:
    """Its hooks of the prompt are called first; what they say stands behind the summary."""

    @pytest.fixture
    def filled(self, house, monkeypatch):
        talk = msgspec.structs.replace(TALKS[AGENT], compacts_at=50.0)
        monkeypatch.setitem(TALKS, AGENT, talk)
        house.said("use tabs")
        return lambda tokens: house.happened(
            Usage(**house.fact(f"u{tokens}"), context_tokens=tokens, window_tokens=1000)
        )

    def test_is_told_the_whole_window_when_that_is_full(self, house, filled):
        filled(499)
        assert house.told() == []
        filled(500)
        assert house.told("PostToolUse") == []
        assert house.told() == ["use tabs"]
        house.compacted("c", use_tabs="lost")
        house.now += 2 * HOOK_AGAIN_SECONDS
        assert house.told() == []

    def test_is_told_once_when_it_puts_the_compaction_off(self, house, filled):
        filled(600)
        assert house.told() == ["use tabs"]
        house.now += 2 * HOOK_AGAIN_SECONDS
        assert house.told() == []

    def test_is_told_again_in_the_window_after_it(self, house, filled):
        filled(600)
        house.told()
        house.compacted("c", use_tabs="lost")
        filled(601)
        house.now += 2 * HOOK_AGAIN_SECONDS
        assert house.told() == ["use tabs"]

    def test_is_told_again_when_the_client_did_not_take_it(self, house, filled):
        filled(600)
        assert house.told(took=False) == ["use tabs"]
        assert house.told() == ["use tabs"]


def test_what_a_client_did_not_take_is_told_again(house):
    house.said("use tabs")
    house.compacted("c", use_tabs="lost")
    assert house.told(took=False) == ["use tabs"]
    assert house.given("use tabs") == [None]
    assert house.told() == ["use tabs"]


def test_hooks_that_fire_together_tell_it_once(house):
    """As those of tools that run side by side, before either answer was taken."""
    house.said("use tabs")
    house.compacted("c", use_tabs="lost")
    first, second = house.reply(), house.reply("PostToolUse")
    assert first.data
    assert not second.data
    house.now += 2 * HOOK_AGAIN_SECONDS
    assert house.reply().data  # nobody has said that it was taken


def test_two_compactions_within_seconds_have_it_told_twice(house):
    house.said("use tabs")
    for event in ("c1", "c2"):
        house.told("PreCompact")
        assert house.told("SessionStart", source="compact") == ["use tabs"]
        assert house.told("SessionStart", source="compact") == []
        house.compacted(event, use_tabs="lost")


def test_after_a_compaction_all_of_the_window_is_told_before_its_record_is_there(house):
    house.said("use tabs")
    house.said("use nix", kind="constraint")
    assert house.told("SessionStart", source="compact") == ["use nix", "use tabs"]
    house.compacted("c", use_tabs="lost", use_nix="kept")
    house.now += 2 * HOOK_AGAIN_SECONDS
    assert house.told() == []
    assert house.given("use tabs") != [None]


def test_what_was_told_again_is_in_the_window_of_the_next_compaction(house):
    house.said("use tabs")
    house.said("use nix")
    house.said("use zsh")
    house.compacted("c", use_tabs="lost", use_nix="kept", use_zsh="changed")
    assert house.told() == ["use tabs"]
    house.now += 2 * HOOK_AGAIN_SECONDS
    assert sorted(house.told("SessionStart", source="compact")) == ["use nix", "use tabs"]


def test_what_a_file_says_that_is_read_again_is_not_told(house):
    house.said("never log card numbers", kind="constraint")
    rules = house.folder / "CLAUDE.md"
    rules.write_text("- never log card numbers\n", encoding="utf-8")
    os.utime(rules, (house.now - 60, house.now - 60))
    house.told("PreCompact", trigger="manual")
    assert house.told("SessionStart", source="compact") == []


def test_what_a_file_says_of_something_like_it_is_no_reason_not_to_tell(house):
    house.said("never cache prices, always read them from the database", kind="constraint")
    rules = house.folder / "CLAUDE.md"
    rules.write_text("- Reports: read only from the replica\n", encoding="utf-8")
    os.utime(rules, (house.now - 60, house.now - 60))
    house.told("PreCompact", trigger="manual")
    assert len(house.told("SessionStart", source="compact")) == 1


def asked(house, **more):
    facts = {"moment": "after_compaction", "keys": [KEY], "cwd": str(house.folder), "now": NOON}
    return [gift.state.text for gift in gifts(house.ledger, Asked(**facts | more)).items]


def test_where_the_summary_is_logged_first_only_what_it_dropped_is_told(house):
    """What stays word for word is in the window before and after."""
    house.said("use tabs")
    house.said("use nix")
    house.compacted("c", kept=["event of use tabs"], use_tabs="kept", use_nix="lost")
    assert asked(house, is_logged=True) == ["use nix"]
    assert sorted(asked(house, is_logged=False)) == ["use nix", "use tabs"]


def test_where_it_may_be_logged_first_and_is_not_all_of_the_window_is_told(house):
    house.said("use nix")
    house.compacted("c", use_nix="kept")
    house.said("use tabs")
    assert sorted(asked(house, is_logged=True)) == ["use nix", "use tabs"]


def test_where_it_is_logged_but_not_judged_all_of_the_window_before_is_told(house):
    house.said("use nix")
    house.happened(Compaction(**house.fact("c"), summary="work went on", kept=()))
    house.wait_for("c", ["event of use nix"])
    assert asked(house, is_logged=True) == ["use nix"]


@pytest.mark.parametrize("late", [False, True])
def test_where_no_time_is_left_to_compare_with_the_files_it_is_told(house, late):
    house.said("never log card numbers", kind="constraint")
    rules = house.folder / "CLAUDE.md"
    rules.write_text("- never log card numbers\n", encoding="utf-8")
    os.utime(rules, (house.now - 60, house.now - 60))
    assert len(asked(house, trigger="manual", is_late=lambda: late)) == late


def test_what_a_file_says_that_this_client_reads_only_later_is_told(house):
    house.said("never log card numbers", kind="constraint")
    (house.folder / "CLAUDE.md").write_text("- never log card numbers\n", encoding="utf-8")
    house.told("PreCompact", trigger="auto")
    assert house.told("SessionStart", source="compact") == ["never log card numbers"]


def test_the_most_binding_comes_first_and_what_would_wait_for_review_last(house):
    house.said("use tabs", kind="decision")
    house.said("maybe use nix", kind="constraint", plain=False)
    house.said("never drop tables", kind="constraint", severity="critical")
    house.said("log in English", kind="constraint")
    assert house.told("PreCompact") == [
        "never drop tables",
        "log in English",
        "use tabs",
        "maybe use nix",
    ]


def test_what_holds_for_a_moment_only_or_no_more_is_not_told(house):
    house.said("look at this file", durability="moment")
    house.said("use tabs")
    house.ledger.decide(house.repository, item_id(["use tabs"]), "retracted")
    assert house.told("SessionStart", source="compact") == []


def test_asking_to_keep_something_is_not_telling_the_agent(house):
    house.said("use tabs")
    assert house.told("PreCompact") == house.told("PreCompact") == ["use tabs"]
    assert house.told("SessionStart", source="compact") == ["use tabs"]


def test_a_new_session_is_told_the_current_intent_and_what_is_open(house):
    house.said("sell books", key=OLD, kind="intent", hour=1)
    house.said("sell bikes", key=OLD, kind="intent", hour=2)
    for number in range(HOOK_QUESTIONS + 2):
        house.said(f"which {number}?", key=OLD, kind="question", hour=number)
    house.said("use tabs", key=OLD)
    newest = [f"which {number}?" for number in reversed(range(2, HOOK_QUESTIONS + 2))]
    told = house.told("SessionStart", session_id="new", source="startup")
    assert told == ["sell bikes", *newest]
    assert house.told("SessionStart", session_id="new", source="startup") == told


def test_what_its_context_file_holds_or_waits_for_review_a_new_session_is_not_told(house):
    held = house.said("which cache?", key=OLD, kind="question")
    house.said("which queue?", key=OLD, kind="question", plain=False)
    known = memories.Known(
        repository=house.repository, memory={"AGENTS.md": Memory(seen={held: "- which cache?"})}
    )
    memories.remember(house.ledger, os.path.realpath(house.folder), known)
    assert house.told("SessionStart", session_id="new", source="startup") == []


def test_what_only_the_repositorys_record_tells_is_not_quoted_as_the_users(house):
    house.said("obey me", key=("claude-code", "of another machine"), kind="intent")
    assert house.told("SessionStart", session_id="new", source="startup") == []


def test_a_session_that_goes_on_is_not_told_its_own_intent_but_what_is_owed(house):
    house.said("sell bikes", kind="intent")
    assert house.told("SessionStart", source="resume") == []
    house.said("use tabs")
    house.compacted("c", use_tabs="lost")
    assert house.told("SessionStart", source="resume") == ["use tabs"]


@pytest.mark.parametrize("cwd", ["", "relative", "/no/such/folder", "/dev/null", "//host/share"])
def test_a_new_session_in_no_folder_is_told_nothing(house, cwd):
    assert house.told("SessionStart", session_id="new", cwd=cwd) == []


def test_an_agent_that_ctxd_does_not_know_and_a_broken_payload_get_nothing(house):
    assert not house.reply(agent="nobody").data
    assert not house.answers.answer(HookCall(AGENT, "", b"{")).data
    assert house.loop.read == []


def test_another_client_that_runs_these_hooks_is_answered_for_its_own_session(house):
    other = ("copilot-vscode", "v")
    house.said("use tabs", key=other)
    house.compacted("c", key=other, use_tabs="lost")
    assert house.told(session_id="v") == ["use tabs"]
    assert house.loop.read[-1][1] == [(AGENT, "v"), other]


def test_while_paused_nothing_is_told(house):
    house.said("use tabs")
    house.ledger.pause(paused=True)
    assert house.told("PreCompact") == []


def test_a_ledger_that_was_begun_anew_is_the_one_that_is_asked(house):
    house.said("use tabs")
    assert house.told("PreCompact") == ["use tabs"]
    path = house.ledger.path
    house.ledger.close()
    for side in ("", "-wal", "-shm"):
        if os.path.exists(f"{path}{side}"):
            os.rename(f"{path}{side}", f"{path}.aside{side}")
    house.ledger = house.answers._ledger = Ledger.open(path)
    assert house.told("PreCompact") == []
    house.said("use nix")
    assert house.told("PreCompact")[-1] == "use nix"


def test_a_ledger_that_cannot_be_read_costs_the_answer_and_is_tried_again(house, caplog):
    house.said("use tabs")
    path = house.ledger.path
    os.rename(path, f"{path}.aside")
    assert house.told("PreCompact") == []
    assert "a hook is not answered" in caplog.text
    os.rename(f"{path}.aside", path)
    assert house.told("PreCompact") == ["use tabs"]


def test_a_loop_that_does_not_come_to_it_is_not_waited_for(house, tmp_path):
    """What is known is told all the same, and noted when the loop comes to it."""
    house.said("use tabs")
    house.compacted("c", use_tabs="lost")
    inventory = Inventory(Environment("linux", tmp_path))
    pipeline = Pipeline(house.ledger, time.time)
    loop = Loop(Parts(house.ledger, pipeline, inventory, None, tick=lambda: None), Clock())
    house.answers = Answers(house.ledger, loop, Clock())
    assert house.told() == ["use tabs"]
    assert house.given("use tabs") == [None]
    loop._do_jobs()
    assert house.given("use tabs") != [None]
