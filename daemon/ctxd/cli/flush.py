"""`ctxd flush`: everything up to now."""

from __future__ import annotations

from ctxd.cli.daemon import tell
from ctxd.cli.group import command as command_of


@command_of(
    ("ctxd flush", "wait until everything is read"),
    ("ctxd flush && ctxd status", "a status that is up to date"),
    ("ctxd --home /tmp/try flush", "a daemon with folders elsewhere"),
)
def command() -> int:
    """Have the daemon read everything that was written up to now, and wait until it has."""
    return tell("flush")
