"""What is asked of a compaction, and what is answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal

import msgspec

from ctxd.item import Kind, Severity
from ctxd.item_log import ItemState
from ctxd.signals import Boundary
from ctxd_parsers.events import Trigger

Answer = Literal["kept", "weakened", "changed", "lost", "reloaded", "unknown"]
"""`kept`: who reads only what stands afterwards acts rightly. `weakened`: the matter is there, what
binds is gone or softened. `changed`: something else is said (number, name, polarity, direction).
`lost`: nothing is said that binds. `reloaded`: not in the summary, but in a file that the agent
reads again at that moment. `unknown`: the summary cannot be read, and nothing else states it."""

ANSWERS: tuple[Answer, ...] = ("kept", "weakened", "changed", "lost", "reloaded", "unknown")

DROPPED: frozenset[Answer] = frozenset({"weakened", "changed", "lost"})

BINDING: tuple[Kind, ...] = (
    "constraint",
    "scope",
    "rejection",
    "correction",
    "decision",
    "intent",
    "question",
)
"""Kinds of items, the most binding first."""

TextKind = Literal["summary", "kept", "file"]
"""`summary`: what the agent wrote in place of the window. `kept`: an earlier message that stays
word for word. `file`: a context file that is before the agent afterwards."""


class Text(msgspec.Struct, frozen=True):
    """One text that stands after a compaction."""

    kind: TextKind
    text: str
    name: str = ""
    """The event's id, or the file's path."""


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for: one item, as far as its meaning goes."""

    text: str
    """Its line: see `ItemState.text`."""
    quotes: tuple[str, ...] = ()
    """The words that bind it, as they were said, where they differ from the line."""
    kind: Kind = "constraint"
    rejected: tuple[str, ...] = ()


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether one item is still stated."""

    answer: Answer
    passage: str = ""
    """The deciding passage, verbatim from the text it stands in; empty when there is none."""
    where: TextKind | None = None
    name: str = ""
    """Of the text with the passage: see `Text.name`."""
    why: str = ""
    """The reason in a few words, such as `number: 30 s, not 3 s`."""


class Opinion(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a language model made of one item, where the user has one read."""

    reader: str
    """Which one."""
    verdict: Verdict | None = None
    """None when what it answered could not be shown in the texts."""
    offline: Verdict | None = None
    """What the comparison had come to, which the reader's verdict took the place of."""


class ItemVerdict(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What became of one item at one compaction."""

    repository: str
    item: str
    """Its id."""
    kind: Kind
    severity: Severity = "normal"
    verdict: Verdict
    """The one that counts."""
    said: datetime | None = None
    on_disk_before: bool = False
    """Whether a human's own context file stated it before: it was never in danger."""
    owed: bool = False
    """Whether the agent has to be told again."""
    second: Opinion | None = None
    """None as long as no reader was asked."""

    @property
    def offline(self) -> Verdict:
        """What the comparison came to, without a reader."""
        return (self.second and self.second.offline) or self.verdict

    @property
    def verdicts(self) -> list[Verdict]:
        """All that was ever found."""
        second = self.second
        return [self.verdict, *filter(None, (second.verdict, second.offline) if second else ())]


def on_each_verdict(one: ItemVerdict, change: Callable[[Verdict], Verdict]) -> ItemVerdict:
    """An item with a change to whatever was found of it."""
    second = one.second
    if second is not None:
        second = msgspec.structs.replace(
            second,
            verdict=change(second.verdict) if second.verdict else None,
            offline=change(second.offline) if second.offline else None,
        )
    return msgspec.structs.replace(one, verdict=change(one.verdict), second=second)


class Record(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One compaction, and what became of each item that was in the window."""

    agent: str
    session: str
    event: str
    """Id of the compaction's event, which holds the summary."""
    time: datetime | None = None
    live: bool = False
    """It was read as it happened, not from history."""
    trigger: Trigger | None = None
    cause: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    storm: bool = False
    readable: bool = True
    """Whether the summary could be read at all."""
    items: Sequence[ItemVerdict] = ()
    files_unnamed: Sequence[str] = ()
    """Files read or edited since the compaction before that the summary does not name."""
    request_missing: str = ""
    """The user's last request before it, where nothing afterwards states it."""
    files: Sequence[str] = ()
    """Context files that are before the agent afterwards."""
    nested_gone: Sequence[str] = ()
    """Those of folders that are not, until the agent touches a file there again."""

    @property
    def dropped(self) -> list[ItemVerdict]:
        """Items that are not stated any more as they were."""
        return [one for one in self.items if one.verdict.answer in DROPPED]


class Reread(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a reader made of one item at one compaction."""

    repository: str
    item: str
    """Its id."""
    verdict: Verdict | None = None
    """See `Opinion.verdict`."""


class InWindow(msgspec.Struct, frozen=True, kw_only=True):
    """An item that was in the window before a compaction."""

    repository: str
    state: ItemState
    """As it stood at that moment."""

    @property
    def id(self) -> str:
        """The item's id."""
        return self.state.item.id


def most_binding(state: ItemState) -> tuple[bool, int, float]:
    """Sorts items: the most binding first, of alike ones the newest."""
    item = state.item
    said = item.time.timestamp() if item.time else 0.0
    return item.severity != "critical", BINDING.index(item.kind), -said


class Happened(msgspec.Struct, frozen=True, kw_only=True):
    """One compaction, with what its record tells apart from the items."""

    agent: str
    session: str
    boundary: Boundary
    live: bool = False
    readable: bool = True
    """Whether its summary can be read."""
    files: Sequence[str] = ()
    """Files read or edited since the compaction before."""
    request: str = ""
    """The user's last request before it."""
    nested: Sequence[str] = ()
    """Context files in the window that had come with a file that was touched."""


class DroppedItem(msgspec.Struct, frozen=True):
    """What became of an item, and the item itself."""

    verdict: ItemVerdict
    state: ItemState


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """What whoever listens is told of a live compaction that was recorded, also when it dropped
    nothing. Nobody is told of history."""

    record: Record
    items: Sequence[DroppedItem] = ()
    """Those of `Record.dropped` that still hold, the most binding first."""
    cwd: str | None = None
    """Working directory of the session."""
    repository: str = ""
    """See `ctxd.repositories.repository_key`; empty where the session's place is not known."""
    title: str | None = None
    client_version: str | None = None
