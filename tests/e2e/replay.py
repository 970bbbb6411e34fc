"""Write a case's logs into a live home as their client would.

    python tests/e2e/replay.py CASE HOME

Lines are appended one after the other, now and then torn in two by a pause; documents and databases
are put in place whole. A home filled this way while `ctxd run` follows it shows what a user sees.
"""

import argparse
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

HOMES = {
    "projects": ".claude/projects",
    "sessions": ".claude/sessions",
    "session-state": ".copilot/session-state",
    "User": ".config/Code/User",
}
"""Where the top folders of the cases' log trees belong in a home; others stand there already."""

Wait = Callable[[float], None]


def target_of(relative: Path, home: Path) -> Path:
    """Where a file of a case's log tree belongs in a home."""
    top, *rest = relative.parts
    return home.joinpath(HOMES.get(top, top), *rest)


def replay(case: Path, home: Path, lines_per_second: float, wait: Wait = time.sleep) -> int:
    """Write all logs of a case into `home` at a speed, and return how many lines there were."""
    log = case / "log"
    files = sorted(path for path in log.rglob("*") if path.is_file())
    for path in [path for path in files if path.suffix != ".jsonl"]:
        target = target_of(path.relative_to(log), home)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    written = 0
    for path in [path for path in files if path.suffix == ".jsonl"]:
        target = target_of(path.relative_to(log), home)
        target.parent.mkdir(parents=True, exist_ok=True)
        for piece, is_end in _pieces(path.read_bytes()):
            with target.open("ab") as file:
                file.write(piece)
            written += is_end
            if lines_per_second:
                wait(1 / lines_per_second / (1 if is_end else 4))
    return written


def _pieces(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """The lines of a log, every fifth or so in two halves; whether each piece ends a line."""
    chance = random.Random(len(data))
    *lines, last = data.split(b"\n")
    for line in [*(line + b"\n" for line in lines), *([last] if last else [])]:
        cut = chance.randrange(len(line)) if chance.random() < 0.2 else 0
        if cut:
            yield line[:cut], False
        yield line[cut:], True


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("case", type=Path, help="a folder with `log/` in it")
    arguments.add_argument("home", type=Path)
    arguments.add_argument("--lines-per-second", type=float, default=20.0)
    options = arguments.parse_args()
    count = replay(options.case, options.home, options.lines_per_second)
    sys.stdout.write(f"{count} lines written\n")


if __name__ == "__main__":
    main()
