"""What ctxd may write: `auto`, `review` or `off`, as the user has settled it for a repository.

The user's own configuration decides; `.ctxd.toml` in a repository, which may be somebody else's,
can only take rights away. One that cannot be read takes away as much as it might have meant to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import msgspec

from ctxd.policy.context_files import REPOSITORY_SETTINGS_BYTES
from ctxd_parsers.reading import open_regular

Mode = Literal["auto", "review", "off"]
"""`auto`: the user's own plain words of live sessions are written unasked, the rest is proposed.
`review`: everything is only proposed. `off`: context files are not even looked at."""

NAME = ".ctxd.toml"
_NARROWER: tuple[Mode, ...] = get_args(Mode)
"""From the most to the least that is allowed."""


class Allowed(msgspec.Struct, frozen=True):
    """What may be written in a worktree."""

    mode: Mode
    trouble: str = ""
    """What is wrong with the repository's own file."""


def allowed(mode: Mode, root: Path) -> Allowed:
    """What is left of the user's mode in a worktree."""
    import tomllib  # most of those who know of modes read no such file

    try:
        with open_regular(root / NAME) as file:
            text = (file.read(REPOSITORY_SETTINGS_BYTES) or b"").decode("utf-8")
        values = tomllib.loads(text)
    except FileNotFoundError:
        return Allowed(mode)
    except (OSError, UnicodeError, ValueError, RecursionError):
        return Allowed(_narrower(mode, "review"), f"`{NAME}` cannot be read: nothing is written")
    unknown = sorted(values.keys() - {"write"})
    if unknown:
        return Allowed(_narrowed(mode, values), f"unknown key `{unknown[0]}` in `{NAME}`")
    wanted = values.get("write", mode)
    if wanted not in _NARROWER:
        return Allowed(_narrower(mode, "review"), f"`write` in `{NAME}` is none of {_names()}")
    return Allowed(_narrower(mode, wanted))


def _narrowed(mode: Mode, values: dict[str, object]) -> Mode:
    wanted = next((known for known in _NARROWER if known == values.get("write")), mode)
    return _narrower(mode, wanted)


def _narrower(one: Mode, other: Mode) -> Mode:
    return max(one, other, key=_NARROWER.index)


def _names() -> str:
    return ", ".join(f"`{mode}`" for mode in _NARROWER)
