"""What a record says of each item, of the files worked on, and of what was asked last."""

import msgspec
import pytest

from compacting import NOW, World, answers, of
from ctxd.item import Evidence
from ctxd.item_log import ItemState, captured, state, superseded, verdict
from ctxd.ledger import LastAnswer
from ctxd.retention.record import as_of, is_in_window, unnamed
from ctxd_parsers.events import AssistantMessage, CompactionStarted
from made_items import at_hour, item

MAIN = "never push to main"
STAGING = "run the tests against staging"
KEEP = "The user wants the report to be exported as CSV."


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    made.start()
    yield made
    made.ledger.close()


def place(one):
    """What became of an item, and where the words are that decided."""
    return one.verdict.answer, one.verdict.where, one.verdict.name


class TestAnswers:
    def test_an_item_that_the_summary_states_is_kept(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(f"Constraints: {MAIN}.", "c1")
        [one] = world.go()[0].items
        assert (one.verdict.answer, one.verdict.where, one.verdict.name) == (
            "kept",
            "summary",
            "c1",
        )
        assert MAIN in one.verdict.passage

    def test_an_item_of_which_the_summary_says_something_else_is_changed(self, world):
        world.user("rule: retry failed uploads 3 times")
        world.compacts("Constraints: retry failed uploads 9 times.")
        [one] = world.go()[0].items
        assert one.verdict.answer == "changed"
        assert "9 times" in one.verdict.passage
        assert one.verdict.why

    def test_an_item_whose_message_stays_word_for_word_is_kept_whatever_the_summary_says(
        self, world
    ):
        said = world.user(f"rule: {MAIN}")
        world.compacts(KEEP, kept=(said.id,))
        [one] = world.go()[0].items
        assert (one.verdict.answer, one.verdict.where, one.verdict.name) == (
            "kept",
            "kept",
            said.id,
        )

    def test_what_was_said_while_the_summary_was_made_stays(self, world):
        world.write(CompactionStarted(**world.fact(), attempt="one"))
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP, attempt="one")
        [one] = world.go()[0].items
        assert one.verdict.answer == "kept"

    def test_what_the_agent_keeps_saying_of_it_counts(self, world):
        world.user(f"rule: {MAIN}")
        again = world.says(f"Understood, I will {MAIN}.")
        world.compacts(KEEP, kept=(again.id,))
        [one] = world.go()[0].items
        assert (one.verdict.answer, one.verdict.where) == ("kept", "kept")

    @pytest.mark.parametrize(
        "facts", [{"readable": False, "summary": None}, {"summary": None}, {"summary": "  \n"}]
    )
    def test_a_summary_that_cannot_be_read_leaves_it_unknown(self, world, facts):
        world.user(f"rule: {MAIN}")
        world.compacts(**facts, now=True)
        [record] = world.go()
        assert not record.readable
        assert answers(record) == {of(MAIN): "unknown"}
        assert not record.items[0].owed
        assert (record.files_unnamed, record.request_missing) == ([], "")

    def test_but_what_stays_word_for_word_is_kept_all_the_same(self, world):
        said = world.user(f"rule: {MAIN}")
        world.compacts(None, readable=False, kept=(said.id,))
        assert answers(world.go()[0]) == {of(MAIN): "kept"}

    def test_what_was_unknown_is_judged_at_the_next_one(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(None, "c1", readable=False)
        world.compacts(KEEP, "c2")
        assert [answers(one) for one in world.go()] == [
            {of(MAIN): "unknown"},
            {of(MAIN): "lost"},
        ]

    def test_only_what_the_user_said_or_agreed_to_is_owed(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP, now=True)
        [record] = world.go()
        assert [(one.owed, one.severity) for one in record.items] == [(True, "critical")]


class TestFiles:
    RULE = f"# Rules\n\n- {MAIN}\n"

    def test_what_a_file_says_that_is_read_again_is_reloaded(self, world):
        world.has_file("CLAUDE.md", self.RULE)
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP, now=True)
        [record] = world.go()
        [one] = record.items
        assert place(one) == ("reloaded", "file", "CLAUDE.md")
        assert record.files == ["CLAUDE.md"]
        assert not one.owed

    def test_what_a_humans_file_says_was_in_no_danger_even_if_it_is_not_read_again(self, tmp_path):
        world = World(tmp_path, agent="copilot-cli")
        world.start(version="1.0.102")
        world.user(f"rule: {MAIN}")
        world.go()
        world.has_file("AGENTS.md", self.RULE, age=-3600)
        world.compacts(KEEP, now=True)
        [one] = world.go()[0].items
        assert (one.verdict.answer, one.on_disk_before, one.owed) == ("lost", True, True)
        world.ledger.close()

    def test_what_ctxd_wrote_there_is_no_humans_word(self, tmp_path):
        from ctxd.context_files.block import BEGIN, END

        world = World(tmp_path, agent="copilot-cli")
        world.start(version="1.0.102")
        world.user(f"rule: {MAIN}")
        world.go()
        world.has_file("AGENTS.md", f"{BEGIN}\n\n- {MAIN} (aaaaaaaa)\n{END}\n", age=-3600)
        world.compacts(KEEP, now=True)
        [one] = world.go()[0].items
        assert (one.verdict.answer, one.on_disk_before) == ("lost", False)
        world.ledger.close()

    def test_a_file_that_was_changed_since_says_nothing_of_history(self, world):
        world.has_file("CLAUDE.md", self.RULE, age=-7200)
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP)
        world.wall += 30 * 24 * 3600
        [record] = world.go()
        assert (answers(record), record.files) == ({of(MAIN): "lost"}, [])
        assert not record.items[0].on_disk_before

    def test_rules_of_a_folder_are_gone_until_it_is_touched_again(self, world):
        world.loads("CLAUDE.md", "words", reason="start")
        world.loads(str(world.repo / "web" / "CLAUDE.md"), "words", reason="nested")
        world.compacts(KEEP, "c1")
        world.compacts(KEEP, "c2")
        first, second = world.go()
        assert first.nested_gone == ["web/CLAUDE.md"]
        assert second.nested_gone == []

    def test_files_that_the_summary_does_not_name_are_told(self, world):
        world.touches("src/report.py", str(world.repo / "docs" / "plan.md"))
        world.touches("src/old.py", "src", "Makefile", "src/*.py")
        world.compacts(f"{KEEP} Edited src/old.py. plan.md was read.", "c1")
        world.touches("src/new.py", "src/report.py", "src/new.py")
        world.compacts(KEEP, "c2")
        first, second = world.go()
        assert first.files_unnamed == ["src/report.py", "Makefile"]
        assert second.files_unnamed == ["src/report.py", "src/new.py"]

    @pytest.mark.parametrize(
        ("summary", "left"),
        [
            ("see `src/app.py`.", []),
            ("see app.py, please", []),
            ("see myapp.py", ["src/app.py"]),
            ("see src/app.pyc", ["src/app.py"]),
            ("edited C:\\shop\\src\\app.py", []),
            ("the app", ["src/app.py"]),
            ("", ["src/app.py"]),
        ],
    )
    def test_a_file_is_named_by_its_path_or_its_name(self, summary, left):
        assert unnamed(["src/app.py"], summary) == left

    def test_a_hostile_summary_costs_no_time(self):
        assert unnamed(["src/app.py"], "a/" * 50_000 + "-" * 50_000) == ["src/app.py"]


class TestRequest:
    ASKED = "Export the quarterly revenue report as a spreadsheet with one sheet per region."

    def test_the_last_request_that_is_in_no_summary_is_told(self, world):
        world.user(self.ASKED)
        world.user("go on")
        world.compacts("Fixed a typo in the login page.")
        assert world.go()[0].request_missing == self.ASKED

    def test_one_that_the_summary_states_is_not(self, world):
        world.user(self.ASKED)
        world.compacts(f"The user asked: {self.ASKED}")
        assert world.go()[0].request_missing == ""

    def test_nor_one_that_stays_word_for_word(self, world):
        asked = world.user(self.ASKED)
        world.compacts("Fixed a typo in the login page.", kept=(asked.id,))
        assert world.go()[0].request_missing == ""

    def test_nor_one_that_is_an_item_which_the_record_tells_of(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts("Fixed a typo in the login page.")
        [record] = world.go()
        assert [one.verdict.answer for one in record.items] == ["lost"]
        assert record.request_missing == ""

    def test_but_one_that_asks_for_more_than_an_item_is(self, world):
        world.user(f"rule: {MAIN}; {self.ASKED}")
        world.compacts("Fixed a typo in the login page.")
        assert self.ASKED in world.go()[0].request_missing

    def test_nor_what_came_with_a_command(self, world):
        world.user("keep everything about the quarterly revenue", origin="command_arguments")
        world.compacts("Fixed a typo in the login page.")
        assert world.go()[0].request_missing == ""

    def test_what_was_pasted_is_no_request(self, world):
        from ctxd_parsers.events import Paste

        text = "Traceback: the quarterly revenue report failed with error 12"
        world.user(text, pasted=(Paste(0, len(text)),))
        world.compacts("Fixed a typo in the login page.")
        assert world.go()[0].request_missing == ""


class TestInWindow:
    def test_an_item_is_there_by_its_words(self):
        assert is_in_window({"u1", "u9"}, None, {"u9"})
        assert not is_in_window({"u1"}, None, {"u9"})

    @pytest.mark.parametrize(
        ("answer", "given", "is_there"),
        [
            ("kept", None, True),
            ("reloaded", None, True),
            ("unknown", None, True),
            ("lost", None, False),
            ("changed", None, False),
            ("weakened", None, False),
            ("lost", 1.0, True),
            ("changed", 1.0, True),
        ],
    )
    def test_or_by_the_summary_that_stands_for_them(self, answer, given, is_there):
        last = LastAnswer(answer, "c1", given)
        assert is_in_window({"u1"}, last, {"c1", "u5"}) is is_there
        assert not is_in_window({"u1"}, last, {"c2", "u5"}), "that summary is gone itself"

    def test_words_that_an_item_leans_on_count(self, tmp_path):
        """The content stands in the agent's proposal, the yes is gone."""
        proposal = Evidence("a1", "agent", MAIN)
        yes = Evidence("u1", "user", "yes")
        one = item(MAIN, evidence=(yes, proposal), authority="confirmed")
        assert {evidence.event for evidence in one.evidence} == {"u1", "a1"}
        assert is_in_window({evidence.event for evidence in one.evidence}, None, {"a1"})


class TestAsOf:
    TABS, SPACES = item("use tabs"), item("use spaces", 2)

    def now(self, *events):
        return state(events)[self.TABS.id]

    def test_what_was_superseded_later_held_before(self):
        events = [captured(self.TABS), superseded(self.TABS.id, self.SPACES)]
        now = self.now(*events)
        assert now.status == "superseded"
        assert as_of(now, events, at_hour(1)).status == "active"
        assert as_of(now, events, at_hour(3)) is None
        assert as_of(now, events, None) is None

    def test_what_was_said_more_precisely_later_is_looked_for_as_it_was(self):
        from ctxd.item_log import refined

        more = msgspec.structs.replace(self.SPACES, text="use four spaces", id=self.TABS.id)
        events = [captured(self.TABS), refined(self.TABS.id, more)]
        now = self.now(*events)
        assert as_of(now, events, at_hour(1)).text == "use tabs"
        assert as_of(now, events, at_hour(3)).text == "use four spaces"

    @pytest.mark.parametrize("kind", ["rejected", "retracted"])
    def test_what_the_user_turned_down_is_not_spoken_of_any_more(self, kind):
        events = [captured(self.TABS), verdict(self.TABS.id, kind, at_hour(9))]
        assert as_of(self.now(*events), events, at_hour(1)) is None

    def test_an_item_whose_time_nobody_knows_is_taken_as_it_stands(self):
        one = item("use tabs", None)
        events = [captured(one)]
        assert as_of(ItemState(item=one, text=one.text), events, NOW).text == "use tabs"


def test_an_agents_own_message_is_kept_with_its_words():
    from ctxd.retention.afterwards import texts

    said = AssistantMessage(agent="a", session="s", id="m", text="words")
    assert [(one.kind, one.text, one.name) for one in texts(None, [said])] == [
        ("kept", "words", "m")
    ]
