"""The repositories of the newest sessions, from the starts of their logs alone: for who has not run
ctxd yet, and for whom nothing was read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ctxd.policy.shown import RECENT_EVENTS, RECENT_LOGS
from ctxd.reader.own import is_own_folder
from ctxd.repositories import repository_key
from ctxd.scanning import Find, Job
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import SessionStarted, WorkspaceChanged
from ctxd_parsers.reading import read_events


def recent_repositories(env: Environment) -> list[str]:
    """The folders of repositories that are on this disk, that of the newest session first."""
    jobs = sorted(Find.everywhere(env).jobs, key=lambda job: -job.modified)[:RECENT_LOGS]
    folders = (cwd for job in jobs for cwd in islice(_folders(job), 1))
    keys = (repository_key(cwd) for cwd in folders)
    return [key for key in dict.fromkeys(keys) if Path(key).is_dir()]


def _folders(job: Job) -> Iterator[str]:
    try:
        yield from _told(job)
    except Exception:  # noqa: BLE001 - a log that cannot be read is told of by `ctxd scan`
        return


def _told(job: Job) -> Iterator[str]:
    for event in islice(read_events(job.transcript), RECENT_EVENTS):
        if isinstance(event, SessionStarted | WorkspaceChanged) and event.cwd:
            if is_own_folder(event.cwd):
                return
            yield event.cwd
