"""The state of one session: what `ctxd.session` reduces its events to.

Small and bounded however long the log is, and encodable as it is.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ctxd.exchange import Talk
from ctxd.signals import Boundary
from ctxd.window import Window
from ctxd_parsers.events import Start

KnownBy = Literal[
    "process", "end record", "hook", "sign gone", "dead process", "recent event", "silence"
]
"""How the state of a session is known: see `ctxd.liveness`."""


class Ending(msgspec.Struct, frozen=True, array_like=True):
    """How a session ended, as far as is known. Never final."""

    reason: str | None = None
    """The client's own word for it."""
    time: datetime | None = None
    known_by: KnownBy = "end record"

    def is_behind(self, time: datetime | None) -> bool:
        """Whether something happened before the end that is written before it: rows come late."""
        return time is not None and self.time is not None and time <= self.time


class SeenProcess(msgspec.Struct, frozen=True, array_like=True):
    """The process that was last seen to have the session open; kept by `liveness`."""

    pid: int
    started: float | None
    """When it started, by the system's own measure: tells it from a later one of the same pid."""
    at: datetime
    """When it was last seen alive."""


class Session(msgspec.Struct):
    """Everything known of one session."""

    agent: str
    id: str
    how: Start = "startup"
    """How it first began."""
    parent: str | None = None
    """The session it was forked, copied or spawned from."""
    cwd: str | None = None
    branch: str | None = None
    repository: str | None = None
    """`owner/name`, where the client itself says so."""
    title: str | None = None
    titled_by: Literal["user", "agent"] | None = None
    client: str | None = None
    client_version: str | None = None
    model: str | None = None
    started: datetime | None = None
    last_event: datetime | None = None
    """Latest time an event of this session carries; None where the log tells none."""
    starts: int = 0
    """How often it was begun or resumed, as far as the log tells."""
    turns: int = 0
    user_messages: int = 0
    interruptions: int = 0
    withdrawn: int = 0
    """Events that the user took back out of the window."""
    compacted: int = 0
    """Compactions of the user's window."""
    compactions: list[Boundary] = []
    """The last of them, sub-agents' included."""
    sub_agents: list[str] = []
    """Ids of its sub-agents, at most `policy.SUB_AGENTS_REMEMBERED`."""
    busy: bool = False
    """A turn is open: the agent is at work, or was when the log breaks off."""
    turn: str | None = None
    """The client's id of the last turn."""
    commanded: bool = False
    """Words came with a slash command, which may or may not set the agent to work."""
    ended: Ending | None = None
    process: SeenProcess | None = None
    own: bool = False
    """It is ctxd's own, and none of the user's: see `ctxd.reader.own`."""
    window: Window = msgspec.field(default_factory=Window)
    talk: Talk = msgspec.field(default_factory=Talk)
