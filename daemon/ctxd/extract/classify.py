"""How likely a candidate is an item, of which kind, and how long it matters.

A small linear model at three levels: does the message settle anything, which of its sentences do,
and is this candidate the item in these words. It ships as `model.json`, made by `tests/train` from
the exchanges in the repository; nothing but the standard library and msgspec is needed to use it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import repeat
from operator import mul
from typing import Generic, NamedTuple, TypeVar

import msgspec

from ctxd.extract.candidates import Candidate, Reading, Source
from ctxd.extract.features import (
    Features,
    Scores,
    candidate_features,
    message_features,
    sentence_features,
)
from ctxd.item import Durability, Kind
from ctxd.policy.extraction import (
    ITEM_OVERLAP,
    ITEMS_A_MESSAGE,
    LEAST_MESSAGE_SCORE,
    SENTENCES_LOOKED_AT,
)

Answer = TypeVar("Answer", bound=str)


class Linear(msgspec.Struct, frozen=True):
    """A weighted sum of features; features without a weight count nothing."""

    bias: float
    weights: dict[str, float]

    def score(self, features: Features) -> float:
        """Return the log-odds for these features."""
        weights = map(self.weights.get, features, repeat(0.0))
        return sum(map(mul, weights, features.values()), self.bias)


class Choice(NamedTuple, Generic[Answer]):
    """Linear models for several answers side by side, so that a feature is looked up once."""

    answers: Sequence[Answer]
    biases: Sequence[float]
    rows: Mapping[str, Sequence[float]]
    """Feature -> its weight for each answer."""

    def best(self, features: Features) -> Answer:
        """Return the likeliest answer, the first of equals."""
        found = zip(map(self.rows.get, features), features.values(), strict=True)
        seen = [(row, value) for row, value in found if row is not None]
        values = [value for _, value in seen]
        columns = zip(self.biases, *(row for row, _ in seen), strict=True)
        scores = [sum(map(mul, column, values), bias) for bias, *column in columns]
        return self.answers[scores.index(max(scores))]


class Scale(msgspec.Struct, frozen=True):
    """Turns log-odds into a calibrated probability (Platt's scaling)."""

    slope: float = 1.0
    offset: float = 0.0

    def probability(self, score: float) -> float:
        """Return the probability for a score."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.slope * score + self.offset))))


class Model(msgspec.Struct, frozen=True, dict=True):
    """The weights."""

    version: str
    """Hash of what it was trained on and with."""
    message: Linear
    sentence: Linear
    candidate: Linear
    scales: dict[Source, Scale]
    kinds: dict[Kind, Linear]
    durations: dict[Durability, Linear]

    @cached_property
    def kind(self) -> Choice[Kind]:
        """The kinds side by side."""
        return _beside(self.kinds)

    @cached_property
    def durability(self) -> Choice[Durability]:
        """The durations side by side."""
        return _beside(self.durations)


def _beside(models: Mapping[Answer, Linear]) -> Choice[Answer]:
    names = {name for one in models.values() for name in one.weights}
    rows = {name: tuple(one.weights.get(name, 0.0) for one in models.values()) for name in names}
    return Choice(tuple(models), tuple(one.bias for one in models.values()), rows)


class Judged(msgspec.Struct, frozen=True):
    """A candidate and what the model says of it."""

    candidate: Candidate
    probability: float
    score: float
    features: Features


@lru_cache(1)
def shipped() -> Model:
    """Return the model that comes with this version."""
    return msgspec.json.decode(files(__package__).joinpath("model.json").read_bytes(), type=Model)


def scores(reading: Reading, model: Model) -> Scores:
    """Return what the two lower levels of the model say."""
    number = len(reading.message.utterances)
    return Scores(
        model.message.score(message_features(reading)),
        tuple(model.sentence.score(sentence_features(reading, index)) for index in range(number)),
    )


def judged(reading: Reading, model: Model) -> list[Judged]:
    """Return the candidates of a message that do not say the same, the likeliest first."""
    if not reading.candidates:
        return []
    below = scores(reading, model)
    found = []
    for candidate in _promising(reading.candidates, below):
        features = candidate_features(reading, candidate, below)
        score = model.candidate.score(features)
        scale = model.scales.get(candidate.source, Scale())
        found.append(Judged(candidate, scale.probability(score), score, features))
    found.sort(key=lambda one: -one.probability)
    return list(_distinct(found))


def _promising(candidates: Sequence[Candidate], below: Scores) -> Iterator[Candidate]:
    """Yield the candidates worth a closer look: of a message that settles nothing none of its
    words, of a long one those around its likeliest sentences."""
    best = sorted(range(len(below.sentences)), key=lambda index: -below.sentences[index])
    top = set(best[:SENTENCES_LOOKED_AT])
    for candidate in candidates:
        if candidate.source == "words" and (
            below.message < LEAST_MESSAGE_SCORE
            or top.isdisjoint(range(candidate.first, candidate.last))
        ):
            continue
        yield candidate


def kind_of(one: Judged, model: Model) -> Kind:
    """Return the likeliest kind of a candidate."""
    return model.kind.best(one.features)


def durability_of(one: Judged, model: Model) -> Durability:
    """Return how long a candidate most likely matters."""
    return model.durability.best(one.features)


def _distinct(found: list[Judged]) -> Iterator[Judged]:
    taken: list[Candidate] = []
    for one in found:
        if len(taken) >= ITEMS_A_MESSAGE:
            return
        if any(_alike(one.candidate, other) for other in taken):
            continue
        taken.append(one.candidate)
        yield one


def _alike(one: Candidate, other: Candidate) -> bool:
    """Whether two candidates share sentences, or most of their words."""
    if one.source == other.source == "words" and one.first < other.last and other.first < one.last:
        return True
    return len(one.content & other.content) > ITEM_OVERLAP * len(one.content)
