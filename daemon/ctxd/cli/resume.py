"""`ctxd resume`: the end of a pause."""

from __future__ import annotations

from ctxd.cli.daemon import tell
from ctxd.cli.group import command as command_of


@command_of(("ctxd resume", "the end of a pause"))
def command() -> int:
    """Have a paused daemon read on from where it stopped."""
    return tell("resume")
