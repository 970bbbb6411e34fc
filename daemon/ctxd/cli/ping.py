"""`ctxd ping`: whether the daemon is alive."""

from __future__ import annotations

from ctxd.cli.daemon import tell
from ctxd.cli.group import command as command_of


@command_of(
    ("ctxd ping", "whether the daemon is alive"),
    ("ctxd ping && make", "go on only when it is"),
    ("ctxd --home /tmp/try ping", "a daemon with folders elsewhere"),
)
def command() -> int:
    """Ask the daemon whether it is alive and can store what it reads."""
    return tell("ping")
