"""`ctxd resume`: the end of a pause."""

from __future__ import annotations

from ctxd.cli.daemon import tell
from ctxd.cli.group import command as command_of


@command_of(
    ("ctxd resume", "read on from where it stopped"),
    ("ctxd pause", "stop reading"),
    ("ctxd status", "tells whether it is paused"),
)
def command() -> int:
    """Have a paused daemon read on from where it stopped."""
    return tell("resume")
