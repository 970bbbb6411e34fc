"""Predictions for transcripts by models that were not trained on anything like them.

    python -m tests.train.held_out TRANSCRIPT_DIR OUT_DIR --twins FILE [--jobs N]

FILE is a JSON object: part of a transcript's name -> the groups of training exchanges that were
written after it. For each part a model is trained without these groups, and predicts the
transcripts that have the part in their names. OUT_DIR is scored like that of
`tests.bench.extraction`.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.bench.corpus import exchanges
from tests.bench.extraction import predictions
from tests.train.material import examples
from tests.train.train import trained


def held_out(part: str, groups: list[str], transcripts: Path, out: Path) -> str:
    """Write the predictions for the transcripts of one part; return what was done."""
    material = [one for one in examples() if one.group not in groups]
    model = trained(material)
    number = 0
    for path in sorted(transcripts.glob(f"*{part}*.jsonl")):
        rows = list(predictions(exchanges(path), model))
        number += len(rows)
        with (out / path.name).open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return f"{part}: {len(material)} exchanges in training, {number} items"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--twins", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    twins: dict[str, list[str]] = json.loads(given.twins.read_text(encoding="utf-8"))
    with ProcessPoolExecutor(given.jobs) as workers:
        jobs = [
            workers.submit(held_out, part, groups, given.transcripts, given.out)
            for part, groups in twins.items()
        ]
        for job in jobs:
            print(job.result())


if __name__ == "__main__":
    main()
