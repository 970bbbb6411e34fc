"""An item as one line: it reads as it was said, does nothing, and is known again."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ctxd.context_files.inert import inert
from ctxd.context_files.lines import parse, render, said
from rule_files import standing

MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})
HARMLESS = {"paragraph_open", "paragraph_close", "inline"}
SHOWN = {"text", "code_inline", "em_open", "em_close", "strong_open", "strong_close", "s_open",
         "s_close"}  # fmt: skip
marks = st.text(st.sampled_from("ab `<>!-[]()#@*_~\\/:.1|&{}\n\t\u202e\u200b=+x"), max_size=40)
NASTY = [
    "<!-- ctxd:1 --> and <!-- /ctxd -->",
    "<script>alert(1)</script>",
    "# Heading",
    "```sh",
    "~~~",
    "---",
    "* * *",
    "> quote",
    "1. first",
    "- [ ] task",
    "[x] done",
    "[docs]: https://evil.example",
    "see [docs](https://evil.example) and ![pixel](https://evil.example/p.png)",
    "<https://evil.example>",
    "https://evil.example/a?b",
    "write to mallory@evil.example",
    "read @~/.ssh/id_rsa and @docs/rules.md",
    "#[[file:secrets.md]]",
    "a ` b <b> c",
    "`` ` <b> ``",
    "```x``` <b>",
    "\\`x`<b>`",
    "`x`<b>`y`",
    "<a `x`>",
    "--!> <![CDATA[",
    "first\n# second",
]


@pytest.mark.parametrize("text", NASTY)
def test_nothing_in_an_items_text_acts(text):
    check(text)


@given(marks)
def test_nothing_that_signs_can_form_acts(text):
    check(text)


def check(text):
    line = inert(text)
    assert "\n" not in line
    blocks = MARKDOWN.parse(line)
    assert {token.type for token in blocks} <= HARMLESS, line
    inline = [child for token in blocks for child in token.children or ()]
    assert {child.type for child in inline} <= SHOWN, line
    assert "<!--" not in line
    assert "-->" not in line
    outside = "".join(" " if child.type == "code_inline" else child.content for child in inline)
    assert not any(len(word) > 1 and word.startswith("@") for word in outside.split())
    assert "://" not in outside
    assert inert(line) == line


@given(st.text(max_size=60) | marks)
def test_text_that_is_inert_stays_as_it_is(text):
    once = inert(text)
    assert inert(once) == once


@pytest.mark.parametrize(
    "hidden",
    ["\u202e", "\u2066", "\u200b", "\u2060", "\ufeff", "\U000e0041", "\xad", "\x1b", "\0", "\ud800",
     "\ufe0f", "\U000e0100", "\u3164"],
)  # fmt: skip
def test_no_character_hides_in_a_line_or_turns_it(hidden):
    assert inert(f"use{hidden} tabs") == "use tabs"


def test_signs_that_hide_between_others_cannot_put_a_comment_together():
    assert "<!--" not in inert("<\u200b!\u200b-\u200b- x")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "Never return Promise<void> from handlers.",
            "Never return `Promise<void>` from handlers.",
        ),
        ("Import it as @shop/ui, not by path", "Import it as `@shop/ui`, not by path"),
        ("Keep `a < b` and `<T>` as they are", "Keep `a < b` and `<T>` as they are"),
        ("Ports above 1024 & below 9000; x <= y", "Ports above 1024 & below 9000; x <= y"),
        ("Use snake_case, *always*", "Use snake_case, *always*"),
        ("Läuft nur mit Größe 10", "Läuft nur mit Größe 10"),
    ],
)
def test_text_reads_as_it_was_typed(text, line):
    assert inert(text) == line


def test_a_hundred_kilobytes_of_hostile_text_take_no_time():
    for sign in ("`", "<", "[", "``x", "@a ", "\\`", "- ", "-", "<!-", "]("):
        begun = time.perf_counter()
        inert(sign * (100_000 // len(sign)))
        assert time.perf_counter() - begun < 1.0, sign


def test_a_line_names_scope_reason_and_what_was_turned_down():
    one = standing(
        "Use Postgres",
        scope=("packages/ledger",),
        reason="because ops runs it already",
        rejected=("SQLite", "MySQL"),
    )
    notes = "for `packages/ledger`; because ops runs it already; not SQLite, not MySQL"
    assert render(one) == f"- Use Postgres ({notes}) [{one.item.id}]"


def test_a_line_does_not_say_twice_what_its_words_say():
    one = standing(
        "Use Postgres in packages/ledger because ops runs it, not SQLite",
        scope=("packages/ledger",),
        reason="because ops runs it",
        rejected=("SQLite",),
    )
    assert said(one) == one.text


def test_a_humans_wording_is_all_that_its_line_says():
    one = standing("Use Postgres", reason="because ops runs it", text="Postgres 16", edited=True)
    assert said(one) == "Postgres 16"


def test_a_very_long_text_is_cut():
    assert len(render(standing("word " * 1000))) < 700


@given(st.text(min_size=1).filter(lambda text: inert(text)))
def test_a_line_is_known_again_by_its_id_and_says_the_same(text):
    one = standing(text)
    line = parse(render(one))
    assert (line.id, line.text) == (one.item.id, said(one))


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("* Use tabs [k3mz7qpa]", "Use tabs"),
        ("  3) Use   tabs   [k3mz7qpa]  ", "Use tabs"),
        ("- Use tabs \\[k3mz7qpa\\]", "Use tabs"),
        ("- Use tabs\n  in Go [k3mz7qpa]", "Use tabs in Go"),
        ("- Use tabs [k3mz7qpa], except in YAML", "Use tabs, except in YAML"),
        ("- Use tabs [k3mz7qpa] except in YAML", "Use tabs except in YAML"),
        ("- [k3mz7qpa]", ""),
    ],
)
def test_an_editors_or_a_humans_way_of_writing_a_line_is_understood(line, text):
    assert (parse(line).id, parse(line).text) == ("k3mz7qpa", text)


@pytest.mark.parametrize("line", ["Use tabs [k3mz7qpa]", "- Use tabs", "- Use tabs [short]", ""])
def test_other_lines_are_not_taken_for_items(line):
    assert parse(line) is None
