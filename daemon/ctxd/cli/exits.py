"""How a command line ends: every failure becomes an exit code, and words for who can act on it.

An expected failure is one line `error: ...` and, after a blank line, `hint: ...`. A defect of ctxd
keeps its traceback in a file, whose path is shown.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import click

from ctxd.cli.settings import current
from ctxd.errors import CtxdError, Exit, reason
from ctxd.policy.shown import CRASH_FILES
from ctxd.terminal import short_path

_LIKE = 0.75
"""How much alike a mistyped option and the one meant are, from 0 to 1."""


def exit_code_of(error: BaseException) -> int:
    """Tell the user about a failure, where there is something to tell, and return its exit code."""
    try:
        code = _explain(error)
        settle()
    except BrokenPipeError:
        return _hang_up()
    except OSError:  # stderr itself cannot be written: there is nobody to tell
        return Exit.FAILED
    return code


def settle() -> None:
    """Have everything written out; raise OSError when it cannot be."""
    sys.stdout.flush()
    sys.stderr.flush()


def complain(message: str, hint: str) -> None:
    """Write an error, and the next step to take, to stderr."""
    out = current.messages
    out.print(("error:", "bold red"), f" {message}")
    out.print()
    out.print(("hint:", "cyan"), f" {hint}")


def _explain(error: BaseException) -> int:
    for kind, explain in _EXPLAIN.items():
        if isinstance(error, kind):
            return explain(error)
    return _defect(error)


def _left(error: SystemExit) -> int:
    return error.code if isinstance(error.code, int) else Exit.FAILED


def _foreseen(error: CtxdError) -> int:
    complain(error.message, error.hint)
    return error.exit_code


def _misused(error: click.ClickException) -> int:
    complain(*_usage(error))
    return error.exit_code


def _gone(error: BrokenPipeError) -> int:
    raise error


def _usage(error: click.ClickException) -> tuple[str, str]:
    """Click's words in our form."""
    context = getattr(error, "ctx", None)
    name = context.command_path if context else "ctxd"
    hint = f"`{name} -h` shows how it is used"
    if isinstance(error, click.NoSuchOption):
        return f"no option `{error.option_name}`", _meant(error) or hint
    text = error.format_message().strip().removesuffix(".").replace("'", "`")
    text = text.replace("[PATH]...", "PATH")
    if isinstance(error, click.MissingParameter):  # the choices may follow, as an indented list
        text = text.partition(". ")[0]
    return text[:1].lower() + text[1:], hint


def _meant(error: click.NoSuchOption) -> str | None:
    """The option that was meant, or the command that has it; None when nothing is like it."""
    import difflib

    near = difflib.get_close_matches(error.option_name, error.possibilities or [], 1, _LIKE)
    if near:
        return f"did you mean `{near[0]}`?"
    context = error.ctx
    if not context or not isinstance(context.command, click.Group):
        return None
    for name in ("scan", "sessions", "events"):
        command = context.command.get_command(context, name)
        if command and any(error.option_name in option.opts for option in command.params):
            return f"it stands behind a command, as in `ctxd {name} {error.option_name}`"
    return None


def _refused(error: OSError) -> int:
    """The system refused something: a file where the error names one, else the output. One that is
    not there and has no name is the current folder."""
    if error.filename is None and error.errno == errno.ENOENT:
        complain("the folder you are in is gone", "`cd` to another one")
    elif error.filename is None:
        _abandon(sys.stdout)
        complain(f"cannot write the output: {reason(error)}", "free some space, or write elsewhere")
    else:
        where = short_path(os.fsdecode(error.filename), Path.home())
        complain(f"cannot use `{where}`: {reason(error)}", "`ctxd paths` lists the folders in use")
    return Exit.FAILED


def _defect(error: BaseException) -> int:
    import traceback

    text = "".join(traceback.format_exception(error))
    first = traceback.format_exception_only(error)[-1].strip()
    try:
        where = short_path(_save(text), Path.home())
    except Exception:  # noqa: BLE001 - what failed may be what is needed here
        sys.stderr.write(text)
        complain(f"internal error: {first}", "please report it with the traceback above")
    else:
        complain(f"internal error: {first}", f"please report it with the traceback in `{where}`")
    return Exit.BUG


def _save(text: str) -> Path:
    """Keep a traceback where only the user can read it, and only the latest few."""
    folder = current.places.crashes
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for old in sorted(folder.glob("*.txt"))[: -CRASH_FILES + 1 or None]:
        old.unlink(missing_ok=True)
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    path = folder / f"{now}-{os.getpid()}.txt"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    return path


_EXPLAIN: dict[type[BaseException], Callable[[Any], int]] = {
    click.exceptions.Exit: lambda error: error.exit_code,
    SystemExit: _left,
    KeyboardInterrupt: lambda _error: Exit.INTERRUPTED,
    click.Abort: lambda _error: Exit.INTERRUPTED,
    CtxdError: _foreseen,
    click.ClickException: _misused,
    BrokenPipeError: _gone,
    OSError: _refused,
}
"""The first one that fits; anything else is a defect."""


def _hang_up() -> int:
    """Whoever read the output has gone: end without a word."""
    _abandon(sys.stdout)
    _abandon(sys.stderr)
    return Exit.PIPE_CLOSED


def _abandon(stream: TextIO) -> None:
    """Let what is still unwritten go nowhere, or the interpreter would fail on it once more."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
