"""Logistic regression around log-odds that are known already, drawn towards no change at all.

Each feature's value is given in units of how far its weight is expected to be from 0, so that one
penalty fits all. Solved in the dual, an answer at a time: as many passes over the few features that
an answer has, nothing but floats. The same rows in the same order give the same weights.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from ctxd.policy.extraction import RIDGE_PASSES, RIDGE_TOLERANCE


class Row(msgspec.Struct, frozen=True):
    """One answer, and what was expected of it."""

    log_odds: float
    """Expected before anything was learned."""
    features: Mapping[str, float]
    yes: bool
    weight: float = 1.0


def solved(rows: Sequence[Row], reach: float) -> dict[str, float]:
    """Return the weights that explain the answers best, all together no longer than `reach`."""
    weights: dict[str, float] = {}
    pulls = [0.0] * len(rows)
    sizes = [sum(value * value for value in row.features.values()) for row in rows]
    for _ in range(RIDGE_PASSES):
        most = 0.0
        for number, row in enumerate(rows):
            change = _change(row, sum_of(row.features, weights), pulls[number], sizes[number])
            pulls[number] += change
            most = max(most, abs(change))
            for name, value in row.features.items():
                weights[name] = weights.get(name, 0.0) + change * value
        if most < RIDGE_TOLERANCE:
            break
    length = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
    shrink = min(1.0, reach / length) if length else 1.0
    return {name: weight * shrink for name, weight in weights.items()}


def sum_of(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the weighted sum of features."""
    return sum(value * weights.get(name, 0.0) for name, value in features.items())


def _change(row: Row, moved: float, pull: float, size: float) -> float:
    """How much harder an answer has to pull at the weights of its features."""
    likely = 1 / (1 + math.exp(-max(-30.0, min(30.0, row.log_odds + moved))))
    gap = row.weight * (row.yes - likely) - pull
    return gap / (1 + row.weight * likely * (1 - likely) * size)
