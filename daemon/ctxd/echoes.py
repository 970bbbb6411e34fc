"""What the agent was told anyway: a statement that only says it again is nothing new.

Sources are the context files of a session, what hooks and skills put before the model, and the
summaries of compactions, each as far as it came before the words in question. Files are read from
disk, since the ledger keeps none; they lie in other people's repositories and are not trusted.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from ctxd.extract.echo import Echo
from ctxd.policy.items import CONTEXT_FILE_BYTES, ECHO_TEXTS_REMEMBERED
from ctxd_parsers.events import (
    Compaction,
    ContextFileLoaded,
    ContextInjected,
    Event,
)
from ctxd_parsers.reading import open_regular

SOURCES = (ContextFileLoaded, ContextInjected, Compaction)
"""Events that put text before the model which is nobody's word."""

_COMMON_FILE = "AGENTS.md"
"""Read by most agents, and only by some of them told of in the log."""


def texts_before(
    events: Iterable[Event], time: datetime | None, folders: Sequence[str]
) -> list[str]:
    """The texts that a session was given by these events before that time, oldest first.

    `folders` are the one it works in, then others whose common context file it was given, too.
    """
    found: list[str] = []
    files: dict[Path, None] = {}
    for event in events:
        if event.sub_agent is not None or not _came_before(event, time):
            continue
        if isinstance(event, ContextInjected):
            found.append(event.text)
        elif isinstance(event, Compaction) and event.summary:
            found.append(event.summary)
        elif isinstance(event, ContextFileLoaded):
            files[_absolute(event.path, *folders[:1])] = None
    files |= {_absolute(_COMMON_FILE, folder): None for folder in folders}
    return [*found, *filter(None, map(_text_of, files))]


def _came_before(event: Event, time: datetime | None) -> bool:
    """Where no time tells, a summary is taken to be of these very words, the rest to be older."""
    if event.time is None or time is None:
        return not isinstance(event, Compaction)
    return event.time <= time


def is_echo(text: str, sources: Iterable[str]) -> bool:
    """Whether a text only repeats what one of the sources says."""
    return any(_echo(source).holds(text) for source in sources)


@functools.lru_cache(ECHO_TEXTS_REMEMBERED)
def _echo(source: str) -> Echo:
    return Echo([source])


def _absolute(path: str, folder: str = "") -> Path:
    return Path(os.path.expanduser(os.path.join(folder, path)))


def _text_of(path: Path) -> str:
    """The start of a file; nothing for what is no regular file or cannot be read."""
    if not path.is_absolute():
        return ""
    try:
        with open_regular(path) as file:
            return (file.read(CONTEXT_FILE_BYTES) or b"").decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
