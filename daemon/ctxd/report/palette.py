"""The colours of a report. Text stands on its ground with a contrast of 4.5 at least, lines and
marks of 3 (WCAG 2.2, AA); `tests/daemon/report/test_palette.py` measures it."""

from __future__ import annotations

from collections.abc import Mapping

Colours = Mapping[str, str]

LIGHT: Colours = {
    "ground": "#f7f6f2",
    "card": "#ffffff",
    "sunk": "#efede6",
    "rule": "#dcd8cd",
    "edge": "#8b8778",
    "ink": "#1d1c19",
    "soft": "#5f5c52",
    "fill": "#4f6bb3",
    "wash": "#dde4f5",
    "accent": "#2f4f9e",
    "survives": "#1f7a4d",
    "reinjected": "#1766a6",
    "breaks": "#bb2a1d",
    "unknown": "#8a5a00",
}

DARK: Colours = {
    "ground": "#141517",
    "card": "#1c1e21",
    "sunk": "#25282c",
    "rule": "#34383e",
    "edge": "#7d838c",
    "ink": "#eceae4",
    "soft": "#a9abae",
    "fill": "#8ea7ee",
    "wash": "#2a3350",
    "accent": "#a8bcf6",
    "survives": "#5cc48d",
    "reinjected": "#6ab4f0",
    "breaks": "#ff8577",
    "unknown": "#e3b14f",
}

TEXT: tuple[str, ...] = (
    "ink",
    "soft",
    "accent",
    "survives",
    "reinjected",
    "breaks",
    "unknown",
)
"""Colours that words are written in, on any of `GROUNDS`."""

GROUNDS: tuple[str, ...] = ("ground", "card", "sunk")

SHAPES: tuple[str, ...] = ("edge", "fill")
"""Colours of lines that tell something, on the card."""


def rules() -> str:
    """The colours as CSS: what the system prefers, unless the reader chose."""
    light, dark = _declared(LIGHT), _declared(DARK)
    return (
        f":root{{color-scheme:light;{light}}}\n"
        "@media (prefers-color-scheme:dark){"
        f":root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
    )


def _declared(colours: Colours) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())
