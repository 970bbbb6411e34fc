"""The part of `ctxd status` that is about items: how many, what waits, what was not understood."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import msgspec
from msgspec import Meta

from ctxd.ledger import Reader, SessionRow

Count = Annotated[int, Meta(ge=0)]


class UncoveredStatus(msgspec.Struct, frozen=True):
    """What was said in a language that ctxd cannot judge."""

    language: str
    sessions: Count
    exchanges: Count


class ItemsStatus(msgspec.Struct, frozen=True):
    """What was understood from all sessions."""

    active: Count = 0
    waiting_for_review: Count = 0
    repositories: Count = 0
    exchanges_to_judge: Count = 0
    """Those that wait: of history, while it is read."""
    uncovered: tuple[UncoveredStatus, ...] = ()


class ItemNumbers:
    """What the ledger says of items, asked once."""

    def __init__(self, reader: Reader) -> None:
        self._counts = reader.item_counts()
        self._uncovered = reader.uncovered_sessions()
        self._waiting = reader.waiting()

    def all(self) -> ItemsStatus:
        """Those of all sessions together."""
        return ItemsStatus(
            active=sum(count.number for count in self._counts),
            waiting_for_review=sum(count.waiting for count in self._counts),
            repositories=len({count.repository for count in self._counts}),
            exchanges_to_judge=self._waiting,
            uncovered=tuple(self._languages()),
        )

    def of(self, row: SessionRow) -> int:
        """How many active items a session's words gave."""
        key = (row.agent, row.id)
        return sum(c.number for c in self._counts if (c.agent, c.session) == key)

    def language_of(self, row: SessionRow) -> str | None:
        """The language of a session's words that are not judged; None for one that is."""
        key = (row.agent, row.id)
        found = [one for one in self._uncovered if (one.agent, one.session) == key]
        return found[0].language if found else None

    def _languages(self) -> list[UncoveredStatus]:
        exchanges: Counter[str] = Counter()
        sessions: Counter[str] = Counter()
        for one in self._uncovered:
            exchanges[one.language] += one.exchanges
            sessions[one.language] += 1
        return [
            UncoveredStatus(language, sessions[language], number)
            for language, number in exchanges.most_common()
        ]
