"""What the classifier looks at: named numbers, drawn from a message, a sentence, a candidate.

Three levels, since few messages settle anything and of those few sentences do. A feature that is
not named has the value 0. Names are part of the shipped model: changing one means training it anew.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from ctxd.extract.acts import cues
from ctxd.extract.candidates import Candidate, Reading
from ctxd.extract.message import Utterance
from ctxd.extract.proposals import is_operational
from ctxd.policy.extraction import (
    FEATURE_NAMES_REMEMBERED,
    FEATURE_SENTENCES_REMEMBERED,
    ITEM_CHARS,
)
from ctxd_parsers.events import AssistantMessage

Features = dict[str, float]

_WORDS = 60
"""Words of one sentence whose n-grams count."""
_SENTENCES = 10
"""Sentences of one message whose n-grams count for the message."""
_SIZES = (1, 2, 3, 5, 8, 12, 18, 30, 50, 90)
_COUNTS = (1, 2, 3, 4, 6, 10, 20)


class Scores(msgspec.Struct, frozen=True, gc=False):
    """What the two lower levels say of one message: log-odds."""

    message: float
    sentences: tuple[float, ...]


def message_features(reading: Reading) -> Features:
    """Does this message settle anything at all?"""
    said = reading.message
    found: Features = {
        f"origin={said.origin}": 1.0,
        f"size>{_step(said.size, _SIZES)}": 1.0,
        "size": math.log1p(said.size) / 3,
        f"sentences>{_step(len(said.utterances), _COUNTS)}": 1.0,
        "opening": float(reading.spoken.opening),
        "shown": float(said.shown),
        "items": float(sum(one.item for one in said.utterances) > 1),
        "replied": float(reading.replied),
    }
    _add_acts(found, said.utterances)
    for one in said.utterances[:_SENTENCES]:
        found |= _words(one.tokens)
    _add_proposal(found, reading)
    return found


def sentence_features(reading: Reading, index: int) -> Features:
    """Is this one of the sentences that settle it?"""
    said = reading.message
    one = said.utterances[index]
    number = len(said.utterances)
    found: Features = {
        f"origin={said.origin}": 1.0,
        f"size>{_step(len(one.content), _SIZES)}": 1.0,
        f"sentences>{_step(number, _COUNTS)}": 1.0,
        "first": float(index == 0),
        "last": float(index == number - 1),
        "item": float(one.item),
        "label": float(bool(one.label)),
    }
    found |= _named("act:", one.acts)
    found |= _named("cue:", one.cues)
    found |= _words(one.tokens)
    return found


def candidate_features(reading: Reading, candidate: Candidate, scores: Scores) -> Features:
    """Is this candidate the item, in these words?"""
    said = reading.message
    kind = candidate.source
    found: Features = {
        kind: 1.0,
        "message": scores.message,
        f"{kind}:message": scores.message,
        f"{kind}:size>{_step(len(candidate.content), _SIZES)}": 1.0,
        f"{kind}:of>{_step(said.size, _SIZES)}": 1.0,
    }
    if kind == "words":
        _add_run(found, reading, candidate, scores.sentences)
    elif kind == "proposal":
        _add_point(found, reading, candidate)
    else:
        _add_dialog(found, reading, candidate)
    return found


def _add_acts(found: Features, said: Sequence[Utterance]) -> None:
    for one in said:
        for act in one.acts:
            found[f"act:{act}"] = found.get(f"act:{act}", 0.6) + 0.4
        found |= _named("cue:", one.cues)
    if said:
        for act in said[0].acts:
            found[f"first:{act}"] = 1.0
            if len(said) == 1:
                found[f"only:{act}"] = 1.0
        asking = sum("ask" in one.acts for one in said)
        found["asks only"] = float(asking == len(said))


@lru_cache(FEATURE_NAMES_REMEMBERED)
def _named(prefix: str, names: frozenset[str], value: float = 1.0) -> Mapping[str, float]:
    return {prefix + name: value for name in names}


@lru_cache(FEATURE_SENTENCES_REMEMBERED)
def _words(tokens: tuple[str, ...]) -> Mapping[str, float]:
    """The n-grams of a sentence: asked for by the message and by the sentence."""
    found: Features = {}
    before = "<"
    for token in tokens[:_WORDS]:
        found[f"w:{token}"] = 0.6
        found[f"b:{before} {token}"] = 0.5
        before = token
    found[f"b:{before} >"] = 0.5
    return found


def _add_proposal(found: Features, reading: Reading) -> None:
    said = [event for event in reading.spoken.proposal if isinstance(event, AssistantMessage)]
    found["asked"] = float(bool(reading.question))
    found["unprompted"] = float(not said)
    if said:
        found["status"] = float("status" in cues(said[-1].text[:80]))
    if reading.question:
        field = "operation" if is_operational(reading.question) else "design"
        found[f"asked:{field}"] = 1.0
        for token in set(reading.question.lower().split()) & _ASKING:
            found[f"asked:{token}"] = 0.5
        first = reading.message.utterances[:1]
        for act in first[0].acts if first else ():
            found[f"asked+{act}"] = 1.0
            found[f"asked:{field}+{act}"] = 1.0


_ASKING = frozenset(
    [
        "should",
        "would",
        "will",
        "want",
        "me",
        "i",
        "you",
        "we",
        "to",
        "not",
        "no",
        "only",
        "never",
        "always",
        "keep",
        "use",
        "add",
        "remove",
        "drop",
        "instead",
        "rather",
        "recommend",
        "suggest",
        "option",
        "plan",
        "fix",
        "or",
        "and",
        "ready",
        "next",
        "shall",
        "both",
        "so",
        "then",
        "because",
        "since",
        "that",
        "which",
        "how",
        "the",
        "a",
    ]
)


def _add_run(
    found: Features, reading: Reading, candidate: Candidate, scores: Sequence[float]
) -> None:
    said = reading.message
    run = said.utterances[candidate.first : candidate.last]
    inside = scores[candidate.first : candidate.last]
    outside = max((*scores[: candidate.first], *scores[candidate.last :]), default=-3.0)
    beside = [*scores[max(0, candidate.first - 1) : candidate.first]]
    beside += scores[candidate.last : candidate.last + 1]
    highest = max(inside)
    size, of = len(candidate.content), max(1, said.size)
    found |= {
        f"run={len(run)}": 1.0,
        f"size>{_step(size, _SIZES)} of>{_step(of, _SIZES)}": 1.0,
        "share": min(1.0, size / of),
        "whole": float(len(run) == len(said.utterances)),
        "long": float(len(candidate.text) > ITEM_CHARS),
        "first": float(candidate.first == 0),
        "last": float(candidate.last == len(said.utterances)),
        "item": float(run[0].item),
        "blocks": float(len({one.block for one in run}) - 1),
        "highest": highest,
        "lowest": min(inside),
        "mean": sum(inside) / len(inside),
        "head": inside[0],
        "tail": inside[-1],
        "outside": outside,
        "beside": max(beside, default=-3.0),
        "top": float(highest >= outside),
    }
    for one in run:
        found |= _named("run:", one.acts)
        found |= _named("run:", one.cues)
    found |= _named("head:", run[0].acts, 0.7)
    found |= _named("tail:", run[-1].acts, 0.7)


def _add_point(found: Features, reading: Reading, candidate: Candidate) -> None:
    point, role = candidate.point, candidate.role
    if point is None:
        return
    field = "operation" if is_operational(reading.question) else "design"
    asked = field if reading.question else "nothing"
    found |= {
        f"role:{role}": 1.0,
        f"role:{role}/{asked}": 1.0,
        f"point:{point.kind}": 1.0,
        f"back>{_step(point.back, (1, 2, 3, 5, 8, 13, 20))}": 1.0,
        "recommended": float(point.recommended),
        "question": float(point.question),
        "labelled": float(bool(point.label)),
        "lead": float(bool(point.lead)),
        "reach": float(point.message),
    }
    first = reading.message.utterances[:1]
    for act in first[0].acts if first else ():
        found[f"answered:{act}"] = 1.0
        found[f"{role}+{act}"] = 1.0
    found |= _named("point cue:", cues(point.text), 0.7)


def _add_dialog(found: Features, reading: Reading, candidate: Candidate) -> None:
    answer = candidate.answer
    if answer is None:
        return
    found |= {
        "picked": float(bool(answer.chosen)),
        "typed": float(bool(answer.text)),
        "options": float(bool(answer.options)),
        "several": float(len(answer.chosen) > 1),
        "asks back": float("?" in (answer.text or "")),
    }
    found |= _named("dialog cue:", cues(reading.question), 0.7)
    found |= _named("answer cue:", cues(candidate.text), 0.5)


def _step(value: int, edges: tuple[int, ...]) -> int:
    return bisect_right(edges, value)
