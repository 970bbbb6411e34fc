"""One pass over all transcripts found: each read once from start to end, on all cores.

Promises: no file and no defect of a parser ends the pass; what failed is an outcome like any other.
Memory does not grow with the history: events are counted as they come and never kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from ctxd import workers
from ctxd.policy.daemon import SCAN_PROGRESS_BYTES
from ctxd.problems import Problem, file_problem
from ctxd_parsers import registry
from ctxd_parsers.discovery import find_transcripts, transcripts_under
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import Event
from ctxd_parsers.parser import Record, Storage, Table
from ctxd_parsers.reading import Transcript, begin, read_records

T = TypeVar("T")


class Job(msgspec.Struct, frozen=True):
    """A transcript to read, in a form that can be sent to another process."""

    path: Path
    parser: str
    storage: Storage
    tables: tuple[Table, ...]
    size: int
    modified: float
    """When the file was last written, in seconds since 1970."""

    @property
    def transcript(self) -> Transcript:
        """What `ctxd_parsers` reads."""
        return Transcript(self.path, registry.parser_named(self.parser), self.storage, self.tables)


class Reading:
    """The events of one transcript, with the records counted from which they came."""

    def __init__(self, job: Job, advance: workers.Advance) -> None:
        self.job = job
        self.records = 0
        """Framed records so far."""
        self.record_bytes = 0
        self._told = 0
        self._advance = advance

    def events(self) -> Iterator[Event]:
        """All events, repeats included; raise OSError when the transcript cannot be read."""
        transcript = self.job.transcript
        records = self._counted(read_records(transcript))
        return transcript.parser.parse(records, begin(transcript))

    def finish(self) -> None:
        """Make what was told of the progress the size of the file, whatever was read of it."""
        self._advance(self.job.size - self._told)
        self._told = self.job.size

    def _counted(self, records: Iterable[Record]) -> Iterator[Record]:
        for record in records:
            self.records += 1
            self.record_bytes += len(record.data) or record.end - record.start
            ahead = min(self.record_bytes, self.job.size) - self._told
            if ahead > SCAN_PROGRESS_BYTES:
                self._advance(ahead)
                self._told += ahead
            yield record


class Find(msgspec.Struct):
    """What there is to read, and what could not even be looked at."""

    jobs: list[Job] = []
    problems: list[Problem] = []
    known: set[tuple[int, int]] = set()
    """Device and inode of each file in `jobs`."""

    @classmethod
    def everywhere(cls, env: Environment) -> Find:
        """In the places where the agents keep their logs."""
        found = cls()
        found._take(find_transcripts(env, registry.PARSERS, found._failed))
        return found

    @classmethod
    def under(cls, paths: Iterable[Path]) -> Find:
        """At or below paths given by hand; a file that two of them reach counts once."""
        found = cls()
        for path in paths:
            found._take(transcripts_under(path, registry.PARSERS, found._failed))
        return found

    def _take(self, transcripts: Iterable[Transcript]) -> None:
        for transcript in transcripts:
            path = transcript.path
            try:
                status = path.stat()
            except OSError as error:
                self._failed(path, error)
                continue
            identity = (status.st_dev, status.st_ino)
            if identity not in self.known:
                self.known.add(identity)
                self.jobs.append(_job(transcript, status))

    def _failed(self, path: Path, error: Exception) -> None:
        self.problems.append(file_problem(path, error))


class _Trapped(msgspec.Struct):
    """A reading function that never raises."""

    function: Callable[[Reading], object]

    def __call__(self, job: Job, advance: workers.Advance) -> object:
        reading = Reading(job, advance)
        try:
            return self.function(reading)
        except Exception as error:  # noqa: BLE001 - whatever one file does, the pass goes on
            return file_problem(job.path, error, job.parser)
        finally:
            reading.finish()


def read_all(
    jobs: list[Job], function: Callable[[Reading], T], advance: workers.Advance
) -> Iterator[tuple[Job, T | Problem]]:
    """What `function` made of each transcript, or why nothing, in any order."""
    work = workers.Work(_Trapped(function), jobs, [job.size for job in jobs])
    for job, outcome in workers.run_all(work, advance):
        if isinstance(outcome, workers.Died):
            yield job, Problem(job.path, "unreadable", outcome.reason, job.parser)
        else:
            yield job, outcome  # type: ignore[misc]


def _job(transcript: Transcript, status: os.stat_result) -> Job:
    return Job(
        transcript.path,
        transcript.parser.name,
        transcript.storage,
        transcript.tables,
        status.st_size,
        status.st_mtime,
    )
