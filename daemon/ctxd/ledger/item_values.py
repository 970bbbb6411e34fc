"""What goes into the ledger about items, and comes out of it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ctxd.exchange import Exchange
from ctxd.item import Authority, Item, Kind
from ctxd.item_log import ItemEvent, ItemState

ExchangeKey = tuple[str, str, str]
"""Agent, session, and id of the answer's first event: which exchange it is, however it grows."""


class Pending(msgspec.Struct, frozen=True):
    """An exchange that waits to be judged."""

    agent: str
    session: str
    exchange: Exchange
    """Its answer is not empty."""
    since: float | None = None
    """When it was first recorded, in Unix seconds; given by the ledger."""

    @property
    def key(self) -> ExchangeKey:
        """Which exchange it is."""
        return self.agent, self.session, self.exchange.answer[0]


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What was understood from one exchange; nothing in it is an answer, too."""

    key: ExchangeKey
    repository: str
    """See `ctxd.repositories.repository_key`."""
    items: Sequence[Item] = ()
    """Items that are new: each is recorded as `captured`."""
    events: Sequence[ItemEvent] = ()
    """What the exchange did to items known before it: `restated`, `refined`, `superseded`,
    `contradicted`, `taken_back` of `ctxd.item_log`."""
    uncovered: str = ""
    """The language of the user's words, where ctxd cannot judge it."""


class KeptItem(msgspec.Struct, frozen=True):
    """An item in the ledger."""

    repository: str
    exchange: ExchangeKey
    """Which exchange its present content was understood from."""
    state: ItemState

    @property
    def id(self) -> str:
        """The item's id: unique within its repository."""
        return self.state.item.id

    @property
    def item(self) -> Item:
        """The item as it was understood last."""
        return self.state.item


class ReviewedItem(msgspec.Struct, frozen=True):
    """An item that the user has judged."""

    repository: str
    item: str
    verdicts: int
    """How often."""
    last: float
    """When last, in Unix seconds."""


class LoggedEvent(msgspec.Struct, frozen=True):
    """An event of an item, as it came into the ledger."""

    number: int
    """Higher than those of all events that came before."""
    repository: str
    event: ItemEvent


class ItemCount(msgspec.Struct, frozen=True):
    """Active items of one kind in one session."""

    repository: str
    agent: str
    session: str
    kind: Kind
    authority: Authority
    number: int
    waiting: int
    """How many of them wait for the user's review."""


class UncoveredSession(msgspec.Struct, frozen=True):
    """A session in which the user spoke a language that ctxd cannot judge."""

    agent: str
    session: str
    language: str
    exchanges: int
