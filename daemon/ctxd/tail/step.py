"""What one step of following a transcript gives."""

from __future__ import annotations

import msgspec

from ctxd.tail.checkpoint import Checkpoint
from ctxd_parsers.events import Event


class SettlingError(OSError):
    """The document is just being written: to be tried again in a moment."""


class Step(msgspec.Struct):
    """New events of a transcript, and the checkpoint to store with them in one transaction."""

    checkpoint: Checkpoint
    events: list[Event] = []
    more: bool = False
    """Unread bytes remain; there is no need to wait for a change."""
    again: bool = False
    """Read from the start anew, because the file was replaced, cut or rewritten since."""
    records: int = 0
    bytes_read: int = 0
    behind: int = 0
    """Bytes not taken yet, an unfinished last line included. When that stays for a while, one more
    step takes a last line that is whole and only lacks its newline. Of a database: all its bytes
    while rows are left."""
