"""`ctxd run`: the daemon in the foreground, as a service manager starts it."""

from __future__ import annotations

from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import Exit, UsageError


class UnusableSettingsError(UsageError):
    """The daemon cannot run with its settings."""

    exit_code = Exit.SETTINGS


@command_of(
    ("ctxd run", "follow all sessions until Ctrl-C"),
    ("ctxd status", "in another terminal: what it is doing"),
    ("ctxd --home /tmp/try run", "the same with ctxd's own folders elsewhere"),
)
def command() -> int:
    """Follow the logs of all agents and keep what is learned from them, until stopped.

    Exits with 78 when its settings are wrong.
    """
    from ctxd.service.run import run

    try:
        run(current.places)
    except UsageError as error:
        raise UnusableSettingsError(error.message, error.hint) from error
    return Exit.OK
