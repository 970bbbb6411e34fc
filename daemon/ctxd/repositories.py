"""Which repository a working directory belongs to, told from the files git keeps, never by running
it.

A session's place is the `cwd` its records name and nothing else: folder names of log stores are
lossy. All linked worktrees of a repository, also those of a bare one, are one repository, known by
the folder their history lies in. (Layout of `.git` files, `commondir` and `core.worktree`: git's
gitrepository-layout.)
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from ctxd.terminal import path_text
from ctxd_parsers.reading import open_regular

_POINTER_BYTES = 4096
"""A `.git` file or `commondir` holds one path."""
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_CORE_WORKTREE = re.compile(r"^\s*worktree\s*=\s*\"?(.+?)\"?\s*$", re.MULTILINE)


class Repository(msgspec.Struct, frozen=True):
    """A repository on this disk, as seen from one working directory in it."""

    common: Path
    """Where its history lies: the same for all its worktrees, so this is its identity."""
    home: Path
    """Its main checkout; of a bare repository with worktrees around it, the folder of both."""
    worktree: Path
    """The checkout the working directory is in."""


def is_remote(cwd: str) -> bool:
    """Whether a working directory lies on another machine (`vscode-remote://...`)."""
    return _REMOTE.match(cwd) is not None


def repository_of(cwd: str) -> Repository | None:
    """The repository that a working directory lies in; None when it lies in none, is gone or
    remote, or cannot be looked at."""
    if not cwd or is_remote(cwd) or not os.path.isabs(cwd):
        return None
    try:
        folder = Path(os.path.realpath(cwd))
        if not folder.is_dir():
            return None
        return next(filter(None, map(_at, [folder, *folder.parents])), None)
    except (OSError, ValueError):  # ValueError: a NUL in the path, or one that no name can have
        return None


def repository_key(cwd: str | None, hosted: str | None = None) -> str:
    """What the items of a session are filed under: the main checkout of the repository that its
    working directory lies in, else that directory, else `owner/name`; empty when none is known."""
    found = repository_of(cwd or "")
    return path_text(found.home) if found else path_text(cwd or "") or hosted or ""


def git_folder(worktree: Path) -> Path | None:
    """Where git keeps what is a checkout's own: its index, HEAD, and what it is in the middle of.
    None where that is gone."""
    entry = worktree / ".git"
    if entry.is_dir():
        return entry.resolve()
    found = _pointed_at(entry, prefix="gitdir:")
    return found or (worktree if _is_git_folder(worktree) else None)


def _at(folder: Path) -> Repository | None:
    """The repository whose checkout, or which itself as a bare one, is this very folder."""
    entry = folder / ".git"
    if _is_git_folder(entry):
        return Repository(entry.resolve(), folder, folder)
    git_folder = _pointed_at(entry, prefix="gitdir:")
    if git_folder is not None and (git_folder / "HEAD").is_file():
        return _linked(folder, git_folder)
    if folder.name != ".git" and _is_git_folder(folder):
        return Repository(folder, _home(folder), folder)
    return None


def _linked(folder: Path, git_folder: Path) -> Repository:
    """The repository that a `.git` file names: of a linked worktree, a submodule, or one whose
    history lies apart."""
    common = _pointed_at(git_folder / "commondir")
    if common is None:
        return Repository(git_folder, folder, folder)
    return Repository(common, _home(common), folder)


def _home(common: Path) -> Path:
    """The main checkout of a repository, from where its history lies."""
    worktree = _core_worktree(common)
    if worktree:
        return Path(os.path.realpath(common / worktree))
    hidden = common.name.startswith(".")  # `.git` of a checkout, `.bare` beside its worktrees
    return common.parent if hidden else common


def _core_worktree(common: Path) -> str | None:
    match = _CORE_WORKTREE.search(_read(common / "config", limit=16 * _POINTER_BYTES))
    return match[1] if match else None


def _is_git_folder(path: Path) -> bool:
    return (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()


def _pointed_at(file: Path, prefix: str = "") -> Path | None:
    """The folder that a file of one line names, relative to where the file lies."""
    text = _read(file, _POINTER_BYTES).strip()
    name = text.removeprefix(prefix).strip()
    if not name or not text.startswith(prefix):
        return None
    folder = Path(os.path.realpath(file.parent / name))
    return folder if folder.is_dir() else None


def _read(file: Path, limit: int) -> str:
    try:
        with open_regular(file) as opened:
            return os.fsdecode(opened.read(limit) or b"")
    except OSError:
        return ""
