"""Measures a reader's verdicts on compactions without one being there.

    python -m tests.bench.reader_compactions export PAIRS PROMPT_DIR
    python -m tests.bench.reader_compactions import PAIRS ANSWER_DIR OUT

PAIRS is a file of labelled pairs as `retention.py` judges them, or a folder of such. `export`
writes a file a call, NAME.txt, exactly as it would be sent, and NAME.json with the parts as an API
takes them; no label is in them. `import` takes answers from ANSWER_DIR, a file of the same name a
call, sends them through the same validation as the daemon, and writes to OUT one JSON object a pair
as `retention.py` does: what is in force after the reader was asked. A call without an answer, and
an answer that does not count, leave what the comparison came to. Printed is what each is worth:
alarm (anything but kept) and exact answer, of the comparison, the reader's own answers before the
validation, and what is in force.

What a reader is measured with must not have been used to write the prompt or to tune the
validation: of `tests/train/pairs` that is `held_out` alone.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from tests.bench.answered import answer, run, tell
from tests.bench.retention import stated

from ctxd.reader.answer_text import raw_answer
from ctxd.reader.compaction_evidence import checked
from ctxd.reader.compaction_prompt import ask_of, chunks_of
from ctxd.reader.compaction_texts import in_summary
from ctxd.reader.compaction_values import CompactionChunk, Looked
from ctxd.reader.prompt import tokens_of
from ctxd.reader.values import ReaderError
from ctxd.retention.judge import After, judge
from ctxd.retention.values import Text, Verdict

Pair = dict[str, Any]


def pairs_of(path: Path) -> list[Pair]:
    """Return the pairs of a file, or of those in a folder."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [json.loads(line) for line in lines if line.strip()]


def calls(pairs: Sequence[Pair]) -> Iterator[tuple[str, CompactionChunk]]:
    """Yield the calls that reading all their summaries takes, with their names."""
    by_text: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_text.setdefault(pair["after"], []).append(pair)
    for text, own in by_text.items():
        event = hashlib.sha256(text.encode()).hexdigest()[:10]
        after = After.of((Text("summary", text, event),))
        items = [
            Looked(
                repository="pairs",
                item=pair["id"],
                stated=stated(pair, "item"),
                offline=judge(stated(pair, "item"), after),
            )
            for pair in own
        ]
        for number, chunk in enumerate(chunks_of(event, items, in_summary(text, event)), 1):
            yield f"{event}.{number:02}", chunk


def export(pairs: Path, out: Path) -> None:
    """Write what would be sent."""
    out.mkdir(parents=True, exist_ok=True)
    sizes = []
    for name, chunk in calls(pairs_of(pairs)):
        ask = ask_of(chunk)
        sizes.append(tokens_of(ask))
        (out / f"{name}.txt").write_text(ask.prompt, encoding="utf-8")
        (out / f"{name}.json").write_bytes(msgspec.json.encode(ask))
    print(f"{len(sizes)} calls, {sum(sizes)} tokens, at most {max(sizes, default=0)} in one")


def take(pairs: Path, answers: Path, out: Path) -> None:
    """Write what is in force after these answers, and print what that is worth."""
    told = pairs_of(pairs)
    offline: dict[str, Verdict] = {}
    said: dict[str, str] = {}
    forced: dict[str, Verdict] = {}
    faults: Counter[str] = Counter()
    for name, chunk in calls(told):
        offline |= {one.item: one.offline for one in chunk.items}
        text = answer(answers, name)
        if text is None:
            faults["calls without an answer"] += 1
            continue
        said |= _said(text, chunk)
        try:
            found, refusals = checked(text, chunk)
        except ReaderError as error:
            faults[f"answers that are none: {error.message}"] += 1
            continue
        forced |= {one.item: one.verdict for one in found if one.verdict}
        faults.update(f"refused: {one.why.partition(': ')[2] or one.why}" for one in refusals)
    forced = offline | forced
    out.write_text("".join(_row(pair, forced[pair["id"]]) for pair in told), encoding="utf-8")
    labels = {pair["id"]: pair["label"] for pair in told}
    _print("comparison", labels, {name: one.answer for name, one in offline.items()})
    _print("reader", {name: labels[name] for name in said}, said)
    _print("in force", labels, {name: one.answer for name, one in forced.items()})
    tell(faults)


def _said(text: str, chunk: CompactionChunk) -> dict[str, str]:
    """What a reader answered of each item, whether it counts or not."""
    try:
        rows = raw_answer(text).items
    except ReaderError:
        return {}
    labels = chunk.labels
    return {
        labels[row["item"]].item: str(row.get("answer"))
        for row in rows
        if isinstance(row, dict) and row.get("item") in labels
    }


def _row(pair: Pair, verdict: Verdict) -> str:
    row = {"id": pair["id"], "verdict": verdict.answer, "evidence": verdict.passage}
    return json.dumps(row, ensure_ascii=False) + "\n"


def _print(name: str, labels: dict[str, str], found: dict[str, str]) -> None:
    alarms = [(labels[one] != "kept", found[one] != "kept") for one in labels]
    right = sum(is_one and told for is_one, told in alarms)
    precision = right / max(sum(told for _, told in alarms), 1)
    recall = right / max(sum(is_one for is_one, _ in alarms), 1)
    exact = sum(labels[one] == found[one] for one in labels) / max(len(labels), 1)
    false = sum(labels[one] == "kept" and found[one] == "changed" for one in labels)
    figures = f"alarm precision {precision:.3f} recall {recall:.3f}, exact {exact:.3f}"
    print(f"{name:12} {len(labels):4} pairs: {figures}, kept called changed {false}")


def main() -> None:
    """Run from the command line."""
    takes = ("pairs", "answers", "out")
    run(__doc__, {"export": (export, ("pairs", "out")), "import": (take, takes)})


if __name__ == "__main__":
    main()
