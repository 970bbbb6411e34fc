"""A folder held open: names in it are reached through it, wherever its path leads by now.

It is entered part by part without following links, so that what was checked is what is used. A
system without such handles (Windows) gets plain paths. Nothing here decides; each method is one
step that the system does whole or not at all.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import os
import signal
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from ctxd.policy.context_files import EDITED_FILE_BYTES

_COMMON = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = _COMMON | getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0)
_ENTER = os.O_RDONLY | _NO_LINK | getattr(os, "O_DIRECTORY", 0)
_MAKE = os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINK
_UNNAMED = getattr(os, "O_TMPFILE", 0)
_HANDLES = os.open in os.supports_dir_fd
_EXCHANGE = 2
"""RENAME_EXCHANGE of Linux' renameat2, RENAME_SWAP of macOS' renameatx_np."""
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}
"""What a system or a file system says that does not know such a thing."""
_NO_LINKS = _CANNOT | {errno.EPERM, errno.EMLINK, errno.EXDEV, errno.ENOENT}
"""The same of hard links."""


class Found(msgspec.Struct, frozen=True):
    """A regular file as it was when it was read."""

    data: bytes
    device: int
    inode: int
    mode: int
    """Permission bits."""
    links: int
    changed_ns: tuple[int, int]
    """When its bytes, and when its name or mode, were changed: Unix times in nanoseconds."""

    def is_same_file(self, other: Found | None) -> bool:
        """Whether both are one file, whatever its content."""
        return other is not None and (self.device, self.inode) == (other.device, other.inode)


class Folder:
    """A folder of a worktree."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def enter(cls, root: Path, parts: Sequence[str] = ()) -> Folder:
        """The folder below a root; raise OSError when a part of the way is a link, or no folder."""
        path = root.joinpath(*parts)
        if not _HANDLES:
            return cls(path, None)
        descriptor = os.open(root, _ENTER)
        try:
            for part in parts:
                above, descriptor = descriptor, os.open(part, _ENTER, dir_fd=descriptor)
                os.close(above)
        except OSError:
            os.close(descriptor)
            raise
        return cls(path, descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def names(self) -> list[str]:
        """The names in it, in order."""
        return sorted(os.listdir(self.path if self._descriptor is None else self._descriptor))

    def holds(self, name: str) -> bool:
        """Whether there is anything under a name, be it a link to nothing."""
        try:
            os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def read(self, name: str) -> Found | None:
        """A regular file; None when there is nothing; raise OSError for a link, a folder, a device,
        or what is larger than a context file."""
        try:
            descriptor = self._open(name, _READ)
        except FileNotFoundError:
            return None
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.ENXIO, "not a regular file", name)
            data = file.read(EDITED_FILE_BYTES + 1)
        if len(data) > EDITED_FILE_BYTES:
            raise OSError(errno.EFBIG, "larger than any context file", name)
        return Found(
            data,
            status.st_dev,
            status.st_ino,
            stat.S_IMODE(status.st_mode),
            status.st_nlink,
            (status.st_mtime_ns, status.st_ctime_ns),
        )

    def is_file(self, name: str, found: Found) -> bool:
        """Whether a name stands for this very file."""
        try:
            status = os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return (status.st_dev, status.st_ino) == (found.device, found.inode)

    def is_written(self, name: str) -> bool:
        """Whether a program has a file open for writing, where the system tells; else False.

        Linux grants a lease for reading only where nobody has. It is given back at once: a program
        that would open the file meanwhile waits for some microseconds.
        """
        try:
            import fcntl

            setting, reading, none = fcntl.F_SETLEASE, fcntl.F_RDLCK, fcntl.F_UNLCK
        except (ImportError, AttributeError):
            return False
        descriptor = self._open(name, _READ)
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)  # the usual one would end us
            fcntl.fcntl(descriptor, setting, reading)
            fcntl.fcntl(descriptor, setting, none)
        except OSError as error:
            return error.errno == errno.EAGAIN
        finally:
            os.close(descriptor)
        return False

    def make(self, name: str, data: bytes, like: str | None = None) -> None:
        """Make a file with these bytes, on disk before this returns; raise FileExistsError when
        the name is taken.

        Owner, mode and further attributes are those of `like`; a new file is open to whom its
        folder is open to. Where the system can, the file has no name until it is whole.
        """
        if not self._make_unnamed(name, data, like):
            self._make_named(name, data, like)

    def append(self, name: str, data: bytes) -> None:
        """Add bytes at the end of a regular file, on disk before this returns."""
        descriptor = self._open(name, os.O_WRONLY | os.O_APPEND | _NO_LINK)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.ENXIO, "not a regular file", name)
            left = memoryview(data)
            while left:
                left = left[os.write(descriptor, left) :]
            _to_disk(descriptor)
        finally:
            os.close(descriptor)

    def exchange(self, one: str, other: str) -> bool:
        """Exchange what two names stand for, in one step; False where the system cannot."""
        call = _exchanger()
        if call is None or self._descriptor is None:
            return False
        here = self._descriptor
        if call(here, os.fsencode(one), here, os.fsencode(other), _EXCHANGE) == 0:
            return True
        code = ctypes.get_errno()
        if code in _CANNOT:
            return False
        raise OSError(code, os.strerror(code), other)

    def replace(self, name: str, by: str) -> None:
        """Put the file `by` in the place of `name`, whatever stands there."""
        os.replace(
            self._at(by),
            self._at(name),
            src_dir_fd=self._descriptor,
            dst_dir_fd=self._descriptor,
        )

    def settle(self, name: str, source: str) -> None:
        """Give the file `source` a new name; raise FileExistsError when that is taken."""
        try:
            self.link(name, source)
        except FileExistsError:
            raise
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if self.holds(name):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from error
            self.replace(name, source)
        else:
            self.remove(source)

    def link(self, name: str, source: str) -> None:
        """Give the file `source` a further name."""
        here = self._descriptor
        os.link(
            self._at(source),
            self._at(name),
            src_dir_fd=here,
            dst_dir_fd=here,
            follow_symlinks=False,
        )

    def remove(self, name: str) -> None:
        """Remove a file."""
        os.unlink(self._at(name), dir_fd=self._descriptor)

    def to_disk(self) -> None:
        """Make what the names stand for survive a power cut, where folders can be."""
        if self._descriptor is None:
            return
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            if error.errno not in _CANNOT:
                raise

    def _at(self, name: str) -> str:
        return name if self._descriptor is not None else os.path.join(self.path, name)

    def _open(self, name: str, flags: int, mode: int = 0o600) -> int:
        return os.open(self._at(name), flags, mode, dir_fd=self._descriptor)

    def _make_unnamed(self, name: str, data: bytes, like: str | None) -> bool:
        """Make a file and name it when it is whole; False where the system cannot."""
        if not _UNNAMED or self._descriptor is None:
            return False
        try:
            descriptor = self._open(".", os.O_RDWR | _UNNAMED | _COMMON)
        except OSError:
            return False
        try:
            self._fill(descriptor, data, like)
            path = f"/proc/self/fd/{descriptor}"
            os.link(path, name, dst_dir_fd=self._descriptor, follow_symlinks=True)
        except OSError as error:
            if error.errno in _NO_LINKS:
                return False
            raise
        finally:
            os.close(descriptor)
        return True

    def _make_named(self, name: str, data: bytes, like: str | None) -> None:
        descriptor = self._open(name, _MAKE)
        try:
            self._fill(descriptor, data, like)
        except BaseException:
            with contextlib.suppress(OSError):
                self.remove(name)
            raise
        finally:
            os.close(descriptor)

    def _fill(self, descriptor: int, data: bytes, like: str | None) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
        self._dress(descriptor, like)
        _to_disk(descriptor)

    def _dress(self, descriptor: int, like: str | None) -> None:
        if not hasattr(os, "fchmod"):
            return
        if like is None:
            here = os.stat(self.path) if self._descriptor is None else os.fstat(self._descriptor)
            os.fchmod(descriptor, stat.S_IMODE(here.st_mode) & 0o666)
            return
        model = self._open(like, _READ)
        try:
            wanted, given = os.fstat(model), os.fstat(descriptor)
            if (wanted.st_uid, wanted.st_gid) != (given.st_uid, given.st_gid):
                os.fchown(descriptor, wanted.st_uid, wanted.st_gid)
            _copy_attributes(model, descriptor)
            os.fchmod(descriptor, stat.S_IMODE(wanted.st_mode))
        finally:
            os.close(model)


def _copy_attributes(source: int, target: int) -> None:
    """Labels and access lists; what the file system does not take is left behind."""
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        for name in os.listxattr(source):
            with contextlib.suppress(OSError):
                os.setxattr(target, name, os.getxattr(source, name))


def _to_disk(descriptor: int) -> None:
    """Through the disk's own cache too, where that takes a call of its own (macOS)."""
    try:
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined, unused-ignore]
    except (ImportError, AttributeError, OSError):
        os.fsync(descriptor)


@functools.cache
def _exchanger() -> Callable[..., int] | None:
    """The system's call that exchanges two names."""
    if not _HANDLES:
        return None
    library = ctypes.CDLL(None, use_errno=True)
    for name in ("renameat2", "renameatx_np"):
        call: Callable[..., int] | None = getattr(library, name, None)
        if call is not None:
            return call
    return None
