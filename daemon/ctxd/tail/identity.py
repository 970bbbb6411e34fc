"""Which file is this: told by its inode and by the bytes it begins with.

Neither is enough alone. Inodes are used again (199 of 200 deleted and recreated files on ext4 got a
known one), and a log that is cut and written anew keeps both its name and its inode. The device is
kept for people to see but tells no files apart: it can be another number after each start of the
machine, and would have every log read again.
"""

from __future__ import annotations

import io
import os

import msgspec

from ctxd.policy.daemon import PREFIX_BYTES


class Identity(msgspec.Struct, frozen=True, gc=False):
    """What a file was when it was read."""

    device: int
    inode: int
    prefix: bytes = b""
    """Digest of the first bytes; only of bytes that were taken, since others may still change."""
    prefix_length: int = 0
    """How many bytes that covers: grows with the file up to `policy.PREFIX_BYTES`."""


def digest(data: bytes) -> bytes:
    """A short digest that content chosen by others does not collide with by chance."""
    from hashlib import blake2b  # not for those who only read

    return blake2b(data, digest_size=16).digest()


def read_at(file: io.FileIO, start: int, length: int) -> bytes:
    """The bytes that stand there now, fewer where the file ends; moves the file's position."""
    file.seek(start)
    return file.read(length) or b""


def identify(status: os.stat_result, head: bytes) -> Identity:
    """The identity of a file of that status whose first bytes, as far as taken, are `head`."""
    prefix = head[:PREFIX_BYTES]
    return Identity(status.st_dev, status.st_ino, digest(prefix), len(prefix))


def same_file(old: Identity, status: os.stat_result, head: bytes) -> bool:
    """Whether the file of that status, beginning with `head`, is the one that `old` was."""
    return status.st_ino == old.inode and digest(head[: old.prefix_length]) == old.prefix
