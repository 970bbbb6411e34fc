"""Writes what extraction finds in transcripts, in the form that a scorer reads.

    python -m tests.bench.extraction TRANSCRIPT_DIR OUT_DIR

TRANSCRIPT_DIR holds transcripts of the corpus form (see `corpus.py`); OUT_DIR gets a file of the
same name for each, one item a line: kind, turn, from_turn, text, quotes, authority, auto, rejected.
Prints how fast it was.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.bench.corpus import Exchanged, exchanges

from ctxd.extract.classify import Model, shipped
from ctxd.extract.judge import judge
from ctxd.item import Item


def predictions(found: Iterable[Exchanged], model: Model) -> Iterable[dict[str, Any]]:
    """Yield what extraction makes of exchanges."""
    for one in found:
        for item in judge(one.spoken, model):
            yield row(item, one.turns)


def row(item: Item, turns: dict[str, int]) -> dict[str, Any]:
    """Return an item in the scorer's form."""
    of = [turns[e.event.split("#")[0]] for e in item.evidence if e.speaker == "agent"]
    return {
        "kind": item.kind,
        "turn": turns[item.event.split("#")[0]],
        "from_turn": of[0] if of else None,
        "text": item.text,
        "quotes": [evidence.quote for evidence in item.evidence],
        "authority": item.authority,
        "auto": item.plain,
        "rejected": list(item.rejected),
        "probability": round(item.probability, 4),
        "act": item.act,
        "durability": item.durability,
    }


def write(transcripts: Path, out: Path, model: Model) -> tuple[int, int, float]:
    """Write the predictions of a folder; return exchanges, items and seconds of judging."""
    out.mkdir(parents=True, exist_ok=True)
    number = items = 0
    spent = 0.0
    for path in sorted(transcripts.glob("*.jsonl")):
        found = list(exchanges(path))
        began = time.process_time()
        rows = list(predictions(found, model))
        spent += time.process_time() - began
        number += len(found)
        items += len(rows)
        with (out / path.name).open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return number, items, spent


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    began = time.process_time()
    model = shipped()
    loaded = time.process_time() - began
    number, items, spent = write(given.transcripts, given.out, model)
    print(
        f"{number} exchanges, {items} items, "
        f"{number / max(spent, 1e-9):.0f} exchanges a CPU second, "
        f"model loaded in {loaded * 1000:.0f} ms"
    )


if __name__ == "__main__":
    main()
