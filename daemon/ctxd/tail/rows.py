"""Databases of other programs: the rows that were written since, as many as the budget allows.

Rows have no order in time and are rewritten in place, so a row counts as new when the column that
grows with each write grew. Clocks are set back, though, and rows vanish: a sum over that column
tells when something was written that did not grow, and the whole table is read again then. A row
that is read again goes to the same parser's state as before: how it differs from the last reading
may be what matters (a history that got shorter, a new row that goes on where another one stopped).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing

import msgspec

from ctxd.tail.checkpoint import (
    Checkpoint,
    Mark,
    Stamp,
    stamp_at,
    stamp_of,
    unchanged,
    written_just_now,
)
from ctxd.tail.identity import Identity
from ctxd.tail.lines import stored_state
from ctxd.tail.step import Step
from ctxd_parsers.parser import Record, Storage, Table
from ctxd_parsers.reading import Transcript, begin, open_regular
from ctxd_parsers.sqlite_rows import extent, rows


def follow_rows(transcript: Transcript, checkpoint: Checkpoint | None, budget: int) -> Step:
    """The events of rows written since the checkpoint.

    Raise BusyError while the owner has the database locked, and OSError when it cannot be read.
    """
    # Closed again before SQLite opens the file: closing any descriptor of a file drops the locks
    # that this process holds on it.
    with open_regular(transcript.path) as file:
        status = os.fstat(file.fileno())
    stamp = stamp_of(transcript.path, status, Storage.SQLITE)
    racy = written_just_now(transcript.path, status)
    old = checkpoint if checkpoint and checkpoint.identity.inode == status.st_ino else None
    state = None if old is None else stored_state(transcript.parser, old.state)
    taken = _Rows(transcript, stamp, old if state else None, budget)
    if old is not None and state and unchanged(stamp, old) and not taken.is_under_way:
        return Step(old)
    began = stamp_at(old) if old is not None and taken.is_under_way else stamp
    again = checkpoint is not None and state is None
    state = state or begin(transcript)
    events = list(transcript.parser.parse(taken.read(), state))
    return Step(
        Checkpoint(
            Identity(status.st_dev, status.st_ino),
            offset=0,
            before=b"",
            size=-1 if racy else began.size,
            mtime_ns=began.mtime_ns,
            ctime_ns=began.ctime_ns,
            state=msgspec.msgpack.encode(state),
            marks=taken.marks,
        ),
        events,
        more=taken.more or stamp != began,
        again=again,
        records=taken.records,
        bytes_read=taken.bytes_read,
        behind=stamp.size if taken.more else 0,
    )


class _Rows:
    """Reads on in the tables of a database, and moves their marks behind what was taken."""

    def __init__(
        self, transcript: Transcript, stamp: Stamp, old: Checkpoint | None, budget: int
    ) -> None:
        known = {} if old is None else old.marks
        declared = {table.title for table in transcript.tables}
        self.marks = {name: mark for name, mark in known.items() if name in declared}
        self.records = 0
        self.bytes_read = 0
        self.more = False
        self._path = transcript.path
        self._tables = transcript.tables
        self._stamp = stamp
        self._budget = budget

    @property
    def is_under_way(self) -> bool:
        """Whether the budget cut a pass, which is to be gone on with."""
        return any(mark.row is not None for mark in self.marks.values())

    def read(self) -> Iterator[Record]:
        """The new rows; a table whose pass was cut comes first, so that none waits for ever."""
        for table in sorted(self._tables, key=self._is_done):
            mark = self._pass_over(table)
            if mark is not None:
                yield from self._rows(table, mark)
            if self.more:
                return

    def _is_done(self, table: Table) -> bool:
        mark = self.marks.get(table.title)
        return mark is None or mark.row is None

    def _pass_over(self, table: Table) -> Mark | None:
        """The pass to go on with or to begin; None when the table is as it was."""
        old = self.marks.get(table.title)
        if old is not None and old.row is not None:
            return old
        found = extent(self._path, table)
        changed, digest = found or (self._stamp.mtime_ns, self._stamp.size)
        if old is not None and (old.changed, old.digest) == (changed, digest):
            return None
        since = None
        if old is not None and found and changed > old.changed:
            # The last row again: another one may have been written in the same instant.
            since = old.changed - 1
        return Mark(changed, digest, row=-1, since=since)

    def _rows(self, table: Table, mark: Mark) -> Iterator[Record]:
        last = -1 if mark.row is None else mark.row
        with closing(rows(self._path, table, mark.since, last)) as found:
            for row, record in found:
                if self.bytes_read >= self._budget:
                    self.more = True
                    break
                yield record
                last = row
                self.records += 1
                self.bytes_read += len(record.data)
        self.marks[table.title] = Mark(mark.changed, mark.digest)
        if self.more:
            self.marks[table.title] = msgspec.structs.replace(mark, row=last)
