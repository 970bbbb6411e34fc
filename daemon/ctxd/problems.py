"""Files that gave nothing: refused by the system, or a defect of the parser that took them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from ctxd.errors import reason


class Problem(msgspec.Struct, frozen=True):
    """A file that gave nothing, and why."""

    path: Path
    kind: Literal["unreadable", "defect"]
    """`unreadable`: the system or the file's owner refused. `defect`: a parser failed on it."""
    reason: str
    parser: str | None = None


def file_problem(path: Path, error: Exception, parser: str | None = None) -> Problem:
    """The problem that an exception about a file stands for."""
    if isinstance(error, OSError):
        return Problem(path, "unreadable", reason(error, path), parser)
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return Problem(path, "defect", f"{type(error).__name__}: {error}{where}", parser)
