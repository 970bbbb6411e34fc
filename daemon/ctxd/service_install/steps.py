"""What is done to install or remove a service, as values: `--dry-run` prints them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from ctxd.errors import CtxdError, UserError, reason
from ctxd.policy.service import SERVICE_CALL_SECONDS, SERVICE_RETRY_SECONDS, SERVICE_SAID_CHARS
from ctxd.replacing import replace
from ctxd.terminal import one_line, path_text


class Done(msgspec.Struct, frozen=True):
    """What became of a program."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Its last words, on one line."""
        lines = (self.err.strip() or self.out.strip()).splitlines()
        return one_line(lines[-1])[:SERVICE_SAID_CHARS] if lines else f"it ended with {self.code}"


Runner = Callable[[Sequence[str]], Done]
"""Runs a program to its end."""


class Write(msgspec.Struct, frozen=True):
    """A file is written, whole; folders that are not there are made."""

    path: Path
    text: str
    encoding: str = "utf-8"


class Remove(msgspec.Struct, frozen=True):
    """A file is removed, and then those of these folders that are empty."""

    path: Path
    folders: tuple[str, ...] = ()


class Call(msgspec.Struct, frozen=True):
    """A program of the system is run."""

    command: tuple[str, ...]
    may_fail: bool = False
    """Where there may be nothing for it to do."""
    tries: int = 1
    """Where what was ordered before may still be under way."""
    hint: str = ""
    """What to do when it fails."""


class Make(msgspec.Struct, frozen=True):
    """A folder is made that only the user may enter."""

    path: Path


Step = Write | Make | Remove | Call


class CallFailedError(CtxdError):
    """The service manager refused."""


def carry_out(steps: Sequence[Step], run: Runner) -> None:
    """Do them in their order; raise CtxdError at the first that cannot be done."""
    for step in steps:
        if isinstance(step, Write):
            _write(step)
        elif isinstance(step, Make):
            _make(step)
        elif isinstance(step, Remove):
            _remove(step)
        else:
            _call(step, run)


def missing_folders(path: Path) -> tuple[str, ...]:
    """Folders that have to be made for a file, the outermost first."""
    missing = [str(folder) for folder in path.parents if not folder.exists()]
    return tuple(reversed(missing))


def run_program(command: Sequence[str], variables: dict[str, str] | None = None) -> Done:
    """Run a program of the system; never raise, a program that is not there failed as well."""
    try:
        done = subprocess.run(  # noqa: S603 - the service manager's own program, no shell
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SERVICE_CALL_SECONDS,
            env=variables,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Done(-1, "", f"no answer within {SERVICE_CALL_SECONDS:.0f} s")
    except OSError as error:
        return Done(-1, "", reason(error))
    out, err = (data.decode("utf-8", "replace") for data in (done.stdout, done.stderr))
    return Done(done.returncode, out, err)


def _write(step: Write) -> None:
    try:
        step.path.parent.mkdir(parents=True, exist_ok=True)
        replace(step.path, step.text.encode(step.encoding, "surrogateescape"), 0o644)
    except OSError as error:
        raise UserError(
            f"cannot write `{path_text(step.path)}`: {reason(error)}",
            "make its folder writable, and free some space",
        ) from error


def _make(step: Make) -> None:
    try:
        step.path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"cannot make `{path_text(step.path)}`: {reason(error)}", "`ctxd paths` shows it"
        ) from error


def _remove(step: Remove) -> None:
    try:
        step.path.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(
            f"cannot remove `{path_text(step.path)}`: {reason(error)}", "make its folder writable"
        ) from error
    for folder in reversed(step.folders):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def _call(step: Call, run: Runner) -> None:
    done = run(step.command)
    for _ in range(step.tries - 1):
        if done.code == 0:
            break
        time.sleep(SERVICE_RETRY_SECONDS)
        done = run(step.command)
    if done.code != 0 and not step.may_fail:
        hint = step.hint or "`ctxd run` works without a service"
        raise CallFailedError(f"`{' '.join(step.command)}` failed: {done.said}", hint)
