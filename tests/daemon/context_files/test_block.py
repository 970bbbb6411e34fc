"""The block is found where its markers make exactly one pair, and bytes come back as they were."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd.context_files.block import BEGIN, END, Absent, Block, Broken, find
from ctxd.context_files.text_file import decode


def lines(text):
    return decode(text.encode()).lines


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{BEGIN}\n- a\n", "second marker"),
        (f"- a\n{END}\n", "first marker"),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", "more than one"),
        (f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", "more than one"),
        (f"{END}\n{BEGIN}\n", "wrong order"),
        (f"{BEGIN}\n{END}\n<<<<<<< HEAD\n", "conflict"),
        ("a\n=======\n>>>>>>> topic\n", "conflict"),
        (f"{BEGIN.replace('ctxd:1', 'ctxd:2')}\n{END}\n", "another version"),
    ],
)
def test_markers_that_make_no_pair_and_conflicts_are_not_understood(text, why):
    found = find(lines(text))
    assert isinstance(found, Broken)
    assert why in found.reason


@pytest.mark.parametrize(
    "text",
    ["", "# Rules\n", "Heading\n=======\n", f"say `{BEGIN}` and `{END}`\n", f"- x {BEGIN}\n"],
)
def test_what_holds_no_marker_lines_has_no_block(text):
    assert isinstance(find(lines(text)), Absent)


def test_a_marker_is_known_by_its_beginning_whatever_a_human_made_of_its_words():
    assert isinstance(find(lines("  <!--ctxd:1 ours-->\n- a\n<!-- /ctxd (end) -->")), Block)


def test_entries_stand_in_their_sections_with_a_humans_own_among_them():
    decided = "## Decided\n- a [aaaaaaaa]\n- own\n  - below\n\n"
    text = f"{BEGIN}\nnote\n{decided}### More\n* b [bbbbbbbb]\n{END}\n"
    block = find(lines(text))
    assert [section.title for section in block.sections] == ["", "Decided", "More"]
    found = [[e.line and e.line.id for e in section.entries] for section in block.sections]
    assert found == [[], ["aaaaaaaa", None, None], ["bbbbbbbb"]]


def test_an_entry_that_an_editor_has_wrapped_is_one_and_what_stands_below_is_not_part_of_it():
    text = f"{BEGIN}\n- one\n  two\n  three [aaaaaaaa]\n  a human's remark\n{END}\n"
    [entry] = find(lines(text)).entries
    assert (entry.first, entry.last, entry.line.text) == (1, 4, "one two three")


def test_the_line_that_counts_what_is_left_out_is_known():
    block = find(lines(f"{BEGIN}\n- a [aaaaaaaa]\n12 more in `.ctxd/items.jsonl`; see\n{END}\n"))
    assert (block.more, block.left_out) == (2, 12)


SHOWN = f"{BEGIN}\n- a [aaaaaaaa]\n{END}\n"
REAL = f"{BEGIN}\n- b [bbbbbbbb]\n{END}\n"
INDENTED = "".join(f"  {line}\n" for line in SHOWN.splitlines())


@pytest.mark.parametrize(
    "code",
    [
        f"```\n{SHOWN}```\n",
        f"~~~ markdown\n{SHOWN}~~~~\n",
        f"````md\n```\n{SHOWN}```\n````\n",
        f"- so:\n  ```md\n{INDENTED}  ```\n",
        f"- ```md\n{INDENTED}  ```\n",
        f"```\n<!-- open\n{SHOWN}```\n",
        f"```\r\n{SHOWN}```\r\n",
    ],
)
def test_markers_in_a_code_block_are_plain_text(code):
    assert isinstance(find(lines(code)), Absent)
    for text in (code + REAL, REAL + code):
        assert [entry.line.id for entry in find(lines(text)).entries] == ["bbbbbbbb"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("```\n", "a code block is not closed"),
        ("```sh\nmake\n``` no\n", "a code block is not closed"),
        ("````\n```\n", "a code block is not closed"),
        ("~~~\n```\n", "a code block is not closed"),
        (f"```\n{REAL}", "a code block is not closed"),
        ("# Rules\n<!-- later\n- a\n", "a comment is not closed"),
        ("<!-- later\n```\n", "a comment is not closed"),
        (f"<!--\n{REAL}", "a comment is not closed"),
    ],
)
def test_where_what_is_appended_would_be_no_text_nothing_is_understood(text, why):
    found = find(lines(text))
    assert isinstance(found, Broken)
    assert found.reason == why


@pytest.mark.parametrize(
    "text",
    [
        "``` a `b` ```\n",
        "say ``` or <!-- here\n",
        "- a\n  ```\n  code\n  ```\n- b\n",
        "1. a\n\n   ```sh\n   make\n   ```\n\ntext\n",
        "- ```\n  code\ntext\n",
        "> ```\n> code\n\ntext\n",
        "> ```\n> code\n> ```\n",
        "text\n\n    ```\n    <!-- code\n\ntext\n",
        "<!-- one\n```\n-->\n<!-- two -->\n",
        "```\n<!--\n```\n",
    ],
)
def test_what_ends_by_itself_swallows_nothing(text):
    assert isinstance(find(lines(text)), Absent)
    assert isinstance(find(lines(text + REAL)), Block)


MARKS = st.sampled_from([b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])


@given(MARKS, st.binary(max_size=60) | st.text(max_size=30).map(str.encode))
def test_bytes_come_back_as_they_were_or_are_no_text(mark, data):
    text = decode(mark + data)
    assert text is None or text.encode(text.lines) == mark + data


@pytest.mark.parametrize(
    ("data", "eol"),
    [(b"a\r\nb\r\nc\n", "\r\n"), (b"a\nb\nc\r\n", "\n"), (b"a\rb\r", "\r"), (b"", "\n")],
)
def test_lines_end_as_most_of_them_do(data, eol):
    assert decode(data).eol == eol


@pytest.mark.parametrize("data", [b"a\0b", codecs.BOM_UTF16_LE + b"odd", codecs.BOM_UTF8 + b"\xff"])
def test_what_is_no_text_is_left_alone(data):
    assert decode(data) is None


def test_a_file_in_an_old_encoding_is_read_and_refuses_what_it_cannot_hold():
    text = decode("Größe\n".encode("latin-1"))
    assert text.encode((*text.lines, "schön\n")) == "Größe\nschön\n".encode("latin-1")
    assert text.encode((*text.lines, "\N{SNOWMAN}\n")) is None


def test_a_megabyte_of_marker_look_alikes_takes_no_time():
    find(lines("<!-- ctxd:1 " * 80_000))
    find(lines("- a\n" * 250_000))
    find(lines("-" + " " * 500_000 + "x```\n" + "- " * 250_000 + "```\n"))
