"""The shipped model of the retention judge is the one that the pairs give, and small."""

from __future__ import annotations

import json
from pathlib import Path

from tests.train.retained_version import pairs_files, version

from ctxd.retention.forest import shipped

MODEL = Path(__file__).parents[2] / "daemon/ctxd/retention/model.json"


def test_the_model_is_of_the_pairs_in_the_repository():
    assert shipped().version == version(), "train it anew: python -m tests.train.retained"


def test_the_model_is_small():
    assert MODEL.stat().st_size < 300_000


def test_every_pair_is_what_its_format_says():
    for path in pairs_files():
        for line in path.read_text(encoding="utf-8").splitlines():
            pair = json.loads(line)
            assert pair["label"] in {"kept", "weakened", "changed", "lost"}
            assert pair["evidence"] in pair["after"]
