"""What stands in a worktree: its context files as they are, and whether they may be written.

Nothing is followed out of the worktree, nothing is waited on, and git is only read. What cannot be
read or written is said with its reason, and a place that cannot be looked at is a view as well.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import msgspec

from ctxd.context_files import git_reading
from ctxd.context_files.conventions import BY_PATH, HOME, settings_of, taught
from ctxd.context_files.git_reading import GitError, Tracked
from ctxd.context_files.laid import Git, Heads, base
from ctxd.context_files.reading import Read, names, read_file, settled
from ctxd.context_files.repo_state import RepoState, repo_state
from ctxd.context_files.values import File, View
from ctxd.policy.context_files import GIT_CONFIG_BYTES, RULE_FILES
from ctxd.repositories import Repository, is_remote, repository_of
from ctxd_parsers.reading import open_regular

_FOREIGN = re.compile(r"\\\\(?:wsl\$|wsl\.localhost)\\", re.IGNORECASE)
"""Folders of a Linux system on Windows, which has an index of its own."""

_TO_BE_MADE = frozenset(path for path in BY_PATH if "/" not in path)
"""Files that may be made where they are missing: no folder ever is."""


class Place(msgspec.Struct, frozen=True):
    """Where the items of a session are written."""

    folder: str
    moved: bool = False
    """Whether the session's own folder is gone: then its items wait for review in the main
    checkout."""


def place_of(cwd: str, main: str) -> Place:
    """Where the items of a session that ran in `cwd` are written: the worktree it ran in, else the
    main checkout of the repository that the session was filed under."""
    if main and _is_local(cwd) and not os.path.isdir(cwd):
        return Place(main, moved=True)
    return Place(cwd)


def look(
    place: str | Path,
    agents: Collection[str] = (),
    *,
    known: Collection[str] = (),
    last_head: str = "",
) -> View:
    """What stands in the worktree that a folder lies in.

    `agents` are those that were seen there, by their names in the table of conventions; `known` the
    paths of files once written; `last_head` the commit that the view before this one has seen.
    """
    if not _is_local(str(place)):
        return _unusable(place, "it is on another machine, or in another system")
    if not os.path.isdir(place):
        return _unusable(place, "the folder is not there")
    repository = repository_of(str(place))
    root = repository.worktree if repository else Path(os.path.realpath(place))
    if _holds_home(root):
        return _unusable(root, "it is your home folder, or holds it")
    view = View(root=root, agents=frozenset(_taught(agent, root) for agent in agents))
    if repository is None:
        return _without_git(view, known)
    state = repo_state(repository)
    try:
        return _with_git(view, repository, state, known, last_head)
    except GitError as error:
        return _unusable(root, error.message)


def _with_git(
    view: View, repository: Repository, state: RepoState, known: Collection[str], last_head: str
) -> View:
    root = view.root
    view = msgspec.structs.replace(
        view, state=state.state, writable=state.state == "ok", why=state.why
    )
    if state.folder is None or state.state == "unusable":
        return view
    heads = Heads(last_head, git_reading.head(root))
    wanted = {*names(root), *known}
    index = git_reading.tracked(root, wanted, HOME)
    nested = sorted(index.keys() - wanted, key=lambda path: (path.count("/"), path))
    reads = _read_all(root, wanted.union(nested[:RULE_FILES]))
    found = {read.path for read in reads.values() if read.found}
    ignored = git_reading.ignored(root, found.union(_TO_BE_MADE - reads.keys()))
    git = Git(root, state.folder, repository.common)
    files = {path: _based(git, heads, read, index, ignored) for path, read in reads.items()}
    for path in _TO_BE_MADE.union(known) - files.keys():
        why = _bar(path, index, ignored, state) if path in _TO_BE_MADE else ""
        if why or path in known:
            files[path] = File(kind="barred" if why else "missing", why=why)
    return msgspec.structs.replace(view, files=files, head=heads.now)


def _without_git(view: View, known: Collection[str]) -> View:
    """A folder that nothing can be brought back in: what is there is used, nothing is made."""
    reads = _read_all(view.root, {*names(view.root), *known})
    files = {path: read.file for path, read in reads.items()}
    why = "git does not keep this folder: a file is used where there is one, and not made"
    for path in _TO_BE_MADE.union(known) - files.keys():
        files[path] = File(kind="barred" if path in _TO_BE_MADE else "missing", why=why)
    return msgspec.structs.replace(view, files=files)


def _read_all(root: Path, paths: Iterable[str]) -> dict[str, Read]:
    found = {path: read for path in sorted(paths) if (read := read_file(root, path))}
    for target in {read.file.link_to for read in found.values()} - found.keys() - {None}:
        read = read_file(root, target) if target else None
        if read and target:
            found[target] = read
    return settled(found)


def _based(
    git: Git,
    heads: Heads,
    read: Read,
    index: Mapping[str, Tracked],
    ignored: Collection[str],
) -> File:
    """A file with what git has to say of it."""
    if read.path in ignored:
        return File(data=read.file.data, kind="unusable", why="git ignores it")
    if read.found is None:
        return read.file
    laid = base(git, heads, read.path, read.found, index.get(read.path))
    return msgspec.structs.replace(read.file, base=laid)


def _bar(
    path: str, index: Mapping[str, Tracked], ignored: Collection[str], state: RepoState
) -> str:
    """Why a file that is not there is not to be made."""
    if path in ignored:
        return "git ignores it"
    if state.sparse:
        return "only a part of the files is checked out"
    if path in index:
        return "git has it, and it was removed here"
    return ""


def _taught(agent: str, root: Path) -> str:
    """An agent, by the name that the table has for what its settings say."""
    name = settings_of(agent)
    for folder in (root, _home()) if name else ():
        if folder and name and (known := taught(agent, _text(folder / name))) != agent:
            return known
    return agent


def _text(file: Path) -> str:
    try:
        with open_regular(file) as opened:
            return (opened.read(GIT_CONFIG_BYTES) or b"").decode("utf-8", "replace")
    except OSError:
        return ""


def _is_local(place: str) -> bool:
    return not is_remote(place) and _FOREIGN.match(place) is None


def _holds_home(root: Path) -> bool:
    home = _home()
    return home is not None and (root == home or root in home.parents)


def _home() -> Path | None:
    try:
        return Path(os.path.realpath(Path.home()))
    except RuntimeError:
        return None


def _unusable(place: str | Path, why: str) -> View:
    return View(root=Path(place), state="unusable", writable=False, why=why)
