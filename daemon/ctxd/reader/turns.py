"""A session's exchanges as a reader is shown them: who said what, in pieces of their own words.

What nobody said as their word is left out: pastes, quotations, code, logs, tool output. A quote can
only come from what is shown, so what is left out can never become an item.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from ctxd.extract import dialogs
from ctxd.extract.exchange import AgentEvent, Spoken, UserEvent
from ctxd.extract.terms import content
from ctxd.extract.text import SPOKEN, Block, blocks
from ctxd.item import Item
from ctxd.overhearing import Overhearing
from ctxd.policy.extraction import MESSAGE_CHARS, PROPOSAL_MESSAGES, SETTLING_WORDS
from ctxd.policy.reader import AGENT_MESSAGE_CHARS
from ctxd.reader.values import Part
from ctxd_parsers.events import (
    AssistantMessage,
    Event,
    PlanDecided,
    QuestionAnswered,
    ToolCall,
    UserMessage,
)

Judge = Callable[[Spoken], Sequence[Item]]
"""Tells the items of an exchange as they are understood offline."""


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """An exchange with all that may be shown of it, in the order in which it was said."""

    number: int
    """From 1, in its session."""
    said: Spoken
    agent: tuple[Part, ...]
    """What the agent said before the user's words, a paragraph or list item each."""
    user: tuple[Part, ...]
    """The user's own words."""
    notes: tuple[str, ...]
    is_short: bool
    """Whether the user's words lean on what the agent said."""
    candidates: tuple[Item, ...]

    @property
    def exchange(self) -> str:
        """Id of the answer's first event."""
        return self.said.answer[0].id


def heard(events: Iterable[Event], judge: Judge) -> list[Heard]:
    """What may be shown of the exchanges of one session, from its events that still stand."""
    return heard_of(exchanges(events), judge)


def heard_of(exchanges: Iterable[Spoken], judge: Judge) -> list[Heard]:
    """The same, of exchanges. One in which nothing of the user's is left to show is left out."""
    found = (_heard(number, said, judge) for number, said in enumerate(exchanges, 1))
    return [one for one in found if one.user]


def words_digest(said: Spoken) -> str:
    """A digest of the words of an exchange: findings count while it stays the same."""
    told = [[event.id, *_texts(event)] for event in (*said.proposal, *said.answer)]
    return hashlib.sha256(msgspec.json.encode(told)).hexdigest()[:16]


def _texts(event: AgentEvent | UserEvent) -> list[str]:
    if isinstance(event, QuestionAnswered):
        return [event.question, *event.chosen, event.text or ""]
    if isinstance(event, PlanDecided):
        return [event.plan or "", event.choice or "", str(event.approved)]
    return [event.text] if isinstance(event, UserMessage | AssistantMessage) else []


def exchanges(events: Iterable[Event]) -> Iterator[Spoken]:
    """The exchanges of one session that a person took part in, from its events that still stand."""
    following = Overhearing()
    for event in events:
        for _, said in following.take(event):
            yield said
    for _, said in following.rest():
        yield said


def _heard(number: int, said: Spoken, judge: Judge) -> Heard:
    user = tuple(part for event in said.answer for part in _users(event, said))
    return Heard(
        number=number,
        said=said,
        agent=tuple(_agents(said)),
        user=user,
        notes=tuple(note for event in said.answer for note in _notes(event, said)),
        is_short=len(content(" ".join(part.text for part in user))) <= SETTLING_WORDS,
        candidates=tuple(judge(said)),
    )


def _users(event: UserEvent, said: Spoken) -> Iterator[Part]:
    """The user's own words in an event. A plan that was approved is taken as a whole."""
    if isinstance(event, QuestionAnswered):
        words = dialogs.given(event)
        if words:
            yield Part(event.id, 0, words)
    elif isinstance(event, PlanDecided):
        if event.approved and event.plan:
            yield from _pieces(event.id, event.plan[:MESSAGE_CHARS], (), by="agent")
    elif not _repeats_a_dialog(event, said):
        text = event.text[:MESSAGE_CHARS]
        pasted = [(part.start, part.end) for part in event.pasted]
        yield from _pieces(event.id, text, pasted, by="user")


def _repeats_a_dialog(event: UserMessage, said: Spoken) -> bool:
    return event.origin == "answer" and any(
        isinstance(other, QuestionAnswered) and other.call == event.call for other in said.answer
    )


def _agents(said: Spoken) -> Iterator[Part]:
    """What the agent said and asked, the last messages of it."""
    messages = [event for event in said.proposal if isinstance(event, AssistantMessage)]
    for message in messages[-PROPOSAL_MESSAGES:]:
        start = max(0, len(message.text) - AGENT_MESSAGE_CHARS)
        start = message.text.find("\n", start) + 1 if start else 0
        for part in _pieces(message.id, message.text[start:], (), by="agent"):
            yield msgspec.structs.replace(part, start=part.start + start)
    for event in said.answer:
        if isinstance(event, QuestionAnswered) and event.question.strip():
            yield Part(event.id, 0, event.question)


def _pieces(
    event: str, text: str, pasted: Sequence[tuple[int, int]], by: Literal["user", "agent"]
) -> Iterator[Part]:
    """What was said in a text, a paragraph or list item each."""
    for block in blocks(text, pasted, typed=by == "user"):
        if block.kind in SPOKEN and text[block.start : block.end].strip():
            start = _with_label(text, block)
            yield Part(event, start, text[start : block.end])


def _with_label(text: str, block: Block) -> int:
    """Where a block begins, with the label that it can be picked by."""
    if not block.label:
        return block.start
    line = text.rfind("\n", 0, block.start) + 1
    return line + len(text[line : block.start]) - len(text[line : block.start].lstrip())


def _notes(event: UserEvent, said: Spoken) -> Iterator[str]:
    if isinstance(event, QuestionAnswered):
        for option in event.options:
            taken = "picked" if option.label in event.chosen else "not picked"
            yield f"option {taken}: {': '.join(filter(None, (option.label, option.description)))}"
    elif isinstance(event, PlanDecided):
        yield "approved the plan as a whole" if event.approved else "turned the plan down"
    elif event.origin == "refusal":
        calls = [call for call in said.proposal if isinstance(call, ToolCall)]
        refused = next((call for call in reversed(calls) if call.call == event.call), None)
        what = " ".join([refused.name, *refused.paths[:3]]) if refused else ""
        yield f"said when turning a tool call down: {what}".rstrip(": ")
