"""From exchanges that wait to items: of a person, once, in the light of what is known.

A simple judge stands in for the one that ships, so that what is tested here does not move with its
model: each sentence of the user's that begins with `rule`, `maybe` or `agreed` is an item.
"""

import os
import re
import time
from datetime import UTC, datetime, timedelta

import pytest

from batches import batch
from ctxd.exchange import Exchange
from ctxd.item import Evidence, Item, item_id
from ctxd.ledger import Ledger, Pending
from ctxd.session import Session
from ctxd.understanding import LIVE_SINCE, Understanding
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    ContextFileLoaded,
    ContextInjected,
    QuestionAnswered,
    UserMessage,
)

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
KEY = ("a", "s")
_SIGNS = {
    "rule": ("user", True, 0.9),
    "maybe": ("user", False, 0.3),
    "likely": ("user", False, 0.9),
}
_SENTENCE = re.compile(r"(rule|maybe|likely): ([^.;]+)")


def judge(said):
    """One item for each sentence that is marked."""
    found = []
    for event in said.answer:
        text = getattr(event, "text", None) or " ".join(getattr(event, "chosen", ()))
        for sign, words in _SENTENCE.findall(text):
            authority, plain, probability = _SIGNS[sign]
            found.append(
                Item(
                    id=item_id([words]),
                    agent=said.agent,
                    session=said.session,
                    event=event.id,
                    time=event.time,
                    kind="constraint",
                    text=words,
                    authority=authority,
                    plain=plain,
                    probability=probability,
                    evidence=(Evidence(event.id, "user", words),),
                )
            )
    return found


class World:
    """A ledger with sessions that are talked in, and the understanding of it."""

    def __init__(self, folder):
        self.folder = folder
        self.ledger = Ledger.open(folder / "ledger.sqlite3")
        self.sessions = {}
        self.said = 0
        self.begin()

    def begin(self, since=NOW - timedelta(hours=1)):
        """Start anew, as after a kill."""
        if self.ledger.meta(LIVE_SINCE) is None:
            self.ledger.set_meta(LIVE_SINCE, repr(since.timestamp()))
        self.understanding = Understanding(self.ledger, self.session, time.time, judge)

    def session(self, key=KEY):
        return self.sessions.setdefault(
            key, Session(*key, cwd=str(self.folder), started=NOW, last_event=NOW)
        )

    def tell(self, *events, pending=()):
        number = self.said = self.said + 1
        self.ledger.record(batch(*events, offset=100 * number, pending=pending))

    def say(self, text, name=None, at=NOW, session="s", **before):
        """Words of the user, recorded and left waiting; `before` are other parts of the exchange,
        by their ids."""
        name = name or f"u{self.said}"
        words = UserMessage(agent="a", session=session, id=name, text=text, time=at)
        parts = {part: tuple(names) for part, names in before.items()}
        exchange = Exchange(**{**parts, "answer": (*parts.get("answer", ()), name)})
        self.tell(words, pending=[Pending("a", session, exchange)])
        return name

    def settle(self):
        while self.understanding.step():
            pass
        assert self.ledger.pending() == []

    def hear(self, text, **more):
        name = self.say(text, **more)
        self.settle()
        return name

    def texts(self, **more):
        return [kept.state.text for kept in self.ledger.items(**more)]

    def statuses(self):
        return {k.state.text: k.state.status for k in self.ledger.items(statuses=())}


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path)
    yield world
    world.ledger.close()


class TestExchanges:
    def test_an_exchange_that_waits_becomes_items_and_waits_no_more(self, world):
        name = world.hear("rule: never log request bodies. rule: sort imports by hand")
        first, second = world.ledger.items()
        assert (first.item.text, second.item.text) == (
            "never log request bodies",
            "sort imports by hand",
        )
        assert first.exchange == ("a", "s", name)
        assert first.repository == str(world.folder)

    def test_what_a_kill_left_waiting_is_judged_at_the_next_start(self, world):
        world.say("rule: never log request bodies")
        world.begin()
        world.settle()
        assert world.texts() == ["never log request bodies"]

    def test_an_answer_that_grew_is_judged_anew_and_what_it_was_before_is_replaced(self, world):
        first = world.hear("rule: use tabs in the makefile")
        world.hear("rule: use tabs in the makefile; rule: never log bodies", answer=[first])
        assert sorted(world.texts()) == ["never log bodies", "use tabs in the makefile"]

    def test_an_answer_that_grew_into_none_leaves_nothing(self, world):
        name = world.hear("rule: use tabs in the makefile")
        world.understanding = Understanding(world.ledger, world.session, time.time, lambda _: [])
        world.tell(pending=[Pending("a", "s", Exchange(answer=(name,)))])
        world.settle()
        assert world.texts() == []

    def test_judging_the_same_five_times_changes_nothing(self, world):
        name = world.hear("rule: never log request bodies")
        before = world.ledger.items()
        history = world.ledger.item_events(str(world.folder))
        for _ in range(5):
            world.tell(pending=[Pending("a", "s", Exchange(answer=(name,)))])
            world.settle()
        assert world.ledger.items() == before
        assert world.ledger.item_events(str(world.folder)) == history

    def test_what_was_said_again_elsewhere_outlives_the_exchange_it_was_first_said_in(self, world):
        name = world.hear("rule: never log request bodies")
        world.hear("rule: Never log request bodies!", name="again", session="t")
        world.understanding = Understanding(
            world.ledger,
            world.session,
            time.time,
            lambda said: [] if said.session == "s" else judge(said),
        )
        world.tell(pending=[Pending("a", "s", Exchange(answer=(name,)))])
        world.settle()
        [kept] = world.ledger.items()
        assert (kept.item.session, kept.state.status) == ("t", "active")

    def test_a_defect_in_judging_costs_one_exchange(self, world, caplog):
        def fails(said):
            if "boom" in said.answer[0].text:
                raise ValueError("cannot")
            return judge(said)

        world.understanding = Understanding(world.ledger, world.session, time.time, fails)
        for text in ("rule: never log bodies", "boom", "rule: sort imports by hand"):
            world.say(text)
        world.settle()
        assert sorted(world.texts()) == ["never log bodies", "sort imports by hand"]
        assert "cannot be judged" in caplog.text
        assert "boom" not in caplog.text

    def test_what_cannot_be_stored_waits_on(self, world, monkeypatch):
        world.say("rule: never log bodies")
        settle = world.ledger.settle

        def full(_judgements):
            raise OSError(28, "no space left")

        monkeypatch.setattr(world.ledger, "settle", full)
        with pytest.raises(OSError, match="no space"):
            world.understanding.step()
        monkeypatch.setattr(world.ledger, "settle", settle)
        world.settle()
        assert world.texts() == ["never log bodies"]


class TestWhatNeverBecomesAnItem:
    def test_words_of_a_sub_agents_session(self, world):
        world.session().how = "sub_agent"
        world.hear("rule: never log request bodies")
        assert world.texts() == []

    def test_prompts_that_a_program_wrote(self, world):
        world.session().client = "sdk-ts"
        world.hear("rule: never log request bodies")
        assert world.texts() == []

    def test_but_a_dialogs_answer_in_a_programs_session_is_a_persons(self, world):
        world.session().client = "sdk-ts"
        picked = QuestionAnswered(
            agent="a", session="s", id="q", time=NOW, question="?", chosen=("rule: keep it",)
        )
        world.tell(picked, pending=[Pending("a", "s", Exchange(answer=("q",)))])
        world.settle()
        assert world.texts() == ["keep it"]

    def test_words_that_were_taken_back(self, world):
        world.say("rule: never log request bodies", name="gone")
        world.ledger._connection.execute("UPDATE events SET withdrawn = 1 WHERE id = 'gone'")
        world.settle()
        assert world.texts() == []

    @pytest.mark.parametrize("parent_first", [True, False])
    def test_words_that_a_fork_began_with_are_its_parents(self, world, parent_first):
        """Whichever of the two is read first."""
        fork = world.session(("a", "fork"))
        order = ("s", "fork") if parent_first else ("fork", "s", "fork")
        for session in order:
            if session == "fork":
                fork.parent = "s"
            world.hear("rule: never log request bodies", name="shared", session=session)
        [kept] = world.ledger.items()
        assert kept.item.session == "s"

    def test_what_a_hook_had_told_the_agent_before(self, world):
        told = ContextInjected(
            agent="a",
            session="s",
            id="h",
            time=NOW - timedelta(minutes=1),
            source="hook",
            text="# Rules\n- never log request bodies",
        )
        world.tell(told)
        world.hear("rule: never log request bodies. rule: sort imports by hand")
        assert world.texts() == ["sort imports by hand"]

    @pytest.mark.parametrize("name", ["AGENTS.md", "docs/RULES.md"])
    def test_what_stands_in_a_context_file(self, world, name):
        path = world.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("* **Never** log request bodies.\n", encoding="utf-8")
        world.tell(ContextFileLoaded(agent="a", session="s", id="f", path=name))
        world.hear("rule: never log request bodies")
        assert world.texts() == []

    def test_the_opposite_of_a_context_file_is_no_echo_of_it(self, world):
        (world.folder / "AGENTS.md").write_text("- always log request bodies\n", encoding="utf-8")
        world.hear("rule: never log request bodies")
        assert world.texts() == ["never log request bodies"]

    def test_the_line_that_a_file_has_of_words_makes_no_echo_of_them_when_they_are_judged_anew(
        self, world
    ):
        name = world.hear("rule: never log request bodies")
        (world.folder / "AGENTS.md").write_text("- never log request bodies\n", encoding="utf-8")
        world.hear("rule: sort imports by hand", answer=[name])
        assert sorted(world.texts()) == ["never log request bodies", "sort imports by hand"]
        assert {kept.exchange for kept in world.ledger.items()} == {("a", "s", name)}
        world.begin()
        world.hear("rule: use tabs in the makefile", answer=[name])
        assert "never log request bodies" in world.texts()

    def test_what_a_file_said_before_the_user_did_stays_an_echo_when_it_is_judged_anew(self, world):
        (world.folder / "AGENTS.md").write_text("- never log request bodies\n", encoding="utf-8")
        name = world.hear("rule: never log request bodies")
        world.hear("rule: sort imports by hand", answer=[name])
        assert world.texts() == ["sort imports by hand"]

    def test_a_summary_before_it_is_an_echo_and_one_after_it_is_not(self, world):
        for minutes, event_id, text in (
            (-5, "before", "The user wants: sort imports by hand"),
            (5, "after", "never log request bodies"),
        ):
            world.tell(
                Compaction(
                    agent="a",
                    session="s",
                    id=event_id,
                    time=NOW + timedelta(minutes=minutes),
                    summary=f"Summary:\n- sort imports by hand\n- {text}"
                    if minutes < 0
                    else f"Summary:\n- {text}",
                )
            )
        world.hear("rule: never log request bodies. rule: sort imports by hand")
        assert world.texts() == ["never log request bodies"]

    def test_context_files_that_are_links_pipes_or_huge_hold_nothing_up(self, world, tmp_path):
        secret = tmp_path / "elsewhere"
        secret.write_text("- never log request bodies\n", encoding="utf-8")
        (world.folder / "AGENTS.md").symlink_to(secret)
        if hasattr(os, "mkfifo"):
            os.mkfifo(world.folder / "pipe.md")
        (world.folder / "huge.md").write_bytes(b"x" * 10_000_000)
        for number, path in enumerate(("pipe.md", "huge.md", "missing.md", "a\0b", ".")):
            world.tell(ContextFileLoaded(agent="a", session="s", id=f"f{number}", path=path))
        world.hear("rule: never log request bodies")
        assert world.texts() == ["never log request bodies"]


class TestHistory:
    def test_what_was_said_before_the_daemon_first_ran_is_only_ever_proposed(self, world):
        world.hear("rule: never log bodies", at=NOW - timedelta(days=1))
        world.hear("rule: sort imports by hand")
        old, new = world.ledger.items()
        assert (old.item.plain, old.state.waits) == (False, True)
        assert (new.item.plain, new.state.waits) == (True, False)

    def test_where_the_log_tells_no_times_its_sessions_start_counts(self, world):
        world.hear("rule: never log bodies", at=None)
        world.session().started = NOW - timedelta(days=1)
        world.hear("rule: sort imports by hand", at=None)
        plain = {kept.item.text: kept.item.plain for kept in world.ledger.items()}
        assert plain == {"never log bodies": True, "sort imports by hand": False}

    def test_when_it_first_ran_is_kept_over_starts(self, world):
        since = world.understanding.live_since
        world.begin(since=NOW)
        assert world.understanding.live_since == since

    def test_history_that_is_read_later_does_not_overturn_what_was_said_since(self, world):
        world.hear("rule: never log request bodies")
        world.hear("rule: always log request bodies", at=NOW - timedelta(days=9))
        assert world.statuses() == {
            "never log request bodies": "active",
            "always log request bodies": "superseded",
        }

    def test_what_is_said_again_now_is_no_longer_only_proposed(self, world):
        world.hear("rule: never log request bodies", at=NOW - timedelta(days=1))
        world.hear("rule: never log request bodies", name="again")
        [kept] = world.ledger.items()
        assert kept.item.plain


class TestWhatIsKnown:
    def test_a_restatement_is_no_second_item(self, world):
        world.hear("rule: never log request bodies")
        for number in range(40):
            world.hear("rule: Never log request bodies!", name=f"again{number}", session="t")
        [kept] = world.ledger.items()
        assert kept.state.restated == 40

    def test_the_last_word_wins(self, world):
        world.hear("rule: always log request bodies")
        world.hear("rule: never log request bodies", at=NOW + timedelta(minutes=1))
        assert world.statuses() == {
            "always log request bodies": "superseded",
            "never log request bodies": "active",
        }

    @pytest.mark.parametrize("sign", ["maybe", "likely"])
    @pytest.mark.parametrize("minute", [-1, 0, 1])
    def test_what_waits_for_review_takes_no_plain_one_out_of_force(self, world, sign, minute):
        at = NOW + timedelta(minutes=minute)
        world.hear("rule: always log request bodies")
        world.hear(f"{sign}: never log request bodies", at=at)
        assert world.statuses()["always log request bodies"] == "active"
        [rule] = [kept for kept in world.ledger.items() if kept.item.plain]
        assert not rule.state.waits

    def test_a_plain_one_that_is_read_later_stands_beside_what_waits_for_review(self, world):
        world.hear("likely: never log request bodies", at=NOW + timedelta(minutes=1))
        world.hear("rule: always log request bodies")
        assert set(world.statuses().values()) == {"active"}

    def test_what_waits_for_review_takes_nothing_accepted_out_of_force(self, world):
        world.hear("maybe: always log request bodies")
        [kept] = world.ledger.items()
        world.ledger.decide(kept.repository, kept.id, "accepted")
        world.begin()
        later = datetime.now(UTC) + timedelta(days=1)
        world.hear("likely: never log request bodies", at=later)
        assert set(world.statuses().values()) == {"active"}

    def test_what_the_user_rejected_stays_out_when_the_log_is_read_anew(self, world):
        name = world.hear("rule: never log request bodies")
        [kept] = world.ledger.items()
        world.ledger.decide(kept.repository, kept.id, "rejected")
        world.tell(pending=[Pending("a", "s", Exchange(answer=(name,)))])
        world.settle()
        world.hear("rule: request bodies are never logged", name="other words")
        assert world.texts() == []

    def test_words_said_after_a_rejection_come_up_for_review(self, world):
        world.hear("rule: never log request bodies")
        [kept] = world.ledger.items()
        world.ledger.decide(kept.repository, kept.id, "rejected")
        later = datetime.now(UTC) + timedelta(days=1)
        world.hear("rule: never log any request bodies", name="anew", at=later)
        [anew] = world.ledger.items()
        assert anew.state.waits

    def test_two_sessions_at_work_in_one_repository_keep_their_items_apart(self, world):
        world.say("rule: never log request bodies", session="s", name="one")
        world.say("rule: sort imports by hand", session="t", name="two")
        world.settle()
        assert world.texts(session=("a", "s")) == ["never log request bodies"]
        assert world.texts(session=("a", "t")) == ["sort imports by hand"]

    def test_repositories_know_nothing_of_each_other(self, world, tmp_path):
        world.session(("a", "t")).cwd = str(tmp_path / "other")
        world.hear("rule: never log request bodies")
        world.hear("rule: never log request bodies", session="t", name="there")
        assert len(world.ledger.items()) == 2


def test_a_session_in_a_language_that_is_not_covered_is_remembered_as_such(world):
    words = "Zawsze używaj tabulatorów, bo tak robimy w całym projekcie i nie chcemy tego zmieniać."
    world.hear(words)
    assert world.texts() == []
    assert list(world.ledger.uncovered().values()) == [1]


def test_an_agents_message_is_read_but_binds_nobody(world):
    agent = AssistantMessage(agent="a", session="s", id="m", time=NOW, text="rule: use tabs")
    world.tell(agent)
    world.hear("hm", proposal=["m"])
    assert world.texts() == []


class TestReversals:
    def test_words_that_only_take_back_retract_what_was_settled_just_before(self, world):
        first = world.hear("rule: cache the answers in a file")
        world.hear("nah, let's roll that back", earlier=[first], at=NOW + timedelta(minutes=1))
        assert world.statuses() == {"cache the answers in a file": "retracted"}

    def test_what_was_taken_back_may_be_said_again(self, world):
        first = world.hear("rule: cache the answers in a file")
        world.hear("nah, let's roll that back", earlier=[first], at=NOW + timedelta(minutes=1))
        world.hear("rule: cache the answers in a file", at=NOW + timedelta(minutes=2))
        assert world.texts() == ["cache the answers in a file"]

    def test_an_old_reversal_that_is_read_later_leaves_what_was_said_since(self, world):
        first = world.hear("rule: cache the answers in a file")
        world.hear("forget the cache", earlier=[first], at=NOW - timedelta(days=3))
        assert world.texts() == ["cache the answers in a file"]
