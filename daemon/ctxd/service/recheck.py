"""Transcripts to look at once more at a certain time, although nothing will say that they changed.

A last line that only lacks its newline, a database written twice within the file system's idea of
one moment, and a file that the system refused to read: no event comes for any of them.
"""

from __future__ import annotations

from pathlib import Path

from ctxd_parsers.reading import Transcript


class Recheck:
    """Each transcript once, with the time it is due. Times are monotonic."""

    def __init__(self) -> None:
        self._due: dict[Path, tuple[float, Transcript]] = {}

    def put(self, transcript: Transcript, at: float) -> None:
        """Look at it then, and not at the time set before."""
        self._due[transcript.path] = (at, transcript)

    def drop(self, path: Path) -> None:
        """Need not be looked at any more."""
        self._due.pop(path, None)

    def take(self, now: float) -> list[Transcript]:
        """Those that are due."""
        due = [transcript for at, transcript in self._due.values() if at <= now]
        for transcript in due:
            del self._due[transcript.path]
        return due

    def next(self) -> float | None:
        """When the first one is due; None when none is."""
        return min((at for at, _ in self._due.values()), default=None)
