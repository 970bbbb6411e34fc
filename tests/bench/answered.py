"""What benchmarks of a reader share: questions are written to files, answered by whoever is to be
measured, and the answers read again."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

_SUFFIXES = (".json", ".txt")

Runs = Mapping[str, tuple[Callable[..., Any], Sequence[str]]]
"""What each command runs, and the names of the paths that it is given."""


def answer(folder: Path, name: str) -> str | None:
    """The answer to a call; None where there is none."""
    found = [path for end in _SUFFIXES if (path := folder / f"{name}{end}").exists()]
    return found[0].read_text(encoding="utf-8") if found else None


def tell(faults: Counter[str]) -> None:
    """Print how often each fault was met."""
    for fault, number in faults.most_common():
        print(f"{number:5} {fault}")


def run(about: str | None, runs: Runs) -> None:
    """Run a command of the command line."""
    parser = argparse.ArgumentParser(description=(about or "").split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(required=True)
    for name, (function, paths) in runs.items():
        command = commands.add_parser(name)
        command.set_defaults(run=function)
        for path in paths:
            command.add_argument(path, type=Path)
    given = vars(parser.parse_args())
    given.pop("run")(**given)
