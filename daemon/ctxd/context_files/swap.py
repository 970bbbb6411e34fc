"""The change of one file's content, so that no save of anybody else is lost in between.

What is taken out of its place is looked at before it is removed, and removed only when it is known:
what stood there before, or what ctxd made. Anything else is somebody's save and is put back; should
that be overtaken by a later save, the later one stands and the earlier is kept beside the receipts.
A change that was interrupted is told from what lies on disk, and brought to an end or taken back.
"""

from __future__ import annotations

import contextlib
import errno

from ctxd.context_files.folder import Folder, Found
from ctxd.context_files.receipts import Receipt, Receipts, difference
from ctxd.context_files.refusals import ChangedError


class Swap:
    """One change, in its folder, with its receipt."""

    def __init__(self, folder: Folder, receipt: Receipt, receipts: Receipts) -> None:
        self._folder = folder
        self._receipt = receipt
        self._receipts = receipts
        self._name = receipt.name
        self._beside = receipt.temporary(receipt.name)

    def run(self, found: Found | None) -> None:
        """Change the file that was found. Raise ChangedError when somebody came first, OSError when
        the system refuses; either way nothing is left beside it, nor a receipt."""
        try:
            if self._receipt.after is None:
                self._remove(found)
            elif found is None:
                self._create(self._receipt.after)
            else:
                self._replace(found, self._receipt.after)
        except BaseException as error:
            with contextlib.suppress(OSError):
                self.recover()
            if isinstance(error, FileNotFoundError):  # an editor is just moving the file away
                raise self._changed() from None
            raise
        with contextlib.suppress(OSError):  # after a power cut it is the old or the new content
            self._folder.to_disk()
        self._receipts.finish(self._receipt)

    def recover(self) -> None:
        """Bring to an end, or take back, a change that was interrupted."""
        stands, beside = self._known(self._name), self._known(self._beside)
        if self._receipt.after is None:
            is_done = self._recover_removal(stands, beside)
        else:
            is_done = self._recover_content(stands, beside, self._receipt.after)
        if is_done:
            self._receipts.finish(self._receipt)
        else:
            self._receipts.drop(self._receipt)

    def _create(self, after: bytes) -> None:
        self._folder.make(self._beside, after)
        try:
            self._folder.settle(self._name, self._beside)
        except FileExistsError:
            raise self._changed() from None

    def _replace(self, found: Found, after: bytes) -> None:
        self._folder.make(self._beside, after, like=self._name)
        made = self._folder.read(self._beside)
        if made is None or made.data != after:
            raise OSError(errno.EIO, "the disk did not keep what was written", self._beside)
        if not self._is(self._name, found):  # writing took a while; an exchange would be seen
            raise self._changed()
        if not self._folder.exchange(self._beside, self._name):
            self._overwrite(found)
        elif self._is(self._beside, found):
            self._rename_others(found)
            self._folder.remove(self._beside)
        else:
            self._put_back(made)

    def _overwrite(self, found: Found) -> None:
        """Replace the file where the system knows no exchange: it was compared just before."""
        self._folder.replace(self._name, self._beside)
        self._rename_others(found)

    def _remove(self, found: Found | None) -> None:
        if found is None:
            return
        self._folder.replace(self._beside, self._name)
        if not self._is(self._beside, found):
            self._return()
            raise self._changed()
        self._folder.remove(self._beside)

    def _put_back(self, made: Found) -> None:
        """Undo the exchange after somebody's save came in before it, then raise ChangedError."""
        try:
            self._folder.exchange(self._beside, self._name)
        except FileNotFoundError:  # somebody is just renaming what stands there
            self._return()
            raise self._changed() from None
        if not self._is(self._beside, made):  # a still later save: it is the one to stand
            self._folder.exchange(self._beside, self._name)
            self._rescue()
        self._folder.remove(self._beside)
        raise self._changed()

    def _return(self) -> None:
        """Give the content that was taken out its place again, unless there is a newer one."""
        try:
            self._folder.settle(self._name, self._beside)
        except FileExistsError:
            self._rescue()
            self._folder.remove(self._beside)

    def _rename_others(self, found: Found) -> None:
        """Give the further names of a file the new content too, as links to the new file."""
        for other in self._receipt.names:
            beside = self._receipt.temporary(other)
            self._folder.link(beside, self._name)
            if not self._folder.is_file(other, found):
                self._folder.remove(beside)  # it is a file of its own by now
            elif self._folder.exchange(beside, other):
                if not self._folder.is_file(beside, found):
                    self._folder.exchange(beside, other)
                self._folder.remove(beside)
            else:
                self._folder.replace(other, beside)

    def _recover_removal(self, stands: Found | None, beside: Found | None) -> bool:
        if beside is None:
            return stands is None
        if beside.data == self._receipt.before:
            self._folder.remove(self._beside)
            return True
        self._return()
        return False

    def _recover_content(self, stands: Found | None, beside: Found | None, after: bytes) -> bool:
        """Whether the change was made, told from what lies in the folder."""
        before = self._receipt.before
        now = stands.data if stands else None
        if beside is None and not self._folder.holds(self._beside):
            self._recover_others(stands)
            return now == after
        if beside and (beside.data == after or (now == before and after.startswith(beside.data))):
            self._folder.remove(self._beside)  # ours: not put in its place, or already there
            return beside.is_same_file(stands)
        if beside and beside.data == before:
            self._recover_others(stands)
            self._folder.remove(self._beside)
            return True
        self._recover_save(is_ours=now == after)
        return False

    def _recover_save(self, *, is_ours: bool) -> None:
        """Somebody's save was taken out: put it back for what is ours, or keep it elsewhere."""
        if is_ours:
            self._folder.exchange(self._beside, self._name)
        else:
            self._rescue()
        self._folder.remove(self._beside)

    def _recover_others(self, stands: Found | None) -> None:
        for other in self._receipt.names:
            beside = self._receipt.temporary(other)
            if self._folder.holds(beside):
                self._folder.remove(beside)
            found = self._known(other)
            if stands and found and found.data == self._receipt.before != stands.data:
                self._rename_others(found)

    def _known(self, name: str) -> Found | None:
        try:
            return self._folder.read(name)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
                return None
            raise

    def _is(self, name: str, found: Found) -> bool:
        """Whether a name stands for a file as it was found, and nobody is writing to it."""
        try:
            now = self._folder.read(name)
            return (
                now is not None
                and now.is_same_file(found)
                and now.data == found.data
                and not self._folder.is_written(name)
            )
        except OSError:
            return False

    def _rescue(self) -> None:
        found = self._folder.read(self._beside)
        if found is not None:
            self._receipts.rescue(self._receipt, found.data)

    def _changed(self) -> ChangedError:
        before = self._receipt.before
        found = self._known(self._name)
        diff = difference(self._receipt.path, before, found.data if found else None)
        message = f"`{self._receipt.path}` was changed while it was written"
        return ChangedError("conflict.changed", message, "run `ctxd diff`", diff)
