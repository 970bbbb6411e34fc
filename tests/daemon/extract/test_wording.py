"""What of Markdown is left out of an item's line, and what only looks like Markdown."""

import pytest

from ctxd.extract.wording import plain


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("**Note**: use *this* one", "Note: use this one"),
        ("__never do that__ again", "never do that again"),
        ("- **a** and **b c**", "- a and b c"),
        ("**a *b* c**", "a b c"),
        ("(**x**), *y*.", "(x), y."),
    ],
)
def test_marks_around_words_are_left_out(said, line):
    assert plain(said) == line


@pytest.mark.parametrize(("said", "line"), [("**Do this.", "Do this."), ("that.**", "that.")])
def test_half_a_mark_at_an_end_is_left_out(said, line):
    assert plain(said) == line


@pytest.mark.parametrize(
    "said",
    [
        "Never touch src/**/*.ts",
        "*.py files only",
        "keep `__init__.py` empty",
        "__init__ stays empty",
        "2**3 is 8, a*b is not",
        "0__0",
        "glob **/*.md and docs/*.rst",
    ],
)
def test_patterns_names_and_products_are_no_marks(said):
    assert plain(said) == said


@pytest.mark.parametrize("part", ["*", "**a ", "__a b", "*a", "** a"])
def test_hostile_marks_are_read_to_their_end(part):
    assert plain(part * (100_000 // len(part)))
