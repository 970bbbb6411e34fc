"""Trains the model that judges what a compaction left of an item.

    python -m tests.train.retained [--out | --check]

Writes `daemon/ctxd/retention/model.json` from `tests/train/pairs/*.jsonl`; the same pairs give the
same file. `--out` trains on all but a tenth of the summaries, judges the pairs of that tenth, and
so on, and prints what a judge is worth on summaries that it never saw. `--check` tells whether the
file that is there is the one that would be written. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from tests.bench.retention import stated
from tests.train.retained_version import pairs_files, version

from ctxd.retention.after import After
from ctxd.retention.candidates import Candidate, candidates
from ctxd.retention.forest import Forest, Model, Tree
from ctxd.retention.judge import judge
from ctxd.retention.sought import sought
from ctxd.retention.values import Text

MODEL = Path(__file__).parents[2] / "daemon/ctxd/retention/model.json"
ANSWERS = ("kept", "weakened", "changed", "lost")
_SAME_PASSAGE = 0.3
"""Share of common characters from which a passage is the one that a reader pointed at."""
_FOLDS = 10
_ELSEWHERE = 3
"""Passages a pair that do not decide and that the judging forest learns to pass over."""


class Row(NamedTuple):
    """One passage of one pair."""

    features: dict[str, float]
    decides: bool | None
    """None where it is neither the passage that was pointed at nor quite another."""
    answer: str
    weight: float


class Pair(NamedTuple):
    """One pair, read once."""

    raw: dict[str, Any]
    after: After
    rows: tuple[Row, ...]


def material(paths: Iterable[Path]) -> list[Pair]:
    """Return the pairs of these files."""
    prepared: dict[str, After] = {}
    found = []
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            raw = json.loads(line)
            if raw["after"] not in prepared:
                prepared[raw["after"]] = After.of((Text("summary", raw["after"]),))
            after = prepared[raw["after"]]
            found.append(Pair(raw, after, tuple(_rows(raw, after))))
    return found


def trained(pairs: Sequence[Pair], version: str = "") -> Model:
    """Return a model fitted on these pairs."""
    rows = [row for pair in pairs for row in pair.rows]
    names = sorted({name for row in rows for name in row.features})
    pointed = [row for pair in pairs if any(r.decides for r in pair.rows) for row in pair.rows]
    told = [row for row in pointed if row.decides is not None]
    deciding = _forest(names, told, ["yes" if row.decides else "no" for row in told], (0.3, 40))
    judged = [row for row in rows if row.answer]
    judging = _forest(names, judged, [row.answer for row in judged], (0.25, 96))
    return Model(version, deciding, judging)


def encoded(model: Model) -> bytes:
    """Return the model as it is stored."""
    return msgspec.json.encode(model) + b"\n"


def _rows(raw: dict[str, Any], after: After) -> Iterable[Row]:
    item = sought(stated(raw, "item").text)
    for rank, found in enumerate(candidates(item, after)):
        common = _common(raw, found)
        there = bool(raw["evidence"]) and common > _SAME_PASSAGE
        decides = True if there else False if common == 0 else None
        elsewhere = decides is False and rank < _ELSEWHERE and raw["label"] != "kept"
        answer = raw["label"] if there else "lost" if elsewhere else ""
        yield Row(
            found.features, decides, answer, 1.0 if there else 0.5 if raw["evidence"] else 0.8
        )


def _common(raw: dict[str, Any], found: Candidate) -> float:
    evidence, passage, text = raw["evidence"], found.unit.passage.text, raw["after"]
    if not evidence:
        return 0.0
    first, second = text.find(evidence), text.find(passage)
    both = min(first + len(evidence), second + len(passage)) - max(first, second)
    return max(both, 0) / (len(evidence) + len(passage) - max(both, 0))


def _forest(
    names: Sequence[str], rows: Sequence[Row], answers: Sequence[str], size: tuple[float, int]
) -> Forest:
    share, trees = size
    table = np.array([[row.features.get(name, 0.0) for name in names] for row in rows])
    fitted = RandomForestClassifier(
        trees, min_samples_leaf=3, max_leaf_nodes=40, max_features=share, random_state=0, n_jobs=2
    ).fit(table, answers, sample_weight=np.array([row.weight for row in rows]))
    kinds = [str(name) for name in fitted.classes_]
    return Forest(names, kinds, [_tree(one.tree_) for one in fitted.estimators_])


def _tree(tree: Any) -> Tree:
    leaves: list[tuple[float, ...]] = []
    lower = []
    for node, feature in enumerate(tree.feature):
        if feature >= 0:
            lower.append(int(tree.children_left[node]))
            continue
        counts = tree.value[node][0]
        lower.append(len(leaves))
        leaves.append(tuple(round(float(n / counts.sum()), 3) for n in counts))
    features = [max(int(feature), -1) for feature in tree.feature]
    thresholds = [
        round(float(t), 5) if f >= 0 else 0.0 for f, t in zip(features, tree.threshold, strict=True)
    ]
    upper = [max(int(node), 0) for node in tree.children_right]
    return Tree(features, thresholds, lower, upper, leaves)


def left_out(pairs: Sequence[Pair], words: str = "item") -> Iterable[tuple[dict[str, Any], Any]]:
    """Yield each pair with the verdict of a model that never saw its summary."""
    texts = list(dict.fromkeys(pair.raw["after"] for pair in pairs))
    order = np.random.RandomState(0).permutation(len(texts))
    fold = {text: int(number) % _FOLDS for text, number in zip(texts, order, strict=True)}
    for out in range(_FOLDS):
        model = trained([pair for pair in pairs if fold[pair.raw["after"]] != out])
        for pair in pairs:
            if fold[pair.raw["after"]] == out:
                yield pair.raw, judge(stated(pair.raw, words), pair.after, model)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--out", type=Path, help="write verdicts of left-out pairs, one a line")
    parser.add_argument("--words", choices=("item", "both"), default="item")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    paths = pairs_files()
    pairs = material(paths)
    if given.out:
        rows = [
            {"id": raw["id"], "verdict": verdict.answer, "evidence": verdict.passage}
            for raw, verdict in left_out(pairs, given.words)
        ]
        given.out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return
    body = encoded(trained(pairs, version()))
    if given.check:
        sys.exit(0 if MODEL.read_bytes() == body else "model.json is not what the pairs give")
    MODEL.write_bytes(body)
    print(f"{MODEL.name}: {len(body) / 1024:.0f} KiB of {len(pairs)} pairs")


if __name__ == "__main__":
    main()
