"""The answer of `ctxd compactions`, as it is published: the form `ctxd.compaction/1`
(docs/json.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ctxd.item import Kind, Severity
from ctxd.ledger import ItemBoundary, KeptItem, Reader, WaitingBoundary
from ctxd.policy.shown import ITEM_SHORT_ID_CHARS
from ctxd.retention.reasons import in_words
from ctxd.retention.remedies import Remedy, remedies
from ctxd.retention.values import ANSWERS, Answer, ItemVerdict, Record, TextKind, most_binding
from ctxd.short_ids import short_ids
from ctxd.terminal import path_text
from ctxd_parsers.events import Trigger

Count = Annotated[int, Meta(ge=0)]
Key = tuple[str, str]
"""Agent and session id."""


class Counts(msgspec.Struct, frozen=True):
    """How many items came to what."""

    kept: Count = 0
    weakened: Count = 0
    changed: Count = 0
    lost: Count = 0
    reloaded: Count = 0
    unknown: Count = 0

    @classmethod
    def of(cls, found: Mapping[Answer, int]) -> Counts:
        """Those of how often there was each answer."""
        return cls(*(found.get(answer, 0) for answer in ANSWERS))


class RetainedRow(msgspec.Struct, frozen=True):
    """What became of one item, and what was done about it."""

    id: str
    short_id: str
    repository: str
    kind: Kind
    severity: Severity
    text: str
    said: datetime | None
    answer: Answer
    why: str
    passage: str
    passage_from: TextKind | None
    passage_name: str
    on_disk_before: bool
    files: tuple[str, ...]
    given: datetime | None
    owed: bool
    offline_answer: Answer
    """What the comparison came to."""
    reader: str | None
    """The language model that was asked."""
    reader_answer: Answer | None
    """None when it was not asked, or what it said could not be shown in the texts."""


class CompactionRow(msgspec.Struct, frozen=True):
    """One compaction of a session."""

    schema: Literal["ctxd.compaction/1"]
    agent: str
    session: str
    number: Annotated[int, Meta(ge=1)]
    event: str
    time: datetime | None
    judged: bool
    live: bool
    trigger: Trigger | None
    cause: str | None
    tokens_before: int | None
    tokens_after: int | None
    repeated: bool
    summary_readable: bool
    counts: Counts
    items: tuple[RetainedRow, ...]
    files_not_named: tuple[str, ...]
    request_missing: str | None
    context_files: tuple[str, ...]
    nested_files_gone: tuple[str, ...]
    summary: str | None


class ItemCompaction(msgspec.Struct, frozen=True):
    """What one compaction did to an item."""

    agent: str
    session: str
    number: Annotated[int, Meta(ge=1)]
    event: str
    time: datetime | None
    answer: Answer
    given: datetime | None


def compaction_rows(
    reader: Reader, session: Key, *, item: KeptItem | None = None, summary: bool = False
) -> list[CompactionRow]:
    """A session's compactions, the newest last; with only what became of one item where one is
    named, and only where it was judged."""
    records = {record.event: record for record in reader.records(session)}
    waiting = {one.boundary.event: one for one in reader.boundaries_of(session)}
    texts = {event.id: event.summary for event in reader.compactions(session)} if summary else {}
    known = _Known(reader)
    rows = []
    for number, event in enumerate(_in_order(reader, session, records, waiting), 1):
        record = records.get(event)
        if record is None:
            row = _waiting(waiting[event], number, texts.get(event))
        else:
            row = _judged(record, number, texts.get(event), known)
        if item is None or _only(row, item):
            rows.append(row if item is None else _narrowed(row, item))
    return rows


def item_compactions(found: Iterable[ItemBoundary]) -> tuple[ItemCompaction, ...]:
    """The published form of what compactions did to an item."""
    return tuple(
        ItemCompaction(
            agent=one.agent,
            session=one.session,
            number=one.number,
            event=one.event,
            time=one.time,
            answer=one.answer,
            given=_time(one.given),
        )
        for one in found
    )


class _Known:
    """The items of the ledger, looked up a repository at a time."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.short = short_ids(reader.item_ids(), ITEM_SHORT_ID_CHARS)
        self._items: dict[str, dict[str, KeptItem]] = {}

    def of(self, one: ItemVerdict) -> KeptItem | None:
        """An item that was judged; None when it was forgotten since."""
        if one.repository not in self._items:
            found = self.reader.items(one.repository, statuses=())
            self._items[one.repository] = {kept.id: kept for kept in found}
        return self._items[one.repository].get(one.item)


def _in_order(
    reader: Reader,
    session: Key,
    records: Mapping[str, Record],
    waiting: Mapping[str, WaitingBoundary],
) -> list[str]:
    """The ids of the compactions' events in the order of the session."""
    place = {event.id: at for at, event in enumerate(reader.compactions(session))}
    return sorted({*records, *waiting}, key=lambda event: place.get(event, -1))


def _judged(record: Record, number: int, summary: str | None, known: _Known) -> CompactionRow:
    found = [(one, kept) for one in record.items if (kept := known.of(one)) is not None]
    found.sort(key=lambda pair: most_binding(pair[1].state))
    done = remedies(known.reader, record, [(one.repository, one.item) for one, _ in found])
    return CompactionRow(
        schema="ctxd.compaction/1",
        agent=record.agent,
        session=record.session,
        number=number,
        event=record.event,
        time=record.time,
        judged=True,
        live=record.live,
        trigger=record.trigger,
        cause=record.cause,
        tokens_before=record.tokens_before,
        tokens_after=record.tokens_after,
        repeated=record.storm,
        summary_readable=record.readable,
        counts=Counts.of(Counter(one.verdict.answer for one in record.items)),
        items=tuple(
            _item(one, kept, known.short, done[one.repository, one.item]) for one, kept in found
        ),
        files_not_named=tuple(map(path_text, record.files_unnamed)),
        request_missing=record.request_missing or None,
        context_files=tuple(map(path_text, record.files)),
        nested_files_gone=tuple(map(path_text, record.nested_gone)),
        summary=summary,
    )


def _waiting(one: WaitingBoundary, number: int, summary: str | None) -> CompactionRow:
    boundary = one.boundary
    return CompactionRow(
        schema="ctxd.compaction/1",
        agent=one.agent,
        session=one.session,
        number=number,
        event=boundary.event,
        time=boundary.time,
        judged=False,
        live=one.live,
        trigger=boundary.trigger,
        cause=boundary.cause,
        tokens_before=boundary.tokens_before,
        tokens_after=boundary.tokens_after,
        repeated=boundary.storm,
        summary_readable=True,
        counts=Counts(),
        items=(),
        files_not_named=(),
        request_missing=None,
        context_files=(),
        nested_files_gone=(),
        summary=summary,
    )


def _item(one: ItemVerdict, kept: KeptItem, short: Mapping[str, str], done: Remedy) -> RetainedRow:
    verdict, second = one.verdict, one.second
    return RetainedRow(
        id=one.item,
        short_id=short.get(one.item, one.item),
        repository=one.repository,
        kind=one.kind,
        severity=one.severity,
        text=kept.state.text,
        said=one.said,
        answer=verdict.answer,
        why=in_words(verdict),
        passage=verdict.passage,
        passage_from=verdict.where,
        passage_name=verdict.name,
        on_disk_before=one.on_disk_before,
        files=tuple(map(path_text, done.files)),
        given=_time(done.given),
        owed=done.owed,
        offline_answer=one.offline.answer,
        reader=second.reader if second else None,
        reader_answer=second.verdict.answer if second and second.verdict else None,
    )


def _only(row: CompactionRow, item: KeptItem) -> bool:
    return any(_is(one, item) for one in row.items)


def _narrowed(row: CompactionRow, item: KeptItem) -> CompactionRow:
    return msgspec.structs.replace(row, items=tuple(o for o in row.items if _is(o, item)))


def _is(one: RetainedRow, item: KeptItem) -> bool:
    return (one.repository, one.id) == (item.repository, item.id)


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
