"""What git is in the middle of in a worktree, told from the files it keeps, without running it.

During a merge, a rebase and their like the files of a worktree are not the user's last word, and
while `index.lock` is held a git command is reading or laying them: nothing is written then.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from ctxd.context_files.values import State
from ctxd.policy.context_files import GIT_CONFIG_BYTES
from ctxd.repositories import Repository, git_folder, repository_of
from ctxd_parsers.reading import open_regular

_AT_WORK: tuple[tuple[str, State, str], ...] = (
    ("rebase-merge", "rebasing", "a rebase is going on"),
    ("rebase-apply", "rebasing", "a rebase, or patches being applied, is going on"),
    ("MERGE_HEAD", "merging", "a merge is going on"),
    ("CHERRY_PICK_HEAD", "cherry-picking", "a cherry-pick is going on"),
    ("REVERT_HEAD", "reverting", "a revert is going on"),
    ("sequencer", "cherry-picking", "a row of cherry-picks or reverts is going on"),
    ("BISECT_LOG", "bisecting", "a bisection is going on"),
    ("index.lock", "locked", "git is at work: its `index.lock` is there"),
)
"""File in the worktree's git folder -> what it stands for."""
_BARE = re.compile(r"^\s*bare\s*=\s*true\s*$", re.MULTILINE | re.IGNORECASE)
_SPARSE = re.compile(r"^\s*sparsecheckout\s*=\s*true\s*$", re.MULTILINE | re.IGNORECASE)
_SUBMODULE = re.compile(r"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)


class RepoState(msgspec.Struct, frozen=True):
    """What git is doing in a worktree, and what kind of one it is."""

    state: State = "ok"
    why: str = ""
    """Why it is not `ok`."""
    sparse: bool = False
    """Whether only a part of the files is checked out."""
    folder: Path | None = None
    """The worktree's own git folder."""

    @property
    def passes(self) -> bool:
        """Whether it will be over without anybody changing where the session runs."""
        return self.state not in ("ok", "unusable", "detached", "submodule")


def repo_state(repository: Repository) -> RepoState:
    """What git is doing in the worktree of a repository."""
    folder = git_folder(repository.worktree)
    if folder is None:
        return RepoState("unusable", "git's folder is not there")
    config = "".join(_read(folder / name) for name in ("config", "config.worktree"))
    if folder == repository.common and _BARE.search(config):
        return RepoState("unusable", "it is a bare repository: it has no files", folder=folder)
    sparse = bool(_SPARSE.search(config + _read(repository.common / "config")))
    for name, state, why in _AT_WORK:
        if os.path.lexists(folder / name):
            return RepoState(state, why, sparse, folder)
    state, why = _kind(repository, folder)
    return RepoState(state, why, sparse, folder)


def _kind(repository: Repository, folder: Path) -> tuple[State, str]:
    """Whether what is written there would be lost from sight, or show up in another repository."""
    if _is_submodule(repository):
        return "submodule", "it is a submodule: a change shows up in the repository around it"
    if not _read(folder / "HEAD").startswith("ref:"):
        return "detached", "no branch is checked out"
    return "ok", ""


def _is_submodule(repository: Repository) -> bool:
    """Whether the repository around this one has it as a submodule."""
    around = repository_of(str(repository.worktree.parent))
    if around is None or around.worktree not in repository.worktree.parents:
        return False
    path = repository.worktree.relative_to(around.worktree).as_posix()
    return path in _SUBMODULE.findall(_read(around.worktree / ".gitmodules"))


def _read(file: Path) -> str:
    try:
        with open_regular(file) as opened:
            return (opened.read(GIT_CONFIG_BYTES) or b"").decode("utf-8", "replace")
    except OSError:
        return ""
