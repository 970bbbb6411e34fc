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


def how_many(_context: click.Context, _option: click.Parameter, value: str | None) -> int | None:
    """The number of things asked for; raise BadParameter for anything but a number of things."""
    if value is None or (value.isascii() and value.isdigit() and len(value) <= _DIGITS):
        return None if value is None else int(value)
    raise click.BadParameter(f"'{value}' is no whole number from 0 up")


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
