"""What is known of one agent's hooks: where they are written down, in which form, since when.

Each agent has a file of its own with a `Vendor` in it; nothing else knows an agent by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd.hooks.shell import here
from ctxd.policy.hooks import HOOK_SECONDS
from ctxd_parsers.environment import Environment

Version = tuple[int, ...]
Words = Sequence[str]
"""Of a command, as `ctxd.hooks.command` has them."""


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """A moment at which an agent calls hooks, and that ctxd makes use of."""

    event: str
    """As the agent's configuration names it."""
    use: str
    """What ctxd does then, for people."""
    since: Version = ()
    """First version known to know the name: older ones may run no hooks at all for one that is new
    to them. Empty: all that have hooks."""
    seconds: int = HOOK_SECONDS
    """After which the agent ends it."""
    tell: bool = False
    """Whether the payload does not say which moment it is, so that the command has to."""


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """How a configuration file holds hooks."""

    entry: Callable[[Moment, Words], dict[str, Any]]
    """The element of a list that is one hook, or a group with one."""
    by_event: bool = True
    """Whether each event has a list of its own below `hooks`; else all stand in `hooks`."""
    whole: Mapping[str, Any] = {}
    """What a file has besides hooks, where it has to be made."""

    def list_of(self, moment: Moment) -> tuple[str, ...]:
        """The path of the list that the hooks of a moment are in."""
        return ("hooks", moment.event) if self.by_event else ("hooks",)


class File(msgspec.Struct, frozen=True):
    """A file that hooks may be written into."""

    path: PurePath
    form: Form


class Vendor(msgspec.Struct, frozen=True, kw_only=True):
    """One agent."""

    agent: str
    """As the rest of ctxd calls it."""
    product: str
    """As people call it."""
    calls: str = ""
    """The agent that its hooks say they are of, where its file is another one's; empty: itself."""
    with_others: tuple[str, ...] = ()
    """Agents that read the same file: they have to know its events, too."""
    package: str = ""
    """Of the client on npm, which tells its version without being run."""
    programs: tuple[str, ...] = ()
    """Names of its client on the command line; the first that is there is asked for its version."""
    quiet: Mapping[str, str] = {}
    """Variables that keep the client from doing anything else when it is asked."""
    first_version: Version = ()
    """Before which it has no hooks, or none that were tried."""
    old_are_blind: bool = False
    """Whether earlier versions do not read its files at all, so that no event in them matters."""
    moments: tuple[Moment, ...]
    user_files: Callable[[Environment], tuple[File, ...]]
    project_files: Callable[[PurePath], tuple[File, ...]]
    homes: Callable[[Environment], Sequence[PurePath]]
    """Folders that are there where the agent was used."""
    by_all: bool = True
    """Whether `--all` means it too: not where a hook has it write more to disk than it would."""
    off: Callable[[Environment, Any], str] = lambda _env, _data: ""
    """Why all hooks are turned off, by what the file has or others have; empty: they are not."""
    limits: tuple[str, ...] = ()
    """What its hooks cannot do, in sentences."""
    notes: tuple[str, ...] = ()
    """What the user has to know or do once they are written."""
    project_notes: tuple[str, ...] = ()
    """The same of hooks in a project."""

    def known_by(self, version: Version | None) -> tuple[Moment, ...]:
        """The moments that a client of a version knows; of one whose version is not known, those
        that all tried ones do."""
        if version is not None and version < self.first_version:
            return ()
        known = self.first_version if version is None else version
        return tuple(moment for moment in self.moments if moment.since <= known)


def grouped(moment: Moment, words: Words) -> dict[str, Any]:
    """The form that several agents have taken over: a group with one command in it."""
    hook = {"type": "command", "command": here(words), "timeout": moment.seconds}
    return {"hooks": [hook]}
