"""Windsurf, which is called Devin Desktop by now, and Devin's command line.

The editor's agent keeps its conversations encrypted; they are left alone. With the hook that ctxd
installs it writes them down as well, the latest 100.
"""

from __future__ import annotations

import os
from pathlib import Path

from ctxd.clients.client import Client, Closed
from ctxd_parsers.environment import Environment


def _closed(env: Environment) -> Closed | None:
    sealed = Path(env.home) / ".codeium" / "windsurf" / "cascade"
    if not os.path.isdir(sealed) or os.path.isdir(Path(env.home) / ".windsurf" / "transcripts"):
        return None
    return Closed(
        "its editor keeps conversations encrypted, and they are left alone",
        "`ctxd hook install windsurf` has it write them down as well",
    )


WINDSURF = Client(agent="windsurf", product="Windsurf, Devin", closed=_closed)
