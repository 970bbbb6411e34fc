"""The daemon's own log, as somebody reads it: its last lines, and those that come."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


class OwnLog:
    """Lines of a log that is rotated: `ctxd.log` is renamed to `ctxd.log.1` and begun anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        """Inode of what was read from."""
        self._position = 0

    def last(self, count: int) -> list[str]:
        """The last lines, from the rotated log as well where there are too few; raise OSError when
        there is no log."""
        data = self._path.read_bytes()
        with open(self._path, "rb") as file:
            self._file = os.fstat(file.fileno()).st_ino
        self._position = data.rfind(b"\n") + 1
        lines = deque(_lines(data[: self._position]), maxlen=count)
        older = self._path.with_name(f"{self._path.name}.1")
        if len(lines) < count and older.exists():
            before = _lines(older.read_bytes())
            lines.extendleft(reversed(before[max(len(before) - count + len(lines), 0) :]))
        return list(lines)

    def new(self) -> Iterator[str]:
        """Lines since the last look; after a rotation the old one's end first."""
        try:
            with open(self._path, "rb") as file:
                current = os.fstat(file.fileno())
                if current.st_ino != self._file or current.st_size < self._position:
                    yield from self._end_of_rotated()
                    self._file, self._position = current.st_ino, 0
                yield from self._read(file)
        except FileNotFoundError:
            return

    def _end_of_rotated(self) -> Iterator[str]:
        older = self._path.with_name(f"{self._path.name}.1")
        try:
            with open(older, "rb") as file:
                if os.fstat(file.fileno()).st_ino == self._file:
                    yield from self._read(file)
        except FileNotFoundError:
            return

    def _read(self, file: BinaryIO) -> Iterator[str]:
        file.seek(self._position)
        data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._position += len(whole)
        yield from _lines(whole)


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines()
