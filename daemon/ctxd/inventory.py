"""Which transcripts there are, and which of them changed: the truth that file events hint at.

A scan lists the folders and compares sizes and times with those of the scan before; the first bytes
are read only of files that are new or were replaced. A file that no parser claims is asked about
again when it changes. Nothing else is remembered here: how far a transcript was read is the
ledger's.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ctxd.log_places import LogPlaces, Place
from ctxd.tail.checkpoint import Stamp, main_file, stamp_of
from ctxd_parsers.environment import Environment
from ctxd_parsers.parser import Parser, Storage
from ctxd_parsers.reading import Transcript, read_head
from ctxd_parsers.registry import PARSERS, TwoClaimsError


class _Entry(msgspec.Struct, frozen=True, gc=False):
    """What is known of a file that fits some pattern."""

    stamp: Stamp
    device: int
    place: Place | None
    """Whose transcript it is; None if nobody's."""


class Inventory:
    """The transcripts of one machine, as of the last scan and the hints since."""

    def __init__(self, env: Environment, parsers: Iterable[Parser] = PARSERS) -> None:
        self._env = env
        self._parsers = tuple(parsers)
        self._places = LogPlaces(env, self._parsers)
        self._entries: dict[str, _Entry] = {}
        self._paths: dict[tuple[int, int], str] = {}
        """The path under which a file is known, by device and inode."""
        self._gone: list[Path] = []
        self.trouble: dict[Path, str] = {}
        """Files and folders that could not be looked at in the last scan, and why."""

    def __len__(self) -> int:
        return sum(entry.place is not None for entry in self._entries.values())

    def scan(self) -> list[Transcript]:
        """The transcripts that are new or changed since they were last looked at, newest first."""
        self._places = LogPlaces(self._env, self._parsers)
        self.trouble = {}
        seen: set[str] = set()
        changed: list[tuple[int, Transcript]] = []
        for found in self._places.files(self._note):
            path, status = found.path, found.status
            seen.add(path)
            entry = self._entries.get(path)
            if entry is not None and entry.stamp == _stamp(path, status, found.places):
                continue
            transcript = self._update(path, status, found.places)
            if transcript is not None:
                changed.append((status.st_mtime_ns, transcript))
        self._forget([path for path in self._entries if path not in seen])
        changed.sort(key=lambda pair: pair[0], reverse=True)
        return [transcript for _, transcript in changed]

    def look(self, path: Path) -> Transcript | None:
        """The transcript that a changed path is, or is a part of; None if it is none."""
        name = os.fspath(main_file(path))
        try:
            status = os.stat(name, follow_symlinks=False)
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        name = self._known_name(name, status)
        places = self._places.places_of(name)
        if not places or self._is_own_echo(name, status, places):
            return None
        return self._update(name, status, places)

    def _is_own_echo(self, path: str, status: os.stat_result, places: list[Place]) -> bool:
        """Whether an event may come from our reading: it writes to a database's side files. Reading
        again for that would go in circles."""
        entry = self._entries.get(path)
        is_database = places[0].source.storage is Storage.SQLITE
        return is_database and entry is not None and entry.stamp == _stamp(path, status, places)

    def gone(self) -> list[Path]:
        """Transcripts that were found missing since this was last asked."""
        gone, self._gone = self._gone, []
        return gone

    def transcripts(self) -> list[Transcript]:
        """All that are known."""
        return [
            _transcript(path, entry.place)
            for path, entry in self._entries.items()
            if entry.place is not None
        ]

    def stamp(self, path: Path) -> Stamp | None:
        """Size and times of a transcript when it was last looked at."""
        entry = self._entries.get(os.fspath(path))
        return None if entry is None else entry.stamp

    def folders(self) -> list[Path]:
        """The folders to watch, as of the last scan; some may not exist."""
        return [Path(folder) for folder in self._places.folders()]

    def _update(self, path: str, status: os.stat_result, places: list[Place]) -> Transcript | None:
        """Take note of a file as it is now; its transcript, if it is one."""
        if self._known_name(path, status) != path:
            return None
        stamp = _stamp(path, status, places)
        old = self._entries.get(path)
        if old is not None and (old.stamp == stamp or _only_grew(old, stamp, places)):
            place = old.place
        else:
            try:
                place = _claimant(path, places)
            except FileNotFoundError:  # gone since it was listed
                return None
            except OSError as error:
                self._note(path, error)
                return None
            except Exception as error:  # noqa: BLE001 - a defect of one parser never ends a scan
                self._note(path, error)
                place = None
        self._entries[path] = _Entry(stamp, status.st_dev, place)
        self._paths[status.st_dev, status.st_ino] = path
        return None if place is None else _transcript(path, place)

    def _known_name(self, path: str, status: os.stat_result) -> str:
        """The name under which a file is already known, if it still has that name: a hard link, or
        another spelling of a path where the file system takes both."""
        other = self._paths.get((status.st_dev, status.st_ino), path)
        if other == path or not self._places.places_of(other):
            return path
        try:
            same = os.path.samestat(os.stat(other, follow_symlinks=False), status)
        except OSError:
            return path
        return other if same else path

    def _forget(self, missing: list[str]) -> None:
        """Drop what is not there any more; keep what only could not be looked at."""
        for path in missing:
            try:
                os.stat(path, follow_symlinks=False)
            except (FileNotFoundError, NotADirectoryError):
                pass
            except OSError:
                continue
            entry = self._entries.pop(path)
            if self._paths.get((entry.device, entry.stamp.inode)) == path:
                del self._paths[entry.device, entry.stamp.inode]
            if entry.place is not None:
                self._gone.append(Path(path))

    def _note(self, path: str, error: Exception) -> None:
        self.trouble[Path(path)] = getattr(error, "strerror", None) or repr(error)


def _claimant(path: str, places: list[Place]) -> Place | None:
    """The place whose parser claims a file.

    Raise OSError when the file cannot be read, TwoClaimsError or anything else for a defect of a
    parser.
    """
    head = read_head(Path(path))
    claims = {p.parser.name: p for p in places if p.parser.claims(Path(path), head)}
    if len(claims) > 1:
        raise TwoClaimsError(f"{' and '.join(claims)} both claim {path}")
    return next(iter(claims.values()), None)


def _stamp(path: str, status: os.stat_result, places: list[Place]) -> Stamp:
    return stamp_of(path, status, places[0].source.storage)


def _only_grew(old: _Entry, stamp: Stamp, places: list[Place]) -> bool:
    """Whether a transcript is still the same one as far as `stat` tells."""
    same = old.stamp.inode == stamp.inode and old.stamp.size <= stamp.size
    return same and old.place in places


def _transcript(path: str, place: Place) -> Transcript:
    source = place.source
    return Transcript(Path(path), place.parser, source.storage, source.tables)
