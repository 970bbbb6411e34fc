"""What was done to context files, with what stood there before, so that it can be undone.

A receipt is written before its edit and marked done after it: one that a kill left `begun` says
what was going on. Receipts lie in ctxd's own state folder, open to the user alone, never in a
repository; the oldest go first.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from ctxd.context_files.refusals import NotYetError
from ctxd.context_files.values import Change, Edit
from ctxd.errors import UserError
from ctxd.policy.context_files import (
    APPLY_WAIT_SECONDS,
    ITEM_ID_BYTES,
    RECEIPT_BYTES,
    RECEIPTS_KEPT,
)

Progress = Literal["begun", "done", "undone"]
_PROGRESS: tuple[Progress, ...] = ("begun", "done", "undone")


class Receipt(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One edit of one file, as it was applied."""

    id: str
    time: datetime
    root: str
    """The worktree, by its real path."""
    path: str
    """The file that was changed, relative to it: of an edit through a link, the link's target."""
    before: bytes | None
    """What stood there; None: there was no file."""
    after: bytes | None
    """What stands there since; None: the file was removed."""
    changes: tuple[Change, ...] = ()
    names: tuple[str, ...] = ()
    """Further names of the same file in its folder: hard links."""
    undoes: str | None = None
    """Id of the receipt that this one took back."""

    @classmethod
    def of(cls, edit: Edit, root: Path, path: str, after: bytes | None) -> Receipt:
        """The receipt of an edit that is about to be applied."""
        now = time.time_ns()
        about = msgspec.json.encode((now, str(root), path, edit.before, after))
        digest = hashlib.sha256(about).digest()[:ITEM_ID_BYTES]
        return cls(
            id=base64.b32encode(digest).decode("ascii").lower(),
            time=datetime.fromtimestamp(now / 1e9, UTC),
            root=str(root),
            path=path,
            before=edit.before,
            after=after,
            changes=edit.changes,
        )

    @property
    def items(self) -> tuple[str, ...]:
        """Ids of the items it wrote, changed or took out."""
        return tuple(dict.fromkeys(change.item for change in self.changes if change.item))

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.rpartition("/")[2]

    def temporary(self, name: str) -> str:
        """The name that the new content of a file, then its old one, has for an instant."""
        return f".{name}.ctxd-{self.id}.tmp"

    @property
    def back(self) -> Edit:
        """The edit that takes it back; of a file that was made, one that empties it."""
        return Edit(self.path, self.after, self.before or b"", self.changes)


class Receipts:
    """The receipts in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """The right to apply an edit, of one process at a time; raise NotYetError when another one
        keeps it, OSError when there is no place for receipts."""
        from filelock import FileLock, Timeout  # not for who only lists receipts

        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        lock = FileLock(self._folder / "lock", mode=0o600, thread_local=False)
        try:
            lock.acquire(timeout=APPLY_WAIT_SECONDS)
        except Timeout:
            raise NotYetError(
                "wait.other", "another process applies an edit", "try again"
            ) from None
        try:
            yield
        finally:
            lock.release()

    def begin(self, receipt: Receipt) -> None:
        """Write a receipt durably, before its edit is applied; raise OSError when that fails."""
        self._prune()
        self._write(self._path(receipt, "begun"), msgspec.json.encode(receipt))

    def finish(self, receipt: Receipt, progress: Progress = "done") -> None:
        """Say how far the edit of a receipt has come. Where that fails the edit stands all the
        same, and the next recovery says it."""
        for known in _PROGRESS:
            with contextlib.suppress(OSError):
                os.replace(self._path(receipt, known), self._path(receipt, progress))
                return

    def drop(self, receipt: Receipt) -> None:
        """Remove the receipt of an edit that did not come about."""
        for known in _PROGRESS:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path(receipt, known))

    def all(self, progress: Progress = "done") -> list[Receipt]:
        """The receipts of edits that have come so far, newest first; damaged ones are left out."""
        found = [
            _decoded(path) for path in reversed(self._files()) if path.suffix == f".{progress}"
        ]
        return [receipt for receipt in found if receipt is not None]

    def find(self, start: str) -> Receipt:
        """The receipt whose id, or whose item's id, begins so: the newest one of an item. Raise
        UserError when there is none, or several ids begin so."""
        done = self.all()
        of_id = [receipt for receipt in done if receipt.id.startswith(start)]
        of_item = [r for r in done if any(item.startswith(start) for item in r.items)]
        if len(of_id) > 1:
            raise UserError(f"several edits begin with `{start}`", "give more of the id")
        if not (of_id or of_item) or not start:
            raise UserError(f"no edit `{start}` is known", "`ctxd undo` lists those that are")
        return (of_id or of_item)[0]

    def rescue(self, receipt: Receipt, data: bytes) -> Path:
        """Keep bytes of somebody else's that could not be left in their place; return where."""
        path = self._folder / f"{self._stem(receipt)}.{time.time_ns()}.rescued"
        self._write(path, data)
        return path

    def forget(self, condition: Callable[[Receipt], bool]) -> int:
        """Remove the receipts that a condition holds for, begun ones too; return how many."""
        doomed = [path for path in self._files() if (known := _decoded(path)) and condition(known)]
        for path in doomed:
            os.unlink(path)
        return len(doomed)

    def _path(self, receipt: Receipt, progress: Progress) -> Path:
        return self._folder / f"{self._stem(receipt)}.{progress}"

    @staticmethod
    def _stem(receipt: Receipt) -> str:
        return f"{receipt.time:%Y%m%dT%H%M%S.%f}-{receipt.id}"

    def _files(self) -> list[Path]:
        """All receipts, oldest first: their names begin with their time."""
        suffixes = {f".{progress}" for progress in _PROGRESS}
        try:
            names = sorted(os.listdir(self._folder))
        except FileNotFoundError:
            return []
        return [path for name in names if (path := self._folder / name).suffix in suffixes]

    @staticmethod
    def _write(path: Path, data: bytes) -> None:
        fresh = path.with_name(f"{path.name}.new")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0)
            with open(os.open(fresh, flags, 0o600), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(fresh)
            raise

    def _prune(self) -> None:
        room = RECEIPT_BYTES
        for number, path in enumerate(reversed(self._files())):
            with contextlib.suppress(OSError):
                room -= path.stat().st_size
                if path.suffix != ".begun" and (room < 0 or number >= RECEIPTS_KEPT):
                    os.unlink(path)


def difference(path: str, before: bytes | None, after: bytes | None) -> str:
    """What became of a file, as a unified diff."""
    return Edit(path, before, after or b"").diff()


def _decoded(path: Path) -> Receipt | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Receipt)
    except (OSError, msgspec.MsgspecError):
        return None
