"""A reader's program is run: with a deadline, in a private folder, and nothing of it is left.

It is ended with all that it has started when it takes too long, when it says too much, and when
this process ends, even by force: see `ctxd.reader.guard`, and `ctxd.reader.windows_job` for the one
system without process groups. What it is given on its standard input stands in a file without a
name, so that neither waits for the other and `ps` shows nothing of it.

Folders have few names, used again and again: some agents note every folder that they ever ran in.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from ctxd.policy.reader import (
    READER_FOLDERS,
    READER_LEFTOVER_SECONDS,
    READER_OUTPUT_BYTES,
)
from ctxd.reader.values import Command, Finished, ReaderError, Trouble
from ctxd.terminal import path_text

VARIABLE = "CTXD_READER"
"""Set for everything that a reader's program starts, such as hooks of ours."""
_OURS = "CTXD_"
_READ_BYTES = 64 * 1024
_MOST = f"{READER_OUTPUT_BYTES // 1024**2} MB"
_NOT_THERE = frozenset({errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR})


def run(command: Command, folder: Path, seconds: float) -> Finished:
    """Run a program in a private folder below `folder`.

    Raise ReaderError: `missing` when it cannot be started, `slow` when it takes longer than
    `seconds`, `broken` when it says too much or the system refuses something.
    """
    try:
        with _private_folder(folder) as (place, lock):
            _write(command.files, place)
            return _run(command, place, lock, seconds)
    except OSError as error:
        raise ReaderError("broken", f"cannot run the reader: {error.strerror or error}") from error


def environment(more: Mapping[str, str], own: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The user's variables as a reader's program gets them: those of ctxd say where our things
    are, which is not its business."""
    kept = {name: value for name, value in own.items() if not name.upper().startswith(_OURS)}
    wanted = {**kept, **more, VARIABLE: "1"}
    return {name: value for name, value in wanted.items() if value}


class _Program(Protocol):
    """A program that runs: `ctxd.reader.guarded.Guarded` or `ctxd.reader.windows_job.Jobbed`."""

    @property
    def outputs(self) -> tuple[IO[bytes], IO[bytes]]: ...

    def wait(self) -> int: ...

    def close(self) -> None: ...


def _run(command: Command, place: Path, lock: int, seconds: float) -> Finished:
    with _started(command, place, lock) as program:
        over = threading.Event()
        stdout, stderr = (_Output(pipe) for pipe in program.outputs)
        stdout.start(over)
        stderr.start()
        end = _End(program, over)
        if not over.wait(seconds):
            raise ReaderError("slow", f"the reader did not answer within {seconds:.0f} s")
        stdout.check()
        code = end.code(command.argv[0])
        said, complaint = stdout.text(), stderr.text()
        stdout.check()
        answer = _answer(place / command.answer_file) if command.answer_file else ""
        return Finished(code=code, stdout=said, stderr=complaint, answer=answer)


@contextlib.contextmanager
def _started(command: Command, place: Path, lock: int) -> Iterator[_Program]:
    with tempfile.TemporaryFile() as given:
        given.write(command.stdin.encode("utf-8", "replace"))
        given.seek(0)
        program = _start(command, given, place, lock)
    try:
        yield program
    finally:
        program.close()


def _start(command: Command, given: IO[bytes], place: Path, lock: int) -> _Program:
    variables = environment(command.env)
    try:
        if sys.platform == "win32":
            from ctxd.reader.windows_job import Jobbed

            return Jobbed(command.argv, variables, given, place, lock)
        from ctxd.reader.guarded import Guarded

        return Guarded(command.argv, variables, given, place, lock)
    except OSError as error:
        raise _not_started(command.argv[0], error) from error


def _not_started(program: str, error: OSError) -> ReaderError:
    trouble: Trouble = "missing" if error.errno in _NOT_THERE else "broken"
    return ReaderError(trouble, f"cannot start `{path_text(Path(program))}`: {error.strerror}")


class _Output:
    """What a program prints, as far as it is kept; the rest is read so that it does not wait."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.is_too_much = False
        self._pipe = pipe
        self._data = bytearray()
        self._thread: threading.Thread

    def start(self, over: threading.Event | None = None) -> None:
        """Begin to read; say so when it is too much."""
        self._thread = threading.Thread(target=self._read, args=(over,), daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raise ReaderError when it is too much."""
        if self.is_too_much:
            raise ReaderError("broken", f"the reader printed more than {_MOST}")

    def text(self) -> str:
        """All of it; the program has ended."""
        self._thread.join(READER_LEFTOVER_SECONDS)
        return self._data.decode("utf-8", "replace")

    def _read(self, over: threading.Event | None) -> None:
        with contextlib.suppress(OSError, ValueError), self._pipe:
            while piece := os.read(self._pipe.fileno(), _READ_BYTES):
                self._data += piece[: READER_OUTPUT_BYTES - len(self._data)]
                if len(self._data) == READER_OUTPUT_BYTES and over is not None:
                    self.is_too_much = True
                    over.set()


class _End:
    """The end of a program, waited for beside all else."""

    def __init__(self, program: _Program, over: threading.Event) -> None:
        self._program = program
        self._code: int | None = None
        self._error: OSError | None = None
        self._thread = threading.Thread(target=self._wait, args=(over,), daemon=True)
        self._thread.start()

    def code(self, program: str) -> int:
        """With which it ended; raise ReaderError where it never began."""
        self._thread.join()
        if self._error is not None:
            raise _not_started(program, self._error)
        return self._code or 0

    def _wait(self, over: threading.Event) -> None:
        try:
            self._code = self._program.wait()
        except OSError as error:
            self._error = error
        over.set()


@contextlib.contextmanager
def _private_folder(folder: Path) -> Iterator[tuple[Path, int]]:
    """A fresh folder that nobody else uses, and the open file that says so."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    place, lock = _free(folder)
    try:
        yield place, lock
    finally:
        _clear(place)
        os.close(lock)


def _free(folder: Path) -> tuple[Path, int]:
    """The first that nobody uses. One that cannot be had is passed over, as when a program left
    something that cannot be cleared away."""
    error: OSError | None = None
    for number in range(1, READER_FOLDERS + 1):
        place = folder / f"call-{number}"
        try:
            lock = os.open(folder / f"call-{number}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as refused:
            error = refused
            continue
        try:
            if _is_locked(lock):
                _clear(place)
                place.mkdir(mode=0o700)
                return place, lock
        except OSError as refused:
            error = refused
        os.close(lock)
    if error is not None:
        raise error
    raise ReaderError("broken", "too many readers run at once")


def _clear(place: Path) -> None:
    """Take away what a program left in the place of its folder, as far as that goes."""
    with contextlib.suppress(OSError, RecursionError):
        if place.is_symlink() or not place.is_dir():
            place.unlink()  # a pipe that is taken for a folder would be waited for
            return
        shutil.rmtree(place, ignore_errors=True)
        if place.is_dir():
            _open_up(place)
            shutil.rmtree(place, ignore_errors=True)


def _open_up(place: Path) -> None:
    """Let folders be emptied that a program has closed, as package managers close their caches."""
    with contextlib.suppress(OSError):
        place.chmod(0o700)
    for parent, folders, _ in os.walk(place):
        for name in folders:
            inside = Path(parent, name)
            with contextlib.suppress(OSError):
                if not inside.is_symlink():
                    inside.chmod(0o700)


def is_busy(folder: Path) -> bool:
    """Whether a program runs in a folder below this one, or its guard still cleans up after it."""
    for lock in folder.glob("call-*.lock"):
        try:
            file = os.open(lock, os.O_RDWR)
        except OSError:
            continue  # nobody holds what cannot be opened
        try:
            if not _is_locked(file):
                return True
        finally:
            os.close(file)
    return False


if sys.platform == "win32":

    def _is_locked(file: int) -> bool:
        import msvcrt

        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _is_locked(file: int) -> bool:
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _write(files: Mapping[str, str], place: Path) -> None:
    for name, text in files.items():
        inside = PurePosixPath(name)
        if inside.is_absolute() or ".." in inside.parts:
            raise ValueError(f"not a name inside a folder: {name!r}")
        path = place / inside
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        created = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(created, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)


def _answer(path: Path) -> str:
    """What stands in a file that the program has left; empty where it has left none."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    except OSError:
        return ""
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return ""
        data = file.read(READER_OUTPUT_BYTES + 1)
    if len(data) > READER_OUTPUT_BYTES:
        raise ReaderError("broken", f"the reader left an answer of more than {_MOST}")
    return data.decode("utf-8", "replace")
