"""Blocks: what a message is made of, and what of it is nobody's speech."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxd.extract.text import SPOKEN, Block, blocks, own_words, sentences


def kinds(text, **options):
    return [(block.kind, text[block.start : block.end]) for block in blocks(text, **options)]


def labels(text):
    return [(block.label, text[block.start : block.end]) for block in blocks(text, typed=False)]


def said(text):
    found = blocks(text)
    return [text[one.start : one.end] for one in sentences(text, found)]


class TestMarkdown:
    def test_a_fence_is_code_and_its_marks_belong_to_nothing(self):
        text = "before\n```py\nx = 1\n\ny = 2\n```\nafter"
        assert kinds(text) == [("prose", "before"), ("code", "x = 1\n\ny = 2"), ("prose", "after")]

    def test_a_fence_that_nobody_closes_runs_to_the_end(self):
        assert kinds("look\n~~~\nnever do this\n\n- nor that") == [
            ("prose", "look"),
            ("code", "never do this\n\n- nor that"),
        ]

    def test_a_fence_is_closed_only_by_its_own_mark(self):
        text = "````md\n```\ninner\n```\n````\nafter"
        assert kinds(text) == [("code", "```\ninner\n```"), ("prose", "after")]

    def test_a_fence_may_open_and_close_at_the_end_of_a_typed_line(self):
        assert kinds("this is what i get: ```\nboom\nbang```\nfix it") == [
            ("prose", "this is what i get:"),
            ("code", "boom\nbang"),
            ("prose", "fix it"),
        ]

    def test_lines_may_end_as_they_do_on_windows(self):
        text = "# Plan\n- keep\n  it\n\n```\nx\n```\n| a | b |\n> q\n\n1. one 2. two\nend"
        there = kinds(text.replace("\n", "\r\n"))
        assert [(kind, words.replace("\r", "")) for kind, words in there] == kinds(text)

    def test_inline_code_of_three_backticks_opens_no_fence(self):
        assert kinds("```one```\nand two") == [("prose", "```one```\nand two")]

    def test_an_indented_paragraph_is_code_but_not_inside_a_list(self):
        assert kinds("run\n\n    make test\n    make lint") == [
            ("prose", "run"),
            ("code", "make test\n    make lint"),
        ]
        assert kinds("- run\n\n  then look")[1] == ("prose", "then look")

    def test_headings_nest_by_their_level(self):
        found = blocks("# Plan\n## Storage\nkeep it\n## Cache ##\ndrop it\n# Later")
        assert [(block.kind, block.heading) for block in found] == [
            ("heading", None),
            ("heading", 0),
            ("prose", 1),
            ("heading", 0),
            ("prose", 3),
            ("heading", None),
        ]

    def test_a_line_that_is_bold_from_end_to_end_is_a_heading(self):
        found = blocks("**What changes**\nThe parser.\n\n**Never push.**", typed=False)
        assert [(block.kind, block.lead) for block in found] == [
            ("heading", "What changes"),
            ("prose", ""),
            ("prose", "Never push"),
        ]

    def test_rows_of_a_table_are_blocks_and_the_rule_below_its_head_is_none(self):
        text = "| | way | cost |\n|---|:--|--:|\n| A | files | low |\n| B | rows | high |"
        assert labels(text) == [
            ("", "way | cost"),
            ("A", "A | files | low"),
            ("B", "B | rows | high"),
        ]

    def test_a_drawn_box_is_code(self):
        text = "like this:\n┌──────┐\n│ menu │\n└──────┘\nok?"
        assert kinds(text)[1] == ("code", "┌──────┐\n│ menu │\n└──────┘")

    def test_a_quote_is_not_the_speakers(self):
        assert kinds("> always rebase\n> they say\n\nno, merge") == [
            ("quote", "always rebase\n> they say"),
            ("prose", "no, merge"),
        ]
        assert said("> always rebase\n\nno, merge") == ["no, merge"]

    def test_paragraphs_are_numbered_by_the_blank_lines_between_them(self):
        assert [block.paragraph for block in blocks("one\n- two\n\n\nthree\n \nfour")] == [
            0,
            0,
            1,
            2,
        ]


class TestEnumerations:
    @pytest.mark.parametrize(
        ("line", "label", "body"),
        [
            ("A) keep the file", "A", "keep the file"),
            ("(b) keep the file", "b", "keep the file"),
            ("3. keep the file", "3", "keep the file"),
            ("2.b) keep the file", "2.b", "keep the file"),
            ("1.2. keep the file", "1.2", "keep the file"),
            ("**A.** keep the file", "A", "keep the file"),
            ("- **B)** keep the file", "B", "keep the file"),
            ("Option A: keep the file", "A", "keep the file"),
            ("approach 2 - keep the file", "2", "keep the file"),
            ("### Option B: keep the file", "B", "keep the file"),
            ("## 4. keep the file", "4", "keep the file"),
            ("- Option 3: keep the file", "3", "keep the file"),
            ("4 - keep the file", "4", "keep the file"),
            ("#2: keep the file", "2", "keep the file"),
            ("D3: keep the file", "D3", "keep the file"),
            ("2\ufe0f\u20e3 keep the file", "2", "keep the file"),
            ("② keep the file", "2", "keep the file"),
            ("1、保留文件", "1", "保留文件"),
            ("方案 B: 保留文件", "B", "保留文件"),
            ("- keep the file", "", "keep the file"),
            ("* [ ] keep the file", "", "keep the file"),
        ],
    )
    def test_a_label_is_the_same_however_it_is_written(self, line, label, body):
        (block,) = blocks(line, typed=False)
        assert (block.label, line[block.start : block.end]) == (label, body)
        assert block.kind in {"item", "heading"}

    @pytest.mark.parametrize(
        "line",
        [
            "Option A is what I would take",
            "**Option B** is better than the first",
            "I. think so",
            "case in point: the cache",
            "2024 was the year of the rewrite",
            "Plan: keep the file",
            "e.g. keep the file",
            "3.11 is the oldest Python we support",
        ],
    )
    def test_a_sentence_that_names_an_option_is_no_option(self, line):
        (block,) = blocks(line, typed=False)
        assert (block.label, line[block.start : block.end]) in {("", line), ("I", "think so")}

    def test_a_bold_lead_in_is_told_and_stays_in_the_body(self):
        text = "- **Use one file** - simple\n- **Option B: use rows** - fast\n**Note:** both work"
        assert [(block.label, block.lead) for block in blocks(text, typed=False)] == [
            ("", "Use one file"),
            ("B", "use rows"),
            ("", "Note"),
        ]

    def test_items_nest_by_indentation(self):
        text = (
            "1. store\n   - rows\n     - one table\n   - files\n2. cache\n\n   none for now\n\nso?"
        )
        found = blocks(text)
        assert [(block.depth, block.parent) for block in found] == [
            (0, None),
            (1, 0),
            (2, 1),
            (1, 0),
            (0, None),
            (1, 4),
            (0, None),
        ]

    def test_a_line_behind_a_list_is_not_part_of_its_last_item(self):
        assert kinds("1. it appears late\n2. it changes state\nbut the log is silent now?")[2] == (
            "prose",
            "but the log is silent now?",
        )

    def test_a_wrapped_item_is_one_item(self):
        text = "- first\n- second which is long and goes on up to the edge and\n  then some\n- x"
        assert len(blocks(text)) == 3

    def test_an_enumeration_inside_a_line_is_taken_apart(self):
        text = "do this: 1) drop the cache 2) keep rows, 3) ask me\nthanks"
        assert labels(text) == [
            ("", "do this:"),
            ("1", "drop the cache"),
            ("2", "keep rows,"),
            ("3", "ask me\nthanks"),
        ]

    def test_an_item_may_go_on_in_its_own_line(self):
        assert labels("1. rows, 2. files") == [("1", "rows,"), ("2", "files")]
        assert labels("(a) rows (b) files") == [("a", "rows"), ("b", "files")]

    def test_an_enumeration_inside_an_item_is_nested_in_it(self):
        found = blocks("- do this: 1) rows 2) files\n- then stop")
        assert [(block.depth, block.parent, block.label) for block in found] == [
            (0, None, ""),
            (1, 0, "1"),
            (1, 0, "2"),
            (0, None, ""),
        ]

    def test_numbered_answers_need_no_sign_behind_the_number(self):
        assert labels("1 yes\n2 no, keep it\n\n3 later") == [
            ("1", "yes"),
            ("2", "no, keep it"),
            ("3", "later"),
        ]
        assert labels("1. yes\n2 no") == [("1", "yes"), ("2", "no")]

    @pytest.mark.parametrize("text", ["1 file is left", "2 files are left\n3 are gone", "1 a\n7 b"])
    def test_a_line_that_starts_with_a_count_is_no_numbered_answer(self, text):
        assert {label for label, _ in labels(text)} == {""}

    @pytest.mark.parametrize(
        "text",
        [
            "as said in 1) and 2) above",
            "it fails on step 2) only",
            "see 3) foo and then 1) bar",
            "version 1. Then 2. Then nothing",
        ],
    )
    def test_numbers_in_a_sentence_are_no_enumeration(self, text):
        assert labels(text) == [("", text)]


class TestShown:
    @pytest.mark.parametrize(
        "dump",
        [
            "2031-05-04 10:11:12 started\n2031-05-04 10:11:13 stopped",
            "[10:11:12.123] <inf> radio: up",
            "May  4 10:11:12 host kernel: boom",
            "ERROR loader: no such table",
            "[error] worker died",
            "I/Store: saved samples=3",
            'Traceback (most recent call last):\n  File "a.py", line 3\n    g()\nValueError: no',
            "TypeError: x is not a function\n    at run (app.js:10:3)\n    at main (app.js:20:1)",
            "thread 'main' panicked at src/a.rs:3:1:\nnote: run with `RUST_BACKTRACE=1`",
            "panic: nil map\n\tgoroutine 1 [running]:\n\tmain.go:10 +0x1d",
            "error[E0308]: mismatched types\n  --> src/a.rs:3:1\n   |\n3 |   let x = 1\n   | ^^^",
            "src/a.ts:3:1 - error TS2304: nope"[:8] + ":1: error: nope",
            "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1",
            "$ make test\nok  3 passed\nall good",
            "me@box:~/src$ ls\nREADME.md",
            '{"level":"info","msg":"x"}\n{"level":"info","msg":"y"}',
            "level=info msg=up port=80 host=a",
            "CONFLICT (content): Merge conflict in a.py",
        ],
    )
    def test_what_machines_print_is_a_log_without_a_fence_too(self, dump):
        text = f"look at this\n{dump}\n\nwhy is that"
        assert kinds(text) == [("prose", "look at this"), ("log", dump), ("prose", "why is that")]

    @pytest.mark.parametrize(
        "text",
        [
            "WARNING: never touch the vault",
            "Exception: the admin page may stay",
            "at the office (in Berlin) it works",
            "ok src/foo.py needs a second look",
            "info about the cache is missing",
            "import the data from the old system",
            'from what I see the page says "no"',
            "let me know",
            "class sizes must not change",
            "for all users (not only admins)",
            "DB_HOST=localhost is what we use",
            "% of users that came back must be shown",
            "function names stay as they are",
            "<b>never</b> is what I said",
        ],
    )
    def test_words_that_look_a_little_like_it_stay_words(self, text):
        assert kinds(text) == [("prose", text)]

    def test_a_diff_is_one_block_up_to_the_next_blank_line(self):
        diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n context"
        assert kinds(f"apply\n{diff}\n\nnow") == [
            ("prose", "apply"),
            ("diff", diff),
            ("prose", "now"),
        ]

    def test_program_text_needs_no_fence(self):
        code = "function f(a) {\n  return a;\n}"
        assert kinds(f"this one:\n{code}")[1][0] == "code"
        assert said(f"this one:\n{code}") == ["this one:"] or "return" not in said(code)

    def test_a_marked_paste_is_one_block_whatever_it_holds(self):
        text = "see - always push\n\n# Rule\nok? no"
        assert kinds(text, pasted=[(4, 25)]) == [
            ("prose", "see"),
            ("paste", "- always push\n\n# Rule"),
            ("prose", "ok? no"),
        ]

    def test_a_fence_around_a_marked_paste_does_not_swallow_what_follows(self):
        text = "log:\n```\nBOOM\n```\nnever do that again"
        assert kinds(text, pasted=[(9, 13)])[-1] == ("prose", "never do that again")

    @pytest.mark.parametrize("spans", [[(-5, 2)], [(3, 1)], [(2, 99)], [(0, 3), (1, 4)], [(4, 4)]])
    def test_spans_that_cannot_be_are_cut_to_what_is_there(self, spans):
        assert_sound("abc def", blocks("abc def", spans))

    def test_own_words_leave_out_what_is_shown_and_placeholders(self):
        text = "[Image #1] make it blue\n```\ncode\n```\n[Pasted text #2 +30 lines] and bigger"
        assert own_words(text) == "make it blue\nand bigger"


def assert_sound(text: str, found: list[Block]) -> None:
    """Check what holds for the blocks of every text."""
    at = 0
    for index, block in enumerate(found):
        assert at <= block.start < block.end <= len(text)
        body = text[block.start : block.end]
        assert body == body.strip()
        assert block.heading is None or block.heading < index
        assert block.heading is None or found[block.heading].kind == "heading"
        assert block.parent is None or block.parent < index
        assert block.parent is None or found[block.parent].kind == "item"
        assert block.depth >= (block.parent is not None)
        at = block.end
    paragraphs = [block.paragraph for block in found]
    assert paragraphs == sorted(paragraphs)
    at = 0
    for sentence in sentences(text, found):
        block = found[sentence.block]
        assert max(at, block.start) <= sentence.start < sentence.end <= block.end
        words = text[sentence.start : sentence.end]
        assert words == words.strip()
        assert block.kind in SPOKEN
        at = sentence.end


PIECES = st.sampled_from(
    [
        "\n",
        "\n\n",
        " ",
        "- ",
        "1. ",
        "A) ",
        "**",
        "`",
        "```",
        "# ",
        "> ",
        "| a | b |",
        "..",
        "?! ",
        "word",
        "Option B: ",
        "2) ",
        " - we ",
        "。",
        "\t",
        "    ",
        "�",
        "😀",
        "é",
        "e.g. ",
        "@@ -1 +1 @@",
        "+x",
        "Error: x",
        "reviewer said:",
        "I'd say",
        "Consider `x`. It is.",
        "⏺ ",
        "\r\n",
        "\x0b",
        "\x85",
        "\u2028",
        "\xa0",
        "~~~",
        "---",
        "-> ",
        '"',
        "$ ls",
        "x=1 ",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))
SPANS = st.lists(st.tuples(st.integers(-3, 60), st.integers(-3, 60)), max_size=4)


@settings(max_examples=400, deadline=None)
@given(TEXTS, SPANS, st.booleans())
def test_any_text_gives_spans_in_order_that_lie_in_it(text, spans, typed):
    assert_sound(text, blocks(text, spans, typed=typed))
    own_words(text, spans)


@settings(max_examples=200, deadline=None)
@given(TEXTS.filter(lambda text: "```" not in text and "~~~" not in text))
def test_no_word_of_an_agent_is_lost(text):
    found = blocks(text, typed=False)
    inside = {at for block in found for at in range(block.start, block.end)}
    assert not [at for at, char in enumerate(text) if char in "é。" and at not in inside]


@pytest.mark.parametrize(
    "unit",
    [
        "`",
        "(",
        "1. ",
        " ",
        "*",
        "\n",
        "> ",
        "| ",
        "a=",
        "..",
        "- ",
        "1) ",
        "# ",
        '"',
        " - I ",
        "x\n",
        "=",
        "[",
        "Option A: ",
        "```\n",
        "/",
        "at x(",
        "。",
        "😀",
        "e.g. ",
        "- x\n",
        "``",
        "\t",
        "$ ",
        "{",
        "_",
        "got this: ",
        "? ",
        ". ",
        "-> ",
        "\n\n- ",
        "**a** ",
        "2031-05-04 ",
        "a.b:1 ",
    ],
)
def test_work_grows_with_the_length_of_hostile_text_and_not_faster(unit):
    def seconds(size):
        text = unit * (size // len(unit))
        start = time.process_time()
        found = blocks(text)
        sentences(text, found)
        return time.process_time() - start

    assert seconds(100_000) < 1.5
