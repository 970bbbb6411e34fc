"""Of the pinned set that the tests ran with, what ctxd itself needs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements-dev.txt"
_VIA = re.compile(r"^ +#(?: via| {3}) *(.*)$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def needed(lock: str) -> dict[str, str]:
    """Each package that ctxd needs, directly or not, with its part of the lock file."""
    parts = {_NAME.match(part)[0]: part for part in _parts(lock)}
    wanted = _direct()
    while True:
        more = {name for name, part in parts.items() if wanted & set(_VIA.findall(part))} | wanted
        if more == wanted:
            return {name: part for name, part in parts.items() if name in wanted}
        wanted = more


def _direct() -> set[str]:
    """What pyproject.toml names; what an extra alone needs is no part of a package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {_NAME.match(line)[0] for line in project["dependencies"]}


def _parts(lock: str) -> Iterator[str]:
    for part in re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE):
        if part.strip():
            yield part


def requirements() -> str:
    """A requirements file for packagers: exact versions with the hashes of their archives."""
    parts = needed(LOCK.read_text(encoding="utf-8")).values()
    bare = (re.sub(r" \\\n(?= +#)|\n +#.*", "", part).rstrip() for part in parts)
    return "# Made by packaging/generate.py from requirements-dev.txt.\n" + "\n".join(bare) + "\n"
