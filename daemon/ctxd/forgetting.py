"""An item forgotten: taken out of the context files, the record, the receipts and the ledger.

The files come first and the ledger last, so that a kill or a refusal in between leaves an item that
is retracted and can be forgotten again, never a line that nobody knows of. What git has seen stays
with git: its lines of the record are answered by one that takes the item back and tells no words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from ctxd.context_files import git_reading, memories, record, writing
from ctxd.context_files.apply import apply
from ctxd.context_files.desk import Desk, Survey
from ctxd.context_files.folder import Folder
from ctxd.context_files.memories import Known
from ctxd.context_files.receipts import Receipt, Receipts
from ctxd.context_files.values import Edit, Memory
from ctxd.context_files.whereabouts import Spot, spot_of
from ctxd.errors import CtxdError, UserError, reason
from ctxd.item_log import ItemEvent
from ctxd.ledger import Ledger
from ctxd.redact import redact
from ctxd.terminal import path_text, short_path


class Forgotten(msgspec.Struct, kw_only=True):
    """What was done to forget one item."""

    item: str
    paths: list[str] = []
    """Files that its line, or lines of the record, were taken out of."""
    committed: int = 0
    """Lines of records that git knows already, and that were left."""
    receipts: int = 0
    """Edits that cannot be taken back any more, since what stood there before told of it."""

    @property
    def told(self) -> Iterator[str]:
        """All of it in words, a line each."""
        yield f"forgot {self.item}"
        for path in dict.fromkeys(self.paths):
            yield f"  took it out of `{short_path(path, Path.home())}`"
        if self.receipts:
            edits = "1 edit" if self.receipts == 1 else f"{self.receipts} edits"
            yield f"  {edits} of context files that showed it cannot be undone any more"
        if self.committed:
            lines = "1 line" if self.committed == 1 else f"{self.committed} lines"
            yield f"  left {lines} of `{record.PATH}` that git knows already"


class Forgetting:
    """Forgets items of one repository."""

    def __init__(
        self,
        repository: str,
        ledger: Ledger,
        receipts: Receipts,
        desk: Desk,
        now: Callable[[], datetime],
    ) -> None:
        self._repository = repository
        self._ledger = ledger
        self._receipts = receipts
        self._desk = desk
        self._now = now

    def forget(self, item: str) -> Forgotten:
        """Forget one item; raise CtxdError when a file that tells of it cannot be written now, with
        the item retracted and still to be forgotten."""
        try:
            return self._forgotten(item)
        except git_reading.GitError as error:
            raise UserError(error.message, error.hint) from error
        except OSError as error:
            raise UserError(
                f"{item} is not forgotten yet: {reason(error)}", "then run `ctxd forget` again"
            ) from error

    def _forgotten(self, item: str) -> Forgotten:
        done = Forgotten(item=item)
        self._ledger.decide(self._repository, item, "retracted")
        history = self._ledger.item_events(self._repository, item)
        taken_back = [event for event in history if event.type == "retracted"][-1:]
        for root in sorted({*memories.roots(self._ledger), *self._desk.targets(self._repository)}):
            spot = spot_of(root)
            if spot is not None and spot.repository == self._repository:
                self._take_out(spot, done)
                self._shorten_record(Path(spot.root), taken_back, done)
            self._unlearn(root, item)
        # Those just made are among them, and nobody would want to take them back.
        done.receipts = self._receipts.forget(
            lambda receipt: _tells(receipt, item) and self._is_here(receipt.root)
        )
        done.receipts -= len(done.paths)
        self._ledger.forget(self._repository, item)
        return done

    def _is_here(self, root: str) -> bool:
        """Whether a worktree is one of this repository. Of one that is gone and that nobody
        remembers nothing can be undone, so that it counts as one."""
        spot = spot_of(root)
        remembered = memories.recall(self._ledger, root).repository
        owners = {remembered, redact(path_text(root)), spot.repository if spot else ""}
        return self._repository in owners or (spot is None and not remembered)

    def _take_out(self, spot: Spot, done: Forgotten) -> None:
        """Take its line out of the files of a worktree."""
        before = memories.recall(self._ledger, spot.root)
        if not _standing(before, done.item):
            return
        survey = self._desk.survey(spot, frozenset(), asked=True)
        writing.note_humans(self._ledger, survey)
        came = writing.carry_out(survey, self._receipts, quiet_seconds=0.0)
        known = writing.remember(self._ledger, survey, came, self._now())
        for path in _standing(known, done.item):
            raise _cannot(path, survey, came.failed)
        done.paths += [str(survey.root / path) for path in _standing(before, done.item)]

    def _shorten_record(self, root: Path, taken_back: list[ItemEvent], done: Forgotten) -> None:
        """Take its lines out of the record as far as git does not know them."""
        data = _record_of(root)
        own = [line for line in data.splitlines(keepends=True) if _is_of(line, done.item)]
        if not own:
            return
        known = _known_to_git(root)
        gone = set() if known is None else {line for line in own if line.strip() not in known}
        left = len(own) - len(gone)
        if gone:
            lines = data.splitlines(keepends=True)
            after = b"".join(line for line in lines if line not in gone)
            apply(Edit(record.PATH, data, after), root, self._receipts, quiet_seconds=0.0)
            done.paths.append(str(root / record.PATH))
        if left:
            record.append(root, taken_back)
        done.committed += left

    def _unlearn(self, root: str, item: str) -> None:
        """Remember no words of it, only that it is to have no line."""
        known = memories.recall(self._ledger, root)
        if known.repository == self._repository:
            memory = {path: _without(one, item) for path, one in known.memory.items()}
            fresh = msgspec.structs.replace(known, memory=memory)
            memories.remember(self._ledger, root, fresh)


def _standing(known: Known, item: str) -> list[str]:
    """The files of a worktree in which a line of an item stands."""
    return [path for path, memory in known.memory.items() if item in memory.seen]


def _cannot(path: str, survey: Survey, failed: tuple[CtxdError, ...]) -> CtxdError:
    for error in failed:
        return error
    why = next((notice.text for notice in survey.plan.notices), "somebody else has changed it")
    return UserError(
        f"its line in `{path}` cannot be taken out now: {why}", "then run `ctxd forget` again"
    )


def _record_of(root: Path) -> bytes:
    try:
        with Folder.enter(root, (record.FOLDER,)) as folder:
            found = folder.read(record.NAME)
    except OSError:
        return b""
    return found.data if found else b""


def _known_to_git(root: Path) -> frozenset[bytes] | None:
    """The lines of the record in git's index, which holds what is committed as well; None where
    that is too much to look through."""
    data = git_reading.committed(root, "", record.PATH)
    if data is None:
        return None if git_reading.tracked(root, [record.PATH], record.NAME) else frozenset()
    return frozenset(line.strip() for line in data.splitlines())


def _is_of(line: bytes, item: str) -> bool:
    return any(event.item == item for event in record.parsed(line).events)


def _without(memory: Memory, item: str) -> Memory:
    written = {name: "" if name == item else line for name, line in memory.written.items()}
    seen = {name: line for name, line in memory.seen.items() if name != item}
    left_out = tuple(name for name in memory.left_out if name != item)
    return msgspec.structs.replace(memory, written=written, seen=seen, left_out=left_out)


def _tells(receipt: Receipt, item: str) -> bool:
    """Whether anything in a receipt tells of an item: its line names its id."""
    contents = (receipt.before or b"", receipt.after or b"")
    return item in receipt.items or any(item.encode() in data for data in contents)
