"""The command line of a hook, for the shells that agents hand it to.

It is harmless where ctxd is gone: the interpreter and the hook client are looked for first, and it
ends with 0 whatever happens, since some agents take another code for an order to stop. Whoever
finds it in a file can tell it from all other hooks by the client's path.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

_CLIENT = re.compile(r"(?:^|[/\\])ctxd[/\\]hooks[/\\]client\.py$")
_MARK = re.compile(r"[/\\]ctxd[/\\]hooks[/\\]client\.py")


class Called(msgspec.Struct, frozen=True):
    """What a command of ours calls."""

    python: str
    client: str

    @property
    def is_there(self) -> bool:
        """Whether both still are."""
        return os.access(self.python, os.X_OK) and Path(self.client).is_file()


def posix(words: Sequence[str]) -> str:
    """For `sh` and what understands it; `&&` and `||` alone, since some hand it to fish or csh."""
    python, client = shlex.quote(words[0]), shlex.quote(words[3])
    return f"[ -x {python} ] && [ -f {client} ] && {shlex.join(words)} || true"


def windows(words: Sequence[str]) -> str:
    """For cmd and Git's bash alike: slashes, since the latter takes backslashes for its own."""
    quoted = [f'"{word}"' for word in (words[0].replace("\\", "/"), words[3].replace("\\", "/"))]
    rest = [_bare(word) for word in words[4:]]
    return " ".join([quoted[0], *words[1:3], quoted[1], *rest, "|| exit 0"])


def powershell(words: Sequence[str]) -> str:
    """For PowerShell."""
    python, client = _single(words[0]), _single(words[3])
    there = f"(Test-Path -LiteralPath {python}) -and (Test-Path -LiteralPath {client})"
    call = " ".join([python, *words[1:3], client, *map(_single, words[4:])])
    return f"if ({there}) {{ & {call} }}; exit 0"


def here(words: Sequence[str]) -> str:
    """For the shell that agents use on this system."""
    return windows(words) if os.name == "nt" else posix(words)


def is_ours(command: object) -> bool:
    """Whether a command found in a file calls the hook client of ctxd, of whatever installation."""
    return isinstance(command, str) and _MARK.search(command) is not None


def called(command: str) -> Called | None:
    """What a command of ours calls; None where somebody has changed it beyond recognition."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    calls = zip(words, words[1:], words[3:], strict=False)
    return next((Called(p, c) for p, flag, c in calls if flag == "-I" and _CLIENT.search(c)), None)


def _bare(word: str) -> str:
    return word if re.fullmatch(r"[\w./:\\-]+", word) else f'"{word}"'


def _single(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"
