"""The part of `ctxd status` that is about compactions: how many, what they dropped, and what was
done about the last one."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from ctxd.compaction_report import Counts
from ctxd.ledger import Reader

Count = Annotated[int, Meta(ge=0)]


class LatestCompaction(msgspec.Struct, frozen=True, kw_only=True):
    """The last compaction that was judged, and what was done about what it dropped."""

    agent: str
    session: str
    time: datetime | None
    live: bool
    """Whether ctxd saw it happen: nothing is done about history."""
    counts: Counts
    dropped: Count
    given_back: Count
    """Items of these that the agent was told again."""
    in_files: Count
    """Items of these that stand in a context file."""
    owed: Count
    """Items of these that are still to be told again."""


class CompactionsStatus(msgspec.Struct, frozen=True):
    """All compactions of users' windows."""

    judged: Count = 0
    to_judge: Count = 0
    dropped: Count = 0
    """Items that those dropped which ctxd saw happen, counted once for each compaction."""
    given_back: Count = 0
    """Those of them that the agent was told again."""
    latest: LatestCompaction | None = None
    """None while none is judged."""


def compactions(reader: Reader) -> CompactionsStatus:
    """What the ledger says of compactions."""
    found = reader.boundary_numbers()
    latest = _latest(reader) if found.judged else None
    return CompactionsStatus(found.judged, found.waiting, found.dropped, found.given, latest)


def _latest(reader: Reader) -> LatestCompaction | None:
    records = reader.records(limit=1)
    if not records:
        return None
    [record] = records
    dropped = [(one.repository, one.item) for one in record.dropped]
    done = []
    if dropped and record.live:
        from ctxd.retention.remedies import remedies

        done = list(remedies(reader, record, dropped).values())
    return LatestCompaction(
        agent=record.agent,
        session=record.session,
        time=record.time,
        live=record.live,
        counts=Counts.of(Counter(one.verdict.answer for one in record.items)),
        dropped=len(dropped),
        given_back=sum(one.given is not None for one in done),
        in_files=sum(bool(one.files) for one in done),
        owed=sum(one.owed for one in done),
    )
