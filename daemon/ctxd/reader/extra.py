"""How the libraries of the optional extra get to where this ctxd is installed."""

from __future__ import annotations

import sys
from pathlib import PurePath

NAME = "ctxd-daemon[reader]"


def install_hint(prefix: str = sys.prefix, executable: str = sys.executable) -> str:
    """The command that installs the extra, by what has installed ctxd."""
    parts = PurePath(prefix).parts
    if "tools" in parts and "uv" in parts:
        return f"`uv tool install '{NAME}'`, then `ctxd service restart`"
    if "pipx" in parts:
        return f"`pipx install --force '{NAME}'`, then `ctxd service restart`"
    return f"`{executable} -m pip install '{NAME}'`, then `ctxd service restart`"
