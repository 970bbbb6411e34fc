"""The part of `ctxd scan`'s answer that is about items; see `ctxd.scan_report`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ctxd.counting import Counted, Name, TranscriptCounts
from ctxd.item import Authority, Durability, Item, Kind, Severity

Count = Annotated[int, Meta(ge=0)]
ItemCounts = Annotated[
    dict[Kind, Count], Meta(description="Items by kind; a kind without any is left out.")
]


class RepositoryScan(msgspec.Struct, frozen=True):
    """The items of one repository, of all agents."""

    repository: str | None
    items: ItemCounts


class UncoveredLanguage(msgspec.Struct, frozen=True):
    """What the user said in a language that ctxd cannot judge."""

    language: str
    exchanges: Count


class FoundItem(msgspec.Struct, frozen=True):
    """An item as it was understood from its exchange; its fields are named as in `ctxd.item/1`."""

    id: str
    repository: str | None
    kind: Kind
    text: str
    reason: str
    rejected: tuple[str, ...]
    scope: tuple[str, ...]
    authority: Authority
    durability: Durability
    severity: Severity
    probability: float
    waits_for_review: bool
    agent: str
    session: str
    time: datetime | None
    language: str

    @classmethod
    def of(cls, item: Item, repository: str | None) -> FoundItem:
        """What is told of an item."""
        apart: dict[str, Any] = {"repository": repository, "waits_for_review": not item.plain}
        names = [name for name in cls.__struct_fields__ if name not in apart]
        return cls(**apart, **{name: getattr(item, name) for name in names})


class ItemSums:
    """Adds up items: one that stands in several transcripts counts once for each of its agents and
    once for its repository."""

    def __init__(self, forgotten: Collection[Name] = ()) -> None:
        """`forgotten` are those that the user wants nothing to be told of, ever again."""
        self._forgotten = forgotten
        self._agents: dict[str, dict[Name, Kind]] = {}
        self._all: dict[Name, Counted] = {}
        self._languages: Counter[str] = Counter()

    def take(self, counts: TranscriptCounts) -> None:
        """Add those of one transcript."""
        known = self._agents.setdefault(counts.agent, {})
        for name, found in counts.items.items():
            if name not in self._forgotten:
                known[name] = found.kind
                self._all[name] = found
        self._languages.update(counts.uncovered)

    def of_agent(self, agent: str) -> ItemCounts:
        """How many of each kind an agent's sessions gave."""
        return _by_kind(self._agents.get(agent, {}).values())

    def repositories(self) -> tuple[RepositoryScan, ...]:
        """How many of each kind there are of each repository, those with most first."""
        found: dict[str, list[Kind]] = {}
        for (repository, _), counted in self._all.items():
            found.setdefault(repository, []).append(counted.kind)
        ordered = sorted(found, key=lambda repository: (-len(found[repository]), repository))
        return tuple(RepositoryScan(name or None, _by_kind(found[name])) for name in ordered)

    def languages(self) -> tuple[UncoveredLanguage, ...]:
        """In which languages exchanges were that could not be judged, the most frequent first."""
        ordered = sorted(self._languages.items(), key=lambda one: (-one[1], one[0]))
        return tuple(UncoveredLanguage(language, number) for language, number in ordered)

    def whole(self) -> tuple[FoundItem, ...]:
        """The items themselves, by repository and time."""
        found = [
            FoundItem.of(counted.item, repository or None)
            for (repository, _), counted in self._all.items()
            if counted.item is not None
        ]
        return tuple(sorted(found, key=_place))


def _place(found: FoundItem) -> tuple[str, float, str]:
    time = found.time
    return found.repository or "", time.timestamp() if time else 0.0, found.id


def _by_kind(kinds: Iterable[Kind]) -> ItemCounts:
    return dict(sorted(Counter(kinds).items()))
