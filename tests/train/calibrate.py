"""Turns the model's scores into probabilities: the share that was right among candidates that a
model scored alike which had not seen them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from tests.train.fit import Case, fit

from ctxd.extract.candidates import Source
from ctxd.extract.classify import Model, Scale, judged

FOLDS = 3
LEAST = 30
"""Candidates of a source, below which all sources share one scale."""


def calibrated(found: Sequence[Case], version: str = "") -> Model:
    """Return a model fitted on cases, scaled by models that had not seen what they scored."""
    told: list[tuple[Source, float, bool]] = []
    blocks = [one.block for one in found]
    for seen, held in GroupKFold(FOLDS).split(found, groups=blocks):
        model = fit([found[index] for index in seen])
        told += [row for index in held for row in _scored(found[index], model)]
    common = _scale(told)
    scales: dict[Source, Scale] = {}
    for source in ("words", "dialog", "proposal"):
        rows = [row for row in told if row[0] == source]
        scales[source] = _scale(rows) if len(rows) >= LEAST else common
    return msgspec.structs.replace(fit(found, version), scales=scales)


def _scored(case: Case, model: Model) -> list[tuple[Source, float, bool]]:
    answers = dict(zip(map(id, case.reading.candidates), case.says, strict=True))
    return [
        (one.candidate.source, one.score, bool(answers[id(one.candidate)]))
        for one in judged(case.reading, model)
        if answers[id(one.candidate)] is not None
    ]


def _scale(rows: Sequence[tuple[Source, float, bool]]) -> Scale:
    right = [row[2] for row in rows]
    if len(set(right)) < 2:
        return Scale()
    model = LogisticRegression(C=10.0)
    model.fit(np.asarray([[row[1]] for row in rows]), np.asarray(right))
    return Scale(round(float(model.coef_[0][0]), 4), round(float(model.intercept_[0]), 4))
