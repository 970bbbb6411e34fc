"""From a judged candidate to an item: its wording, reason, scope, authority and evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from ctxd.extract import dialogs
from ctxd.extract.answers import Answer, answer
from ctxd.extract.candidates import Candidate, Reading
from ctxd.extract.classify import Judged, Model, durability_of, kind_of
from ctxd.extract.message import Message
from ctxd.extract.moments import momentary
from ctxd.extract.naming import fill
from ctxd.extract.plainness import is_plain
from ctxd.extract.proposals import untaken
from ctxd.extract.reasons import reason_of, stated
from ctxd.extract.scopes import names, severity_of
from ctxd.extract.wording import option, plain, trimmed
from ctxd.item import Authority, Evidence, Item, item_id
from ctxd.policy.extraction import REJECTED_OPTIONS
from ctxd_parsers.events import AssistantMessage, Event, PlanDecided, ToolCall, UserMessage


def assemble(reading: Reading, one: Judged, model: Model) -> Item:
    """Return the item that a candidate stands for."""
    candidate = one.candidate
    kind = kind_of(one, model)
    if candidate.source == "proposal" and _answer(reading.message).refuses:
        kind = "rejection"
    text, filled = _text(reading, candidate)
    reason = _reason(reading, candidate)
    if reason and candidate.role == "label":
        text = text.removesuffix(f"; {reason}")
    evidence = _evidence(reading, candidate)
    binding = evidence[0]
    return Item(
        id=item_id([quote.quote for quote in evidence[: 1 if _stands_alone(candidate) else 2]]),
        agent=reading.spoken.agent,
        session=reading.spoken.session,
        event=binding.event,
        time=binding.time,
        kind=kind,
        text=text,
        filled=filled,
        reason=reason,
        rejected=_rejected(reading, candidate),
        scope=_scope(reading, candidate, text),
        authority=_authority(reading, candidate),
        durability="moment" if momentary(candidate.text) else durability_of(one, model),
        severity=severity_of(kind, text),
        probability=round(one.probability, 4),
        plain=is_plain(reading, one, kind),
        act=_act(reading, candidate),
        language=reading.message.language,
        evidence=evidence,
    )


def _text(reading: Reading, candidate: Candidate) -> tuple[str, tuple[str, ...]]:
    """The item's line, and what was put in for a pronoun."""
    if candidate.source != "words":
        return plain(candidate.text), ()
    return fill(trimmed(candidate.text), reading)


@lru_cache(1)
def _answer(said: Message) -> Answer:
    """What a message answers: asked for several times for each of its items."""
    return answer(said)


def _stands_alone(candidate: Candidate) -> bool:
    return candidate.source == "words"


def _authority(reading: Reading, candidate: Candidate) -> Authority:
    if candidate.source == "proposal":
        return "user" if _answer(reading.message).refuses else "confirmed"
    if candidate.answer is not None:
        return "confirmed" if candidate.answer.chosen else "user"
    run = reading.message.utterances[candidate.first : candidate.last]
    agreed = any("approve" in one.acts for one in run) and bool(reading.spoken.proposal)
    return "confirmed" if agreed else "user"


def _act(reading: Reading, candidate: Candidate) -> str:
    """The most telling act of the user's words."""
    run = reading.message.utterances[candidate.first : candidate.last]
    return most_telling({act for one in run for act in one.acts})


def most_telling(acts: Collection[str]) -> str:
    """Return the one of some acts that an item is known by."""
    return next((act for act in _TELLING if act in acts), "other")


_TELLING = (
    "constrain",
    "scope",
    "correct",
    "refuse",
    "choose",
    "approve",
    "defer",
    "decide",
    "command",
    "report",
    "ask",
)


def _evidence(reading: Reading, candidate: Candidate) -> tuple[Evidence, ...]:
    found = [_binding(reading, candidate)]
    point = candidate.point
    if point is not None:
        found.append(_quoted(_event(reading, point.event), "agent", point.start, point.end))
    elif candidate.answer is not None:
        answer = candidate.answer
        found.append(Evidence(answer.id, "agent", answer.question, 0, answer.time))
    elif reading.question and len(candidate.content) < _LEANS:
        found += _asked(reading)
    return tuple(found)


_LEANS = 8
"""Content words below which the user's words lean on the question they answer."""


def _asked(reading: Reading) -> list[Evidence]:
    """The question that the user's words answer."""
    for event in reversed((*reading.spoken.earlier, *reading.spoken.proposal)):
        start = event.text.rfind(reading.question) if isinstance(event, AssistantMessage) else -1
        if start >= 0:
            return [_quoted(event, "agent", start, start + len(reading.question))]
    return []


def _binding(reading: Reading, candidate: Candidate) -> Evidence:
    """The user's words that bind an item."""
    if candidate.answer is not None:
        words = dialogs.given(candidate.answer)
        return Evidence(candidate.answer.id, "user", words, 0, candidate.answer.time)
    event = _event(reading, candidate.user.event)
    return _quoted(event, "user", candidate.user.start, candidate.user.end)


def _quoted(event: Event, speaker: str, start: int, end: int) -> Evidence:
    text = (event.plan or "") if isinstance(event, PlanDecided) else getattr(event, "text", "")
    return Evidence(
        event.id, "user" if speaker == "user" else "agent", text[start:end], start, event.time
    )


def _event(reading: Reading, key: str) -> Event:
    spoken = reading.spoken
    said = (*spoken.earlier, *spoken.proposal, *spoken.answer)
    return next(event for event in reversed(said) if event.id == key)


def _reason(reading: Reading, candidate: Candidate) -> str:
    own = [one.text for one in reading.message.utterances]
    if candidate.source == "proposal" and candidate.point is not None:
        if _answer(reading.message).refuses:
            return plain(reason_of(own))
        near = [
            point.text
            for point in reading.points
            if point.event == candidate.point.event and point.paragraph == candidate.point.paragraph
        ]
        return plain(
            reason_of(own)
            or (stated(own) if candidate.role == "label" else "")
            or reason_of([candidate.point.text], near)
        )
    if candidate.answer is not None:
        picked = set(candidate.answer.chosen)
        told = [o.description or "" for o in candidate.answer.options if o.label in picked]
        return plain(reason_of([candidate.answer.text or ""], told))
    after = own[candidate.last : candidate.last + 1]
    return plain(reason_of(own[candidate.first : candidate.last], after))


def _rejected(reading: Reading, candidate: Candidate) -> tuple[str, ...]:
    if candidate.answer is not None:
        found: Sequence[str] = dialogs.untaken(candidate.answer)
    elif candidate.point is not None and candidate.role in _PICKED and not reading.replied:
        taken = {other.point for other in reading.candidates if other.role == "label"}
        found = [
            option(point.text)[:200]
            for point in untaken(candidate.point, reading.points)
            if point not in taken
        ]
    else:
        found = ()
    return tuple(found)[:REJECTED_OPTIONS]


_PICKED = frozenset({"label", "recommended"})
"""Roles of an option that is taken before the others."""


def _scope(reading: Reading, candidate: Candidate, text: str) -> tuple[str, ...]:
    told = [candidate.text, text]
    event = _event(reading, reading.message.event)
    touched = [
        path
        for call in reading.spoken.proposal
        if reading.message.origin == "refusal"
        and isinstance(event, UserMessage)
        and isinstance(call, ToolCall)
        and call.call == event.call
        for path in call.paths
    ]
    return names(told, touched)
