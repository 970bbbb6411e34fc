"""Sentences: where one ends in what people type, dictate and wrap."""

import pytest

from ctxd.extract.text import blocks, sentences


def said(text):
    found = blocks(text, typed=False)
    return [text[one.start : one.end] for one in sentences(text, found)]


@pytest.mark.parametrize(
    "parts",
    [
        ["Use rows.", "Not files!", "Why?", "Because of the lock."],
        ["it is done.", "then we broke it.", "fix it"],
        ["Really?!", "No!!", "ok"],
        ["Set it to v1.2.", "Then to 3.", "Done."],
        ["See store.py.", "It is there."],
        ['He said "never."', "And so it is."],
        ["(It was slow.)", "Now it is not."],
        ["**Keep it.**", "It is cheap."],
        ["that works 🎉", "Next one please"],
        ["It ended...", "Then it began."],
        ["i would not do that at all...", "it is far too slow for us"],
        ["We keep it etc.", "Nothing else."],
    ],
)
def test_a_stop_ends_a_sentence(parts):
    assert said(" ".join(parts)) == parts


@pytest.mark.parametrize(
    "sentence",
    [
        "Take v1.2.3 of store.py, not 2.0.",
        "Put it into ~/.config/app.d/x.toml or ../x.",
        "Read https://a.example/b?c=d..e and a.b.c.",
        "Some formats, e.g. CSV or i.e. text, are out.",
        "Dr. Ada and Prof. Doe agree, cf. No. 5.",
        "Compare main..feature, HEAD~3..HEAD and a/b...c/d.",
        "Use `a. B. c? d!` as it is.",
        "hmm... not sure",
        'He asked "why?" and left.',
        "The one (is it slow?) stays.",
        "Files, rows, etc. are all the same.",
        "It runs in the U.S. and elsewhere.",
        "Das gilt z.B. für alle, d.h. immer.",
        "It costs 3.5 ms, not 0.5.",
        "**Use rows** - it is simple",
        "yes - commit and push",
        "`run` - this starts it",
    ],
)
def test_a_stop_inside_a_sentence_does_not_end_it(sentence):
    assert said(sentence) == [sentence]


def test_dictation_is_cut_at_its_dots():
    assert said("so i want it faster..and smaller ..maybe both...what do you think..ok") == [
        "so i want it faster..",
        "and smaller ..",
        "maybe both...",
        "what do you think..",
        "ok",
    ]


def test_dictation_is_cut_at_dashes_between_clauses():
    assert said("the small one will do for now - I would not go further - we can look later") == [
        "the small one will do for now",
        "I would not go further",
        "we can look later",
    ]


def test_marks_without_a_blank_end_a_sentence_when_there_are_two():
    assert said("more tracks??and fewer cars") == ["more tracks??", "and fewer cars"]


def test_the_scripts_of_east_asia_need_no_blank():
    assert said("用文件。不要缓存！为什么？因为简单") == [
        "用文件。",
        "不要缓存！",
        "为什么？",
        "因为简单",
    ]
    assert said("「はい。」と言った。次へ") == ["「はい。」と言った。", "次へ"]
    assert said("いいね!次は?") == ["いいね!", "次は?"]


def test_one_thought_a_line_is_one_sentence_a_line():
    assert said("make it blue\nno shadow\nand keep the icon") == [
        "make it blue",
        "no shadow",
        "and keep the icon",
    ]


def test_a_long_line_ends_its_thought_when_the_next_one_opens_another():
    text = (
        "please make the list on the left as wide as the one on the right side\n"
        "also the icons are too small"
    )
    assert said(text) == text.split("\n")


def test_a_wrapped_paragraph_is_not_cut_where_it_wraps():
    text = (
        "The importer reads the whole file before it writes anything, so that a broken\n"
        "row at the end does not leave half of the others behind. It is slower by a\n"
        "third, which nobody will notice."
    )
    assert said(text) == [
        text[: text.index(" It is")],
        text[text.index("It is") :],
    ]


def test_a_line_that_leaves_its_thought_open_goes_on():
    assert said("keep the\nold name") == ["keep the\nold name"]
    assert said("red, green,\nblue") == ["red, green,\nblue"]


def test_a_hard_break_ends_a_sentence():
    text = "It is safer than the other one and it has been in use for many years  \nbut slow"
    assert len(said(text)) == 2


def test_an_item_keeps_its_text_and_its_indented_lines():
    assert said("- keep the file\n  as it is\n- drop. Now.") == [
        "keep the file\n  as it is",
        "drop.",
        "Now.",
    ]


def test_a_row_is_one_sentence():
    assert said("| A | fast. simple | low? |") == ["A | fast. simple | low?"]


def test_only_what_the_speaker_says_has_sentences():
    text = "Look.\n\n> Never.\n\n```\nAlways.\n```\n2031-01-01 10:00 Must.\n\n# Title\n- item"
    assert said(text) == ["Look.", "Title", "item"]


def test_signs_without_a_word_belong_to_the_sentence_before():
    assert said("fix it. :) \n🎉") == ["fix it. :) \n🎉"]
    assert said("--- ...") == []
