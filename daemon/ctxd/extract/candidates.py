"""Everything in an exchange that might be an item: each with its words and where they stand.

Generous on purpose: which of them says something durable is for `classify` to judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from ctxd.extract import dialogs
from ctxd.extract.answers import answer
from ctxd.extract.exchange import Spoken
from ctxd.extract.message import Message, Utterance, message
from ctxd.extract.numbered import Reply, numbered, replies, rest
from ctxd.extract.proposals import (
    Point,
    Role,
    is_operational,
    is_short,
    last_question,
    pool,
    referents,
)
from ctxd.extract.terms import content
from ctxd.extract.wording import option, plain
from ctxd.policy.extraction import (
    CANDIDATE_SENTENCES,
    ITEM_CHARS,
    LEAST_CONTENT,
    REPLY_WORDS,
    RULE_WORDS,
)
from ctxd_parsers.events import AssistantMessage, PlanDecided, QuestionAnswered, UserMessage

Source = Literal["words", "dialog", "proposal"]


class Span(msgspec.Struct, frozen=True, gc=False):
    """Part of an event's text."""

    event: str
    start: int
    end: int


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """What might be an item."""

    source: Source
    text: str
    content: frozenset[str]
    user: Span
    """The user's words that bind it."""
    first: int = 0
    """Index of the first of the message's sentences it is made of."""
    last: int = 0
    """Index behind the last."""
    role: Role | None = None
    """Of a proposal's: why the answer may refer to it."""
    point: Point | None = None
    answer: QuestionAnswered | None = None


class Reading(msgspec.Struct, frozen=True):
    """One message or dialog answer of an exchange, with what it answers and its candidates."""

    spoken: Spoken
    message: Message
    question: str
    """What the agent asked last, or the dialog's question; empty when it asked nothing."""
    points: tuple[Point, ...]
    candidates: tuple[Candidate, ...]
    answer: QuestionAnswered | None = None
    replied: bool = False
    """Whether it is one part of a numbered reply, and `points` holds what this answers."""


def readings(spoken: Spoken) -> list[Reading]:
    """Return the messages and dialog answers of an exchange, each with its candidates."""
    found: list[Reading] = []
    dialog_calls = set()
    for event in spoken.answer:
        if isinstance(event, QuestionAnswered):
            dialog_calls.add(event.call)
            found.append(_dialog(spoken, event))
    for event in spoken.answer:
        if not isinstance(event, UserMessage):
            continue
        if event.origin == "answer" and event.call in dialog_calls:
            continue
        found += _messages(spoken, event)
    return found


def _dialog(spoken: Spoken, answer: QuestionAnswered) -> Reading:
    words = dialogs.given(answer)
    said = message(
        UserMessage(
            agent=answer.agent, session=answer.session, id=answer.id, text=words, origin="answer"
        )
    )
    candidates: tuple[Candidate, ...] = ()
    if dialogs.is_settled(answer):
        line = dialogs.statement(answer)
        span = Span(answer.id, 0, len(words))
        candidates = (Candidate("dialog", line, content(line), span, 0, 1, answer=answer),)
    return Reading(spoken, said, dialogs.question(answer), (), candidates, answer)


def _messages(spoken: Spoken, event: UserMessage) -> Iterator[Reading]:
    """Yield a message with what it answers; a numbered reply part by part."""
    said = message(event)
    texts = list(_told(spoken))
    points: tuple[Point, ...] = ()
    several = numbered(said)
    if texts and (is_short(said) or several):
        earlier = [event for event in spoken.earlier if isinstance(event, AssistantMessage)]
        points = tuple(pool([*earlier[-2:], *texts], None if several else said))
        answered = replies(said, points)
        for reply in answered:
            yield _replied(spoken, reply)
        said = rest(said, answered) if answered else said
        if answered and not said.utterances:
            return
        points = () if several else points
    asked = last_question(texts[-1]) if texts else ""
    candidates = tuple(_proposed(said, points) if is_short(said) else ())
    picks = any(candidate.role == "label" for candidate in candidates)
    yield Reading(spoken, said, asked, points, (*_own(said, picks=picks), *candidates))


def _told(spoken: Spoken) -> Iterator[AssistantMessage]:
    """Yield what the agent said, and last the plan it showed: feedback on a plan answers that."""
    for event in spoken.proposal:
        if isinstance(event, AssistantMessage) and not event.failed and event.text.strip():
            yield event
    for plan in spoken.answer:
        if isinstance(plan, PlanDecided) and plan.plan:
            yield AssistantMessage(
                agent=plan.agent, session=plan.session, id=plan.id, time=plan.time, text=plan.plan
            )


def _replied(spoken: Spoken, reply: Reply) -> Reading:
    """A part of a numbered reply: short words mean their point, others speak for themselves."""
    said, point = reply.message, reply.point
    text = answer(said).line(point.text, "label") if said.size <= REPLY_WORDS else ""
    candidates = tuple(_own(said))
    if text:
        span = Span(said.event, said.utterances[0].start, said.utterances[-1].end)
        number = len(said.utterances)
        candidates = (Candidate("proposal", text, point.content, span, 0, number, "label", point),)
    return Reading(
        spoken, said, point.text if point.question else "", (point,), candidates, replied=True
    )


def _own(said: Message, *, picks: bool = False) -> Iterator[Candidate]:
    """Yield runs of the user's own sentences that may be one item; the first is none where it
    `picks` an option: it says nothing without it."""
    parts = said.utterances
    for first in range(picks, len(parts)):
        for last in range(first + 1, min(len(parts), first + CANDIDATE_SENTENCES) + 1):
            run = parts[first:last]
            if last - first > 1 and (run[-1].end - run[0].start > ITEM_CHARS + 20 or _leaps(run)):
                break
            about = frozenset().union(*(one.content for one in run))
            if len(about) < LEAST_CONTENT:
                continue
            span = Span(said.event, run[0].start, run[-1].end)
            text = plain(" ".join(one.text for one in run))
            yield Candidate("words", text, about, span, first, last)


def _leaps(run: tuple[Utterance, ...]) -> bool:
    """Whether the last two sentences do not belong together: they answer different points, each is
    a rule of its own, or something that is not the user's word stands between them."""
    if run[-1].label and run[-1].block != run[-2].block:
        return True
    if _rules(run[-1]) and _rules(run[-2]):
        return True
    return run[-1].block - run[-2].block > 1


def _rules(one: Utterance) -> bool:
    """Whether a sentence is a rule that needs no other."""
    return "constrain" in one.acts and len(one.content) >= RULE_WORDS


def _proposed(said: Message, points: tuple[Point, ...]) -> Iterator[Candidate]:
    """Yield what the agent said that a short answer may settle."""
    if said.shown and not said.utterances:
        return
    start = said.utterances[0].start if said.utterances else 0
    end = said.utterances[-1].end if said.utterances else len(said.text.rstrip())
    span = Span(said.event, start, end)
    number, answered = len(said.utterances), answer(said)
    for found in referents(said, points):
        point, role = found.point, found.role
        if role != "label" and not said.utterances:
            continue
        offered = option(point.text) if role == "label" else point.text
        text = answered.line(offered, role, picked=role == "label")
        beside = role == "question" and not answered.settles and is_operational(point.text)
        if text and not beside:
            yield Candidate("proposal", text, point.content, span, 0, number, role, point)
