"""Checks what holds of every item on real transcripts: `python -m tests.bench.invariants FOLDER`.

FOLDER holds transcripts of the corpus form (see `corpus.py`). Prints how many items break which
promise, and with `--where` in which turns; never what was said. Exits with 1 when any does.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.corpus import exchanges
from ctxd.extract.judge import judge
from item_invariants import problems


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--where", action="store_true")
    given = parser.parse_args()
    counted: Counter[str] = Counter()
    number = items = 0
    for path in sorted(given.transcripts.glob("*.jsonl")):
        for one in exchanges(path):
            found = judge(one.spoken)
            number, items = number + 1, items + len(found)
            wrong = problems(one.spoken, found)
            if judge(one.spoken) != found:
                wrong.append("judged otherwise the second time")
            counted.update(name.split(":")[0] for name in wrong)
            if given.where and wrong:
                print(f"{path.stem} turn {one.turn}: {'; '.join(wrong)}")
    print(f"{number} exchanges, {items} items, {sum(counted.values())} broken promises")
    for name, count in counted.most_common():
        print(f"{count:6}  {name}")
    sys.exit(1 if counted else 0)


if __name__ == "__main__":
    main()
