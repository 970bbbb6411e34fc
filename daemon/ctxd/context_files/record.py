"""`.ctxd/items.jsonl`: the full record of a repository's items, which travels with it.

One event of one item a line, never changed once it is there, so that branches, clones and machines
merge by putting their lines together (`merge=union`) and come to the same state in any order. It is
read leniently: what is no event is counted and left where it is, for it may be a newer ctxd's.
Nothing but whole lines is ever written to it, at its end.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from ctxd.context_files.folder import Folder
from ctxd.item_log import ItemEvent, by_time
from ctxd.policy.context_files import RECORD_BYTES, RECORD_LINE_BYTES

FOLDER = ".ctxd"
NAME = "items.jsonl"
PATH = f"{FOLDER}/{NAME}"
ATTRIBUTES = ".gitattributes"
"""Stands in the record's own folder, so that the repository's is left alone."""

_ATTRIBUTES_LINE = b"items.jsonl -text merge=union\n"
_decoder = msgspec.json.Decoder(ItemEvent)
_encode = msgspec.json.Encoder().encode


class Record(msgspec.Struct, frozen=True):
    """What stands in a record."""

    events: tuple[ItemEvent, ...] = ()
    """Each once, in the order of the file."""
    unread: int = 0
    """Lines that are no event: damaged, of a newer version, or a conflict's marks."""
    ends: bool = True
    """Whether its last line has its end."""

    @property
    def ids(self) -> frozenset[str]:
        """Ids of its events."""
        return frozenset(event.id for event in self.events)

    @property
    def items(self) -> frozenset[str]:
        """Ids of the items it tells of."""
        return frozenset(event.item for event in self.events)


def parsed(data: bytes) -> Record:
    """The record that these bytes are."""
    found: dict[str, ItemEvent] = {}
    unread = 0
    for line in data.split(b"\n"):
        event = _event(line)
        if event is not None:
            found.setdefault(event.id, event)
        elif line.strip():
            unread += 1
    return Record(tuple(found.values()), unread, not data or data.endswith(b"\n"))


def read(root: Path) -> Record | None:
    """The record of a worktree; None where there is none, or it is not one to be read."""
    try:
        with Folder.enter(root, (FOLDER,)) as folder:
            found = folder.read(NAME)
    except OSError:
        return None
    return None if found is None else parsed(found.data)


def missing(
    record: Record | None, events: Iterable[ItemEvent], told: Collection[str]
) -> list[ItemEvent]:
    """The events that the record lacks, by time: of the items it tells of, and of those that are to
    be told of from now on."""
    known = record or Record()
    items = known.items.union(told)
    ids = known.ids
    return sorted((e for e in events if e.item in items and e.id not in ids), key=by_time)


def append(root: Path, events: Sequence[ItemEvent]) -> bool:
    """Add events to the record of a worktree, which is made where there is none; whether there was
    anything to add. Raise OSError when it cannot be written or would be too large."""
    if not events:
        return False
    with contextlib.suppress(FileExistsError):
        os.mkdir(root / FOLDER)
    with Folder.enter(root, (FOLDER,)) as folder:
        known = folder.read(NAME)
        data = b"".join(_encode(event) + b"\n" for event in events)
        if known is None:
            _make(folder, data)
            return True
        if len(known.data) + len(data) > RECORD_BYTES:
            raise OSError(errno.EFBIG, "the record is full", PATH)
        joint = b"" if not known.data or known.data.endswith(b"\n") else b"\n"
        folder.append(NAME, joint + data)
    return True


def _make(folder: Folder, data: bytes) -> None:
    """Make the record, behind the line that tells git how to merge it."""
    if not folder.holds(ATTRIBUTES):
        folder.make(ATTRIBUTES, _ATTRIBUTES_LINE)
    folder.make(NAME, data)


def _event(line: bytes) -> ItemEvent | None:
    if not line.lstrip().startswith(b"{") or len(line) > RECORD_LINE_BYTES:
        return None
    try:
        event = _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return event if event.id and event.item else None
