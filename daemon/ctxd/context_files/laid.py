"""What git laid into a file since the last look, so that it is not taken for somebody's hand.

A line is gone from a file because somebody deleted it, or because git put another version there: by
a checkout, a reset, a stash or a merge. The first is a decision, the second is not.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from ctxd.context_files import git_reading
from ctxd.context_files.folder import Found
from ctxd.context_files.git_reading import Tracked
from ctxd.policy.context_files import GIT_LAID_SECONDS

_LOGS = ("index", "logs/HEAD")
"""Files of a worktree that git writes after it has laid the others."""
_STASH = "logs/refs/stash"


class Heads(msgspec.Struct, frozen=True):
    """The commits between which a worktree moved from one look to the next."""

    last: str = ""
    """Empty at the first look, and before the first commit."""
    now: str = ""

    @property
    def moved(self) -> bool:
        """Whether another commit is checked out since."""
        return bool(self.last) and self.last != self.now


class Git(msgspec.Struct, frozen=True):
    """Where git keeps what it says of a worktree."""

    root: Path
    folder: Path
    common: Path


def base(git: Git, heads: Heads, path: str, found: Found, entry: Tracked | None) -> bytes | None:
    """The version of a file that git laid since the last look; None when it laid nothing."""
    if heads.moved:
        return _after_move(git, heads, path, entry)
    if entry and entry.holds(found.data) and _was_laid(git, entry, found):
        return found.data
    return None


def _after_move(git: Git, heads: Heads, path: str, entry: Tracked | None) -> bytes | None:
    """When the commit that was seen last is part of the history of the present one, all that
    differs from it is somebody's work; otherwise only what differs from the present one."""
    is_later = bool(heads.now) and git_reading.follows(git.root, heads.last, heads.now)
    commit = heads.last if is_later else heads.now
    version = git_reading.committed(git.root, commit, path) if commit else None
    if version is None and entry is None:
        return None
    return version or b""


def _was_laid(git: Git, entry: Tracked, found: Found) -> bool:
    """Whether git itself wrote the content that is now the same as its own: its index knows the
    file's time, and its index or one of its logs was written right after the file."""
    moment = found.changed_ns[0]
    if entry.mtime_ns not in (moment, moment - moment % 1_000_000_000):
        return False
    places = [git.folder / name for name in _LOGS] + [git.common / _STASH]
    times = [time for place in places if (time := _time_ns(place)) is not None]
    return any(0 <= time - moment <= GIT_LAID_SECONDS * 1e9 for time in times)


def _time_ns(file: Path) -> int | None:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return None
