"""Small decision forests, kept as JSON: how likely each answer is, given features.

Trained with a library that the daemon never loads: `tests/train/retained.py`. A tree is a list of
nodes: a feature, a threshold, and the node for what is not above it and for what is; a leaf holds
the shares of the answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec


class Tree(msgspec.Struct, frozen=True, array_like=True):
    """One tree; node 0 is its root."""

    features: Sequence[int]
    """Index of the feature that a node asks for; -1 for a leaf."""
    thresholds: Sequence[float]
    lower: Sequence[int]
    """Node to go on with, or for a leaf the index of its shares."""
    upper: Sequence[int]
    leaves: Sequence[tuple[float, ...]]


class Forest(msgspec.Struct, frozen=True):
    """Trees whose answers are averaged."""

    features: Sequence[str]
    answers: Sequence[str]
    trees: Sequence[Tree]

    def shares(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return how likely each answer is."""
        row = [values.get(name, 0.0) for name in self.features]
        total = [0.0] * len(self.answers)
        for tree in self.trees:
            for at, share in enumerate(_leaf(tree, row)):
                total[at] += share
        return {
            name: share / len(self.trees) for name, share in zip(self.answers, total, strict=True)
        }


class Model(msgspec.Struct, frozen=True):
    """What judges a passage."""

    version: str
    """Hash of what it was trained on."""
    deciding: Forest
    """Whether a passage is the one that decides."""
    judging: Forest
    """What it says of the item, if it decides."""


@cache
def shipped() -> Model:
    """Return the model that stands beside this module."""
    body = files("ctxd.retention").joinpath("model.json").read_bytes()
    return msgspec.json.decode(body, type=Model)


def _leaf(tree: Tree, row: Sequence[float]) -> tuple[float, ...]:
    at = 0
    while (feature := tree.features[at]) >= 0:
        at = tree.lower[at] if row[feature] <= tree.thresholds[at] else tree.upper[at]
    return tree.leaves[tree.lower[at]]
