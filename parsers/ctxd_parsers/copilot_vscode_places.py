"""Where VS Code and its kin keep chats, and which folder a chat belongs to.

A window's chats lie in `workspaceStorage/<hash>/chatSessions` of the machine that shows the window,
also when it works on a remote machine; what extensions store lies where they run, for a remote
window in the server's `data/User` over there. The hash tells nothing: `workspace.json` beside the
folder names what was open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath

import msgspec

from ctxd_parsers.environment import Environment
from ctxd_parsers.values import uri_path

PLACES = "copilot-vscode"
"""Name under which the user configures further `User` folders, for all stores in them."""

CHAT_FOLDERS = ("chatSessions", "emptyWindowChatSessions", "transferredChatSessions")
"""Folders of chats: of a workspace, of windows without one, on their way to another window."""

_PRODUCTS = ("Code", "Code - Insiders", "Code - OSS", "VSCodium", "VSCodium - Insiders")
_FLATPAKS = {"com.visualstudio.code": "Code", "com.vscodium.codium": "VSCodium"}
_SERVERS = (
    ".vscode-server",
    ".vscode-server-insiders",
    ".vscode-server-oss",
    ".vscode-remote",
    ".vscodium-server",
    ".vscodium-server-insiders",
)


class _Workspace(msgspec.Struct):
    folder: str = ""
    workspace: str = ""


def user_folders(env: Environment) -> Sequence[PurePath]:
    """The `User` folders of all products, portable ones and remote servers."""
    portable = env.variable_path("VSCODE_PORTABLE")
    bases = [env.config_home, env.variable_path("VSCODE_APPDATA")]
    packed = [
        env.home / ".var" / "app" / name / "config" / product
        for name, product in _FLATPAKS.items()
        if env.system == "linux"
    ]
    return env.roots(
        PLACES,
        *(base / product / "User" for base in bases if base for product in _PRODUCTS),
        *(folder / "User" for folder in packed),
        portable / "user-data" / "User" if portable else None,
        *(env.home / server / "data" / "User" for server in _SERVERS),
    )


def workspace_file(path: PurePath) -> Sequence[PurePath]:
    """The file that names a transcript's workspace: beside the folder that holds its own."""
    parent = path.parent
    if parent.name == "chatSessions":
        return (parent.parent / "workspace.json",)
    if parent.name == "transcripts":
        return (parent.parent.parent / "workspace.json",)
    return ()


def cwd_of(companions: Mapping[PurePath, bytes]) -> str | None:
    """The folder of a transcript's window, or a remote folder's URI.

    A window with several folders is named by its `.code-workspace` file: the folders stand in that
    file, which lies anywhere, so its path is given for want of better.
    """
    for data in companions.values():
        try:
            found = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=_Workspace)
            uri = found.folder or found.workspace
            return uri_path(uri) or None if uri else None
        except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError):
            continue
    return None
