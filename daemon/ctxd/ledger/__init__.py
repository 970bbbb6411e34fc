"""The ledger: the local store of positions in transcripts, sessions and events worth keeping.

The only SQL of the application. `Ledger` writes and reads, `Reader` (from `Ledger.reader`) only
reads; the other names are what goes in and comes out.
"""

from __future__ import annotations

from ctxd.ledger.errors import (
    LedgerInUseError,
    LedgerRebuiltError,
    LedgerUnavailableError,
    LedgerVersionError,
    NoLedgerError,
)
from ctxd.ledger.keeping import fingerprint
from ctxd.ledger.reader import Reader
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
from ctxd.ledger.writer import Ledger

__all__ = [
    "AgentCounts",
    "Batch",
    "Failure",
    "Found",
    "Heartbeat",
    "Ledger",
    "LedgerInUseError",
    "LedgerRebuiltError",
    "LedgerUnavailableError",
    "LedgerVersionError",
    "NoLedgerError",
    "Oddity",
    "Pruned",
    "Reader",
    "Rebuilt",
    "SessionRow",
    "Unread",
    "fingerprint",
]
