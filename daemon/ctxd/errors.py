"""What can go wrong in words a user can act on, and the exit codes that stand for it.

A message is one fact in lower case without a full stop, commands and paths in backticks; a hint is
one next step in the same form. Exceptions that are not a `CtxdError` are defects of ctxd and keep
their traceback.
"""

from __future__ import annotations

import errno
from enum import IntEnum


class Exit(IntEnum):
    """Exit codes, documented and never reordered. Any other code but 0 is a failure too."""

    OK = 0
    FAILED = 1
    """An expected failure: what and why is on stderr, with a hint."""
    USAGE = 2
    """The command line or the configuration is wrong."""
    NOT_RUNNING = 3
    """The daemon is asked for, and none runs."""
    FINDINGS = 4
    """What was asked for was found: problems, or edits that wait, of commands that say so."""
    CONFLICT = 5
    """Somebody changed a file meanwhile; it was left as it is."""
    PARTIAL = 6
    """The answer is right but not whole: some sources could not be read."""
    BUG = 70
    """A defect of ctxd; its traceback was saved."""
    SETTINGS = 78
    """The daemon cannot use its settings: service managers do not try that again."""
    INTERRUPTED = 130
    """Ctrl-C."""
    PIPE_CLOSED = 141
    """Whoever read the output stopped reading: 128 + SIGPIPE, as other programs end."""


class CtxdError(Exception):
    """A failure that ctxd foresaw."""

    exit_code = Exit.FAILED

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UserError(CtxdError):
    """Something the user asked for cannot be done; the hint says what can."""


class UsageError(CtxdError):
    """The command line or the configuration does not make sense."""

    exit_code = Exit.USAGE


def reason(error: OSError, path: object = "") -> str:
    """Why the system refused, in lower-case words without the path it was about."""
    if error.strerror:
        return _OWN_WORDS.get(error.errno or 0, error.strerror[0].lower() + error.strerror[1:])
    return str(error).removeprefix(str(path)).strip() or type(error).__name__


_OWN_WORDS = {
    errno.ELOOP: "is a symbolic link, or a loop of them",
    errno.ENXIO: "not a regular file",
}
"""Files are opened without following links; opening a socket has words of its own."""
