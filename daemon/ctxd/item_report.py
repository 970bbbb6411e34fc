"""The answers of `ctxd items`, `ctxd search` and `ctxd show`, as they are published.

`ItemRow` is the form `ctxd.item/1`, `ShownItem` the form `ctxd.show/1` (docs/json.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ctxd.compaction_report import ItemCompaction, item_compactions
from ctxd.item import Authority, Durability, Kind, Severity, Speaker
from ctxd.item_log import By, EventType, ItemEvent, Status
from ctxd.ledger import KeptItem, Reader, Surroundings
from ctxd.policy.shown import ITEM_SHORT_ID_CHARS
from ctxd.reviewing import LIVE_SINCE, why_it_waits
from ctxd.second_opinion import SecondOpinion, second_opinion
from ctxd.short_ids import short_ids
from ctxd.terminal import path_text
from ctxd_parsers.events import (
    AssistantMessage,
    Event,
    PlanDecided,
    QuestionAnswered,
    ToolCall,
    UserMessage,
)

Count = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


class ItemRow(msgspec.Struct, frozen=True):
    """One item, and how it stands."""

    schema: Literal["ctxd.item/1"]
    id: str
    short_id: str
    repository: str
    kind: Kind
    status: Status
    text: str
    reason: str
    rejected: tuple[str, ...]
    scope: tuple[str, ...]
    authority: Authority
    durability: Durability
    severity: Severity
    probability: Share
    waits_for_review: bool
    accepted: bool
    edited: bool
    restated: Count
    superseded_by: str | None
    agent: str
    session: str
    time: datetime | None
    language: str


class EvidenceRow(msgspec.Struct, frozen=True):
    """One verbatim quote."""

    speaker: Speaker
    quote: str
    event: str
    time: datetime | None


class HistoryRow(msgspec.Struct, frozen=True):
    """One thing that happened to the item."""

    type: EventType
    by: By
    time: datetime | None
    other_item: str | None
    other_text: str | None
    agent: str | None
    session: str | None
    text: str | None


class SpokenRow(msgspec.Struct, frozen=True):
    """One thing said in the exchange."""

    speaker: Speaker
    text: str
    event: str
    time: datetime | None


class ShownItem(msgspec.Struct, frozen=True):
    """Everything that is known of one item."""

    schema: Literal["ctxd.show/1"]
    item: ItemRow
    waits_because: str
    """Why it is not written unasked; empty when it is, or nothing more is asked."""
    understood_text: str
    filled: tuple[str, ...]
    evidence: tuple[EvidenceRow, ...]
    history: tuple[HistoryRow, ...]
    compactions: tuple[ItemCompaction, ...]
    exchange: tuple[SpokenRow, ...]
    session_title: str | None
    transcript: str | None
    transcript_span_bytes: tuple[int, int] | None
    second_reader: SecondOpinion | None = None
    """What the language model made of it that the user chose to read sessions; None where it read
    none of this one."""


def item_rows(found: Iterable[KeptItem], reader: Reader) -> list[ItemRow]:
    """The published form of items, in their order."""
    short = short_ids(reader.item_ids(), ITEM_SHORT_ID_CHARS)
    return [_row(known, short.get(known.id, known.id)) for known in found]


def shown_item(known: KeptItem, reader: Reader) -> ShownItem:
    """Everything about an item. The exchange is empty where the ledger no longer holds it."""
    item = known.item
    around = reader.around((item.agent, item.session), item.event)
    talk = _talk(around)
    binding = next((event for event in talk if event.id == item.event), None)
    sessions = reader.sessions(agent=item.agent, empty=True)
    titles = (session.title for session in sessions if session.id == item.session)
    [row] = item_rows([known], reader)
    history = reader.item_events(known.repository, item.id)
    others = {event.of for event in history if event.of is not None}
    lines = {other.id: other.state.text for other in _others(known, others, reader)}
    return ShownItem(
        schema="ctxd.show/1",
        item=row,
        waits_because=why_it_waits(known.state, _live_since(reader)),
        understood_text=item.text,
        filled=item.filled,
        evidence=tuple(
            EvidenceRow(quoted.speaker, quoted.quote, quoted.event, quoted.time)
            for quoted in item.evidence
        ),
        history=tuple(_history(event, lines.get(event.of or "")) for event in history),
        compactions=item_compactions(reader.item_boundaries(known.repository, item.id)),
        exchange=tuple(map(_spoken, talk)),
        session_title=next(titles, None),
        transcript=path_text(around.transcript) if around.transcript else None,
        transcript_span_bytes=binding.span if binding else None,
        second_reader=second_opinion(item, reader),
    )


def _live_since(reader: Reader) -> float | None:
    """When ctxd began to follow sessions here; None when it never did."""
    stored = reader.meta(LIVE_SINCE)
    return float(stored) if stored else None


def _row(known: KeptItem, short_id: str) -> ItemRow:
    item, state = known.item, known.state
    return ItemRow(
        schema="ctxd.item/1",
        id=item.id,
        short_id=short_id,
        repository=known.repository,
        kind=item.kind,
        status=state.status,
        text=state.text,
        reason=item.reason,
        rejected=item.rejected,
        scope=item.scope,
        authority=item.authority,
        durability=item.durability,
        severity=item.severity,
        probability=min(max(item.probability, 0.0), 1.0),
        waits_for_review=state.waits,
        accepted=state.accepted,
        edited=state.edited,
        restated=state.restated,
        superseded_by=state.superseded_by,
        agent=item.agent,
        session=item.session,
        time=item.time,
        language=item.language,
    )


def _others(known: KeptItem, ids: Iterable[str], reader: Reader) -> list[KeptItem]:
    """Other items of the same repository."""
    found = [other for item in sorted(ids) for other in reader.items_by_id(item)]
    return [other for other in found if other.repository == known.repository]


def _history(event: ItemEvent, other_text: str | None) -> HistoryRow:
    said = event.said
    return HistoryRow(
        type=event.type,
        by=event.by,
        time=event.time,
        other_item=event.of,
        other_text=other_text,
        agent=said.agent if said else None,
        session=said.session if said else None,
        text=event.content.text if event.content else event.text,
    )


def _talk(around: Surroundings) -> list[Event]:
    """What was said in an exchange; a dialog's answer once, with the question."""
    talk = [*around.before, *around.words, *around.after]
    asked = {event.call for event in talk if isinstance(event, QuestionAnswered) and event.call}
    return [e for e in talk if not (isinstance(e, UserMessage) and e.call in asked)]


def _spoken(event: Event) -> SpokenRow:
    speaker: Speaker = "agent" if isinstance(event, (AssistantMessage, ToolCall)) else "user"
    return SpokenRow(speaker, _IN_WORDS[type(event)](event), event.id, event.time)


def _message(event: AssistantMessage | UserMessage) -> str:
    return event.text


def _answer(event: QuestionAnswered) -> str:
    options = [
        f"{'>' if option.label in event.chosen else '-'} {option.label}"
        + (f": {option.description}" if option.description else "")
        for option in event.options
    ]
    others = [label for label in event.chosen if label not in {o.label for o in event.options}]
    own = [f"> {words}" for words in (*others, event.text) if words]
    return "\n".join([event.question, *options, *own])


def _plan(event: PlanDecided) -> str:
    verdict = f"{'approved' if event.approved else 'turned down'} the plan"
    choice = f" ({event.choice})" if event.choice else ""
    return "\n".join(filter(None, [verdict + choice, event.plan]))


def _call(event: ToolCall) -> str:
    what = " ".join(filter(None, [event.name, event.command, *event.paths]))
    return "\n".join(filter(None, [what, event.excerpt]))


_IN_WORDS: dict[type[Event], Callable[[Any], str]] = {
    AssistantMessage: _message,
    UserMessage: _message,
    QuestionAnswered: _answer,
    PlanDecided: _plan,
    ToolCall: _call,
}
