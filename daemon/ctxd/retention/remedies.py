"""What was done about what a compaction dropped: which file holds it, and whether the agent was
told it again. Reads what is known; claims nothing more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ctxd.context_files import memories
from ctxd.context_files.conventions import after_compaction
from ctxd.ledger import ItemBoundary, Reader
from ctxd.retention.values import Record

Names = tuple[str, str]
"""Repository and id of an item."""


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """What was done about one dropped item."""

    files: tuple[str, ...] = ()
    """Context files that hold it now, as paths within their worktrees."""
    given: float | None = None
    """When the agent was told it again, in Unix seconds."""
    owed: bool = False
    """Whether it is still to be told again."""


def held(reader: Reader, repository: str) -> dict[str, tuple[str, ...]]:
    """The context files of a repository's worktrees that ctxd has written each item into."""
    found: dict[str, dict[str, None]] = {}
    for root in memories.roots(reader):
        known = memories.recall(reader, root)
        if known.repository != repository:
            continue
        for path, memory in known.memory.items():
            gone = {item for item, line in memory.written.items() if not line or memory.stopped}
            for item in memory.written.keys() - gone - set(memory.left_out):
                found.setdefault(item, {})[path] = None
    return {item: tuple(paths) for item, paths in found.items()}


def remedies(reader: Reader, record: Record, names: Iterable[Names]) -> dict[Names, Remedy]:
    """What was done about items that a compaction dropped."""
    files: dict[str, Mapping[str, tuple[str, ...]]] = {}
    owed = {(one.repository, one.id) for one in reader.owed(record.agent, record.session)}
    found = {}
    for repository, item in names:
        if repository not in files:
            files[repository] = held(reader, repository)
        at = _at(reader.item_boundaries(repository, item), record)
        found[repository, item] = Remedy(
            files=files[repository].get(item, ()),
            given=at.given if at else None,
            owed=bool(at and at.owed and at.given is None) and (repository, item) in owed,
        )
    return found


def said(found: Sequence[Remedy], record: Record, version: str | None, *, hooked: bool) -> str:
    """What was done about all of them, in words for the user; empty when nothing was."""
    given = sum(one.given is not None for one in found)
    if given == len(found):
        return "put back: the agent was told again"
    paths = list(dict.fromkeys(path for one in found for path in one.files))
    in_files = sum(bool(one.files) for one in found)
    if hooked and any(one.owed for one in found):
        return "the agent is told again with your next prompt"
    if not in_files:
        return ""
    share = "" if in_files == len(found) else f" ({in_files} of {len(found)})"
    does = after_compaction(record.agent, version, record.trigger)
    # What goes on by itself has read them again before they could be written.
    if does == "each request" or (does == "reread" and record.trigger == "manual"):
        return f"put back: {paths[0]}{share}"
    when = "with your next prompt" if does == "next prompt" else "at its next start"
    return f"in {paths[0]}{share}, which the agent reads {when}"


def _at(boundaries: Iterable[ItemBoundary], record: Record) -> ItemBoundary | None:
    key = (record.agent, record.session, record.event)
    return next((one for one in boundaries if (one.agent, one.session, one.event) == key), None)
