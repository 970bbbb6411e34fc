"""Which transcripts there are and which of them changed: the truth that file events only hint at.

A scan lists the parsers' places and compares each file's stamp with the last one seen; the heads of
files are read only when a file is new or was replaced. What no parser claims is asked about again
only when it changes. Nothing is remembered on disk: at a start, the ledger's checkpoints tell what
was read already.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from fnmatch import translate
from pathlib import Path

import msgspec

from ctxd.tail.checkpoint import Checkpoint, Stamp, main_file, stamp_of
from ctxd_parsers.discovery import folders_to_watch, matching_files
from ctxd_parsers.environment import Environment
from ctxd_parsers.parser import Parser, Source
from ctxd_parsers.reading import Transcript, read_head


class _Place(msgspec.Struct, frozen=True):
    """A parser's source on this machine."""

    parser: Parser
    source: Source
    root: Path
    fits: tuple[re.Pattern[str], ...]
    """The patterns, for a path relative to `root`."""


class Inventory:
    """The transcripts in the parsers' places."""

    def __init__(
        self,
        env: Environment,
        parsers: Sequence[Parser],
        checkpoints: Iterable[tuple[Path, Checkpoint]] = (),
    ) -> None:
        self._env = env
        self._parsers = parsers
        self._read = {path: _stamp_at(checkpoint) for path, checkpoint in checkpoints}
        self._stamps: dict[Path, Stamp] = {}
        self._known: dict[Path, Transcript | None] = {}
        """None for a file that no parser claims."""
        self._places: list[_Place] = []

    def __len__(self) -> int:
        return sum(transcript is not None for transcript in self._known.values())

    def folders(self) -> list[Path]:
        """The folders whose trees hold all places, for watching."""
        return folders_to_watch(
            source for parser in self._parsers for source in parser.sources(self._env)
        )

    def scan(self) -> list[Transcript]:
        """The transcripts that are new or changed since they were last seen, the newest first."""
        self._places = [
            _Place(parser, source, Path(os.path.realpath(source.root)), _patterns(source))
            for parser in self._parsers
            for source in parser.sources(self._env)
        ]
        changed = []
        missing = set(self._stamps)
        for place in self._places:
            for path in matching_files(place.source, _ignore):
                missing.discard(path)
                transcript = self._changed(path, place)
                if transcript is not None:
                    changed.append((self._stamps[path].mtime_ns, transcript))
        for path in missing:
            self._stamps.pop(path, None)
            self._known.pop(path, None)
        changed.sort(key=lambda found: -found[0])
        return [transcript for _, transcript in changed]

    def look(self, path: Path) -> Transcript | None:
        """The transcript at a path that something is said to have happened to, if it changed."""
        path = main_file(path)
        for place in self._places:
            if _is_in(path, place):
                transcript = self._changed(path, place)
                if transcript is not None:
                    return transcript
        return None

    def paths(self) -> list[Path]:
        """All transcripts known now."""
        return [path for path, transcript in self._known.items() if transcript is not None]

    def size(self, path: Path) -> int:
        """Bytes of a transcript when it was last seen."""
        return self._stamps[path].size

    def forget_all(self) -> None:
        """Take every transcript for new at the next scan."""
        self._stamps.clear()

    def _changed(self, path: Path, place: _Place) -> Transcript | None:
        try:
            stamp = stamp_of(path, os.lstat(path), place.source.storage)
        except OSError:
            return None
        before = self._stamps.get(path)
        if stamp == before:
            return None
        replaced = before is None or before.inode != stamp.inode
        if replaced or self._known.get(path) is None:
            self._known[path] = self._claimed(path, place)
        self._stamps[path] = stamp
        if before is None and self._read.pop(path, None) == stamp:
            return None
        return self._known[path]

    def _claimed(self, path: Path, place: _Place) -> Transcript | None:
        try:
            if place.parser.claims(path, read_head(path)):
                return Transcript(path, place.parser, place.source.storage, place.source.tables)
        except OSError:
            pass
        return self._known.get(path)


def _patterns(source: Source) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile("/".join(_segment(part) for part in pattern.split("/")))
        for pattern in source.patterns
    )


def _segment(pattern: str) -> str:
    """A shell pattern of one path segment as a regular expression that stays within it."""
    return translate(pattern).removesuffix(r"\Z").replace("(?s:.*)", "[^/]*").replace(".*", "[^/]*")


def _is_in(path: Path, place: _Place) -> bool:
    try:
        relative = path.relative_to(place.root).as_posix()
    except ValueError:
        return False
    return any(pattern.fullmatch(relative) for pattern in place.fits)


def _stamp_at(checkpoint: Checkpoint) -> Stamp:
    return Stamp(
        checkpoint.identity.inode, checkpoint.size, checkpoint.mtime_ns, checkpoint.ctime_ns
    )


def _ignore(_path: Path, _error: Exception) -> None:
    """A folder that cannot be read now is looked at again in the next scan."""
