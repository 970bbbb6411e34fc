"""Which transcript is read next: live changes first, then the newest, each a step at a time."""

from __future__ import annotations

from pathlib import Path

from ctxd_parsers.reading import Transcript


class Backlog:
    """Transcripts with something to read, each once."""

    def __init__(self) -> None:
        self._urgent: dict[Path, Transcript] = {}
        self._waiting: dict[Path, Transcript] = {}
        self._later: dict[Path, tuple[float, Transcript]] = {}

    def __len__(self) -> int:
        return len(self._urgent) + len(self._waiting) + len(self._later)

    def hurry(self, transcript: Transcript) -> None:
        """A live change: before everything that is only being caught up with."""
        self._drop(transcript.path)
        self._urgent[transcript.path] = transcript

    def pick(self, transcript: Transcript) -> bool:
        """Take a certain transcript if it can be taken now; whether it could."""
        is_there = transcript.path in self._urgent or transcript.path in self._waiting
        if is_there:
            self._drop(transcript.path)
        return is_there

    def add(self, transcript: Transcript) -> None:
        """Behind what waits already; callers add the newest first."""
        if transcript.path not in self._urgent and transcript.path not in self._later:
            self._waiting.setdefault(transcript.path, transcript)

    def again(self, transcript: Transcript, *, urgent: bool) -> None:
        """There is more to read: after everybody else has had a turn."""
        self._drop(transcript.path)
        (self._urgent if urgent else self._waiting)[transcript.path] = transcript

    def retry(self, transcript: Transcript, at: float) -> None:
        """Not now: its owner is busy with it. `at` is a monotonic time."""
        self._drop(transcript.path)
        self._later[transcript.path] = (at, transcript)

    def take(self, now: float) -> tuple[Transcript, bool] | None:
        """The next transcript and whether it is urgent; None when nothing is due."""
        for path, (at, transcript) in self._later.items():
            if at <= now:
                del self._later[path]
                return transcript, True
        for queue in (self._urgent, self._waiting):
            if queue:
                path = next(iter(queue))
                return queue.pop(path), queue is self._urgent
        return None

    def due(self) -> float | None:
        """When the first put-off transcript is due, in monotonic time; None if none is."""
        return min((at for at, _ in self._later.values()), default=None)

    @property
    def is_urgent(self) -> bool:
        """Whether a live change waits."""
        return bool(self._urgent)

    @property
    def is_ready(self) -> bool:
        """Whether something can be taken now, apart from what was put off."""
        return bool(self._urgent or self._waiting)

    def _drop(self, path: Path) -> None:
        for queue in (self._urgent, self._waiting, self._later):
            queue.pop(path, None)
