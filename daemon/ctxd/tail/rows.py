"""Databases of other programs: the rows that were written since, as many as the budget allows.

Rows have no order in time and are rewritten in place, so a row counts as new when the column that
grows with each write grew. Clocks are set back, though, and rows vanish: a sum over that column
tells when something was written that did not grow, and the whole table is read again then. Nothing
is remembered of one row while another is read, but for a pass that the budget cut.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing

import msgspec

from ctxd.tail.checkpoint import Checkpoint, Mark, Stamp, stamp_of, unchanged
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
    marks: dict[str, Mark] = {}
    replaced = checkpoint is not None and checkpoint.identity.inode != status.st_ino
    if checkpoint is not None and not replaced:
        declared = {table.name for table in transcript.tables}
        marks = {name: mark for name, mark in checkpoint.marks.items() if name in declared}
    under_way = any(mark.row is not None for mark in marks.values())
    if checkpoint is not None and unchanged(stamp, checkpoint) and not under_way:
        return Step(checkpoint)
    state = None
    if checkpoint is not None and under_way:
        state = stored_state(transcript.parser, checkpoint.state)
    state = state or begin(transcript)
    taken = _Rows(transcript, marks, stamp, budget)
    events = list(transcript.parser.parse(taken.read(), state))
    return Step(
        Checkpoint(
            Identity(status.st_dev, status.st_ino),
            0,
            b"",
            stamp.size,
            stamp.mtime_ns,
            stamp.ctime_ns,
            msgspec.msgpack.encode(state),
            taken.marks,
        ),
        events,
        more=taken.more,
        again=replaced,
        records=taken.records,
        bytes_read=taken.bytes_read,
        behind=stamp.size if taken.more else 0,
    )


class _Rows:
    """Reads on in the tables of a database, and moves their marks behind what was taken."""

    def __init__(
        self, transcript: Transcript, marks: dict[str, Mark], stamp: Stamp, budget: int
    ) -> None:
        self.marks = marks
        self.records = 0
        self.bytes_read = 0
        self.more = False
        self._path = transcript.path
        self._tables = transcript.tables
        self._stamp = stamp
        self._budget = budget

    def read(self) -> Iterator[Record]:
        """The new rows; a table whose pass was cut comes first, so that none waits for ever."""
        for table in sorted(self._tables, key=lambda table: not self._is_under_way(table)):
            mark = self._pass_over(table)
            if mark is not None:
                yield from self._rows(table, mark)
            if self.more:
                return

    def _is_under_way(self, table: Table) -> bool:
        mark = self.marks.get(table.name)
        return mark is not None and mark.row is not None

    def _pass_over(self, table: Table) -> Mark | None:
        """The pass to go on with or to begin; None when the table is as it was."""
        old = self.marks.get(table.name)
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
        self.marks[table.name] = Mark(mark.changed, mark.digest)
        if self.more:
            self.marks[table.name] = msgspec.structs.replace(mark, row=last)
