"""One context file as it stands: read without following it anywhere else than its worktree."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from ctxd.context_files.conventions import BY_PATH, HANDS_OFF, RULE_FOLDERS
from ctxd.context_files.folder import Folder, Found
from ctxd.context_files.imports import only_import, only_pointer
from ctxd.context_files.refusals import RefusedError
from ctxd.context_files.targets import target_of
from ctxd.context_files.values import File
from ctxd.errors import reason
from ctxd.policy.context_files import RULE_FILES, RULE_FOLDERS_DEEP


class Read(msgspec.Struct, frozen=True):
    """A file that was read, or why it was not."""

    file: File
    path: str
    """Where it lies, all links followed."""
    found: Found | None = None


def read_file(root: Path, path: str) -> Read | None:
    """The context file at a path; None when there is none."""
    try:
        target = target_of(root, path)
        with Folder.enter(target.root, target.parts) as folder:
            found = folder.read(target.name)
    except RefusedError as error:
        return _refused(error, path)
    except OSError as error:
        return Read(File(kind="unusable", why=reason(error)), path)
    if found is None:
        return None
    return Read(_file(path, target.path, found), target.path, found)


def names(root: Path) -> Iterator[str]:
    """The paths of the context files that may be in a worktree, and of its rule files."""
    yield from BY_PATH
    yield from HANDS_OFF
    for folder in RULE_FOLDERS:
        found = sorted(_below(root, folder.path, RULE_FOLDERS_DEEP))
        yield from [path for path in found if path.endswith(folder.suffix)][:RULE_FILES]


def settled(reads: Mapping[str, Read]) -> dict[str, Read]:
    """The files with each way over links and pointers followed to its end; files that name each
    other in a circle are not usable."""
    linked = _second_names(reads)
    return {path: _followed(path, read, linked) for path, read in linked.items()}


def _refused(error: RefusedError, path: str) -> Read | None:
    if error.code == "refused.folder":
        return None
    if error.code == "refused.dangling":
        return Read(File(kind="dangling"), path)
    return Read(File(kind="unusable", why=error.why), path)


def _file(path: str, real: str, found: Found) -> File:
    if not found.mode & 0o200:
        why = "its mode says that it is not to be written"
        return File(data=found.data, kind="unusable", why=why)
    if real != path:
        return File(data=found.data, kind="link", link_to=real)
    if path in BY_PATH:
        pointed, brought = only_pointer(path, found.data), only_import(path, found.data)
        if pointed in BY_PATH:
            return File(data=found.data, kind="pointer", link_to=pointed)
        if brought is not None:
            return File(data=found.data, kind="import", link_to=brought)
    return File(data=found.data)


def _second_names(reads: Mapping[str, Read]) -> dict[str, Read]:
    """The files with further names of one that is there already (hard links) as links to it."""
    first: dict[tuple[int, int], str] = {}
    found = dict(reads)
    for path in sorted(reads, key=lambda path: (path not in BY_PATH, path.count("/"), path)):
        read = reads[path]
        if read.found is None or read.found.links == 1 or read.file.kind != "file":
            continue
        known = first.setdefault((read.found.device, read.found.inode), path)
        if known != path:
            file = msgspec.structs.replace(read.file, kind="link", link_to=known)
            found[path] = msgspec.structs.replace(read, file=file)
    return found


def _followed(path: str, read: Read, reads: Mapping[str, Read]) -> Read:
    seen, target = {path}, read.file.link_to
    while target is not None and target in reads and reads[target].file.link_to is not None:
        if target in seen:
            why = f"it and `{target}` name each other"
            file = File(data=read.file.data, kind="unusable", why=why)
            return msgspec.structs.replace(read, file=file)
        seen.add(target)
        target = reads[target].file.link_to
    if target in seen:
        file = File(data=read.file.data, kind="unusable", why="it names itself")
        return msgspec.structs.replace(read, file=file)
    return msgspec.structs.replace(read, file=msgspec.structs.replace(read.file, link_to=target))


def _below(root: Path, path: str, deep: int) -> Iterator[str]:
    """The files below a folder; linked folders are not entered."""
    try:
        entries = list(os.scandir(root / path))
    except OSError:
        return
    for entry in entries:
        inside = f"{path}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _below(root, inside, deep - 1) if deep else ()
        else:
            yield inside
