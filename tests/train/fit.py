"""Fits the model: two lower levels, and a third over what they say of examples they did not see.

Uses scikit-learn, at development time only. Deterministic: the same examples give the same model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from tests.train.match import says
from tests.train.material import Example, Label

from ctxd.extract.candidates import Reading, readings
from ctxd.extract.classify import Linear, Model, Scale
from ctxd.extract.features import (
    Features,
    Scores,
    candidate_features,
    message_features,
    sentence_features,
)
from ctxd.extract.terms import content

FOLDS = 5
LEAST_WEIGHT = 0.004
STRENGTH = {"message": 0.1, "sentence": 0.1, "candidate": 0.1, "kind": 0.1, "duration": 0.1}
"""Inverse strength of the regularisation of each level."""
_SENTENCE_OF_QUOTE = 0.6
_QUOTE_OF_SENTENCE = 0.5


class Case(NamedTuple):
    """One message of an example, with its labels laid over it."""

    block: str
    reading: Reading
    message: Features
    settles: bool | None
    """None where a reader was not sure: it is left out."""
    sentences: tuple[tuple[Features, bool | None], ...]
    says: tuple[bool | None, ...]
    """Whether each candidate says a label that is asked for."""
    kinds: tuple[str, ...]
    """The kind of the label that each candidate says; empty where it says none."""
    durations: tuple[str, ...]


def cases(examples: Iterable[Example]) -> list[Case]:
    """Return the messages of the examples with their features and labels."""
    return [
        case(example.block, reading, example.labels)
        for example in examples
        for reading in readings(example.spoken)
    ]


def case(block: str, reading: Reading, labels: Sequence[Label]) -> Case:
    """Return one message with its features and labels."""
    asked = [label for label in labels if label.asked]
    unsure = [label for label in labels if not label.asked and label.authority != "agent"]
    found = []
    for candidate in reading.candidates:
        best = max(
            ((says(candidate.text, label), n) for n, label in enumerate(asked)), default=(0, 0)
        )
        other = any(says(candidate.text, label) for label in unsure)
        label = asked[best[1]] if best[0] else None
        found.append((True if label else None if other else False, label))
    return Case(
        block,
        reading,
        message_features(reading),
        True if asked else None if unsure else False,
        tuple(_sentences(reading, asked, unsure)),
        tuple(yes for yes, _ in found),
        tuple(label.kind if label else "" for _, label in found),
        tuple(label.durability if label else "" for _, label in found),
    )


def _sentences(
    reading: Reading, asked: Sequence[Label], unsure: Sequence[Label]
) -> Iterable[tuple[Features, bool | None]]:
    for index, one in enumerate(reading.message.utterances):
        told: bool | None = any(_carries(one.content, label) for label in asked)
        if not told and any(_carries(one.content, label) for label in unsure):
            told = None
        yield sentence_features(reading, index), told


def _carries(words: frozenset[str], label: Label) -> bool:
    quote = content(label.quote)
    shared = len(words & quote)
    return bool(shared) and (
        shared >= _SENTENCE_OF_QUOTE * len(words) or shared >= _QUOTE_OF_SENTENCE * len(quote)
    )


def fit(found: Sequence[Case], version: str = "") -> Model:
    """Fit the three levels, the probability, and the kinds."""
    below = _crossed(found)
    rows = [
        (candidate_features(one.reading, candidate, scores), says, kind, duration, one)
        for one, scores in zip(found, below, strict=True)
        for candidate, says, kind, duration in zip(
            one.reading.candidates, one.says, one.kinds, one.durations, strict=True
        )
    ]
    known = [row for row in rows if row[1] is not None]
    weights = [1 / len(row[4].says) ** 0.5 for row in known]
    message, sentence = _lower(found)
    candidate = _linear(
        [row[0] for row in known], [row[1] for row in known], STRENGTH["candidate"], weights
    )
    said = [row for row in rows if row[2]]
    return Model(
        version,
        message,
        sentence,
        candidate,
        {},
        _one_against_rest([(row[0], row[2]) for row in said], STRENGTH["kind"]),
        _one_against_rest([(row[0], row[3]) for row in said], STRENGTH["duration"]),
    )


def _lower(found: Sequence[Case]) -> tuple[Linear, Linear]:
    known = [one for one in found if one.settles is not None]
    message = _linear(
        [one.message for one in known], [bool(one.settles) for one in known], STRENGTH["message"]
    )
    parts = [part for one in found for part in one.sentences if part[1] is not None]
    sentence = _linear(
        [part[0] for part in parts], [bool(part[1]) for part in parts], STRENGTH["sentence"]
    )
    return message, sentence


def _crossed(found: Sequence[Case]) -> list[Scores]:
    """What the lower levels say of each case when they were fitted without its block."""
    scores: list[Scores | None] = [None] * len(found)
    blocks = [one.block for one in found]
    for seen, held in GroupKFold(FOLDS).split(found, groups=blocks):
        message, sentence = _lower([found[index] for index in seen])
        for index in held:
            one = found[index]
            scores[index] = Scores(
                message.score(one.message),
                tuple(sentence.score(features) for features, _ in one.sentences),
            )
    return [score for score in scores if score is not None]


def _one_against_rest(rows: Sequence[tuple[Features, str]], strength: float) -> dict[str, Linear]:
    return {
        name: _linear([row[0] for row in rows], [row[1] == name for row in rows], strength)
        for name in sorted({row[1] for row in rows})
    }


def _linear(
    rows: Sequence[Features],
    answers: Sequence[bool],
    strength: float,
    weights: Sequence[float] | None = None,
) -> Linear:
    vectors = DictVectorizer()
    matrix = vectors.fit_transform(rows)
    model = LogisticRegression(C=strength, max_iter=3000)
    model.fit(matrix, np.asarray(answers), sample_weight=weights)
    named = zip(vectors.get_feature_names_out(), model.coef_[0], strict=True)
    return Linear(
        round(float(model.intercept_[0]), 5),
        {name: round(float(w), 4) for name, w in named if abs(w) >= LEAST_WEIGHT},
    )


Fitter = Callable[[Sequence[Case]], Model]
__all__ = ["Case", "Fitter", "Scale", "case", "cases", "fit"]
