"""Judges what real compactions left, against what a careful reader found.

    python -m tests.bench.real_compactions GOLD_FOLDER CORPUS_FOLDER [--wrong N]

GOLD_FOLDER holds `*.gold.json` with items and compactions, CORPUS_FOLDER the transcripts. Counted
is the balanced accuracy of survived `yes` against `no`: `yes` is right when an item is judged
kept, `no` when it is judged anything else. `partly` maps to neither: its reader found the matter
without what binds, so the answers are listed beside. Items that the reader was not sure of (1 of 3)
are left out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ctxd.retention.judge import After, judge
from ctxd.retention.values import Stated, Text, Verdict


class Judged(NamedTuple):
    """One item at one compaction."""

    source: str
    turn: int
    survived: str
    item: dict[str, Any]
    summary_quote: str
    verdict: Verdict


def judged(gold: Path, corpus: Path) -> Iterator[Judged]:
    """Yield every labelled item of a transcript with its verdict."""
    told = json.loads(gold.read_text(encoding="utf-8"))
    source = gold.name.removesuffix(".gold.json")
    rows = (corpus / f"{source}.jsonl").read_text(encoding="utf-8").splitlines()
    texts = {row["i"]: row.get("text", "") for row in map(json.loads, rows)}
    for compaction in told.get("compactions") or ():
        after = After.of((Text("summary", texts[compaction["turn"]]),))
        for asked in compaction["items"]:
            item = told["items"][asked["item"]]
            verdict = judge(_stated(item), after)
            yield Judged(
                source, compaction["turn"], asked["survived"], item, asked["summary_quote"], verdict
            )


def balanced(found: Counter[tuple[str, bool]]) -> float:
    """Return the mean of how many of either kind were seen as what they are."""
    kept = found["yes", True] / max(found["yes", True] + found["yes", False], 1)
    gone = found["no", False] / max(found["no", True] + found["no", False], 1)
    return (kept + gone) / 2


def _stated(item: dict[str, Any]) -> Stated:
    quotes = (item["quote"], item.get("proposal_quote") or "")
    return Stated(
        text=item["statement"],
        quotes=tuple(quote for quote in quotes if quote),
        kind=item["kind"],
        rejected=tuple(item.get("rejected") or ()),
    )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--wrong", type=int, default=0)
    given = parser.parse_args()
    began = time.perf_counter()
    found = [
        one for path in sorted(given.gold.glob("*.gold.json")) for one in judged(path, given.corpus)
    ]
    took = time.perf_counter() - began
    sure = [one for one in found if one.item["sure"] > 1]
    seen = Counter((one.survived, one.verdict.answer == "kept") for one in sure)
    wrong = [
        one
        for one in sure
        if one.survived != "partly" and (one.survived == "yes") != (one.verdict.answer == "kept")
    ]
    for one in wrong[: given.wrong]:
        said = f"{one.survived} said {one.verdict.answer}: {one.item['statement']}"
        print(f"{one.source} {one.turn} {said}")
        print(
            f"      {one.summary_quote[:140]!r} / {one.verdict.passage[:140]!r} {one.verdict.why}"
        )
    answers = Counter((one.survived, one.verdict.answer) for one in sure)
    for survived in ("yes", "partly", "no"):
        told = {answer: n for (label, answer), n in sorted(answers.items()) if label == survived}
        print(f"{survived:7} {told}")
    print(f"balanced accuracy of yes against no: {balanced(seen):.3f}")
    print(f"{len(sure)} items, {took:.2f} s")


if __name__ == "__main__":
    main()
