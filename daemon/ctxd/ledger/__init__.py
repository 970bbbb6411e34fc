"""The ledger: the local store of positions, sessions, events worth keeping, and items.

The only SQL of the application. `Ledger` writes and reads, `Reader` (from `open_reader`, or
`Ledger.reader`) only reads; the other names are what goes in and comes out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxd.ledger.boundary_values import (
    BoundaryNumbers,
    ItemBoundary,
    KeptNotice,
    LastAnswer,
    Owed,
    WaitingBoundary,
)
from ctxd.ledger.errors import (
    LedgerInUseError,
    LedgerRebuiltError,
    LedgerUnavailableError,
    LedgerVersionError,
    NoLedgerError,
)
from ctxd.ledger.item_values import (
    ExchangeKey,
    ItemCount,
    Judgement,
    KeptItem,
    LoggedEvent,
    Pending,
    ReviewedItem,
    UncoveredSession,
)
from ctxd.ledger.keeping import fingerprint
from ctxd.ledger.opening import open_reader
from ctxd.ledger.reader import Reader
from ctxd.ledger.second_values import Account, WantedReading, WhyRead
from ctxd.ledger.surroundings import Surroundings
from ctxd.ledger.values import (
    AgentCounts,
    Batch,
    Failure,
    Found,
    Heartbeat,
    Oddity,
    Pruned,
    Rebuilt,
    SessionRow,
    Unread,
)

if TYPE_CHECKING:
    from ctxd.ledger.writer import Ledger

__all__ = [
    "Account",
    "AgentCounts",
    "Batch",
    "BoundaryNumbers",
    "ExchangeKey",
    "Failure",
    "Found",
    "Heartbeat",
    "ItemBoundary",
    "ItemCount",
    "Judgement",
    "KeptItem",
    "KeptNotice",
    "LastAnswer",
    "Ledger",
    "LedgerInUseError",
    "LedgerRebuiltError",
    "LedgerUnavailableError",
    "LedgerVersionError",
    "LoggedEvent",
    "NoLedgerError",
    "Oddity",
    "Owed",
    "Pending",
    "Pruned",
    "Reader",
    "Rebuilt",
    "ReviewedItem",
    "SessionRow",
    "Surroundings",
    "UncoveredSession",
    "Unread",
    "WaitingBoundary",
    "WantedReading",
    "WhyRead",
    "fingerprint",
    "open_reader",
]


def __getattr__(name: str) -> Any:
    """The writer, once somebody asks for it: a command that reads does not load it."""
    if name != "Ledger":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ctxd.ledger.writer import Ledger

    return Ledger
