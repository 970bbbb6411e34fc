"""Arguments that several commands take."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from ctxd.errors import UserError, reason
from ctxd.terminal import path_text


class GivenPath(click.Path):
    """A path. What an unset variable leaves is refused, and not taken for the current folder."""

    def __init__(self) -> None:
        super().__init__(readable=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A Path; fail when there is nothing to make one of."""
        if value == "":
            self.fail("it is empty", param, ctx)
        return super().convert(value, param, ctx)


class HowMany(click.ParamType):
    """A number of things."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """An int; fail for anything but digits, and more of them than anything could have."""
        text = str(value)
        if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
            self.fail(f"'{text}' is no whole number from 0 up", param, ctx)
        return int(text)


_DIGITS = 18
"""More than any number of things has; beyond 4300 Python itself refuses."""


def existing(path: Path) -> Path:
    """The real path of what the user named; raise UserError when there is nothing to be had.

    What lies in a log folder is never followed when it is a link; what a user names is.
    """
    try:
        path.stat()
    except OSError as error:
        raise UserError(
            f"cannot read `{path_text(path)}`: {reason(error)}",
            "`ctxd paths` shows where the agents keep their logs",
        ) from error
    return Path(os.path.realpath(path))
