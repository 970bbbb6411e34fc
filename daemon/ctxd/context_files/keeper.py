"""The daemon's part: context files follow the items, one worktree at a time.

A worktree is looked at when items of its repository have changed, when one of its files has, and
when something waited. What humans did is taken up in any mode; edits are applied in mode `auto`
only. A file that just changed, or that git is about to lay, is left for later; one that changes
under every attempt is left to the user.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ctxd.context_files import memories, record, writing
from ctxd.context_files.apply import recover
from ctxd.context_files.conventions import BY_PATH
from ctxd.context_files.desk import Desk, ModeOf
from ctxd.context_files.memories import Known
from ctxd.context_files.modes import NAME as SETTINGS_NAME
from ctxd.context_files.receipts import Receipts
from ctxd.context_files.refusals import ChangedError, EditError
from ctxd.context_files.whereabouts import spot_of
from ctxd.context_files.writing import Done
from ctxd.errors import CtxdError
from ctxd.ledger import Ledger
from ctxd.policy.context_files import (
    CONTEXT_CONFLICTS,
    CONTEXT_GIT_SECONDS,
    CONTEXT_LOOK_SECONDS,
    CONTEXT_QUIET_SECONDS,
    CONTEXT_REST_SECONDS,
    CONTEXT_RETRY_SECONDS,
    CONTEXT_SEARCH_SECONDS,
    CONTEXT_WRITE_SECONDS,
)
from ctxd.repositories import git_folder

log = logging.getLogger(__name__)

Stamp = tuple[tuple[int, int, int], ...]
"""Time, size and inode of each file that matters; what is not there is zeros."""


class Keeper:
    """Runs on the loop's thread, a worktree a step."""

    def __init__(
        self,
        ledger: Ledger,
        receipts: Receipts,
        mode_of: ModeOf,
        clocks: tuple[Callable[[], float], Callable[[], float]],
    ) -> None:
        self._ledger = ledger
        self._receipts = receipts
        self._monotonic, self._wall = clocks
        self._desk = Desk(ledger, mode_of, self._now)
        self._due: dict[str, float] = {}
        """Worktrees to look at, each with the time from which on."""
        self._stamps: dict[str, Stamp] = {}
        """How the files of each worktree were at the last look."""
        self._written: dict[str, float] = {}
        """When each was written to last."""
        self._conflicts: dict[str, int] = {}
        """How often in a row a file of each had changed before its edit was made."""
        self._rests: dict[str, float] = {}
        """Until when each is left to the user because of that."""
        self._recorded: list[str] = []
        """Worktrees that held a record at the last search for them."""
        self.left: Callable[[str, str], None] = lambda _root, _why: None
        """Called with a worktree that is left to the user for a while, and why."""
        self._next_look = self._next_follow = self._next_search = self._monotonic()
        if receipts.all("begun"):
            with contextlib.suppress(EditError, OSError):
                recover(receipts)
        ledger.changed_repositories.update(count.repository for count in ledger.item_counts())

    @property
    def next(self) -> float:
        """When there may be something to do next, in monotonic time."""
        times = [self._next_look, *self._due.values()]
        return min(times + [self._next_follow] * bool(self._ledger.changed_repositories))

    def look_now(self) -> None:
        """Look at all worktrees as soon as possible: settings, or all that is known, may be new."""
        self._stamps.clear()
        self._next_look = self._next_search = self._monotonic()

    def hurry(self, repository: str) -> None:
        """Write what is known of a repository without waiting for more: an agent is about to lose
        it, or has lost it. What protects the work of others is waited for all the same: a file that
        has just changed, or that somebody has open."""
        self._ledger.changed_repositories.discard(repository)
        for root in self._desk.targets(repository):
            self._rests.pop(root, None)
            self._due[root] = self._monotonic()

    def step(self) -> bool:
        """Do a part of what is due; whether there was any."""
        now = self._monotonic()
        if self._ledger.changed_repositories and now >= self._next_follow:
            self._follow(self._ledger.changed_repositories.pop(), now)
            return True
        if now >= self._next_look:
            self._next_look = now + CONTEXT_LOOK_SECONDS
            self._look_for_changes(now)
            return True
        due = [root for root, at in self._due.items() if at <= now]
        if not due:
            return False
        root = min(due, key=self._due.__getitem__)
        del self._due[root]
        try:
            self._tend(root, now)
        except CtxdError:  # the ledger cannot be written
            self._put(root, now + CONTEXT_GIT_SECONDS)
            raise
        return True

    def _follow(self, repository: str, now: float) -> None:
        """Items of a repository have changed: its worktrees are due when that has settled."""
        if not self._ledger.changed_repositories:
            self._next_follow = now + CONTEXT_QUIET_SECONDS
        for root in self._desk.targets(repository):
            self._rests.pop(root, None)
            self._put(root, now + CONTEXT_QUIET_SECONDS)

    def _look_for_changes(self, now: float) -> None:
        roots = memories.roots(self._ledger)
        if now >= self._next_search:
            self._next_search = now + CONTEXT_SEARCH_SECONDS
            self._desk.look_anew()
            self._recorded = self._with_record()
        for root in dict.fromkeys((*roots, *self._recorded)):
            if self._stamps.get(root) != self._stamp(root):
                self._put(root, now)

    def _with_record(self) -> list[str]:
        """The worktrees that sessions ran in and that hold a record, be it a teammate's."""
        found = self._desk.whereabouts().roots()
        return [root for root in found if os.path.lexists(os.path.join(root, record.PATH))]

    def _put(self, root: str, at: float) -> None:
        """Look at a worktree then, but not before another edit of it may be made."""
        last = self._written.get(root)
        at = at if last is None else max(at, last + CONTEXT_WRITE_SECONDS)
        self._due[root] = min(at, self._due.get(root, at))

    def _tend(self, root: str, now: float) -> None:
        """Look at a worktree and do what is to be done there."""
        spot = spot_of(root)
        self._stamps[root] = self._stamp(root)
        if spot is None:
            return
        path = Path(spot.root)
        if self._desk.allowed(path).mode == "off":
            known = memories.recall(self._ledger, root)
            if known.repository:
                self._keep_off(root, known)
            return
        writing.take_in(self._ledger, spot.repository, path)
        survey = self._desk.survey(spot)
        writing.note_humans(self._ledger, survey)
        may_write = survey.allowed.mode == "auto" and now >= self._rests.get(root, now)
        done = writing.carry_out(survey, self._receipts) if may_write else Done()
        known = writing.remember(self._ledger, survey, done, self._now())
        trouble = writing.extend_record(self._ledger, survey, known)
        self._come_back(root, done, known, now)
        _say(root, done, trouble)

    def _come_back(self, root: str, done: Done, known: Known, now: float) -> None:
        """Say when to look at a worktree again."""
        if done.applied:
            self._written[root] = now
            del self._stamps[root]  # somebody may have saved the file right behind the edit
        if any(isinstance(error, ChangedError) for error in done.failed):
            self._conflicts[root] = self._conflicts.get(root, 0) + 1
        elif not done.failed:
            self._conflicts.pop(root, None)
        if self._conflicts.get(root, 0) >= CONTEXT_CONFLICTS:
            del self._conflicts[root]
            self._rests[root] = now + CONTEXT_REST_SECONDS
            self._put(root, now + CONTEXT_REST_SECONDS)
            self.left(root, known.why)
        elif any(map(_passes, done.failed)):
            self._put(root, now + CONTEXT_RETRY_SECONDS)
        elif known.standing == "waiting":
            self._put(root, now + CONTEXT_GIT_SECONDS)

    def _keep_off(self, root: str, known: Known) -> None:
        off = msgspec.structs.replace(known, mode="off", standing="off", why="", proposed=0)
        memories.remember(self._ledger, root, off)

    def _stamp(self, root: str) -> Stamp:
        known = memories.recall(self._ledger, root)
        paths = [*BY_PATH, record.PATH, SETTINGS_NAME, *(known.memory.keys() - BY_PATH.keys())]
        folder = git_folder(Path(root))
        places = [os.path.join(root, path) for path in paths]
        places += [str(folder / name) for name in ("HEAD", "logs/HEAD")] if folder else []
        return tuple(map(stamp_of, places))

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._wall(), UTC)


def _say(root: str, done: Done, trouble: str) -> None:
    for edit in done.applied:
        log.info("edited path=%r lines=%d", os.path.join(root, edit.path), len(edit.changes))
    for error in done.failed:
        log.info("not edited root=%r code=%s", root, error.code)
    if trouble:
        log.warning("record root=%r: %s", root, trouble)


def _passes(error: EditError) -> bool:
    """Whether trying again soon may go well."""
    return isinstance(error, ChangedError) or error.code.startswith("wait.")


def stamp_of(path: str) -> tuple[int, int, int]:
    """Time, size and inode of a file, which tell that it was written; zeros where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return (status.st_mtime_ns, status.st_size, status.st_ino)
