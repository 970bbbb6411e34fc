"""The part of `ctxd status` that is about context files: what was written, what waits, what has
stopped and why."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from ctxd.context_files.memories import Known, Standing, recall, roots
from ctxd.context_files.modes import Mode
from ctxd.ledger import Reader
from ctxd.terminal import path_text

Count = Annotated[int, Meta(ge=0)]


class WorktreeStatus(msgspec.Struct, frozen=True):
    """The context files of one worktree, as of the daemon's last look."""

    root: str
    repository: str
    mode: Mode
    standing: Standing
    why: str
    """Why they wait or writing stopped, or what is wrong besides; empty when all is well."""
    proposed_lines: Count
    """Lines that wait to be written."""
    last_edit: datetime | None
    last_file: str | None
    last_lines: Count
    """How many lines the last edit added, changed or took out."""


def worktrees(reader: Reader) -> tuple[WorktreeStatus, ...]:
    """Those that are there and have something to tell, the one written to last first."""
    found = [
        _status(root, known)
        for root in roots(reader)
        if _tells(known := recall(reader, root)) and os.path.isdir(root)
    ]
    return tuple(sorted(found, key=_newest_first))


def stopped(found: tuple[WorktreeStatus, ...]) -> Iterator[tuple[str, str]]:
    """What needs the user: a message and a hint for each worktree that is not written to."""
    for one in found:
        if one.standing == "stopped":
            yield (
                f"`{path_text(one.root)}` is not written to: {one.why}",
                "mend that, or say `ctxd enable` where its markers were removed",
            )


def _tells(known: Known) -> bool:
    return known.written is not None or known.standing in ("proposed", "waiting", "stopped")


def _status(root: str, known: Known) -> WorktreeStatus:
    last = known.written
    return WorktreeStatus(
        root=path_text(root),
        repository=known.repository,
        mode=known.mode,
        standing=known.standing,
        why=known.why,
        proposed_lines=known.proposed,
        last_edit=last.time if last else None,
        last_file=last.path if last else None,
        last_lines=last.lines if last else 0,
    )


def _newest_first(one: WorktreeStatus) -> tuple[float, str]:
    return -one.last_edit.timestamp() if one.last_edit else 0.0, one.root
