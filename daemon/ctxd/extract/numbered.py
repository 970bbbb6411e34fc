"""Replies to several points at once: each part of the reply with the point that it answers.

"1. keychain 2. no 3. yes, but later" settles three things, none of which its own words tell. The
numbers of the reply are laid over the enumeration of the agent's that has most of them; words that
answer no point stay a message of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from ctxd.extract.message import Message, within
from ctxd.extract.proposals import Point
from ctxd.extract.replies import Part, parts

_LEAST = 2
"""Points that must be answered: a single number is a pick, or counts something."""
_SHARE = 0.5
"""Share of the parts whose numbers the agent's enumeration has: else it is a list of the user's."""
_ANSWERS = frozenset({"approve", "choose", "refuse", "defer", "scope"})
_BEFORE = re.compile(r"(?:^|[\n.,:;!?(*-])[\s>*(-]*$")
"""What stands before the first number of a reply."""
_NEAR = 20
_QUESTION_MARK = re.compile(r"^[A-Z](?=\d)")
"""Points labelled "Q1" are answered with "1"."""


class Reply(msgspec.Struct, frozen=True, gc=False):
    """One part of a numbered reply."""

    message: Message
    """Its words, with the offsets of the whole."""
    point: Point


def replies(said: Message, points: Sequence[Point]) -> list[Reply]:
    """Return the parts of a numbered reply that answer these points; [] when it is no such reply.

    `points` are what the agent said, in its order.
    """
    given = _parts(said)
    if len(given) < _LEAST:
        return []
    asked = max(
        _enumerations(points), key=lambda one: sum(part.label in one for part in given), default={}
    )
    answered = [
        Reply(within(said, part.start, part.end), asked[part.label])
        for part in given
        if part.label in asked
    ]
    answered = [reply for reply in answered if reply.message.utterances]
    enough = len(answered) >= max(_LEAST, len(given) * _SHARE)
    return answered if enough and any(map(_answers, answered)) else []


def _answers(reply: Reply) -> bool:
    """Whether a part answers its point by the looks of it: lists of steps have numbers, too."""
    acts = reply.message.utterances[0].acts
    return reply.point.question or bool(acts & _ANSWERS)


def rest(said: Message, answered: Sequence[Reply]) -> Message:
    """Return what a message says beside its numbered reply."""
    parts = [reply.message.utterances for reply in answered]
    spans = [(part[0].start, part[-1].end) for part in parts]
    own = tuple(
        one
        for one in said.utterances
        if not any(one.start < end and start < one.end for start, end in spans)
    )
    return msgspec.structs.replace(said, utterances=own, size=sum(len(one.content) for one in own))


def numbered(said: Message) -> bool:
    """Whether a message may be a numbered reply."""
    return len(_parts(said)) >= _LEAST


def _parts(said: Message) -> list[Part]:
    """The parts by their numbers; the last ends with its paragraph."""
    found = parts(said.text)
    if not found or not _BEFORE.search(said.text[: found[0].mark][-_NEAR:]):
        return []
    last = found[-1]
    end = said.text.find("\n\n", last.start, last.end)
    return [*found[:-1], msgspec.structs.replace(last, end=last.end if end < 0 else end)]


def _enumerations(points: Sequence[Point]) -> Iterator[dict[str, Point]]:
    """Yield the enumerations among points by their labels, the last one first."""
    labelled = [(point, _normal(point.label)) for point in points if point.label]
    groups = groupby(labelled, key=lambda one: (one[0].event, one[0].kind, one[1].isdigit()))
    runs: list[dict[str, Point]] = []
    for _, group in groups:
        run: dict[str, Point] = {}
        for point, label in group:
            if label in run:
                runs.append(run)
                run = {}
            run[label] = point
        runs.append(run)
    yield from reversed(runs)


def _normal(label: str) -> str:
    return _QUESTION_MARK.sub("", label.upper())
