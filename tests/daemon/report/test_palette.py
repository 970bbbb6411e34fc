"""Every colour of a report can be told from what it stands on, in both themes (WCAG 2.2, AA)."""

import pytest

from ctxd.report.palette import DARK, GROUNDS, LIGHT, SHAPES, TEXT, rules

THEMES = {"light": LIGHT, "dark": DARK}


def luminance(colour):
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def test_the_measure_is_the_standards():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", TEXT)
def test_words_can_be_read(theme, ground, name):
    colours = THEMES[theme]
    assert contrast(colours[name], colours[ground]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", SHAPES)
def test_lines_can_be_seen(theme, name):
    colours = THEMES[theme]
    assert contrast(colours[name], colours["card"]) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_a_pressed_button_can_be_read(theme):
    assert contrast(THEMES[theme]["card"], THEMES[theme]["ink"]) >= 4.5


def test_both_themes_have_the_same_colours_and_either_can_be_chosen():
    assert LIGHT.keys() == DARK.keys()
    css = rules()
    assert css.index("prefers-color-scheme:dark") < css.index("[data-theme=dark]")
    assert ":root:not([data-theme=light])" in css
