"""A survey's plan carried out: what humans did goes into the ledger, edits into the files, and the
record follows. The order is such that a kill in between costs nothing: the next look comes to the
same.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from ctxd.context_files import git_reading, memories, record
from ctxd.context_files.apply import apply
from ctxd.context_files.desk import Survey
from ctxd.context_files.memories import Known, Standing, Written
from ctxd.context_files.receipts import Receipts
from ctxd.context_files.refusals import EditError
from ctxd.context_files.values import Edit, Memory, Plan
from ctxd.errors import CtxdError, reason
from ctxd.item_log import ItemEvent
from ctxd.ledger import Ledger
from ctxd.policy.context_files import CONTEXT_QUIET_SECONDS
from ctxd.repositories import repository_of

_STOPS = ("block.broken", "block.stopped", "file.encoding", "file.unusable")
"""Notices of a plan that say why a file is not written until somebody does something."""
_WAITS = ("worktree.waiting",)


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a plan."""

    applied: tuple[Edit, ...] = ()
    failed: tuple[EditError, ...] = ()
    """Why the other edits were not applied."""


def take_in(ledger: Ledger, repository: str, root: Path) -> int:
    """Add what teammates and other machines have recorded of items; return how many events."""
    found = record.read(root)
    if found is None:
        return 0
    known = {event.id for event in ledger.item_events(repository)}
    new = [event for event in found.events if event.id not in known]
    if new:
        ledger.add_item_events(repository, new)
    return len(new)


def note_humans(ledger: Ledger, survey: Survey) -> None:
    """Keep what humans did to lines since the last look."""
    if survey.plan.events:
        ledger.add_item_events(survey.repository, survey.plan.events)


def carry_out(
    survey: Survey, receipts: Receipts, quiet_seconds: float = CONTEXT_QUIET_SECONDS
) -> Done:
    """Apply the edits of a plan, each for itself."""
    applied, failed = [], []
    for edit in survey.plan.edits:
        try:
            apply(edit, survey.root, receipts, quiet_seconds)
        except EditError as error:
            failed.append(error)
        else:
            applied.append(edit)
    return Done(applied=tuple(applied), failed=tuple(failed))


def remember(ledger: Ledger, survey: Survey, done: Done, now: datetime) -> Known:
    """Keep what the look and the edits came to."""
    lines = sum(len(edit.changes) for edit in done.applied)
    last = Written(done.applied[0].path, now, lines) if done.applied else survey.known.written
    standing, why = _standing(survey, done)
    known = Known(
        repository=survey.repository,
        memory=_memory(survey.plan, done),
        head=survey.view.head or survey.known.head,
        mode=survey.allowed.mode,
        standing=standing,
        why=why,
        proposed=survey.lines - lines,
        written=last,
    )
    memories.remember(ledger, str(survey.root), known)
    return known


def extend_record(ledger: Ledger, survey: Survey, known: Known) -> str:
    """Add what is missing to the record of a worktree; return why it could not be written."""
    told = {
        item for one in known.memory.values() for item in (*filter(one.written.get, one.written),)
    }
    told.update(item for one in known.memory.values() for item in one.left_out)
    found = record.read(survey.root)
    events = record.missing(found, ledger.item_events(survey.repository), told)
    if not events or not _may_record(survey):
        return ""
    return _append(survey.root, events)


def _append(root: Path, events: list[ItemEvent]) -> str:
    try:
        record.append(root, events)
    except OSError as error:
        return f"cannot write `{record.PATH}`: {reason(error)}"
    return ""


def _may_record(survey: Survey) -> bool:
    """Whether the record travels with the repository, and is not ignored there."""
    if survey.view.state not in ("ok", "detached", "submodule"):
        return False
    if repository_of(str(survey.root)) is None:
        return False
    try:
        return not git_reading.ignored(survey.root, [record.PATH])
    except CtxdError:
        return False


def _memory(plan: Plan, done: Done) -> dict[str, Memory]:
    applied = {edit.path for edit in done.applied}
    wanted = {edit.path for edit in plan.edits}
    return {
        path: memory if path in applied or path not in wanted else plan.looked.get(path, Memory())
        for path, memory in plan.memory.items()
    }


def _standing(survey: Survey, done: Done) -> tuple[Standing, str]:
    told = dict(_told(survey, done))
    for standing in ("stopped", "waiting"):
        if standing in told:
            return standing, told[standing]
    left = len(survey.plan.edits) - len(done.applied)
    return ("proposed" if left else "ok"), survey.allowed.trouble


def _told(survey: Survey, done: Done) -> Iterator[tuple[Standing, str]]:
    for notice in survey.plan.notices:
        if notice.code in _STOPS:
            yield "stopped", f"`{notice.path}`: {notice.text}"
        elif notice.code in _WAITS:
            yield ("stopped" if survey.view.state == "unusable" else "waiting"), notice.text
    for error in done.failed:
        yield ("waiting" if error.code.startswith("wait.") else "stopped"), error.message
