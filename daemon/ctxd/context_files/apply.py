"""One edit done: whole, verified, with a receipt, or not at all.

The promise is that no byte of anybody else is lost. What stands in the file is compared with what
the edit was planned for; the new content is whole and on disk before it has a name; then old and
new are exchanged in one step, and what was taken out is compared again, so that a save that came in
between is put back. A file waits that a program has open for writing, or that changed a moment ago.
Where the system cannot exchange two files, the comparison just before the replacement has to do.
"""

from __future__ import annotations

import contextlib
import errno
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ctxd.context_files import git_reading
from ctxd.context_files.folder import Folder, Found
from ctxd.context_files.receipts import Receipt, Receipts, difference
from ctxd.context_files.refusals import ChangedError, NotYetError, RefusedError
from ctxd.context_files.repo_state import repo_state
from ctxd.context_files.swap import Swap
from ctxd.context_files.targets import Target, target_of
from ctxd.context_files.values import Edit
from ctxd.errors import reason
from ctxd.policy.context_files import CONTEXT_QUIET_SECONDS
from ctxd.repositories import repository_of


def apply(
    edit: Edit, root: Path, receipts: Receipts, quiet_seconds: float = CONTEXT_QUIET_SECONDS
) -> Receipt | None:
    """Apply an edit to a worktree and return its receipt; None when it stands there already.

    Raise NotYetError when it has to wait, ChangedError when the file is not what the edit was
    planned for, RefusedError when it must not be written.
    """
    target = target_of(root, edit.path)
    _check_repository(target)
    receipt = Receipt.of(edit, target.root, target.path, edit.after)
    with _held(target, receipts) as folder:
        found = _read(folder, target)
        if found is not None and found.data == edit.after:
            return None
        _check_file(folder, receipt, found, quiet_seconds)
        return _done(folder, receipt, found, receipts)


def undo(receipt: Receipt, receipts: Receipts) -> Receipt:
    """Take an edit back: what stood there before stands there again, or the file it made is gone.

    Return the receipt of that. Raise ChangedError, with the difference, when somebody has changed
    the file since; the others as `apply` does.
    """
    target = target_of(Path(receipt.root), receipt.path)
    _check_repository(target)
    back = Receipt.of(receipt.back, target.root, target.path, receipt.before)
    back = msgspec.structs.replace(back, undoes=receipt.id)
    with _held(target, receipts) as folder:
        found = _read(folder, target)
        if (found.data if found else None) != receipt.before:
            _check_file(folder, back, found, 0.0)
            back = _done(folder, back, found, receipts)
    receipts.finish(receipt, "undone")
    return back


def recover(receipts: Receipts) -> None:
    """Bring to an end what a kill interrupted: each file holds its old or its new content, nothing
    of ours is left beside it, and what a human saved meanwhile stands."""
    with receipts.locked():
        _recover(receipts)


def _recover(receipts: Receipts) -> None:
    for receipt in receipts.all("begun"):
        with contextlib.suppress(RefusedError, OSError):
            target = target_of(Path(receipt.root), receipt.path)
            with Folder.enter(target.root, target.parts) as folder:
                Swap(folder, receipt, receipts).recover()


def _done(folder: Folder, receipt: Receipt, found: Found | None, receipts: Receipts) -> Receipt:
    """The receipt of a change that was made; what was begun and not made leaves no trace."""
    receipt = msgspec.structs.replace(receipt, names=_names(folder, receipt, found))
    receipts.begin(receipt)
    Swap(folder, receipt, receipts).run(found)
    return receipt


def _check_repository(target: Target) -> None:
    """Raise NotYetError while git is at work, RefusedError for what git ignores."""
    repository = repository_of(str(target.root))
    if repository is None:
        return
    if repository.worktree != target.root:
        raise RefusedError("root", target.path, "the folder is not the top of its worktree")
    state = repo_state(repository)
    if state.passes:
        raise NotYetError("wait.git", f"`{target.path}` waits: {state.why}", "finish or abort it")
    if state.state == "unusable":
        raise RefusedError("repository", target.path, state.why)
    try:
        ignored = git_reading.ignored(target.root, [target.path])
    except git_reading.GitError as error:
        raise RefusedError("git-unknown", target.path, error.message) from error
    if ignored:
        raise RefusedError("ignored", target.path, "git ignores it")


def _check_file(
    folder: Folder, receipt: Receipt, found: Found | None, quiet_seconds: float
) -> None:
    """Raise unless the file is what the change was planned for, and may be written now."""
    path = receipt.path
    now = time.time()
    if found and any(abs(now - moment / 1e9) < quiet_seconds for moment in found.changed_ns):
        raise NotYetError("wait.quiet", f"`{path}` waits: it changed a moment ago", "try again")
    stands = found.data if found else None
    if stands != receipt.before:
        diff = difference(path, receipt.before, stands)
        raise ChangedError(
            "conflict.changed", f"`{path}` was changed meanwhile", "run `ctxd diff`", diff
        )
    if found is None:
        return
    if not found.mode & 0o200:
        raise RefusedError("read-only", path, "its mode says that it is not to be written")
    if _is_written(folder, receipt.name):
        raise NotYetError("wait.writer", f"`{path}` waits: a program is writing it", "try again")


def _is_written(folder: Folder, name: str) -> bool:
    """Whether a program is writing a file, or has just put it aside to write a new one."""
    try:
        return folder.is_written(name)
    except FileNotFoundError:
        return True


def _names(folder: Folder, receipt: Receipt, found: Found | None) -> tuple[str, ...]:
    """The further names of a file, all of which are in its folder; raise RefusedError otherwise."""
    if found is None or found.links <= 1:  # none: it was replaced while it was read
        return ()
    names = tuple(_same(folder, receipt.name, found))
    if len(names) + 1 != found.links or receipt.after is None:
        raise RefusedError("hard-link", receipt.path, "it has further names (hard links) elsewhere")
    return names


def _same(folder: Folder, name: str, found: Found) -> Iterator[str]:
    for other in folder.names():
        if other != name and folder.is_file(other, found):
            yield other


@contextlib.contextmanager
def _held(target: Target, receipts: Receipts) -> Iterator[Folder]:
    """The target's folder, while no other process of ctxd applies anything."""
    try:
        with receipts.locked(), Folder.enter(target.root, target.parts) as folder:
            _recover(receipts)
            yield folder
    except OSError as error:
        raise _unwritable(target.path, error) from error


def _read(folder: Folder, target: Target) -> Found | None:
    try:
        return folder.read(target.name)
    except OSError as error:
        raise RefusedError("unreadable", target.path, reason(error)) from error


def _unwritable(path: str, error: OSError) -> RefusedError:
    hints = {
        errno.ENOSPC: "free some space",
        errno.EDQUOT: "free some space",
        errno.EROFS: "make the file system writable",
    }
    hint = hints.get(error.errno or 0, "make the file and its folder writable")
    return RefusedError("system", path, reason(error), hint)
