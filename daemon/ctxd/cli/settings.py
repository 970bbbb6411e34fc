"""What the options that all commands share were set to, and the streams made from them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ctxd.cli.arguments import GivenPath
from ctxd.terminal import Colour, Terminal

if TYPE_CHECKING:
    from ctxd.places import Places


class Settings:
    """One per command line."""

    def __init__(self) -> None:
        self.colour: Colour = "auto"
        self.home: Path | None = None

    @property
    def places(self) -> Places:
        """Where ctxd keeps what."""
        from ctxd.places import Places

        return Places.current(self.home)

    @property
    def output(self) -> Terminal:
        """Where results go."""
        return Terminal(sys.stdout, self.colour)

    @property
    def messages(self) -> Terminal:
        """Where errors, hints and progress go."""
        return Terminal(sys.stderr, self.colour)


current = Settings()
"""Those of this process: a process runs one command line."""


def common_options() -> list[click.Parameter]:
    """Options that stand before or behind a command's name."""
    return [
        click.Option(
            ["--color"],
            type=click.Choice(["auto", "always", "never"]),
            expose_value=False,
            callback=_set_colour,
            metavar="WHEN",
            help="Colours: auto (the default), always or never.",
        ),
        click.Option(
            ["--home"],
            type=GivenPath(),
            metavar="DIR",
            expose_value=False,
            callback=_set_home,
            help="Keep ctxd's own files here (or set CTXD_HOME).",
        ),
    ]


def _set_colour(_context: click.Context, _option: click.Parameter, value: Any) -> None:
    if value:
        current.colour = value


def _set_home(_context: click.Context, _option: click.Parameter, value: Any) -> None:
    if value:
        current.home = value
