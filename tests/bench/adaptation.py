"""Measures what learning from the user's verdicts gives: recall at equal precision.

    python -m tests.bench.adaptation GOLD TRANSCRIPTS [--twins FILE.json] [--models FOLDER]

Of each repository with at least two sessions, the sessions are replayed in their order: each is
judged by the model as it has become by the verdicts on the sessions before it, and by the shipped
one as it is. The verdicts are those of a user who reviews all candidates that are shown, and keeps
those that say what a reader kept; then of one who reviews a share of them only, and leaves the
others as they are. The first session
of each repository, to which nothing is adapted yet, is left out on both sides.

TRANSCRIPTS is of the corpus form, GOLD holds their labels (`corpus.py`, `matching.py`). Transcripts
are named AGENT-REPOSITORY-NUMBER. FILE.json tells which groups of the training material have to be
left out for a repository since they were written in its image: {part of its name: [group, ...]}.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec
from tests.bench.matching import (
    Counted,
    Match,
    Prediction,
    Session,
    count,
    kept,
    matches,
    predictions,
    session,
)
from tests.train.material import examples
from tests.train.train import encoded, trained

from ctxd.extract.adapt import Lesson, Verdict, adapted, learned, lenient, lesson
from ctxd.extract.classify import Model
from ctxd.policy.extraction import LEAST_PROBABILITY
from ctxd.policy.items import ADAPT_LEFT_ALONE_WEIGHT

PRECISIONS = (0.55, 0.65)
THRESHOLDS = tuple(step / 100 for step in range(2, 99))
LEAST_PREDICTED = 5
"""Fewer predictions give no precision to speak of."""
SEEDS = 5
"""Choices of the verdicts that are given where not all are."""
DRAWINGS = 400
"""Choices of sessions, with repetition, that tell how sure a gain is."""
_NAME = re.compile(r"^[a-z]+-(?P<repository>.+)-\d+$")
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


class Judgement(NamedTuple):
    """What one model makes of a session."""

    session: Session
    predictions: Sequence[Prediction]
    matches: Sequence[Match]
    curve: tuple[Counted, ...]
    """What the predictions come to from each of `THRESHOLDS` on."""
    shown: Counted
    """The same of all that are kept for review."""
    plain: Counted
    """The same of those that are written unasked."""


class Figures(NamedTuple):
    """What the judgements of some sessions come to."""

    at: tuple[float, ...]
    """Best recall at each of `PRECISIONS`."""
    shown: Counted
    plain: Counted


def sessions(gold: Path, transcripts: Path) -> dict[str, list[Session]]:
    """Return the sessions of each repository that has several, in their order."""
    found: dict[str, list[Session]] = defaultdict(list)
    for path in sorted(transcripts.glob("*.jsonl")):
        name = _NAME.match(path.stem)
        if name:
            labels = gold / f"{path.stem}.gold.json"
            found[name["repository"]].append(session(path, labels))
    return {
        name: sorted(several, key=lambda one: (one.began, one.name))
        for name, several in found.items()
        if len(several) > 1
    }


def model_without(groups: Sequence[str], folder: Path | None) -> Model:
    """Return the model as it would ship without some of the material."""
    path = folder / f"without-{'-'.join(groups) or 'none'}.json" if folder else None
    if path and path.exists():
        return msgspec.json.decode(path.read_bytes(), type=Model)
    model = trained([one for one in examples() if one.group not in groups])
    if path:
        path.write_bytes(encoded(model))
    return model


def judgement(of: Session, model: Model, unasked: Callable[[Prediction], bool]) -> Judgement:
    """Return a session as a model judges it, when those are written unasked."""
    found = predictions(of, model)
    pairs = matches(of, found)

    def counted(counts: Callable[[Prediction], bool]) -> Counted:
        return count(of, found, pairs, counts)

    curve = tuple(counted(_from(least)) for least in THRESHOLDS)
    return Judgement(of, found, pairs, curve, counted(_from(LEAST_PROBABILITY)), counted(unasked))


def _from(least: float) -> Callable[[Prediction], bool]:
    return lambda one: one.judged.probability >= least


def as_shipped(of: Session, model: Model) -> Judgement:
    """Return a session as the model judges it that knows nothing of the user."""
    return judgement(of, model, lambda one: one.plain)


def replayed(several: Sequence[Session], model: Model, share: float, seed: int) -> list[Judgement]:
    """Return the sessions of a repository but the first, each judged by what was learned before."""
    chance = random.Random(seed)
    lessons: list[Lesson] = []
    found = []
    for number, one in enumerate(several):
        own = adapted(model, learned(lessons), "")
        sure = {_said(told) for told in predictions(one, lenient(model)) if told.plain}
        judged = judgement(one, own, lambda told, sure=sure: told.plain and _said(told) in sure)
        for told, verdict in _verdicts(judged, _BEGAN + timedelta(days=number)):
            silence = _left_alone(verdict, plain=told.plain and _said(told) in sure)
            word = verdict if chance.random() < share else silence
            lessons.append(lesson(told.reading, told.judged.candidate, word, model))
        found.append(judged)
    return found[1:]


def _said(one: Prediction) -> tuple[int, str]:
    return one.turn, one.text


def _verdicts(of: Judgement, time: datetime) -> Iterator[tuple[Prediction, Verdict]]:
    for index, one in enumerate(of.predictions):
        if one.judged.probability < LEAST_PROBABILITY:
            continue
        says = kept(of.session, of.matches, index)
        if says is not None:
            yield one, Verdict(f"{of.session.name} {index}", "", says, time)


def _left_alone(verdict: Verdict, *, plain: bool) -> Verdict:
    """What it shows that an item was left alone: a little where it was written unasked."""
    weight = ADAPT_LEFT_ALONE_WEIGHT if plain else 0.0
    return msgspec.structs.replace(verdict, kept=True, weight=weight)


def figures(found: Sequence[Judgement]) -> Figures:
    """Return what judgements come to."""
    curve = [_sum(points) for points in zip(*(one.curve for one in found), strict=True)]
    at = (
        max(
            (c.recall for c in curve if c.predicted >= LEAST_PREDICTED and c.precision >= aim),
            default=0.0,
        )
        for aim in PRECISIONS
    )
    return Figures(tuple(at), _sum(one.shown for one in found), _sum(one.plain for one in found))


def _sum(several: Iterable[Counted]) -> Counted:
    return sum(several, Counted(0, 0, 0, 0))


def line(name: str, of: Figures) -> str:
    """Return figures as a line."""
    at = [f"R@{aim:.2f} {recall:.3f}" for aim, recall in zip(PRECISIONS, of.at, strict=True)]
    rest = [
        f"{part} R {found.recall:.3f} P {found.precision:.3f} of {found.predicted}"
        for part, found in (("shown", of.shown), ("plain", of.plain))
    ]
    return "  ".join([f"{name:22}", *at, *rest])


def measure(
    several: Mapping[str, Sequence[Session]], models: Mapping[str, Model], share: float
) -> None:
    """Print what was gained where."""
    before = {
        name: [as_shipped(one, models[name]) for one in of[1:]] for name, of in several.items()
    }
    runs = [
        {name: replayed(of, models[name], part, seed) for name, of in several.items()}
        for part, seeds in ((1.0, 1), (share, SEEDS))
        for seed in range(seeds)
    ]
    for name, of in several.items():
        print(
            f"{name}: {len(of)} sessions, {sum(one.asked for one in of[1:])} asked after the first"
        )
        print(line("  as shipped", figures(before[name])))
        print(line("  all verdicts", figures(runs[0][name])))
    print("all repositories")
    print(line("  as shipped", figures(_flat(before))))
    for number, run in enumerate(runs):
        title = f"  {share:.0%} of them, {number}" if number else "  all verdicts"
        print(line(title, figures(_flat(run))))
    for title, chosen in (("all verdicts", runs[:1]), (f"{share:.0%} of them", runs[1:])):
        print(f"gained with {title}: {gain(_flat(before), list(map(_flat, chosen)))}")


def gain(before: Sequence[Judgement], runs: Sequence[Sequence[Judgement]]) -> str:
    """Return the mean gain of some runs, with the range of 90 % of drawings of sessions."""
    chance = random.Random(0)
    numbers = range(len(before))
    drawn = [_gains(before, runs, chance.choices(numbers, k=len(before))) for _ in range(DRAWINGS)]
    parts = []
    for aim, mean, several in zip(
        PRECISIONS, _gains(before, runs, numbers), zip(*drawn, strict=True), strict=True
    ):
        low, *_, high = sorted(several)[DRAWINGS // 20 : -(DRAWINGS // 20)]
        parts.append(f"R@{aim:.2f} {mean:+.3f} ({low:+.3f} to {high:+.3f})")
    return "  ".join(parts)


def _gains(
    before: Sequence[Judgement], runs: Sequence[Sequence[Judgement]], numbers: Sequence[int]
) -> list[float]:
    was = figures([before[number] for number in numbers]).at
    now = [figures([run[number] for number in numbers]).at for run in runs]
    return [sum(of) / len(of) - old for *of, old in zip(*now, was, strict=True)]


def _flat(of: Mapping[str, Sequence[Judgement]]) -> list[Judgement]:
    return list(itertools.chain.from_iterable(of.values()))


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--twins", type=Path)
    parser.add_argument("--models", type=Path, help="folder that keeps the models between runs")
    parser.add_argument("--share", type=float, default=0.3)
    given = parser.parse_args()
    twins = json.loads(given.twins.read_text(encoding="utf-8")) if given.twins else {}
    several = sessions(given.gold, given.transcripts)
    without = {
        name: tuple(sorted({g for part, groups in twins.items() if part in name for g in groups}))
        for name in several
    }
    models = {
        groups: model_without(groups, given.models) for groups in sorted(set(without.values()))
    }
    measure(several, {name: models[groups] for name, groups in without.items()}, given.share)


if __name__ == "__main__":
    main()
