"""One configuration file written: whole, where its links lead, and only over what was read.

The exchange is that of context files: no save of anybody else is lost in between.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ctxd.context_files.apply import recover
from ctxd.context_files.folder import Folder, Found
from ctxd.context_files.receipts import Receipt, Receipts
from ctxd.context_files.refusals import ChangedError, NotYetError, RefusedError
from ctxd.context_files.swap import Swap
from ctxd.context_files.values import Edit
from ctxd.errors import UserError, reason
from ctxd.terminal import path_text


class Target(msgspec.Struct, frozen=True):
    """A file as it was read."""

    path: Path
    """Where it really lies, with all links followed."""
    before: bytes | None
    """What stands there; None: there is no file."""


def target_of(path: Path) -> Target:
    """The file behind a path; raise UserError for one that cannot be read, or is none."""
    try:
        real = Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise _unusable(path, "no file can have that name") from error
    if path.is_symlink() and not os.path.lexists(real):
        raise _unusable(path, f"it is a link to `{path_text(real)}`, which is not there")
    try:
        with Folder.enter(real.parent) as folder:
            found = folder.read(real.name)
    except (FileNotFoundError, NotADirectoryError):
        return Target(real, None)
    except OSError as error:
        raise _unusable(path, reason(error)) from error
    return Target(real, found.data if found else None)


def write(target: Target, after: bytes | None, receipts: Receipts) -> None:
    """Write a file, or with None remove it. Its folder must be there.

    Raise ChangedError when it is not what was read, NotYetError while somebody else writes,
    UserError when it cannot be written.
    """
    path = target.path
    edit = Edit(path.name, target.before, after or b"")
    receipt = Receipt.of(edit, path.parent, path.name, after)
    try:
        with _held(path, receipts) as folder:
            found = folder.read(path.name)
            _check(folder, target, found)
            receipts.begin(receipt)
            Swap(folder, receipt, receipts).run(found)
            receipts.drop(receipt)  # the record of the file has what stood there
    except OSError as error:
        raise _unwritable(path, error) from error


def folders_for(path: Path) -> list[Path]:
    """The folders that have to be made for a file, the outermost first."""
    missing = [folder for folder in path.parents if not folder.exists()]
    return missing[::-1]


def make_folders(folders: list[Path]) -> None:
    """Make folders, open to the user alone; raise UserError where that cannot be."""
    for folder in folders:
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise _unwritable(folder, error) from error


def remove_folders(folders: list[Path]) -> None:
    """Remove those of the folders that are empty, the innermost first."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            folder.rmdir()


@contextlib.contextmanager
def _held(path: Path, receipts: Receipts) -> Iterator[Folder]:
    recover(receipts)
    with receipts.locked(), Folder.enter(path.parent) as folder:
        yield folder


def _check(folder: Folder, target: Target, found: Found | None) -> None:
    """Raise unless the file is what was read, and may be written."""
    name = path_text(target.path)
    if (found.data if found else None) != target.before:
        raise ChangedError("conflict.changed", f"`{name}` was changed meanwhile", "try again")
    if found is None:
        return
    if not found.mode & 0o200:
        raise RefusedError("read-only", name, "its mode says that it is not to be written")
    if found.links > 1:
        raise RefusedError("hard-link", name, "it has further names (hard links)")
    if folder.is_written(target.path.name):
        raise NotYetError("wait.writer", f"`{name}` waits: a program is writing it", "try again")


def _unusable(path: Path, why: str) -> UserError:
    return UserError(f"cannot use `{path_text(path)}`: {why}", "mend that, then try again")


def _unwritable(path: Path, error: OSError) -> UserError:
    hints = {
        errno.ENOSPC: "free some space",
        errno.EDQUOT: "free some space",
        errno.EROFS: "make the file system writable",
    }
    hint = hints.get(error.errno or 0, "make the file and its folder writable")
    return UserError(f"cannot write `{path_text(path)}`: {reason(error)}", hint)
