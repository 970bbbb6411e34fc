"""Exchanges with their texts, and which of them a person was part of.

Only what a person typed or picked can bind anybody. Sub-agents are talked to by agents, and the
client's development kit is mostly driven by programs: their prompts look like a person's and are
not. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from ctxd.exchange import Exchange
from ctxd.extract.cues.language import language
from ctxd.extract.cues.tables import COVERED
from ctxd.extract.exchange import AgentEvent, Spoken, UserEvent
from ctxd.extract.text import own_words
from ctxd.policy.extraction import LANGUAGE_CHARS
from ctxd_parsers.events import AssistantMessage, Event, UserMessage

Key = tuple[str, str]
"""Agent and session id."""

_KIT = "sdk"
"""Front ends that are named so (`sdk-cli`, `sdk-py`) are libraries and runs without a terminal."""
_UNDETERMINED = "und"
_DIALOGS = frozenset({"answer", "refusal", "plan_feedback"})
"""Origins of words that only a person in front of a dialog can give."""


def spoken(key: Key, exchange: Exchange, events: Mapping[str, Event]) -> Spoken | None:
    """An exchange with its texts, as far as they are among the events; None when nothing is left of
    the user's part."""
    answer = [e for name in exchange.answer if isinstance(e := events.get(name), UserEvent)]
    if not answer:
        return None
    proposal = [e for name in exchange.proposal if isinstance(e := events.get(name), AgentEvent)]
    earlier = [
        e
        for name in exchange.earlier
        if isinstance(e := events.get(name), AssistantMessage | UserMessage)
    ]
    return Spoken(
        agent=key[0],
        session=key[1],
        answer=tuple(answer),
        proposal=tuple(proposal),
        earlier=tuple(earlier),
        opening=not (exchange.proposal or exchange.earlier),
    )


def of_a_person(said: Spoken, how: str | None, client: str | None) -> Spoken | None:
    """What a person said of it; None when nobody did."""
    if how == "sub_agent":
        return None
    if not is_driven(client):
        return said
    answer = tuple(event for event in said.answer if _is_from_a_dialog(event))
    return msgspec.structs.replace(said, answer=answer) if answer else None


def is_driven(client: str | None) -> bool:
    """Whether a front end is one that programs drive."""
    return (client or "").startswith(_KIT)


def _is_from_a_dialog(event: UserEvent) -> bool:
    return not isinstance(event, UserMessage) or event.origin in _DIALOGS


def time_of(said: Spoken) -> datetime | None:
    """When the user said the last of it."""
    return max((event.time for event in said.answer if event.time), default=None)


def uncovered(said: Spoken) -> str:
    """The language of the user's own words, where ctxd does not know how it approves, refuses and
    forbids; empty where it does, or where too little was typed to tell."""
    typed = [event for event in said.answer if isinstance(event, UserMessage)]
    if _is_covered(language("\n".join(event.text[:LANGUAGE_CHARS] for event in typed))):
        return ""
    own = "\n".join(
        own_words(event.text[:LANGUAGE_CHARS], [(part.start, part.end) for part in event.pasted])
        for event in typed
    )
    found = language(own)
    return "" if _is_covered(found) else found


def _is_covered(found: str) -> bool:
    return found in COVERED or found == _UNDETERMINED
