"""A word with the running daemon."""

from __future__ import annotations

from ctxd.cli.settings import current
from ctxd.errors import CtxdError, Exit
from ctxd.policy.shown import FLUSH_SECONDS


class NotRunningError(CtxdError):
    """No daemon answers."""

    exit_code = Exit.NOT_RUNNING


def tell(command: str) -> int:
    """Send the daemon a command and show what it says; raise when none runs or it refuses."""
    from ctxd.service.asking import Request, ask, control_address

    answer = ask(control_address(current.places.runtime), Request(command), 2 * FLUSH_SECONDS)
    if answer is None:
        raise NotRunningError("ctxd is not running", "start it with `ctxd run`")
    if not answer.ok:
        raise CtxdError(answer.message, answer.hint or "`ctxd status` shows more")
    current.output.print(answer.message or f"ctxd {answer.version} is alive")
    return Exit.OK
