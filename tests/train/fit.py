"""Fits the model: two lower levels, and a third over what they say of examples they did not see.

Uses scikit-learn, at development time only. Deterministic: the same examples give the same model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from tests.train.match import says
from tests.train.material import Example, Label

from ctxd.extract.candidates import Reading, readings
from ctxd.extract.classify import Linear, Model
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
        case(example.block, reading, _within(reading, example.labels))
        for example in examples
        for reading in readings(example.spoken)
    ]


def _within(reading: Reading, labels: Sequence[Label]) -> list[Label]:
    """The labels that part of a message may hold: a numbered reply is read part by part."""
    text, said = reading.message.text, reading.message.utterances
    found = [(text.find(label.quote), label) for label in labels]
    return [
        label
        for at, label in found
        if at < 0 or any(at < one.end and one.start < at + len(label.quote) for one in said)
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


class Table:
    """Rows of features as one sparse matrix: made once, fitted on many choices of rows."""

    def __init__(self, rows: Sequence[Features]) -> None:
        self._vectors = DictVectorizer()
        self.matrix = self._vectors.fit_transform(rows) if rows else None
        self._names = list(self._vectors.get_feature_names_out()) if rows else []

    def linear(
        self,
        chosen: Sequence[int],
        answers: Sequence[bool],
        strength: float,
        weights: Sequence[float] | None = None,
    ) -> Linear:
        """Return the logistic regression of these rows' answers."""
        model = LogisticRegression(C=strength, max_iter=3000)
        model.fit(self.matrix[np.asarray(chosen)], np.asarray(answers), sample_weight=weights)
        named = zip(self._names, model.coef_[0], strict=True)
        return Linear(
            round(float(model.intercept_[0]), 5),
            {name: round(float(w), 4) for name, w in named if abs(w) >= LEAST_WEIGHT},
        )


class Lower:
    """The two lower levels, fitted on any choice of cases."""

    def __init__(self, found: Sequence[Case]) -> None:
        self._settles = [one.settles for one in found]
        self._messages = Table([one.message for one in found])
        self._told = [(n, part[1]) for n, one in enumerate(found) for part in one.sentences]
        self._sentences = Table([part[0] for one in found for part in one.sentences])

    def fit(self, chosen: Collection[int]) -> tuple[Linear, Linear]:
        """Fit on the cases with these numbers."""
        cases = [n for n in chosen if self._settles[n] is not None]
        message = self._messages.linear(
            cases, [bool(self._settles[n]) for n in cases], STRENGTH["message"]
        )
        within = set(chosen)
        parts = [k for k, (n, told) in enumerate(self._told) if n in within and told is not None]
        sentence = self._sentences.linear(
            parts, [bool(self._told[k][1]) for k in parts], STRENGTH["sentence"]
        )
        return message, sentence


def fit(found: Sequence[Case], version: str = "") -> Model:
    """Fit the three levels and the kinds. The probability is `calibrate`'s."""
    lower = Lower(found)
    rows = [
        (candidate_features(one.reading, candidate, scores), says, kind, duration, len(one.says))
        for one, scores in zip(found, _crossed(found, lower), strict=True)
        for candidate, says, kind, duration in zip(
            one.reading.candidates, one.says, one.kinds, one.durations, strict=True
        )
    ]
    message, sentence = lower.fit(range(len(found)))
    table = Table([row[0] for row in rows])
    known = [n for n, row in enumerate(rows) if row[1] is not None]
    candidate = table.linear(
        known,
        [bool(rows[n][1]) for n in known],
        STRENGTH["candidate"],
        [1 / rows[n][4] ** 0.5 for n in known],
    )
    said = [n for n, row in enumerate(rows) if row[2]]
    return Model(
        version,
        message,
        sentence,
        candidate,
        {},
        _one_against_rest(table, said, [rows[n][2] for n in said], STRENGTH["kind"]),
        _one_against_rest(table, said, [rows[n][3] for n in said], STRENGTH["duration"]),
    )


def _crossed(found: Sequence[Case], lower: Lower) -> list[Scores]:
    """What the lower levels say of each case when they were fitted without its block."""
    scores: dict[int, Scores] = {}
    blocks = [one.block for one in found]
    for seen, held in GroupKFold(FOLDS).split(found, groups=blocks):
        message, sentence = lower.fit(seen.tolist())
        for index in held.tolist():
            one = found[index]
            scores[index] = Scores(
                message.score(one.message),
                tuple(sentence.score(features) for features, _ in one.sentences),
            )
    return [scores[index] for index in range(len(found))]


def _one_against_rest(
    table: Table, chosen: Sequence[int], names: Sequence[str], strength: float
) -> dict[str, Linear]:
    return {
        name: table.linear(chosen, [one == name for one in names], strength)
        for name in sorted(set(names))
    }


__all__ = ["Case", "case", "cases", "fit"]
