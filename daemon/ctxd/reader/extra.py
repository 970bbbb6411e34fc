"""How the libraries of the optional extra get to where this ctxd is installed."""

from __future__ import annotations

import contextlib
import importlib.metadata
import sys
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import msgspec

DISTRIBUTION = "ctxd-daemon"
NAME = f"{DISTRIBUTION}[reader]"
_NOTE = "direct_url.json"
"""Beside what is installed: https://packaging.python.org/en/latest/specifications/direct-url/"""


def install_hint(
    prefix: str = sys.prefix, executable: str = sys.executable, origin: str | None = None
) -> str:
    """The command that installs the extra, by what has installed ctxd and where it has it from."""
    wanted = _wanted(_origin() if origin is None else origin)
    parts = PurePath(prefix).parts
    if "tools" in parts and "uv" in parts:
        return f"`uv tool install '{wanted}'`, then `ctxd service restart`"
    if "pipx" in parts:
        return f"`pipx install --force '{wanted}'`, then `ctxd service restart`"
    return f"`{executable} -m pip install '{wanted}'`, then `ctxd service restart`"


def _origin() -> str:
    """What an installer has noted of where ctxd comes from; empty where that is an index."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError, OSError, UnicodeError):
        files = importlib.metadata.files(DISTRIBUTION) or ()
        noted = (Path(str(one.locate())) for one in files if one.name == _NOTE)
        return next((one.read_text(encoding="utf-8") for one in noted), "")
    return ""


def _wanted(origin: str) -> str:
    """What is to be installed: from a folder or a repository, what came from there."""
    try:
        noted = msgspec.json.decode(origin, type=dict[str, Any])
        url, repository = str(noted["url"]), noted.get("vcs_info")
        place = urlsplit(url)
        if repository:
            return f"{NAME} @ {repository['vcs']}+{url}"
    except (msgspec.DecodeError, LookupError, TypeError, ValueError):
        return NAME
    folder = Path(url2pathname(place.path))
    is_here = place.scheme == "file" and "'" not in str(folder) and folder.is_dir()
    return f"{folder}[reader]" if is_here else NAME
