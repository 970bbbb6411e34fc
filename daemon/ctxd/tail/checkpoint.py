"""How far a transcript was read: a value that is stored with what was learned up to there.

Whoever reads on holds it against the file first. Any doubt means reading from the start, which
stable event ids make harmless. Two things are not noticed, and no client does them: bytes changed
in place, further than `policy.BEFORE_BYTES` before the position and behind the file's beginning,
without moving what follows; and a cut within an over-long line whose bytes are all alike.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from ctxd.policy.daemon import TIME_GRAIN_SECONDS
from ctxd.tail.identity import Identity
from ctxd_parsers.parser import Storage

_SIDE_FILES = ("-wal", "-journal")
"""Where SQLite keeps what its main file does not hold yet."""


class Stamp(msgspec.Struct, frozen=True, gc=False):
    """What `stat` tells of a transcript: another stamp means that something was written."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    """Time of the last change of anything: betrays a file whose old `mtime` was put back. On
    Windows the time of creation, which betrays nothing and does no harm."""


class Mark(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """How far the rows of one table were taken."""

    changed: int = 0
    """Highest value of the column that grows when a row is written."""
    digest: int = 0
    """Sum over that column in all rows. When only it differs, a row was written by a clock that had
    been set back, or deleted: the whole table is read again."""
    row: int | None = None
    """While a pass over the table is under way: the row taken last."""
    since: int | None = None
    """The pass takes only rows that were changed after this; None takes all."""


class Checkpoint(msgspec.Struct, frozen=True):
    """Position in a transcript and the parser's state there."""

    identity: Identity
    offset: int
    """End of the last whole record taken, or of what was left out of an over-long line."""
    before: bytes
    """Digest of the bytes just before `offset`; of a snapshot the digest of all its bytes."""
    size: int
    """Size and times as they were before the bytes were read; of a database together with its side
    files, and -1 when it was written just then."""
    mtime_ns: int
    ctime_ns: int = 0
    state: bytes = b""
    """The parser's state in msgpack."""
    marks: dict[str, Mark] = {}
    """Of a database: how far the rows of each table were taken."""
    skipped_from: int | None = None
    """Where the over-long line begins within which `offset` stands; None between two lines."""


def stamp_of(path: Path | str, status: os.stat_result, storage: Storage) -> Stamp:
    """The stamp of a transcript whose file has that status.

    A database counts together with its side files, by sums, so that no change of one of them is
    hidden by another's later time. An empty side file counts as none: reading may create it.
    """
    if storage is not Storage.SQLITE:
        return Stamp(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    parts = [status, *_side_files(path)]
    return Stamp(
        status.st_ino,
        sum(part.st_size for part in parts),
        sum(part.st_mtime_ns for part in parts),
        sum(part.st_ctime_ns for part in parts),
    )


def stamp_at(checkpoint: Checkpoint) -> Stamp:
    """The stamp that the transcript had at the checkpoint; of a pass over a database that takes
    several steps, at its beginning."""
    inode = checkpoint.identity.inode
    return Stamp(inode, checkpoint.size, checkpoint.mtime_ns, checkpoint.ctime_ns)


def unchanged(stamp: Stamp, checkpoint: Checkpoint) -> bool:
    """Whether nothing was written to the transcript since the checkpoint was made."""
    return stamp == stamp_at(checkpoint)


def main_file(path: Path) -> Path:
    """The database that a side file belongs to; any other path as it is."""
    for name in (*_SIDE_FILES, "-shm"):
        if path.name.endswith(name):
            return path.with_name(path.name.removesuffix(name))
    return path


def written_just_now(path: Path, status: os.stat_result) -> bool:
    """Whether a database was written so lately that one more write may leave its times as they are:
    some file systems keep them in whole seconds, and even."""
    now = time.time()
    times = [part.st_mtime for part in (status, *_side_files(path))]
    return any(abs(now - written) < TIME_GRAIN_SECONDS for written in times)


def _side_files(path: Path | str) -> list[os.stat_result]:
    return [side for name in _SIDE_FILES if (side := _status(f"{path}{name}"))]


def _status(path: str) -> os.stat_result | None:
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return status if status.st_size else None
