"""The library's edge to the file system: transcripts read from start to end, once.

Following a transcript as it grows is the daemon's work; this module serves one-off passes, tests
and benchmarks. What lies in a log folder is not trusted: links are not followed, and a FIFO or a
device is never waited on.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

import msgspec

from ctxd_parsers import sqlite_rows
from ctxd_parsers.events import Event
from ctxd_parsers.framing import Framer, frame
from ctxd_parsers.limits import CHUNK_BYTES, COMPANION_BYTES, HEAD_BYTES, MAX_RECORD_BYTES
from ctxd_parsers.parser import Parser, Record, Storage, Table

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FLAGS |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Transcript(msgspec.Struct, frozen=True):
    """A session's log on disk, and who reads it."""

    path: Path
    parser: Parser
    storage: Storage = Storage.LINES
    tables: tuple[Table, ...] = ()


def open_regular(path: Path) -> io.FileIO:
    """The open file; raise OSError for a link, folder, FIFO, device or what cannot be read."""
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return io.FileIO(descriptor, "rb", closefd=True)


def read_head(path: Path) -> bytes:
    """The first bytes of a file, as parsers see them; raise OSError like `open_regular`."""
    with open_regular(path) as file:
        return file.read(HEAD_BYTES) or b""


def read_companions(parser: Parser, path: Path) -> Mapping[PurePath, bytes]:
    """The side files of a transcript that exist and are of a sane size."""
    found: dict[PurePath, bytes] = {}
    for companion in parser.companions(path):
        try:
            with open_regular(Path(companion)) as file:
                data = file.read(COMPANION_BYTES + 1) or b""
        except OSError:
            continue
        if len(data) <= COMPANION_BYTES:
            found[companion] = data
    return found


def read_chunks(file: io.FileIO) -> Iterator[bytes]:
    """The rest of an open file, piece by piece."""
    while chunk := file.read(CHUNK_BYTES):
        yield chunk


def read_records(transcript: Transcript) -> Iterator[Record]:
    """All records of a transcript as it is now; raise OSError when it cannot be read.

    A last line without its newline counts when it is whole JSON, and waits when it is not.
    """
    if transcript.storage is Storage.SQLITE:
        yield from sqlite_rows.read(transcript.path, transcript.tables)
        return
    with open_regular(transcript.path) as file:
        if transcript.storage is Storage.SNAPSHOT:
            yield from read_whole(file)
            return
        framer = Framer()
        yield from frame(read_chunks(file), framer)
        yield from (record for record in framer.tail() if record.damage or is_json(record.data))


def read_events(transcript: Transcript) -> Iterator[Event]:
    """All events of a transcript as it is now, repeats included; raise OSError when unreadable."""
    yield from transcript.parser.parse(read_records(transcript), begin(transcript))


def begin(transcript: Transcript) -> Any:
    """The parser's state at the start of a transcript.

    A file name may be any bytes, and ids made from it must still be text: the parser sees it with
    those that are no UTF-8 written out as numbers.
    """
    parser, path = transcript.parser, transcript.path
    companions = read_companions(parser, path)
    return parser.begin(_as_text(path), {_as_text(name): companions[name] for name in companions})


def distinct(events: Iterable[Event]) -> Iterator[Event]:
    """The events without repeats: clients write the same record twice, and copy it into forks."""
    seen: set[str] = set()
    for event in events:
        if event.id not in seen:
            seen.add(event.id)
            yield event


def _as_text(path: PurePath) -> PurePath:
    return type(path)(str(path).encode("utf-8", "xmlcharrefreplace").decode())


def read_whole(file: io.FileIO) -> Iterator[Record]:
    """The one record of a snapshot: its whole document; none while that is empty."""
    data = file.read(MAX_RECORD_BYTES + 1) or b""
    if len(data) > MAX_RECORD_BYTES:
        size = os.fstat(file.fileno()).st_size
        yield Record(b"", 0, size, damage="longer than the record limit")
    elif data.strip(b"\0 \t\r\n"):
        yield Record(data, 0, len(data))


def is_json(data: bytes) -> bool:
    """Whether the bytes, NULs before them aside, are one whole JSON value."""
    try:
        msgspec.json.decode(data.lstrip(b"\0"), type=msgspec.Raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return False
    return True
