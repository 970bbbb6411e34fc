"""Of the pinned set that the tests ran with, what ctxd itself needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

LOCK = Path(__file__).parent.parent / "requirements-dev.txt"
_OURS = "ctxd-daemon (pyproject.toml)"
_VIA = re.compile(r"^ +#(?: via| {3}) *(.*)$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def needed(lock: str) -> dict[str, str]:
    """Each package that ctxd needs, directly or not, with its part of the lock file."""
    parts = {_NAME.match(part)[0]: part for part in _parts(lock)}
    wanted = {_OURS}
    while True:
        more = {name for name, part in parts.items() if wanted & set(_VIA.findall(part))} | wanted
        if more == wanted:
            return {name: part for name, part in parts.items() if name in wanted}
        wanted = more


def _parts(lock: str) -> Iterator[str]:
    for part in re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE):
        if part.strip():
            yield part


def requirements() -> str:
    """A requirements file for packagers: exact versions with the hashes of their archives."""
    parts = needed(LOCK.read_text(encoding="utf-8")).values()
    bare = (re.sub(r" \\\n(?= +#)|\n +#.*", "", part).rstrip() for part in parts)
    return "# Made by packaging/generate.py from requirements-dev.txt.\n" + "\n".join(bare) + "\n"
