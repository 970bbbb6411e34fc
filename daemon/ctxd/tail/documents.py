"""Snapshots: one document a file, written as a whole and read as a whole.

A document that is just being written is never taken for the new one: it has to stay the same while
it is read and to be whole JSON, one value or one a line. One that stays torn is damaged, and then
says so. Events that stand in it again are told by their ids.
"""

from __future__ import annotations

import os
import time

import msgspec

from ctxd.policy.daemon import SNAPSHOT_LATE_SECONDS, SNAPSHOT_SETTLE_SECONDS, SNAPSHOT_TORN_SECONDS
from ctxd.tail.checkpoint import Checkpoint, Stamp, stamp_of, unchanged
from ctxd.tail.identity import Identity, digest
from ctxd.tail.lines import stored_state
from ctxd.tail.step import SettlingError, Step
from ctxd_parsers.parser import Record, Rewritten, Storage
from ctxd_parsers.reading import Transcript, begin, is_json, open_regular, read_whole


def follow_document(transcript: Transcript, checkpoint: Checkpoint | None) -> Step:
    """The events of the document, if it is another one than at the checkpoint.

    Raise SettlingError while it is being written, and OSError when it cannot be read.
    """
    path = transcript.path
    with open_regular(path) as file:
        status = os.fstat(file.fileno())
        stamp = stamp_of(path, status, Storage.SNAPSHOT)
        if checkpoint is not None and unchanged(stamp, checkpoint):
            return Step(checkpoint)
        age = time.time() - status.st_mtime
        if _is_fresh(age, SNAPSHOT_SETTLE_SECONDS) and not _is_late(stamp, checkpoint):
            raise SettlingError(f"{path} was written just now")
        records = list(read_whole(file))
        if stamp_of(path, os.fstat(file.fileno()), Storage.SNAPSHOT) != stamp:
            raise SettlingError(f"{path} was written while it was read")
    if not _is_whole(records) and _is_fresh(age, SNAPSHOT_TORN_SECONDS):
        raise SettlingError(f"{path} is not whole yet")
    state = _state(transcript, checkpoint)
    content = digest(b"".join(record.data for record in records))
    known = checkpoint is not None and checkpoint.before == content
    events = [] if known else list(transcript.parser.parse(records, state))
    return Step(
        Checkpoint(
            Identity(status.st_dev, status.st_ino),
            offset=status.st_size,
            before=content,
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            ctime_ns=status.st_ctime_ns,
            state=msgspec.msgpack.encode(state),
        ),
        events,
        again=checkpoint is not None and not known,
        records=0 if known else len(records),
        bytes_read=sum(len(record.data) for record in records),
    )


def _state(transcript: Transcript, checkpoint: Checkpoint | None) -> object:
    """A fresh state, with what the last reading left to a parser that wants to know."""
    state: object = begin(transcript)
    if checkpoint is not None and isinstance(state, Rewritten):
        old = stored_state(transcript.parser, checkpoint.state)
        state.told = old.told if isinstance(old, Rewritten) else []
    return state


def _is_fresh(age: float, seconds: float) -> bool:
    """Whether a file was written less than so long ago; a time in the future says nothing."""
    return 0 <= age < seconds


def _is_late(stamp: Stamp, checkpoint: Checkpoint | None) -> bool:
    """Whether a document that is written all the time was last read too long ago to wait more."""
    if checkpoint is None:
        return False
    return stamp.mtime_ns - checkpoint.mtime_ns > SNAPSHOT_LATE_SECONDS * 1e9


def _is_whole(records: list[Record]) -> bool:
    if not records or records[0].damage is not None:
        return bool(records)
    data = records[0].data
    return is_json(data) or all(is_json(line) for line in data.split(b"\n") if line.strip())
