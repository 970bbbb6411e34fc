"""Lines from bytes, for append-only logs.

Only a newline byte ends a record: U+2028, U+2029 and NEL stand inside JSON strings, and splitting
there broke other readers (github/copilot-cli#2490). A line without its newline is not a record yet:
its writer may still be writing. Nothing here decodes; damage inside a line is `decoding`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ctxd_parsers.limits import MAX_RECORD_BYTES
from ctxd_parsers.parser import Record

TOO_LONG = "longer than the record limit"


class Framer:
    """Cuts the bytes of one transcript into records; what it remembers is the unfinished line."""

    def __init__(self, offset: int = 0, limit: int = MAX_RECORD_BYTES, held: int = 0) -> None:
        """`held` bytes of an over-long line at `offset` were seen before, and are not fed again."""
        self.offset = offset
        """Where the unfinished line begins: the position to store and to read on from."""
        self._limit = limit
        self._parts: list[bytes] = []
        self._held = held
        """Bytes of the unfinished line so far; above the limit they are counted, not kept."""

    @property
    def pending(self) -> int:
        """Bytes of the unfinished line."""
        return self._held

    def feed(self, chunk: bytes) -> Iterator[Record]:
        """The records that `chunk`, which follows all bytes fed before, completes."""
        first, *lines = chunk.split(b"\n")
        self._hold(first)
        if not lines:
            return
        last = lines.pop()
        yield from self._finish(newline=1)
        start = self.offset
        for line in lines:
            end = start + len(line) + 1
            if len(line) > self._limit:
                yield Record(b"", start, end, damage=TOO_LONG)
            elif line and line != b"\r":
                yield Record(line, start, end)
            start = end
        self.offset = start
        self._hold(last)

    def tail(self) -> Iterator[Record]:
        """What is left when no more bytes will come: a last line that never got its newline."""
        yield from self._finish(newline=0)

    def _hold(self, more: bytes) -> None:
        self._held += len(more)
        if self._held > self._limit:
            self._parts.clear()
        elif more:
            self._parts.append(more)

    def _finish(self, newline: int) -> Iterator[Record]:
        length, data = self._held, b"".join(self._parts)
        start, self.offset = self.offset, self.offset + length + newline
        self._parts, self._held = [], 0
        if length > self._limit:
            yield Record(b"", start, self.offset, damage=TOO_LONG)
        elif data and data != b"\r":
            yield Record(data, start, self.offset)


def frame(chunks: Iterable[bytes], framer: Framer) -> Iterator[Record]:
    """The records of consecutive chunks."""
    for chunk in chunks:
        yield from framer.feed(chunk)
