"""What is said to have been done about a loss: nothing that was not."""

import pytest

from batches import batch
from ctxd.context_files import memories
from ctxd.context_files.memories import Known
from ctxd.context_files.values import Memory
from ctxd.hooks.records import Record as HookRecord
from ctxd.ledger import Ledger
from ctxd.notify.losses import Loss
from ctxd.retention.remedies import Remedy, held, remedies, said
from ctxd.service.compacted import Doings, put_back
from losing import REPO, dropped, keep, record, verdict
from session_events import at

KEY = ("a", "s")


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "ledger.sqlite3", lambda: at(0).timestamp()) as ledger:
        ledger.record(batch())
        yield ledger


def wrote(ledger, *items, path="AGENTS.md", root=REPO, **more):
    facts = {"written": {one.id: f"- {one.text}" for one in items}, "block": True} | more
    known = Known(repository=REPO, memory={path: Memory(**facts)})
    memories.remember(ledger, root, known)


class TestFiles:
    def test_an_item_with_a_line_is_held(self, ledger):
        one, two = keep(ledger, "never push", "always pull")
        wrote(ledger, one)
        assert held(ledger, REPO) == {one.id: ("AGENTS.md",)}
        wrote(ledger, one, two, path="web/AGENTS.md", root=f"{REPO}-linked")
        assert held(ledger, REPO)[one.id] == ("AGENTS.md", "web/AGENTS.md")
        assert held(ledger, "/elsewhere") == {}

    @pytest.mark.parametrize("reason", ["empty", "left_out", "stopped"])
    def test_one_that_gave_up_its_line_is_not(self, ledger, reason):
        [one] = keep(ledger, "never push")
        more = {
            "empty": {"written": {one.id: ""}},
            "left_out": {"left_out": (one.id,)},
            "stopped": {"stopped": True},
        }[reason]
        wrote(ledger, one, **more)
        assert held(ledger, REPO) == {}


def test_each_item_has_what_was_done_about_it(ledger):
    one, two, three = keep(ledger, "never push", "always pull", "no tabs")
    found = record([verdict(i, owed=True) for i in (one, two)] + [verdict(three)])
    ledger.keep_record(found)
    ledger.mark_given(*KEY, [(REPO, one.id)], 7.0)
    wrote(ledger, two)
    names = [(REPO, i.id) for i in (one, two, three)]
    assert list(remedies(ledger, found, names).values()) == [
        Remedy(given=7.0),
        Remedy(files=("AGENTS.md",), owed=True),
        Remedy(),
    ]
    ledger.keep_record(record([verdict(one, owed=True)], "c1b"))
    given = remedies(ledger, found, names)[REPO, one.id]
    assert (given.given, given.owed) == (7.0, False)
    later = record([verdict(two, "kept")], "c2")
    ledger.keep_record(later)
    assert not remedies(ledger, found, names)[REPO, two.id].owed


class TestWords:
    GIVEN, FILED, NONE = Remedy(given=1.0), Remedy(files=("AGENTS.md",), owed=True), Remedy()
    OWED = Remedy(owed=True)

    def said(self, *found, agent="claude-code", version="2.1.332", trigger="manual", hooked=False):
        one = record([], trigger=trigger)
        import msgspec

        one = msgspec.structs.replace(one, agent=agent)
        return said(found, one, version, hooked=hooked)

    def test_what_was_given_is_put_back(self):
        assert self.said(self.GIVEN, self.GIVEN) == "put back: the agent was told again"

    def test_a_file_that_is_read_again_puts_it_back(self):
        assert self.said(self.FILED) == "put back: AGENTS.md"
        assert self.said(self.FILED, self.NONE) == "put back: AGENTS.md (1 of 2)"

    @pytest.mark.parametrize("agent", ["copilot-cli", "kiro-cli", "codex"])
    def test_one_that_is_not_is_no_help_before_the_next_start(self, agent):
        words = self.said(self.FILED, agent=agent, version=None)
        assert words == "in AGENTS.md, which the agent reads at its next start"

    def test_one_that_is_read_with_the_next_prompt_is_said_to_be(self):
        words = self.said(self.FILED, version="2.1.109", trigger="auto")
        assert words == "in AGENTS.md, which the agent reads with your next prompt"

    def test_one_that_was_read_again_before_it_was_written_is_no_help_either(self):
        words = self.said(self.FILED, version="2.1.332", trigger="auto")
        assert words == "in AGENTS.md, which the agent reads at its next start"

    def test_with_hooks_the_agent_is_told_soon(self):
        assert self.said(self.OWED, hooked=True) == "the agent is told again with your next prompt"
        assert self.said(self.OWED) == ""

    def test_nothing_is_claimed_where_nothing_was_done(self):
        assert self.said(self.NONE) == ""
        assert self.said(self.NONE, hooked=True) == ""


class TestListening:
    def test_context_files_are_hurried_for_what_was_dropped(self, ledger):
        hurried = []

        class Keeper:
            def hurry(self, repository):
                hurried.append(repository)

        listen = put_back(Keeper())
        listen(dropped([]))
        assert hurried == []
        from ctxd.retention.values import Dropped, DroppedItem

        [one] = keep(ledger, "never push")
        [kept] = ledger.items(REPO)
        found = record([one])
        item = DroppedItem(found.items[0], kept.state)
        listen(Dropped(record=found, items=[item], repository=REPO))
        assert hurried == [REPO]

    def test_a_notice_says_what_was_done(self, ledger, tmp_path):
        [one] = keep(ledger, "never push")
        told = dropped([verdict(one, owed=True)])
        ledger.keep_record(told.record)
        loss = Loss(repository=REPO, item=one.id, text=one.text, kind=one.kind, answer="lost")
        doings = Doings(ledger, tmp_path)
        assert doings.done(told, [loss]) == ""
        hooks = doings._hooks
        hooks.all = lambda: [
            HookRecord(path="/x", agents=("a",), time=at(0), before=None, after="d")
        ]
        assert doings.done(told, [loss]) == "the agent is told again with your next prompt"
        ledger.mark_given(*KEY, [(REPO, one.id)], 3.0)
        assert doings.done(told, [loss]) == "put back: the agent was told again"
