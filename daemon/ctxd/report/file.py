"""The report's file: whole or not there at all, for its owner alone, never in place of another's.

A report is told from any other file by the words that it begins with.
"""

from __future__ import annotations

import stat
from pathlib import Path

from ctxd.errors import Exit, UserError, reason
from ctxd.policy.report import MARK_BYTES
from ctxd.replacing import replace
from ctxd.terminal import path_text
from ctxd_parsers.reading import open_regular

MARK = '<meta name="generator" content="ctxd'
"""Stands near the beginning of every report."""


class ForeignFileError(UserError):
    """The file that was to be written is somebody else's."""

    exit_code = Exit.CONFLICT


def write(path: Path, text: str, *, force: bool = False) -> None:
    """Write a report. Raise ForeignFileError where a file of that name is none, unless `force`;
    raise UserError where the system refuses."""
    if not force and not _may_replace(path):
        raise ForeignFileError(
            f"`{path_text(path)}` is there already and is no report of ctxd",
            "`-o FILE` takes another name, `--force` replaces it",
        )
    try:
        replace(path, text.encode("utf-8"))
    except OSError as error:
        raise UserError(
            f"cannot write `{path_text(path)}`: {reason(error)}",
            "`-o FILE` takes another name, `-o -` prints it",
        ) from error


def _may_replace(path: Path) -> bool:
    try:
        found = path.lstat()
    except OSError:  # there is none, or writing will say why not
        return True
    if not stat.S_ISREG(found.st_mode):
        return False
    try:
        with open_regular(path) as file:
            return MARK.encode() in (file.read(MARK_BYTES) or b"")
    except OSError:
        return False
