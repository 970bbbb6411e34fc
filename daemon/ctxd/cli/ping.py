"""`ctxd ping`: whether the daemon is alive."""

from __future__ import annotations

from ctxd.cli.daemon import tell
from ctxd.cli.group import command as command_of


@command_of(("ctxd ping", "whether the daemon is alive"))
def command() -> int:
    """Ask the daemon whether it is alive and can store what it reads."""
    return tell("ping")
