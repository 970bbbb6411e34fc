"""Judges labelled pairs of an item and the text after a compaction.

    python -m tests.bench.retention PAIRS.jsonl [--words item|both]

Prints one JSON object a pair: id, verdict and evidence, which is a verbatim part of the text. With
`--words item` (what the product knows) only the words that were said are looked for, with `both`
the statement in good English as well.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ctxd.retention.judge import After, judge
from ctxd.retention.values import Stated, Text, Verdict


def stated(pair: dict[str, Any], words: str) -> Stated:
    """Return the item of a pair."""
    if words == "both":
        return Stated(text=pair["statement"], quotes=(pair["item"],), kind=pair["kind"])
    return Stated(text=pair["item"], kind=pair["kind"])


def verdicts(pairs: list[dict[str, Any]], words: str) -> list[Verdict]:
    """Return the verdict of each pair; pairs with one text share what is prepared of it."""
    prepared: dict[str, After] = {}
    for pair in pairs:
        if pair["after"] not in prepared:
            prepared[pair["after"]] = After.of((Text("summary", pair["after"]),))
    return [judge(stated(pair, words), prepared[pair["after"]]) for pair in pairs]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--words", choices=("item", "both"), default="item")
    given = parser.parse_args()
    lines = given.pairs.read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines if line.strip()]
    for pair, verdict in zip(pairs, verdicts(pairs, given.words), strict=True):
        row = {"id": pair["id"], "verdict": verdict.answer, "evidence": verdict.passage}
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
