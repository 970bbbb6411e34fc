"""Notices on macOS: `osascript`, which every Mac has.

A library would need an application bundle, which a Python of Homebrew or uv is not. The script is
fixed and read from stdin; the texts are its arguments, so that nothing in them is ever run.
terminal-notifier is not used: it reads texts that begin with a bracket as property lists. The
system does not tell whether the user lets Script Editor show notices, in whose name they come.
"""

from __future__ import annotations

from ctxd.notify.programs import run
from ctxd.notify.values import Dispatched, Notice

PROGRAM = "/usr/bin/osascript"
_SCRIPT = """\
on run argv
    display notification (item 2 of argv) with title (item 1 of argv)
end run
"""
_HINT = "allow notices of Script Editor in the system settings, and be logged in at the screen"


def show(notice: Notice, program: str = PROGRAM) -> Dispatched:
    """Give a notice to the notification centre."""
    trouble = run([program, "-", notice.title, notice.body], _SCRIPT)
    if trouble is None:
        return Dispatched("dispatched", "osascript")
    return Dispatched("failed", "osascript", trouble, _HINT)
