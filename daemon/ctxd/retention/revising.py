"""A compaction's record, after a reader was asked about its items.

What the reader says takes the place of what the comparison came to, which is kept beside it; what
stands in a file that the agent has again is as safe as before. A false alarm is taken back where
nothing came after it, and what was missed is owed to the agent. Whoever listens is told once more
only of a rule that is gone from a session that goes on. Stored in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from ctxd.item_log import ItemState
from ctxd.ledger import Ledger
from ctxd.ledger.values import Key
from ctxd.retention.after import After
from ctxd.retention.holding import holding
from ctxd.retention.judge import judge
from ctxd.retention.record import Names, stated
from ctxd.retention.surroundings import SessionView
from ctxd.retention.values import (
    DROPPED,
    Answer,
    ItemVerdict,
    Opinion,
    Record,
    Reread,
    Verdict,
)

_VANISHED: frozenset[Answer] = frozenset({"lost", "changed"})
"""Answers of a reader alone that are worth a word to the user. What is but softer is given back."""


class Beside(NamedTuple):
    """What counts beside the summary."""

    files: After
    """Context files that are before the agent again, or still."""
    humans: After
    """What humans wrote in them before."""
    states: Mapping[Names, ItemState]
    """The items as they stand, as far as they hold."""
    is_last: bool
    """Whether no later compaction of the session is recorded."""


def revised(record: Record, reread: Sequence[Reread], reader: str, beside: Beside) -> Record:
    """A record with what a reader made of items that none was asked about before."""
    told = {(one.repository, one.item): one for one in reread}
    items = [
        _revised(record, one, told[_name(one)], Opinion(reader=reader), beside)
        if one.second is None and _name(one) in told
        else one
        for one in record.items
    ]
    return msgspec.structs.replace(record, items=items)


def news(before: Record, now: Record) -> list[ItemVerdict]:
    """Items that a reader alone found gone."""
    known = {_name(one) for one in before.dropped}
    return [
        one
        for one in now.dropped
        if one.verdict.answer in _VANISHED and _name(one) not in known and not one.on_disk_before
    ]


def revise(ledger: Ledger, key: Key, event: str, reread: Sequence[Reread], reader: str) -> bool:
    """Store what a reader made of items at a compaction of a session; whether those who listen are
    to be told of it."""
    records = ledger.records(key)
    record = next((one for one in records if one.event == event), None)
    if record is None:
        return False
    made = revised(record, reread, reader, _beside(ledger, record, is_last=record is records[-1]))
    goes_on = record.live and record is records[-1] and key in ledger.open_sessions()
    is_news = goes_on and bool(news(record, made))
    ledger.revise(made, tell=is_news)
    return is_news


def _revised(
    record: Record, one: ItemVerdict, told: Reread, opinion: Opinion, beside: Beside
) -> ItemVerdict:
    if told.verdict is None:
        return msgspec.structs.replace(one, second=opinion)
    opinion = Opinion(reader=opinion.reader, verdict=told.verdict, offline=one.verdict)
    state = beside.states.get(_name(one))
    if state is None:
        return msgspec.structs.replace(one, second=opinion)
    verdict = _in_force(one, told.verdict, state, beside.files)
    is_dropped = verdict.answer in DROPPED
    owed = record.live and is_dropped and state.item.authority != "agent"
    if is_dropped:
        on_disk = judge(stated(state), beside.humans).answer == "kept"
    else:
        on_disk = one.on_disk_before
        # At a later compaction it was in no window: nobody would miss it there.
        owed = one.owed and not beside.is_last
    return msgspec.structs.replace(
        one, verdict=verdict, second=opinion, owed=owed, on_disk_before=on_disk
    )


def _in_force(one: ItemVerdict, read: Verdict, state: ItemState, files: After) -> Verdict:
    """What counts: the reader's word on the texts, and what is on file after that."""
    if read.answer in DROPPED and one.verdict.answer not in DROPPED:
        on_file = judge(stated(state), files)
        if on_file.answer == "kept":
            return msgspec.structs.replace(on_file, answer="reloaded")
    return read


def _beside(ledger: Ledger, record: Record, *, is_last: bool) -> Beside:
    view = SessionView(ledger, (record.agent, record.session))
    files, humans = view.beside(record)
    states = {
        _name(one): state for one in record.items if (state := holding(ledger, one)) is not None
    }
    return Beside(files, humans, states, is_last)


def _name(one: ItemVerdict) -> Names:
    return one.repository, one.item
