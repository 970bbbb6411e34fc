"""Which predictions say what a reader kept of a transcript, and what that comes to.

The scorer's terms: a prediction is right when it is anchored at the same exchange and its text
alone says the label (`tests.train.match`); one prediction a label, the best match first. What a
reader was not sure of, or found spent at once, is neither asked for nor punished.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.corpus import Exchanged, exchanges
from tests.train.match import says
from tests.train.material import Label

from ctxd.extract.candidates import Reading, readings
from ctxd.extract.classify import Judged, Model, judged
from ctxd.extract.items import assemble

_NEAR_TURNS = 2
"""User's turns between two answers to one proposal that still are about it."""


class Gold(NamedTuple):
    """One item that a reader kept."""

    turn: int
    from_turn: int | None
    label: Label

    @property
    def is_left_out(self) -> bool:
        """Whether it is neither asked for nor punished."""
        return self.label.sure == 1 or self.label.durability == "moment"


class Session(NamedTuple):
    """One transcript, read once."""

    name: str
    began: str
    """The first time in it."""
    readings: tuple[tuple[Exchanged, Reading], ...]
    gold: tuple[Gold, ...]
    turns: tuple[int, ...]
    """The user's turns."""

    @property
    def asked(self) -> int:
        """How many items have to be found."""
        return sum(one.label.asked for one in self.gold)


class Prediction(NamedTuple):
    """What extraction makes of one candidate."""

    reading: Reading
    judged: Judged
    text: str
    kind: str
    turn: int
    from_turn: int | None
    plain: bool


class Match(NamedTuple):
    """A prediction that says what a reader kept, and how well."""

    score: float
    gold: int
    prediction: int


class Counted(NamedTuple):
    """What the predictions of some sessions come to."""

    asked: int
    predicted: int
    right: int
    found: int

    @property
    def recall(self) -> float:
        """Share of what is asked for that was found."""
        return self.found / self.asked if self.asked else 0.0

    @property
    def precision(self) -> float:
        """Share of the predictions that are right."""
        return self.right / self.predicted if self.predicted else 1.0

    def __add__(self, other: Counted) -> Counted:  # type: ignore[override]
        return Counted(*(one + two for one, two in zip(self, other, strict=True)))


def session(path: Path, labels: Path) -> Session:
    """Return a transcript with its labels."""
    rows = [json.loads(line) for line in path.open(encoding="utf-8")]
    told = json.loads(labels.read_text(encoding="utf-8"))["items"]
    return Session(
        path.stem,
        next((str(row["ts"]) for row in rows if row.get("ts")), ""),
        tuple((one, reading) for one in exchanges(path) for reading in readings(one.spoken)),
        tuple(map(_gold, told)),
        tuple(row["i"] for row in rows if row["role"] == "user" or "words" in row),
    )


def predictions(of: Session, model: Model) -> list[Prediction]:
    """Return what a model makes of all candidates of a session, the unlikely ones included."""
    return [
        _prediction(exchanged, reading, one, model)
        for exchanged, reading in of.readings
        for one in judged(reading, model)
    ]


def matches(of: Session, found: Sequence[Prediction]) -> list[Match]:
    """Return which prediction says which label, the best match first."""
    order = _order(of)
    pairs = [
        Match(score, number, index)
        for number, gold in enumerate(of.gold)
        for index, one in enumerate(found)
        if (score := _affinity(gold, one, order)) > 0
    ]
    return sorted(pairs, reverse=True)


def count(
    of: Session,
    found: Sequence[Prediction],
    pairs: Iterable[Match],
    counts: Callable[[Prediction], bool],
) -> Counted:
    """Return what those of the predictions come to that count."""
    gold: dict[int, int] = {}
    taken: dict[int, int] = {}
    for pair in pairs:
        free = pair.gold not in gold and pair.prediction not in taken
        if free and counts(found[pair.prediction]):
            gold[pair.gold], taken[pair.prediction] = pair.prediction, pair.gold
    counted = [index for index, one in enumerate(found) if counts(one)]
    punished = [i for i in counted if i not in taken or not of.gold[taken[i]].is_left_out]
    right = sum(index in taken for index in punished)
    hit = sum(of.gold[number].label.asked for number in gold)
    return Counted(of.asked, len(punished), right, hit)


def kept(of: Session, pairs: Iterable[Match], index: int) -> bool | None:
    """Return whether a reader who looks at one prediction alone would keep it; None where that
    reader was not sure."""
    told = [of.gold[pair.gold] for pair in pairs if pair.prediction == index]
    if any(one.label.asked for one in told):
        return True
    return None if told else False


def _gold(row: dict[str, Any]) -> Gold:
    return Gold(row["turn"], row.get("from_turn"), Label.of(row))


def _prediction(exchanged: Exchanged, reading: Reading, one: Judged, model: Model) -> Prediction:
    item = assemble(reading, one, model)
    turns = exchanged.turns
    of = [turns[e.event.split("#")[0]] for e in item.evidence if e.speaker == "agent"]
    turn = turns[item.event.split("#")[0]]
    return Prediction(reading, one, item.text, item.kind, turn, of[0] if of else None, item.plain)


def _order(of: Session) -> Callable[[int], int]:
    """Return how many of the user's turns are before a turn."""
    return lambda turn: sum(user < turn for user in of.turns)


def _affinity(gold: Gold, one: Prediction, order: Callable[[int], int]) -> float:
    same = one.turn == gold.turn
    if not same:
        apart = gold.from_turn is None or one.from_turn != gold.from_turn
        if apart or abs(order(one.turn) - order(gold.turn)) > _NEAR_TURNS:
            return 0.0
    said = says(one.text, gold.label)
    if not said:
        return 0.0
    return said + 0.05 * (2 if same else 1) + 0.05 * (one.kind == gold.label.kind)
