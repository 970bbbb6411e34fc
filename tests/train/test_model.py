"""The shipped model is the one that the material gives, and is small enough to load unnoticed."""

from __future__ import annotations

from pathlib import Path

from tests.train.material import examples
from tests.train.version import version

from ctxd.extract.classify import shipped
from ctxd.extract.cues import NAMES
from ctxd_parsers.events import QuestionAnswered, UserMessage

MODEL = Path(__file__).parents[2] / "daemon/ctxd/extract/model.json"


def said(event):
    return event.text if isinstance(event, UserMessage) else ""


def test_the_model_is_of_the_material_in_the_repository():
    assert shipped().version == version(), "train it anew: make model"


def test_every_cue_that_the_model_weighs_exists():
    names = {
        name.rpartition(":")[2]
        for level in (shipped().message, shipped().sentence, shipped().candidate)
        for name in level.weights
        if name.startswith(("cue:", "point cue:", "dialog cue:", "answer cue:"))
    }

    assert names <= set(NAMES)


def test_the_model_is_small():
    assert MODEL.stat().st_size < 2_000_000


def test_the_material_is_what_its_format_says():
    found = examples()

    assert len({one.id for one in found}) == len(found)
    for one in found:
        words = "\n".join(map(said, one.spoken.answer))
        for label in one.labels:
            assert label.quote in words or isinstance(one.spoken.answer[0], QuestionAnswered)


def test_examples_of_one_session_stay_together_in_cross_validation():
    blocks = {}
    for one in examples():
        blocks.setdefault(one.spoken.session, set()).add(one.block)

    assert all(len(found) == 1 for session, found in blocks.items() if session not in ("a", "b"))
