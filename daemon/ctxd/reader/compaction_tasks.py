"""What a reader is asked of a session's compactions: of each that was recorded, about the items
that were judged there and that no reader was asked about.

The record stands before: nothing that a compaction dropped waits for a reader to be told or given
back. What is asked shows in the record itself, so that nothing is asked twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxd.ledger import Reader
from ctxd.ledger.values import Key
from ctxd.reader import compaction_prompt
from ctxd.reader.compaction_evidence import checked
from ctxd.reader.compaction_texts import shown
from ctxd.reader.compaction_values import CompactionChunk, Looked, Shown
from ctxd.reader.values import Ask, Judged, Refusal, Reply, Told
from ctxd.retention.holding import holding
from ctxd.retention.judge import After, judge
from ctxd.retention.record import MESSAGE_STAYS, stated
from ctxd.retention.values import Answer, Record, Reread, Text

_ASKED: frozenset[Answer] = frozenset({"kept", "weakened", "changed", "lost"})
"""Answers that a text gave. What an agent reads again from a file is known without a reader."""


class CompactionTask:
    """A part of a compaction's items."""

    def __init__(self, chunk: CompactionChunk) -> None:
        self._chunk = chunk
        self._found: list[Reread] = []
        self._reader = ""

    @property
    def digest(self) -> str:
        """Of the compaction, the items and the prompt."""
        return self._chunk.digest

    def ask(self) -> Ask:
        """The question about it."""
        return compaction_prompt.ask_of(self._chunk)

    def take(self, reply: Reply, reader: str) -> Sequence[Refusal]:
        """Keep what counts of an answer, with what counted of one before."""
        found, refusals = checked(reply.text, self._chunk)
        self._reader = reader
        known = {(one.repository, one.item) for one in found}
        found += [one for one in self._found if (one.repository, one.item) not in known]
        self._found = found
        return refusals

    def told(self) -> Told:
        """What became of each item; of one without an answer that counts, that there is none."""
        known = {(one.repository, one.item): one for one in self._found}
        items = [
            known.get((one.repository, one.item)) or Reread(one.repository, one.item)
            for one in self._chunk.items
        ]
        return Judged(event=self._chunk.event, reader=self._reader, items=items)


def compaction_tasks(ledger: Reader, key: Key) -> list[CompactionTask]:
    """All there is to ask of the compactions of a session, the last one first."""
    found = []
    for record in reversed(ledger.records(key)):
        items = list(_unread(ledger, record))
        texts = _shown(ledger, record) if items else []
        asked = _to_be_seen(items, texts)
        chunks = compaction_prompt.chunks_of(record.event, asked, texts)
        found += [CompactionTask(chunk) for chunk in chunks]
    return found


def _unread(ledger: Reader, record: Record) -> Iterator[Looked]:
    for one in record.items:
        if one.second is not None or one.verdict.answer not in _ASKED:
            continue
        state = holding(ledger, one)
        if state is not None:
            yield Looked(
                repository=one.repository,
                item=one.item,
                stated=stated(state),
                offline=one.verdict,
            )


def _to_be_seen(items: Sequence[Looked], shown: Sequence[Shown]) -> list[Looked]:
    """Those of the items that a reader can see as well as the comparison: one that is kept by words
    that are not shown would only be missed."""
    after = After.of([Text(one.kind, one.part.text, one.part.event) for one in shown])
    return [
        one
        for one in items
        if one.offline.answer != "kept"
        or (one.offline.why != MESSAGE_STAYS and judge(one.stated, after).answer == "kept")
    ]


def _shown(ledger: Reader, record: Record) -> list[Shown]:
    key = (record.agent, record.session)
    summary = next((e for e in ledger.compactions(key) if e.id == record.event), None)
    kept = ledger.some_events(key, summary.kept or ()) if summary is not None else []
    return shown(summary, kept)
