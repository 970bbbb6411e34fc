"""Measures a reader without one being there: what it would be sent, and what its answers are worth.

    python -m tests.bench.reader export TRANSCRIPT_DIR PROMPT_DIR
    python -m tests.bench.reader import TRANSCRIPT_DIR ANSWER_DIR OUT_DIR

TRANSCRIPT_DIR holds transcripts of the corpus form (see `corpus.py`). `export` writes a file a
call, NAME.NN.txt, exactly as it would be sent, and NAME.NN.json with the parts as an API takes
them. `import` takes answers from ANSWER_DIR, a file of the same name a call, sends them through the
same validation and merging as the daemon does, and writes predictions as `extraction.py` does. A
call without an answer counts as one that failed: what was understood offline stands.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from tests.bench.answered import answer, run, tell
from tests.bench.corpus import Exchanged, exchanges
from tests.bench.extraction import row

from ctxd.extract.classify import shipped
from ctxd.extract.exchange import Spoken
from ctxd.extract.judge import judge
from ctxd.item import Item
from ctxd.reader.agreeing import agreed
from ctxd.reader.evidence import checked
from ctxd.reader.prompt import ask_of, chunks_of, labels, tokens_of
from ctxd.reader.turns import heard_of
from ctxd.reader.values import Chunk, Findings, ReaderError


def called(path: Path) -> Iterator[tuple[str, Chunk]]:
    """The calls that reading a transcript takes, with their names."""
    heard = heard_of((one.spoken for one in exchanges(path)), _offline)
    for number, chunk in enumerate(chunks_of(heard), 1):
        yield f"{path.stem}.{number:02}", chunk


def export(transcripts: Path, out: Path) -> None:
    """Write what would be sent."""
    out.mkdir(parents=True, exist_ok=True)
    sizes = []
    for path in sorted(transcripts.glob("*.jsonl")):
        for name, chunk in called(path):
            ask = ask_of(chunk)
            sizes.append(tokens_of(ask))
            (out / f"{name}.txt").write_text(ask.prompt, encoding="utf-8")
            (out / f"{name}.json").write_bytes(msgspec.json.encode(ask))
    print(f"{len(sizes)} calls, {sum(sizes)} tokens, at most {max(sizes, default=0)} in one")


def take(transcripts: Path, answers: Path, out: Path) -> None:
    """Write the predictions that answers come to."""
    out.mkdir(parents=True, exist_ok=True)
    faults: Counter[str] = Counter()
    for path in sorted(transcripts.glob("*.jsonl")):
        found = {
            one.exchange: one
            for name, chunk in called(path)
            for one in _read(name, chunk, answers, faults)
        }
        rows = [line for one in exchanges(path) for line in _rows(one, found)]
        with (out / path.name).open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in rows)
    tell(faults)


def _read(name: str, chunk: Chunk, answers: Path, faults: Counter[str]) -> list[Findings]:
    text = answer(answers, name)
    if text is None:
        faults["calls without an answer"] += 1
        return []
    try:
        found, refusals = checked(text, chunk, labels(chunk), "import")
    except ReaderError as error:
        faults[f"answers that are none: {error.message}"] += 1
        return []
    faults["calls"] += 1
    for one in refusals:
        faults[f"refused: {one.why}"] += 1
    return found


def _rows(one: Exchanged, found: dict[str, Findings]) -> Iterator[dict[str, Any]]:
    items: list[Item] = _offline(one.spoken)
    findings = found.get(one.spoken.answer[0].id)
    if findings is not None:
        items = agreed(items, findings, one.spoken)
    for item in items:
        yield row(item, one.turns)


def _offline(said: Spoken) -> list[Item]:
    return judge(said, shipped())


def main() -> None:
    """Run from the command line."""
    takes = ("transcripts", "answers", "out")
    run(__doc__, {"export": (export, ("transcripts", "out")), "import": (take, takes)})


if __name__ == "__main__":
    main()
