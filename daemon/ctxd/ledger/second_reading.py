"""What is read of the second reader's doings: what waits for it, what it found, what it cost.

`SecondReader` is that part of `Reader`. The reader's own types are loaded when something of theirs
is first read: where no reader was ever chosen, nothing is.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ctxd.ledger.decoding import Stored, decoded
from ctxd.ledger.second_values import URGENCY, Account, BackendDay, WantedReading
from ctxd.policy.reader import READER_PACES_KEPT

if TYPE_CHECKING:
    from ctxd.ledger.item_values import ExchangeKey
    from ctxd.ledger.values import Key
    from ctxd.reader.values import Findings

days: Stored[BackendDay] = Stored(BackendDay)
WANTED_FIELDS = ", ".join(WantedReading.__struct_fields__)


@functools.cache
def stored_findings() -> Stored[Findings]:
    """How findings are stored."""
    from ctxd.reader.values import Findings

    return Stored(Findings)


class SecondReader(ABC):
    """The part of `Reader` that is about the second reader."""

    @abstractmethod
    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]: ...

    def wanted_readings(self) -> list[WantedReading]:
        """Sessions that wait to be read, the most urgent first; of those, the one that may be begun
        first."""
        query = f"SELECT {WANTED_FIELDS} FROM readings_wanted ORDER BY at, since, session"  # noqa: S608 - names of our fields
        rows, names = self._rows(query), WantedReading.__struct_fields__
        found = [WantedReading(**dict(zip(names, row, strict=True))) for row in rows]
        return sorted(found, key=lambda one: -URGENCY.index(one.why))

    def chunks_read(self, session: Key) -> frozenset[str]:
        """Digests of what was read of a session."""
        query = "SELECT digest FROM readings WHERE agent = ? AND session = ?"
        return frozenset(digest for (digest,) in self._rows(query, session))

    def findings(self, exchange: ExchangeKey, words: str | None = None) -> Findings | None:
        """What a reader found in an exchange: in these words of it, if their digest is given, else
        when it last read it. None when it was not read."""
        query = (
            "SELECT body FROM findings WHERE agent = ? AND session = ? AND exchange = ? "
            "AND words = coalesce(?, words) ORDER BY number DESC LIMIT 1"
        )
        rows = self._rows(query, (*exchange, words))
        return decoded(stored_findings(), rows[0][0]) if rows else None

    def read_at(self, exchange: ExchangeKey) -> float:
        """When a reader last read an exchange, in Unix seconds; 0 when none did."""
        query = "SELECT max(time) FROM findings WHERE agent = ? AND session = ? AND exchange = ?"
        [row] = self._rows(query, exchange)
        return float(row[0] or 0.0)

    def findings_in(self, session: Key) -> list[Findings]:
        """All that was found in a session, what was found last at the end."""
        query = "SELECT body FROM findings WHERE agent = ? AND session = ? ORDER BY number"
        rows = self._rows(query, session)
        parts = [decoded(stored_findings(), body) for (body,) in rows]
        return [part for part in parts if part is not None]

    def reader_account(self, day: str, backend: str | None = None) -> Account:
        """What readers were asked on a day, or one of them, and what that cost."""
        query = (
            "SELECT body FROM reader_days WHERE day = ? AND backend = coalesce(?, backend) "
            "ORDER BY backend"
        )
        parts = [decoded(days, body) for (body,) in self._rows(query, (day, backend))]
        whole = Account()
        for account in sorted(
            (part.account for part in parts if part), key=lambda one: one.last_at or 0.0
        ):
            _add(whole, account)
        return whole

    def reader_paces(self) -> list[float]:
        """Seconds that the latest calls took which gave an answer, the last one at the end; none
        while no call did."""
        query = "SELECT body FROM reader_days ORDER BY day DESC, backend LIMIT ?"
        parts = [decoded(days, body) for (body,) in self._rows(query, (READER_PACES_KEPT,))]
        paces = [pace for part in reversed(parts) if part for pace in part.paces]
        return paces[-READER_PACES_KEPT:]


def _add(whole: Account, part: Account) -> None:
    """Count what came later to what came before."""
    for name in ("calls", "input_tokens", "output_tokens", "money", "refused", "failed"):
        setattr(whole, name, getattr(whole, name) + getattr(part, name))
    for trouble, times in part.troubles.items():
        whole.troubles[trouble] = whole.troubles.get(trouble, 0) + times
    if part.last_at is not None:
        whole.last_trouble, whole.last_message = part.last_trouble, part.last_message
        whole.last_at = part.last_at
