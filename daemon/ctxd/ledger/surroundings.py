"""What was said around an event: the exchange it belongs to, and where it stands on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec

from ctxd.ledger.values import Rows
from ctxd.policy.ledger import EARLIER_MESSAGES, EXCHANGE_EVENTS
from ctxd_parsers.events import (
    AssistantMessage,
    Event,
    PlanDecided,
    QuestionAnswered,
    ToolCall,
    UserMessage,
)

Told = Callable[[str, tuple[Any, ...]], Iterator[tuple[int, Event]]]
"""Runs a query that is a condition on the events of one session."""

_USER = (UserMessage, QuestionAnswered, PlanDecided)
_AGENT = (AssistantMessage, ToolCall)
_MESSAGE = (AssistantMessage, UserMessage)
_WORDS = ", ".join(f"'{kind.__name__}'" for kind in (*_USER, *_AGENT))

_PLACE = (
    "SELECT e.number, e.withdrawn, t.path FROM events e JOIN sessions s ON s.number = e.session "
    "JOIN transcripts t ON t.number = e.transcript WHERE s.agent = ? AND s.id = ? AND e.id = ?"
)


class Surroundings(msgspec.Struct, frozen=True):
    """The exchange of one event, as far as the ledger still holds it."""

    before: Sequence[Event] = ()
    """What the agent said before, and the calls that the user answered or refused."""
    words: Sequence[Event] = ()
    """What the user said, this event included."""
    after: Sequence[Event] = ()
    """What the agent said to it."""
    earlier: Sequence[Event] = ()
    """The last messages of either side that came before all of that."""
    transcript: Path | None = None
    """The log it was read from."""


def around(rows: Rows, told: Told, session: tuple[str, str], event: str) -> Surroundings:
    """The exchange of an event of a session; an empty one where the event is not stored (any
    more). What was taken back is left out unless the event itself was."""
    place = rows(_PLACE, (*session, event))
    if not place:
        return Surroundings()
    number, withdrawn, path = place[0]
    kinds = f"AND e.kind IN ({_WORDS}) AND e.withdrawn <= ?"
    limit = (number, EXCHANGE_EVENTS)
    earlier = told(f"{kinds} AND e.number < ? ORDER BY e.number DESC LIMIT ?", (withdrawn, *limit))
    later = told(f"{kinds} AND e.number >= ? ORDER BY e.number LIMIT ?", (withdrawn, *limit))
    back, on = list(_told_to_the_user(earlier)), list(_told_to_the_user(later))
    said_before, before = _split(back, _USER)
    said, after = _split(on, _USER)
    proposal, long_before = _split(before, _AGENT)
    return Surroundings(
        before=proposal[::-1],
        words=[*said_before[::-1], *said],
        after=list(takewhile(_is_agent, after)),
        earlier=[e for e in long_before if isinstance(e, _MESSAGE)][:EARLIER_MESSAGES][::-1],
        transcript=Path(os.fsdecode(path)),
    )


def _told_to_the_user(events: Iterator[tuple[int, Event]]) -> Iterator[Event]:
    """Without sub-agents, and without calls that nobody answered."""
    for _, event in events:
        is_call = isinstance(event, ToolCall) and event.excerpt is None
        if event.sub_agent is None and not is_call:
            yield event


def _split(events: list[Event], kinds: tuple[type[Event], ...]) -> tuple[list[Event], list[Event]]:
    """The events of some kinds that come first, and the rest."""
    first = list(takewhile(lambda event: isinstance(event, kinds), events))
    return first, events[len(first) :]


def _is_agent(event: Event) -> bool:
    return isinstance(event, _AGENT)
