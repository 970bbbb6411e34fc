"""What goes into the ledger about compactions, and comes out of it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ctxd.item_log import ItemState
from ctxd.retention.values import Answer
from ctxd.signals import Boundary

NoticeState = Literal["waiting", "held", "dispatched", "failed", "none"]
"""`waiting`: about to be sent. `held`: held back, for a digest. `dispatched`: a backend took the
notice. `failed`: it could not. `none`: there is no backend, or it was held back for too long."""


class WaitingBoundary(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A compaction that waits to be judged; recorded with the batch that read it."""

    agent: str
    session: str
    boundary: Boundary
    repository: str = ""
    """See `ctxd.repositories.repository_key`; empty where the session's place is not known."""
    live: bool = False
    """It was read as it happened, not from history."""
    window_before: tuple[str, ...] = ()
    """Ids of the events that were in the window, an earlier summary included."""
    kept: tuple[str, ...] | None = None
    """Those of them that are still in it word for word; None when the log does not tell."""

    @property
    def key(self) -> tuple[str, str, str]:
        """Which one it is: agent, session, id of the compaction's event."""
        return self.agent, self.session, self.boundary.event


class Owed(msgspec.Struct, frozen=True, kw_only=True):
    """An item that a compaction dropped and that the agent was not told again."""

    repository: str
    state: ItemState
    """As the item stands now: `state.text` is its line, `state.item.evidence` the words said."""
    answer: Answer
    boundary: str
    """Id of the compaction's event that dropped it."""
    time: datetime | None = None
    """When that was."""

    @property
    def id(self) -> str:
        """The item's id."""
        return self.state.item.id


class ItemBoundary(msgspec.Struct, frozen=True, kw_only=True):
    """What one compaction did to one item."""

    agent: str
    session: str
    event: str
    """Id of the compaction's event."""
    number: int
    """The how-manieth judged compaction of its session it is, from 1."""
    time: datetime | None = None
    live: bool = False
    answer: Answer
    owed: bool = False
    """Whether the agent had to be told again."""
    given: float | None = None
    """When the agent was told again, in Unix seconds."""


class KeptNotice(msgspec.Struct, frozen=True, kw_only=True):
    """A notice of one compaction, and what became of it."""

    key: str
    """One notice a key, ever."""
    time: float
    """When it was made, in Unix seconds."""
    state: NoticeState
    why: str = ""
    """Why it was not dispatched, or by which backend it was."""
    title: str
    body: str = ""
    agent: str = ""
    session: str = ""


class LastAnswer(msgspec.Struct, frozen=True):
    """What the last compaction that judged an item came to."""

    answer: Answer
    event: str
    """Id of the compaction's event."""
    given: float | None = None
    """When the agent was told the item again since, in Unix seconds."""


class BoundaryNumbers(msgspec.Struct, frozen=True):
    """How many compactions there are, and what those that ctxd saw happen dropped."""

    judged: int
    waiting: int
    dropped: int
    """Items, counted once for each compaction."""
    given: int
    """Those of them that the agent was told again."""
