"""Which texts stand after a compaction: the summary, what stays word for word, and the context
files that are before the agent again or still.

What an agent does about its files then is data of `ctxd.context_files.conventions`, as measured. A
file counts only where its text is known to be what the agent has: an item taken for safe that is
not would never be given back, while one given back needlessly costs a few words. Reads; trusts no
file, and follows none out of its worktree.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from ctxd.context_files.block import Block, find
from ctxd.context_files.conventions import (
    BY_PATH,
    RULE_FOLDERS,
    AfterCompaction,
    RuleFolder,
    after_compaction,
    reader,
    reads,
)
from ctxd.context_files.reading import Read, names, read_file
from ctxd.context_files.scoping import patterns
from ctxd.context_files.text_file import decode
from ctxd.ledger.keeping import fingerprint
from ctxd.policy.items import CONTEXT_FILE_BYTES
from ctxd.repositories import is_remote, repository_of
from ctxd.retention.values import Text
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    ContextFileLoaded,
    ContextInjected,
    Event,
    PlanDecided,
    QuestionAnswered,
    Trigger,
    UserMessage,
)
from ctxd_parsers.reading import open_regular


class ContextFile(msgspec.Struct, frozen=True):
    """A context file as it is on disk now."""

    path: str
    """Within the worktree, or absolute where it lies elsewhere."""
    text: str
    own: str
    """What humans wrote of it: all but the block of ctxd."""
    changed: float
    """When it was last changed, in Unix seconds."""


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """What decides which text of a file an agent has."""

    agent: str
    version: str | None = None
    trigger: Trigger | None = None
    time: datetime | None = None
    """Of the compaction."""
    started: datetime | None = None
    """When the session's process last began, as far as the log tells."""
    live: bool = False
    loaded: frozenset[str] = frozenset()
    """Fingerprints of the texts that the log says were loaded."""


def words(event: Event) -> str:
    """The words of an event that stays in the window; empty for one that holds none."""
    if isinstance(event, UserMessage | AssistantMessage | ContextInjected):
        return event.text
    if isinstance(event, QuestionAnswered):
        return "\n".join(filter(None, (event.question, *event.chosen, event.text)))
    if isinstance(event, PlanDecided):
        return (event.plan or "") if event.approved else ""
    return ""


def texts(summary: Compaction | None, kept: Iterable[Event]) -> list[Text]:
    """The summary and the messages that stay word for word, as far as they can be read."""
    found = [Text("summary", summary.summary or "", summary.id)] if summary else []
    found += [Text("kept", words(event), event.id) for event in kept]
    return [one for one in found if one.text.strip()]


def files_of(
    agent: str, version: str | None, cwd: str | None, others: Collection[str] = ()
) -> list[ContextFile]:
    """The context files that an agent reads at its start in a folder, as they are now; `others` are
    paths that the log says it has loaded from elsewhere."""
    root = _root(cwd)
    found: dict[str, ContextFile] = {}
    if root is not None:
        reads_of = {path: read for path in names(root) if (read := read_file(root, path))}
        for path in _read_at_start(agent, version, reads_of):
            one = _in_worktree(path, reads_of[path])
            if one:
                found[os.path.realpath(root / path)] = one
    for path in others:
        real = os.path.realpath(os.path.join(cwd or "", os.path.expanduser(path)))
        if real not in found and os.path.isabs(real) and (one := _elsewhere(Path(real))):
            found[real] = one
    return list(found.values())


def standing(files: Iterable[ContextFile], moment: Moment) -> list[ContextFile]:
    """Those of the files whose text as it is now is before the agent after the compaction."""
    does = after_compaction(moment.agent, moment.version, moment.trigger)
    return [file for file in files if _stands(file, does, moment)]


def humans(files: Iterable[ContextFile], moment: Moment) -> list[Text]:
    """What humans wrote in the files before the compaction. ctxd's own edits leave that as it is;
    in history, a file that was changed since tells nothing."""
    return [
        Text("file", file.own, file.path)
        for file in files
        if file.own.strip() and (moment.live or _is_older(file, moment.time))
    ]


def _stands(file: ContextFile, does: AfterCompaction, moment: Moment) -> bool:
    if does == "unknown":
        return False
    if does == "each request" and moment.live:
        return True
    if does in ("each request", "reread"):
        return _is_older(file, moment.time)
    is_known = not moment.loaded.isdisjoint(_fingerprints(file))
    return is_known or _is_older(file, moment.started)


def _is_older(file: ContextFile, time: datetime | None) -> bool:
    return time is not None and file.changed <= time.timestamp()


def _fingerprints(file: ContextFile) -> set[str]:
    return {fingerprint(file.text), fingerprint(file.text.strip())}


def _read_at_start(agent: str, version: str | None, found: dict[str, Read]) -> Iterator[str]:
    """The paths of those that an agent reads whatever files it touches."""
    who = reader(agent, version)
    there = frozenset(found)
    for path, read in found.items():
        if path in BY_PATH:
            if reads(who, path, there):
                yield path
        elif any(_is_rule_for_all(path, read, who, folder) for folder in RULE_FOLDERS):
            yield path


def _is_rule_for_all(path: str, read: Read, agent: str, folder: RuleFolder) -> bool:
    """Whether a file is one of a folder of rules, and not for certain paths alone: those are gone
    after a compaction, until such a path is touched."""
    is_in = path.startswith(f"{folder.path}/") and path.endswith(folder.suffix)
    return is_in and agent in folder.readers and not patterns(read.file.data, folder.key)


def _in_worktree(path: str, read: Read) -> ContextFile | None:
    if read.found is None:
        return None
    return _file(path, read.found.data, max(read.found.changed_ns[:1]) / 1e9)


def _elsewhere(path: Path) -> ContextFile | None:
    """A file that lies outside of the worktree, such as the user's own for all repositories."""
    try:
        with open_regular(path) as file:
            data = file.read(CONTEXT_FILE_BYTES) or b""
        return _file(str(path), data, path.stat().st_mtime)
    except (OSError, ValueError):
        return None


def _file(path: str, data: bytes, changed: float) -> ContextFile | None:
    text = decode(data[:CONTEXT_FILE_BYTES])
    if text is None:
        return None
    block = find(text.lines)
    own: Sequence[str] = text.lines
    if isinstance(block, Block):
        own = (*text.lines[: block.start], *text.lines[block.end + 1 :])
    return ContextFile(path, "".join(text.lines), "".join(own), changed)


def _root(cwd: str | None) -> Path | None:
    if not cwd or is_remote(cwd) or not os.path.isabs(cwd) or not os.path.isdir(cwd):
        return None
    repository = repository_of(cwd)
    return repository.worktree if repository else Path(os.path.realpath(cwd))


def loaded(events: Iterable[Event]) -> list[ContextFileLoaded]:
    """The context files that a session was given for good: not those that came with a path that was
    touched, which are gone after a compaction."""
    return [
        event
        for event in events
        if isinstance(event, ContextFileLoaded)
        and event.sub_agent is None
        and event.reason != "nested"
    ]
