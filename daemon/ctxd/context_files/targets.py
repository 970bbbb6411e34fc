"""Which file an edit changes: inside the worktree after all links are followed, or refused.

Refused are places outside of the worktree, in git's own folders, in another repository inside it,
in folders that are not there, and links to nothing.
"""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path, PurePosixPath

import msgspec

from ctxd.context_files.refusals import RefusedError


class Target(msgspec.Struct, frozen=True):
    """The file that an edit changes."""

    root: Path
    """The worktree, by its real path."""
    path: str
    """The file's path in it, without links, parted by `/`."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The folders on the way to it."""
        return PurePosixPath(self.path).parts[:-1]

    @property
    def name(self) -> str:
        """Its own name."""
        return PurePosixPath(self.path).name


def target_of(root: Path, path: str) -> Target:
    """The file that an edit of a path of a worktree changes; raise RefusedError for none."""
    real_root = Path(os.path.realpath(root))
    named = real_root.joinpath(*_parts(path))
    try:
        real = Path(os.path.realpath(named))
        is_gone = named.is_symlink() and not os.path.lexists(real)
    except (OSError, ValueError) as error:
        raise RefusedError("path", path, "no file can have that name") from error
    if is_gone:
        raise RefusedError("dangling", path, "it is a link to nothing")
    if real_root not in real.parents:
        raise RefusedError("outside", path, "it leads out of the worktree")
    inside = real.relative_to(real_root).as_posix()
    _check_way(real_root, _parts(inside), path)
    return Target(real_root, inside)


_UNSEEN = "Cf"
"""Format characters: HFS+ does not see most of them in a name."""


def is_git_name(name: str) -> bool:
    """Whether some system takes a name for git's own folder."""
    plain = name.rstrip(". ").partition(":")[0].casefold()
    plain = "".join(sign for sign in plain if unicodedata.category(sign) != _UNSEEN)
    return plain in (".git", "git~1")


def _parts(path: str) -> tuple[str, ...]:
    """The parts of a path that stays below where it begins and out of git's folders."""
    parts = tuple(path.split("/"))
    if "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise RefusedError("path", path, "it is no plain path inside the worktree")
    if os.name == "nt" and ("\\" in path or ":" in path):
        raise RefusedError("path", path, "it is no plain path inside the worktree")
    if any(map(is_git_name, parts)):
        raise RefusedError("git", path, "it lies in git's own folder")
    return parts


def _check_way(root: Path, parts: tuple[str, ...], path: str) -> None:
    for number in range(1, len(parts)):
        folder = root.joinpath(*parts[:number])
        if not folder.is_dir():
            raise RefusedError("folder", path, "its folder is not there")
        if os.path.lexists(folder / ".git"):
            raise RefusedError("repository", path, "it lies in another repository inside this one")
