"""What ctxd wrote into agents' configuration files: for each, what stood there before.

A record lies in ctxd's own state folder, open to the user alone, from before a file is first
written until the last hook of ours is out of it again. Whether hooks are there is told by the files
themselves, never by a record.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from datetime import datetime
from pathlib import Path

import msgspec

from ctxd.replacing import replace


class Record(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What was done to one file."""

    path: str
    """Of the file, with all links followed."""
    agents: tuple[str, ...]
    """Whose hooks are in it."""
    versions: dict[str, str] = {}
    """Of each agent's client, as far as it was known."""
    time: datetime
    before: bytes | None
    """What stood there without hooks of ours; None: there was no file."""
    after: str
    """Digest of what ctxd wrote: as long as it stands, nobody else has written since."""
    kept: tuple[tuple[str | int, ...], ...] = ()
    """Lists and objects that were empty before."""
    added: tuple[str, ...] = ()
    """Members that the whole had to be given besides hooks."""
    folders: tuple[str, ...] = ()
    """Folders that had to be made for it, the outermost first."""
    project: str = ""
    """The folder of the project that the file is of; empty: it is the user's."""


class Records:
    """The records in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, path: str) -> Record | None:
        """The record of a file; None where there is none, or a damaged one."""
        return self._read(self._path(path))

    def all(self) -> list[Record]:
        """All of them."""
        with contextlib.suppress(FileNotFoundError):
            names = sorted(name for name in os.listdir(self._folder) if name.endswith(".json"))
            found = [self._read(self._folder / name) for name in names]
            return [record for record in found if record is not None]
        return []

    def keep(self, record: Record) -> None:
        """Write a record, durably."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        replace(self._path(record.path), msgspec.json.encode(record))

    def drop(self, path: str) -> None:
        """Forget a file."""
        self._path(path).unlink(missing_ok=True)

    def _path(self, path: str) -> Path:
        name = hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
        return self._folder / f"{name}.json"

    @staticmethod
    def _read(path: Path) -> Record | None:
        try:
            return msgspec.json.decode(path.read_bytes(), type=Record)
        except (OSError, msgspec.MsgspecError):
            return None


def digest(data: bytes) -> str:
    """What a file's content is known again by."""
    return hashlib.sha256(data).hexdigest()
