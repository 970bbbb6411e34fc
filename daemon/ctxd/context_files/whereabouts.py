"""Which worktree each session ran in, and which agents were seen there.

An item goes to the worktree that its session ran in and to no other: what is decided on a branch
reaches the others when the branch does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ctxd.context_files.conventions import reader
from ctxd.context_files.view import place_of
from ctxd.redact import redact
from ctxd.repositories import repository_key, repository_of
from ctxd.terminal import path_text

Key = tuple[str, str]
"""Agent and session id."""


class Spot(msgspec.Struct, frozen=True):
    """The worktree that a session's items belong to."""

    root: str
    """Its top folder; the folder itself where there is no repository."""
    repository: str
    """What its items are filed under."""
    moved: bool = False
    """Whether the session's own folder is gone: then only what the user agrees to is written."""


class Folders:
    """Where folders lie, each looked up once; to be made anew from time to time."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Spot | None] = {}

    def spot(self, cwd: str, main: str) -> Spot | None:
        """The worktree of what was said in a folder of a repository; None when it is nowhere."""
        key = (cwd, main)
        if key not in self._known:
            self._known[key] = _spot(cwd, main)
        return self._known[key]


class Whereabouts:
    """Those of all sessions, each told as agent, id, client version and folder."""

    def __init__(
        self, sessions: Iterable[tuple[str, str, str | None, str]], folders: Folders
    ) -> None:
        self._folders = folders
        self._cwds: dict[Key, str] = {}
        self._agents: dict[str, set[str]] = {}
        for agent, session, version, cwd in sessions:
            self._cwds[agent, session] = cwd
            self._agents.setdefault(cwd, set()).add(reader(agent, version))

    def of(self, session: Key, repository: str) -> Spot | None:
        """Where an item of a session goes; None where the session is not known on this machine."""
        cwd = self._cwds.get(session)
        spot = self._folders.spot(cwd, repository) if cwd else None
        return spot if spot and spot.repository == repository else None

    def agents(self, root: str) -> frozenset[str]:
        """The agents that were seen in a worktree, by their names in the table of conventions."""
        found = [
            self._agents[cwd]
            for cwd in self._agents
            if (spot := self._folders.spot(cwd, "")) and spot.root == root
        ]
        return frozenset().union(*found)

    def roots(self) -> dict[str, str]:
        """The worktrees that sessions ran in, each with its repository."""
        spots = (self._folders.spot(cwd, "") for cwd in self._agents)
        return {spot.root: spot.repository for spot in spots if spot}


def spot_of(folder: str) -> Spot | None:
    """The worktree that a folder lies in; None when it is no folder here, or has a name that is no
    text."""
    return _spot(folder, "")


def _spot(cwd: str, main: str) -> Spot | None:
    place = place_of(cwd, main)
    if not os.path.isabs(place.folder) or not os.path.isdir(place.folder):
        return None
    repository = repository_of(place.folder)
    root = str(repository.worktree if repository else Path(os.path.realpath(place.folder)))
    if path_text(root) != root:
        return None
    return Spot(root, redact(repository_key(place.folder)), place.moved)
