"""Text from sessions on a terminal: nothing acts, nothing hides, nothing fails."""

import io
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd.terminal import (
    Terminal,
    cells,
    one_line,
    path_text,
    short_path,
    visible,
    visible_json,
    wants_colour,
)

ESC = "\x1b"


class Screen(io.TextIOWrapper):
    """A terminal of any width and encoding."""

    def __init__(self, encoding="utf-8"):
        super().__init__(io.BytesIO(), encoding=encoding, errors="backslashreplace", newline="\n")

    def isatty(self):
        return True

    @property
    def shown(self):
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)


def test_every_character_that_acts_or_hides_becomes_a_visible_escape():
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
            assert visible(character).isascii(), hex(code)
            assert visible(character).startswith("\\"), hex(code)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"{ESC}[31mred{ESC}[0m", r"\x1b[31mred\x1b[0m"),
        (f"{ESC}]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("rm -rf \u202etxt.exe", r"rm -rf \u202etxt.exe"),
        ("in\u200bvisible\ufeff", r"in\u200bvisible\ufeff"),
        ("hi\U000e0068\U000e0069", r"hi\U000e0068\U000e0069"),
        ("half \ud83c a flag", r"half \ud83c a flag"),
        ("a\u3164b\u115f", r"a\u3164b\u115f"),
        ("smuggled\U000e0101", r"smuggled\U000e0101"),
        ("one\r\ntwo\tthree", r"one\r\ntwo\tthree"),
        ("\u2028\u2029\x85", r"\u2028\u2029\x85"),
    ],
)
def test_hostile_text_is_shown_not_obeyed(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text", ["plain", "Grüße, 世界, مرحبا, שלום, नमस्ते", "ok ✔️ 👍", "[bold]no markup[/nope]"]
)
def test_honest_text_stays_as_it_is(text):
    assert visible(text) == text
    assert one_line(f" {text}\n") == text


def test_a_line_holds_words_with_single_spaces_between():
    assert one_line("  first\n\n\tsecond\u2028third ") == "first second third"


@given(st.text(alphabet=st.characters(codec=None)))
def test_what_was_made_visible_stays_the_same_when_done_again(text):
    assert visible(visible(text)) == visible(text)


@given(st.text(alphabet=st.characters(codec=None)), st.integers(0, 60))
def test_a_cut_text_fits(text, width):
    terminal = Terminal(Screen(), "never", {})
    for keep_end in (False, True):
        assert cells(terminal.cut(text, width, keep_end=keep_end)) <= width


def test_a_cut_text_keeps_the_end_that_is_asked_for():
    terminal = Terminal(Screen(), "never", {})
    assert terminal.cut("one two three", 8) == "one two…"
    assert terminal.cut("one two three", 8, keep_end=True) == "…o three"
    assert terminal.cut("世界世界", 5) == "世界…"


def test_a_thousand_marks_on_one_letter_do_not_fit():
    terminal = Terminal(Screen(), "never", {})
    assert len(terminal.cut("a" + "\u0301" * 1000, 20)) < 100


@pytest.mark.parametrize(
    ("choice", "terminal", "variables", "coloured"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("always", False, {"NO_COLOR": "1", "TERM": "dumb"}, True),
        ("never", True, {"FORCE_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", False, {"FORCE_COLOR": "1"}, True),
        ("auto", False, {"FORCE_COLOR": ""}, False),
        ("auto", True, {"TERM": "dumb"}, False),
        ("auto", False, {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
    ],
)
def test_the_flag_beats_no_color_beats_force_color_beats_the_terminal(
    choice, terminal, variables, coloured
):
    assert wants_colour(choice, is_terminal=terminal, variables=variables) is coloured


def test_colour_is_put_around_text_and_markup_is_text():
    screen = Screen()
    Terminal(screen, "always", {}).print(("error:", "bold red"), " [/nope] :smile: https://x.y 42")
    assert screen.shown == f"{ESC}[1;31merror:{ESC}[0m [/nope] :smile: https://x.y 42\n"


def test_without_colour_there_is_not_a_single_escape_sequence():
    screen = Screen()
    Terminal(screen, "never", {}).print(("error:", "bold red"), f" {ESC}[2J")
    assert screen.shown == "error: \\x1b[2J\n"


def test_long_lines_are_not_wrapped():
    screen = Screen()
    Terminal(screen, "always", {}).print(("x", "red"), "y" * 1000)
    assert screen.shown.count("\n") == 1


def test_an_encoding_that_lacks_a_character_gets_its_escape_and_its_width_is_known():
    screen = Screen("ascii")
    terminal = Terminal(screen, "never", {})
    assert terminal.ellipsis == "..."
    assert terminal.show("Grüße") == r"Gr\xfc\xdfe"
    assert cells(terminal.cut("Grüße aus Köln", 9)) <= 9
    terminal.print("Grüße")
    assert screen.shown == "Gr\\xfc\\xdfe\n"


def test_json_for_a_terminal_is_the_same_json_without_what_acts_on_it():
    import json

    text = 'tab\t quote" \x9b31m \u202e \U000e0041 \x7f ü 世'
    data = json.dumps({"text": text}, ensure_ascii=False).encode()
    shown = visible_json(data)
    assert json.loads(shown) == {"text": text}
    assert shown.decode() == visible(shown.decode())
    assert "ü 世".encode() in shown


def test_paths_that_are_no_text_can_be_written():
    assert path_text("/logs/caf\udce9.jsonl") == r"/logs/caf\xe9.jsonl"
    assert path_text("/logs/\ud83c") == r"/logs/\ud83c"
    assert path_text("/logs/Grüße") == "/logs/Grüße"


def test_paths_in_the_home_folder_are_short():
    assert short_path("/home/dev/work", "/home/dev") == "~/work"
    assert short_path("/home/dev", "/home/dev/") == "~"
    assert short_path("/home/developer", "/home/dev") == "/home/developer"
    assert short_path(r"C:\Users\dev\work", r"C:\Users\dev") == r"~\work"
    assert short_path("/srv", "/") == "/srv"
