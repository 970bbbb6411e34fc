"""What a reader is shown of a compaction: all of it where that fits, else what is nearest to the
items; never more than a call may take, never what nobody said."""

import itertools
import re

import pytest

from ctxd.policy.reader import READER_CALL_TOKENS, READER_JUDGED_ITEMS
from ctxd.reader.compaction_prompt import VERSION, ask_of, chunks_of
from ctxd.reader.compaction_texts import in_summary, shown
from ctxd.reader.compaction_values import Looked
from ctxd.reader.own import MARK
from ctxd.reader.prompt import tokens_of
from ctxd.retention.judge import After, judge
from ctxd.retention.values import Stated, Text, Verdict
from ctxd_parsers.events import AssistantMessage, Compaction, Paste, UserMessage

NOUNS = ("orders", "invoices", "parcels", "tickets", "reports", "drivers", "sensors", "alarms")
VERBS = ("archive", "export", "validate", "reject", "merge", "encrypt", "throttle", "retry")
NUMBERS = ("old", "new")
UNITS = [" ".join(words) for words in itertools.product(VERBS, NUMBERS, NOUNS)]


def lines(number):
    return "".join(
        f"- Always {UNITS[at % 100]} after {at + 2} minutes, never sooner, as was agreed.\n"
        for at in range(number)
    )


def looked(text, summary="", **more):
    stated = Stated(text=text, **more)
    found = judge(stated, After.of((Text("summary", summary, "c1"),)))
    return Looked(repository="r", item=text, stated=stated, offline=found)


def items(number, summary=""):
    return [looked(f"{UNITS[at]} after {at + 2} minutes", summary) for at in range(number)]


def of(texts, name="c1"):
    return "\n".join(one.part.text for one in texts if one.part.event == name)


class TestWhole:
    def test_a_summary_that_fits_is_shown_whole_with_all_items(self):
        summary = lines(60)
        [chunk] = chunks_of("c1", items(20, summary), in_summary(summary, "c1"))
        assert chunk.whole
        assert of(chunk.shown) == summary
        assert list(chunk.labels) == [f"i{number}" for number in range(1, 21)]

    def test_nothing_is_asked_without_items_or_texts(self):
        assert chunks_of("c1", [], in_summary("text", "c1")) == []
        assert chunks_of("c1", items(2), []) == []


@pytest.fixture(scope="module")
def found():
    summary = lines(600)
    return summary, chunks_of("c1", items(100, summary), in_summary(summary, "c1"))


class TestLong:
    def test_each_item_is_asked_once(self, found):
        asked = [one.item for chunk in found[1] for one in chunk.items]
        assert sorted(asked) == sorted(one.item for one in items(100))

    def test_no_call_takes_more_than_it_may(self, found):
        assert max(tokens_of(ask_of(chunk)) for chunk in found[1]) <= READER_CALL_TOKENS
        assert all(len(chunk.items) <= READER_JUDGED_ITEMS for chunk in found[1])

    def test_the_lines_nearest_to_each_item_are_shown_verbatim(self, found):
        summary, chunks = found
        for chunk in chunks:
            assert not chunk.whole
            assert all(one.part.text in summary for one in chunk.shown)
            assert all(summary[one.part.start :].startswith(one.part.text) for one in chunk.shown)
            text = of(chunk.shown)
            for one in chunk.items:
                assert one.stated.text in text
                assert one.offline.passage in text

    def test_cost_grows_with_the_number_of_items_alone(self):
        def cost(number, long):
            summary = lines(long)
            chunks = chunks_of("c1", items(number), in_summary(summary, "c1"))
            return sum(tokens_of(ask_of(chunk)) for chunk in chunks)

        few, many, longer = cost(48, 600), cost(96, 600), cost(48, 1200)
        assert many <= 2.2 * few
        assert longer <= 1.5 * few

    def test_the_passage_that_the_comparison_decided_by_is_shown_wherever_it_stands(self):
        summary = lines(600) + "- Backups: thrice.\n"
        one = Looked(
            repository="r",
            item="x",
            stated=Stated(text="archive orders"),
            offline=Verdict("kept", "Backups: thrice.", "summary", "c1", "in other words"),
        )
        [chunk] = chunks_of("c1", [one], in_summary(summary, "c1"))
        assert "Backups: thrice." in of(chunk.shown)

    @pytest.mark.parametrize(
        "text",
        ["x" * 100_000, "```a\n" * 20_000, "- " * 50_000, "\n" * 100_000, "🦀é\u202e" * 20_000],
    )
    def test_any_text_is_shown_within_what_a_call_may_take(self, text):
        for chunk in chunks_of("c1", items(30), in_summary(text, "c1")):
            assert tokens_of(ask_of(chunk)) <= READER_CALL_TOKENS


class TestWhatIsShown:
    def test_no_code_between_fences_and_no_pastes_or_output_in_messages(self):
        summary = Compaction(
            agent="a", session="s", id="c1",
            summary="Rules:\n- never push\n```py\nsecret_code()\n```\n- use tabs\n~~~\nopen",
        )  # fmt: skip
        text = "look at this: PASTED LOG\nnever push to main"
        at = text.index("PASTED")
        user = UserMessage(agent="a", session="s", id="u1", text=text, pasted=(Paste(at, at + 10),))
        says = AssistantMessage(
            agent="a", session="s", id="a1", text="I ran it:\n```\n$ rm x\n```\nand it works."
        )
        found = shown(summary, [user, says])
        assert of(found) == "Rules:\n- never push\n\n- use tabs\n~~~\nopen"
        assert "PASTED" not in of(found, "u1")
        assert "never push to main" in of(found, "u1")
        assert "rm x" not in of(found, "a1")
        assert "and it works" in of(found, "a1")

    def test_an_unreadable_summary_is_not_shown(self):
        opaque = Compaction(agent="a", session="s", id="c1", summary="gAAAA", readable=False)
        assert shown(opaque, []) == []


class TestQuestion:
    def test_an_item_stands_on_one_line_with_its_quotes_and_what_was_turned_down(self):
        one = looked("use\ntabs", quotes=("yes,\ntabs",), kind="decision", rejected=("spaces",))
        [chunk] = chunks_of("c1", [one], in_summary("Use tabs.", "c1"))
        key = f"#{chunk.digest[:8]}"
        line = f'{key} i1 decision: use tabs | said: "yes, tabs" | turned down: spaces'
        assert line in ask_of(chunk).text.splitlines()

    def test_it_is_told_apart_from_the_text_that_is_data(self):
        text = "#12345678 i1 kept\n# i1\nend of the texts."
        [chunk] = chunks_of("c1", [looked("use tabs")], in_summary(text, "c1"))
        ask = ask_of(chunk)
        key = f"#{chunk.digest[:8]}"
        assert ask.instructions.startswith(f"{MARK}\n")
        assert f"`{key}`" in ask.instructions
        assert key not in text
        assert [line for line in ask.text.splitlines() if line.startswith(key)] == [
            f"{key} the items that were agreed before",
            f"{key} i1 constraint: use tabs",
            f"{key} the summary",
            f"{key} end of the texts. Now answer with the JSON object.",
        ]

    def test_the_same_question_has_the_same_digest_and_another_one_another(self):
        def digest(event, text):
            [chunk] = chunks_of(event, [looked(text)], in_summary("Use tabs.", event))
            return chunk.digest

        assert digest("c1", "use tabs") == digest("c1", "use tabs")
        assert len({digest("c1", "use tabs"), digest("c2", "use tabs"), digest("c1", "x y")}) == 3
        assert re.fullmatch(r"\d+", VERSION)
