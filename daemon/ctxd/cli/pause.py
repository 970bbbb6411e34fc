"""`ctxd pause`: a pause in reading."""

from __future__ import annotations

from ctxd.cli.daemon import tell
from ctxd.cli.group import command as command_of


@command_of(
    ("ctxd pause", "stop reading"),
    ("ctxd resume", "read on, nothing is lost"),
    ("ctxd status", "tells that it is paused"),
)
def command() -> int:
    """Have the daemon stop reading logs until `ctxd resume`; nothing is lost meanwhile."""
    return tell("pause")
