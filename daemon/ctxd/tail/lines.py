"""Append-only logs: only whole lines are taken, each once, however the file grows.

A position is good for as long as the file is the same one and the bytes before the position are
still there; else the file was replaced, cut or written anew and is read from its start. What must
be found again is remembered from the bytes that were read, never read a second time: the file may
be another one by then.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator

import msgspec

from ctxd.policy.daemon import BEFORE_BYTES, PREFIX_BYTES
from ctxd.tail.checkpoint import Checkpoint, stamp_of, unchanged
from ctxd.tail.identity import digest, identify, read_at, same_file
from ctxd.tail.step import Step
from ctxd_parsers.framing import Framer
from ctxd_parsers.limits import CHUNK_BYTES
from ctxd_parsers.parser import Parser, Record, Storage
from ctxd_parsers.reading import Transcript, begin, is_json, open_regular


class Budget(msgspec.Struct, frozen=True):
    """What one step may take."""

    read: int
    """Bytes after which it stops at the next line; a single longer line is taken whole."""
    line: int
    """Longest line that is taken; of a longer one only the length is told."""


class _Place(msgspec.Struct):
    """Where to read on, and what stands before it."""

    state: object
    offset: int = 0
    skipped_from: int | None = None
    head: bytes = b""
    """The first bytes of the file, as far as they lie before `offset`."""
    before: bytes = b""
    """The bytes just before `offset`."""


def follow_lines(transcript: Transcript, checkpoint: Checkpoint | None, budget: Budget) -> Step:
    """The events of the whole lines behind the checkpoint, as many as the budget allows.

    Raise OSError when the file cannot be read.
    """
    with open_regular(transcript.path) as file:
        status = os.fstat(file.fileno())
        stamp = stamp_of(transcript.path, status, Storage.LINES)
        still = checkpoint is not None and unchanged(stamp, checkpoint)
        if checkpoint is not None and still and checkpoint.offset == status.st_size:
            return Step(checkpoint)
        place = None
        if checkpoint is not None:
            place = _resume(file, status, checkpoint, transcript.parser)
        again = checkpoint is not None and place is None
        place = place or _Place(begin(transcript))
        lines = _Lines(file, place, budget.line)
        records = lines.read(status.st_size, budget.read, last=still)
        events = list(transcript.parser.parse(records, place.state))
    return Step(
        Checkpoint(
            identify(status, place.head[: place.offset]),
            offset=place.offset,
            before=digest(place.before),
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            ctime_ns=status.st_ctime_ns,
            state=msgspec.msgpack.encode(place.state),
            skipped_from=place.skipped_from,
        ),
        events,
        more=lines.position < status.st_size,
        again=again,
        records=lines.records,
        bytes_read=lines.bytes_read,
        behind=max(0, status.st_size - place.offset),
    )


def stored_state(parser: Parser, data: bytes) -> object | None:
    """The parser's state as it was stored; None when an older version of it stored something that
    is no state of this one."""
    try:
        return msgspec.msgpack.decode(data, type=parser.state_type)
    except (msgspec.MsgspecError, UnicodeError):
        return None


def _resume(
    file: io.FileIO, status: os.stat_result, checkpoint: Checkpoint, parser: Parser
) -> _Place | None:
    """The place to read on from; None when the file is not the one that was read."""
    if status.st_size < checkpoint.offset:
        return None
    head = read_at(file, 0, PREFIX_BYTES)
    if not same_file(checkpoint.identity, status, head):
        return None
    start = max(0, checkpoint.offset - BEFORE_BYTES)
    before = read_at(file, start, checkpoint.offset - start)
    if digest(before) != checkpoint.before:
        return None
    state = stored_state(parser, checkpoint.state)
    if state is None:
        return None
    offset = checkpoint.offset
    return _Place(state, offset, checkpoint.skipped_from, head[:offset], before)


class _Lines:
    """Reads on from a place, and moves the place behind what was taken."""

    def __init__(self, file: io.FileIO, place: _Place, limit: int) -> None:
        self.place = place
        self.records = 0
        self.position = place.offset
        self.bytes_read = len(place.head) + len(place.before)
        self._file = file
        self._limit = limit
        self._recent = place.before
        """The bytes just before `position`."""
        self._first = place.offset if place.skipped_from is None else place.skipped_from
        self._framer = Framer(self._first, limit, held=place.offset - self._first)

    def read(self, size: int, budget: int, *, last: bool) -> Iterator[Record]:
        """Whole lines up to `size`; with `last` also a last one that only lacks its newline."""
        for record in self._whole_lines(size, budget):
            self.records += 1
            yield record
        if last and self.position == size and not self._over_long:
            yield from self._last_line()
        if self._over_long:
            self.place.skipped_from = self._framer.offset
            self._take_all()
        else:
            self.place.skipped_from = None

    @property
    def _over_long(self) -> bool:
        return self._framer.pending > self._limit

    def _whole_lines(self, size: int, budget: int) -> Iterator[Record]:
        until = self.position + budget
        step = max(1, min(CHUNK_BYTES, budget))
        self._file.seek(self.position)
        while self.position < size and not (self.position >= until and self._may_stop):
            chunk = self._file.read(min(step, size - self.position))
            if not chunk:
                return
            yield from self._framer.feed(chunk)
            self._passed(chunk)

    @property
    def _may_stop(self) -> bool:
        return self._framer.offset > self._first or self._over_long

    def _passed(self, chunk: bytes) -> None:
        """Move on behind a chunk whose lines were handed out."""
        place, start = self.place, self.position
        self.position += len(chunk)
        self.bytes_read += len(chunk)
        if len(place.head) < PREFIX_BYTES:
            place.head += chunk[:PREFIX_BYTES]
        if self._framer.offset > start:
            place.offset = self._framer.offset
            place.before = _end(self._recent, chunk, place.offset - start)
        self._recent = _end(self._recent, chunk, len(chunk))

    def _last_line(self) -> Iterator[Record]:
        for record in self._framer.tail():
            if record.data.lstrip(b"\0 \t").startswith(b"{") and is_json(record.data):
                self.records += 1
                self._take_all()
                yield record

    def _take_all(self) -> None:
        self.place.offset = self.position
        self.place.before = self._recent


def _end(before: bytes, chunk: bytes, stop: int) -> bytes:
    """The last bytes of `before` and the first `stop` bytes of `chunk` behind it."""
    if stop >= BEFORE_BYTES:
        return chunk[stop - BEFORE_BYTES : stop]
    return (before + chunk[:stop])[-BEFORE_BYTES:]
