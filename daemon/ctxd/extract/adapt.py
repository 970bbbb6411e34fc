"""Learning from the user: the shipped model, moved a little by what this user kept and rejected.

What differs between people is how much of what they say is worth keeping, which ways of saying it
they mean as rulings, and which wordings they accept. So the offsets of the probability move (of the
user, of a repository, of a source), and the weights of the message and of the candidate, each drawn
towards what ships. Weights move only where the shipped model has one: what is learned holds no word
of the user's that the model did not know.

Promises: the shipped model is never changed; the same lessons give the same model in any order;
what all of them together change is bounded, however many they are; a lesson fades as newer ones
come. Silence alone teaches nothing: who never reviews would otherwise agree to all that was written
unasked.
"""

from __future__ import annotations

import operator
from collections.abc import Collection
from datetime import datetime

import msgspec

from ctxd.extract.candidates import Candidate, Reading, readings
from ctxd.extract.classify import Judged, Linear, Model, Scale, scores, shipped
from ctxd.extract.exchange import Spoken
from ctxd.extract.features import Features, candidate_features, message_features
from ctxd.extract.items import assemble
from ctxd.extract.ridge import Row, solved
from ctxd.item import Item
from ctxd.policy.extraction import (
    ADAPT_CANDIDATE,
    ADAPT_HALF_LIFE_DAYS,
    ADAPT_LEAST,
    ADAPT_MESSAGE,
    ADAPT_OFFSET,
    ADAPT_PLAIN,
    ADAPT_REACH,
    ADAPT_SOURCE,
)

_DAY_SECONDS = 86_400.0


class Verdict(msgspec.Struct, frozen=True):
    """The user's word to one item."""

    item: str
    repository: str
    kept: bool
    """Accepted or edited; not rejected or deleted."""
    time: datetime
    weight: float = 1.0
    """Less than 1 for what the user did not say but showed."""


class Lesson(msgspec.Struct, frozen=True):
    """What a verdict teaches, apart from the words it was about."""

    verdict: Verdict
    log_odds: float
    """What the shipped model says of the candidate."""
    features: Features
    """What may move, in units of how much people differ in it."""


class Adjustment(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is added to the shipped model, in log-odds and weights."""

    offset: float = 0.0
    repositories: dict[str, float] = {}
    sources: dict[str, float] = {}
    message: dict[str, float] = {}
    candidate: dict[str, float] = {}


def traced(spoken: Spoken, item: Item) -> tuple[Reading, Candidate] | None:
    """Return the candidate of an exchange that an item was made of; None where this version finds
    none."""
    for reading in readings(spoken):
        for candidate in reading.candidates:
            made = assemble(reading, Judged(candidate, 0.0, 0.0, {}), shipped())
            if made.id == item.id and made.event == item.event:
                return reading, candidate
    return None


def lesson(reading: Reading, candidate: Candidate, verdict: Verdict, model: Model) -> Lesson:
    """Return what a verdict on a candidate teaches: what the model said, and what may move."""
    features = candidate_features(reading, candidate, scores(reading, model))
    scale = model.scales.get(candidate.source, Scale())
    found: Features = {
        "offset:": ADAPT_OFFSET,
        f"repositories:{verdict.repository}": ADAPT_OFFSET,
        f"sources:{candidate.source}": ADAPT_SOURCE,
    }
    known = model.candidate.weights
    for name, value in features.items():
        if value and name in known and not name.endswith("message"):
            found[f"candidate:{name}"] = ADAPT_CANDIDATE * scale.slope * value
    through = scale.slope * sum(
        known.get(name, 0.0) for name in ("message", f"{candidate.source}:message")
    )
    for name, value in message_features(reading).items():
        if value and name in model.message.weights:
            found[f"message:{name}"] = ADAPT_MESSAGE * through * value
    log_odds = scale.slope * model.candidate.score(features) + scale.offset
    return Lesson(verdict, log_odds, found)


def learned(lessons: Collection[Lesson]) -> Adjustment:
    """Return what lessons come to together, whatever their order."""
    if not lessons:
        return Adjustment()
    ordered = sorted(lessons, key=_place)
    newest = max(one.verdict.time for one in ordered)
    rows = [
        Row(one.log_odds, one.features, one.verdict.kept, _weight(one.verdict, newest))
        for one in ordered
    ]
    parts: dict[str, dict[str, float]] = {name: {} for name in _UNITS}
    for name, weight in sorted(solved(rows, ADAPT_REACH).items()):
        part, _, rest = name.partition(":")
        change = round(weight * _UNITS[part], 4)
        if abs(change) >= ADAPT_LEAST:
            parts[part][rest] = change
    offset = parts.pop("offset").get("", 0.0)
    return Adjustment(offset, **parts)


def adapted(model: Model, adjustment: Adjustment, repository: str) -> Model:
    """Return the shipped model as it is for this user in a repository."""
    return in_repository(moved(model, adjustment), adjustment, repository)


def moved(model: Model, adjustment: Adjustment) -> Model:
    """Return the model with its weights moved, for all repositories of the user."""
    return msgspec.structs.replace(
        model,
        message=_moved(model.message, adjustment.message),
        candidate=_moved(model.candidate, adjustment.candidate),
    )


def lenient(model: Model) -> Model:
    """Return the model that has to find an item plain enough, too, before it is written unasked,
    however the verdicts were: the shipped one, a little more ready to do so."""
    return in_repository(model, Adjustment(ADAPT_PLAIN), "")


def in_repository(model: Model, adjustment: Adjustment, repository: str) -> Model:
    """Return the model with its probabilities as they are in a repository."""
    common = adjustment.offset + adjustment.repositories.get(repository, 0.0)
    scales = {
        source: Scale(scale.slope, scale.offset + common + adjustment.sources.get(source, 0.0))
        for source, scale in model.scales.items()
    }
    return msgspec.structs.replace(model, scales=scales)


_UNITS = {
    "offset": ADAPT_OFFSET,
    "repositories": ADAPT_OFFSET,
    "sources": ADAPT_SOURCE,
    "message": ADAPT_MESSAGE,
    "candidate": ADAPT_CANDIDATE,
}


def _moved(linear: Linear, changes: dict[str, float]) -> Linear:
    if not changes:
        return linear
    own = {name: linear.weights.get(name, 0.0) + change for name, change in changes.items()}
    return Linear(linear.bias, linear.weights | own)


def _weight(verdict: Verdict, newest: datetime) -> float:
    days = (newest - verdict.time).total_seconds() / _DAY_SECONDS
    return float(verdict.weight * 0.5 ** (days / ADAPT_HALF_LIFE_DAYS))


_place = operator.attrgetter(
    "verdict.time",
    "verdict.repository",
    "verdict.item",
    "verdict.kept",
    "verdict.weight",
    "log_odds",
)
