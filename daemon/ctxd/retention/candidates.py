"""The passages that may state an item, most likely first."""

from __future__ import annotations

from typing import NamedTuple

from ctxd.policy.retention import (
    ABOUT_SHARE,
    CANDIDATE_PASSAGES,
    LENGTH_PENALTY,
    LONG_PASSAGE,
    MATCHED_PASSAGES,
)
from ctxd.retention.after import MEANING, After, Unit
from ctxd.retention.features import features
from ctxd.retention.matching import Match, match
from ctxd.retention.sought import Sought


class Candidate(NamedTuple):
    """A passage that may state an item."""

    unit: Unit
    match: Match
    features: dict[str, float]


def candidates(item: Sought, after: After) -> list[Candidate]:
    """Return the passages that share most with an item, with what each does with it."""
    looked_for = {*item.weights, *(MEANING + name for name in item.words.meanings)}
    having = after.having(looked_for)
    nearest = sorted(having, key=lambda n: (-having[n] / (1 + after.length(n) / LONG_PASSAGE), n))
    matched = [
        (unit := after.units[n], match(item, unit, after)) for n in nearest[:MATCHED_PASSAGES]
    ]
    matched.sort(key=lambda pair: LENGTH_PENALTY * len(pair[0].passage.text) - pair[1].share)
    best = [pair for pair in matched[:CANDIDATE_PASSAGES] if pair[1].share >= ABOUT_SHARE]
    found = []
    for rank, (unit, match_) in enumerate(best):
        values = features(item, unit, match_, after)
        values["rank"] = rank / CANDIDATE_PASSAGES
        values["gap"] = best[0][1].share - match_.share
        found.append(Candidate(unit, match_, values))
    return found
