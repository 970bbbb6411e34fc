"""What one transcript holds, in numbers: small whatever its size, nothing of it is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ctxd.item import Item
from ctxd.item import Kind as ItemKind
from ctxd.own_sessions import OwnSessions
from ctxd.policy.daemon import SILENT_TRANSCRIPT_BYTES
from ctxd.policy.items import IDS_REMEMBERED
from ctxd.policy.ledger import KIND_CHARS, KINDS_REMEMBERED
from ctxd.scanning import Reading
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    Reasoning,
    ToolCall,
    Unknown,
    Unparsed,
    UserMessage,
)
from ctxd_parsers.registry import parser_named

if TYPE_CHECKING:
    from ctxd.item_counting import ItemCounter

SPEECH = frozenset({UserMessage, AssistantMessage, Reasoning, ToolCall})
"""Events in which somebody said or did something. A session without one is empty: it was opened
and left, and is not counted; some clients write such sessions by the hundred."""

_ODD = frozenset({Unknown, Unparsed})
"""Events that tell of a format, in whosever session they stand."""

OTHERS = "others"
"""Stands for kinds and reasons beyond `policy.KINDS_REMEMBERED`."""

Kind = tuple[str, str]
"""A record kind and the version of the client that wrote it, empty where the log does not say."""


Name = tuple[str, str]
"""Repository and id of an item: an item met in several transcripts counts once."""


class Counted(msgspec.Struct, frozen=True):
    """An item as it is counted."""

    kind: ItemKind
    event: str
    """Id of the event that makes it binding."""
    item: Item | None = None
    """The item itself, without secrets; None unless it was asked for."""


class TranscriptCounts(msgspec.Struct):
    """Events with the same id count once."""

    agent: str
    path: Path
    size: int
    records: int = 0
    parts: int = 0
    """Records, and where one record holds several things (a whole session), those things."""
    failed_parts: int = 0
    """Parts of an unknown kind, or damaged."""
    user_messages: int = 0
    compactions: int = 0
    sub_agent_compactions: int = 0
    sessions: set[str] = set()
    """Ids of the sessions in it that are not empty; a sub-agent's part counts to its parent."""
    unknown: dict[Kind, int] = {}
    damaged: dict[str, int] = {}
    items: dict[Name, Counted] = {}
    """Items by repository and id."""
    uncovered: dict[str, int] = {}
    """Exchanges in languages that ctxd does not know, by language."""
    silent: bool = False
    """Too large to have no message, and has none: its format is not understood any more."""


class Counting(msgspec.Struct, frozen=True):
    """What is to be counted; sent to the processes that do it."""

    items: bool = True
    """Whether items are looked for."""
    whole: bool = False
    """Whether they are kept as they are, not only in numbers."""

    def __call__(self, reading: Reading) -> TranscriptCounts:
        """The counts of one transcript; raise OSError when it cannot be read."""
        if not self.items:
            return count(reading)
        from ctxd.item_counting import ItemCounter

        return count(reading, ItemCounter(whole=self.whole))


WITHOUT_ITEMS = Counting(items=False)


def count(reading: Reading, counter: ItemCounter | None = None) -> TranscriptCounts:
    """The counts of one transcript, with its items where there is a counter for them; raise OSError
    when it cannot be read."""
    job = reading.job
    counts = TranscriptCounts(parser_named(job.parser).agent, job.path, job.size)
    seen: set[str] = set()
    own = OwnSessions()
    events = records_with_events = last_record = 0
    for event in reading.events():
        events += 1
        if reading.records != last_record:
            last_record = reading.records
            records_with_events += 1
        kind = type(event)
        if own.take(event) and kind not in _ODD:
            continue
        if kind in SPEECH:
            counts.sessions.add(event.session)
            counts.agent = event.agent
        tally = _TALLIES.get(kind)
        if tally and event.id not in seen:
            if len(seen) < IDS_REMEMBERED:
                seen.add(event.id)
            tally(counts, event)
        if counter is not None:
            counter.take(event)
    if counter is not None:
        counter.finish()
        counts.items, counts.uncovered = counter.items, counter.uncovered
    counts.records = reading.records
    counts.parts = reading.records - records_with_events + events
    is_empty = not counts.sessions and not own.is_any
    counts.silent = is_empty and reading.record_bytes > SILENT_TRANSCRIPT_BYTES
    return counts


def _user_message(counts: TranscriptCounts, _event: UserMessage) -> None:
    counts.user_messages += 1


def _compaction(counts: TranscriptCounts, event: Compaction) -> None:
    if event.sub_agent is None:
        counts.compactions += 1
    else:
        counts.sub_agent_compactions += 1


def _unknown(counts: TranscriptCounts, event: Unknown) -> None:
    counts.failed_parts += 1
    add(counts.unknown, (event.record_kind[:KIND_CHARS], event.client_version or ""), 1)


def _unparsed(counts: TranscriptCounts, event: Unparsed) -> None:
    counts.failed_parts += 1
    add(counts.damaged, event.reason[:KIND_CHARS], 1)


_TALLIES: dict[type, Callable[[TranscriptCounts, Any], None]] = {
    UserMessage: _user_message,
    Compaction: _compaction,
    Unknown: _unknown,
    Unparsed: _unparsed,
}


def add(counts: dict[Any, int], key: str | Kind, number: int) -> None:
    """Add to a count, of which there are at most so many, since their names come from logs."""
    if key not in counts and len(counts) >= KINDS_REMEMBERED:
        key = OTHERS if isinstance(key, str) else (OTHERS, "")
    counts[key] = counts.get(key, 0) + number
