"""The history of items: immutable events, and what they come to together.

Branches, clones, machines and repeated readings of a log add events; nobody changes one. `state`
gives the same for any order and any repetition of them, so that two histories are merged by putting
them together. Pure.

Who counts how much: the user's own word to an item (accepted, edited, rejected, retracted) beats
whatever ctxd learns of it later, and of several the last one counts. Below that the last word said
in any session counts: what was superseded and is said once more holds again. What was understood
from words that the user took back does not count while they are taken back.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Literal

import msgspec

from ctxd.item import Item
from ctxd.policy import ITEM_EVENT_ID_BYTES

EventType = Literal[
    "captured",
    "restated",
    "refined",
    "superseded",
    "contradicted",
    "retracted",
    "accepted",
    "edited",
    "rejected",
    "withdrawn",
    "restored",
]
"""`captured`: understood from an exchange. `restated`: said once more. `refined`: said more
precisely. `superseded`, `contradicted`: the item `of` holds instead. `retracted`: taken back, by
the user's words in a session or by deleting its line. `accepted`, `edited`, `rejected`: the user's
verdict on the item itself. `withdrawn`: the words it rests on were taken out of the session.
`restored`: withdrawn words stand again, or the user takes a rejection or deletion back."""

By = Literal["user", "ctxd", "withdrawal"]
"""`user`: the user said it of the item itself. `ctxd`: ctxd understood it from a session.
`withdrawal`: the session's log shows that words were taken back, or came back."""

Status = Literal["active", "superseded", "retracted", "rejected", "withdrawn"]
ACTIVE: tuple[Status, ...] = ("active",)


class Said(msgspec.Struct, frozen=True, gc=False):
    """Where the words stand that an event rests on."""

    agent: str
    session: str
    event: str
    """Id of the event that makes it binding."""

    @classmethod
    def of(cls, item: Item) -> Said:
        """Where the words of an item stand."""
        return cls(item.agent, item.session, item.event)


class ItemEvent(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One thing that happened to an item. Its id is derived from all the rest of it."""

    id: str
    item: str
    """Id of the item it happened to."""
    type: EventType
    by: By
    time: datetime | None = None
    """When the words were said that it rests on; of the user's verdicts and of withdrawals, when
    ctxd learned of them."""
    of: str | None = None
    """Id of another item: the one that supersedes or contradicts this one, or whose words restate
    or refine it."""
    said: Said | None = None
    """The words it rests on; None for the user's verdicts."""
    content: Item | None = None
    """What was understood: of `captured` and `refined`."""
    text: str | None = None
    """The user's wording: of `edited`."""


class ItemState(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What an item has come to."""

    item: Item
    """As it was understood last."""
    text: str
    """Its line as it stands: the user's wording where there is one."""
    status: Status = "active"
    superseded_by: str | None = None
    """The item that holds instead. Set for an active one, too, that only the user's own wording
    keeps: a later word speaks against it."""
    restated: int = 0
    """How often it was said again."""
    accepted: bool = False
    """Whether the user agreed to it as an item, by accepting or editing it."""
    edited: bool = False

    @property
    def waits(self) -> bool:
        """Whether it waits for the user's review: not plain enough, and not accepted."""
        return self.status == "active" and not (self.item.plain or self.accepted)


def captured(item: Item) -> ItemEvent:
    """The event of an item that was understood from an exchange."""
    return _learned("captured", item.id, item, content=item)


def restated(known: str, again: Item) -> ItemEvent:
    """The event of a known item that was said once more."""
    return _learned("restated", known, again)


def refined(known: str, now: Item) -> ItemEvent:
    """The event of a known item that was said more precisely; what was said now is its content."""
    return _learned("refined", known, now, content=now)


def superseded(known: str, by: Item) -> ItemEvent:
    """The event of a known item in whose place another one holds."""
    return _learned("superseded", known, by)


def contradicted(known: str, by: Item) -> ItemEvent:
    """The event of a known item that another one speaks against, newer and so in force."""
    return _learned("contradicted", known, by)


def taken_back(known: str, said: Said, time: datetime | None) -> ItemEvent:
    """The event of a known item that words in a session take back with nothing in its place."""
    event = ItemEvent(id="", item=known, type="retracted", by="ctxd", time=time, said=said)
    return identified(event)


def verdict(
    item: str,
    kind: Literal["accepted", "edited", "rejected", "retracted", "restored"],
    time: datetime,
    text: str | None = None,
) -> ItemEvent:
    """The event of the user's own word to an item; `text` is the new wording of `edited`."""
    return identified(ItemEvent(id="", item=item, type=kind, by="user", time=time, text=text))


def withdrawal(item: str, said: Said, time: datetime, *, back: bool = False) -> ItemEvent:
    """The event of words that were taken out of their session, or with `back` stand in it again."""
    kind: EventType = "restored" if back else "withdrawn"
    event = ItemEvent(id="", item=item, type=kind, by="withdrawal", time=time, said=said)
    return identified(event)


def identified(event: ItemEvent) -> ItemEvent:
    """The event with the id that its content gives it."""
    plain = msgspec.json.encode(msgspec.structs.replace(event, id=""))
    digest = hashlib.sha256(plain).digest()[:ITEM_EVENT_ID_BYTES]
    return msgspec.structs.replace(event, id=base64.b32encode(digest).decode("ascii").lower())


def state(events: Iterable[ItemEvent]) -> dict[str, ItemState]:
    """What items have come to, by id, in the order of their ids.

    An item of which no event tells the content is left out.
    """
    raise NotImplementedError


def _learned(kind: EventType, known: str, said: Item, content: Item | None = None) -> ItemEvent:
    of = said.id if said.id != known else None
    event = ItemEvent(
        id="",
        item=known,
        type=kind,
        by="ctxd",
        time=said.time,
        of=of,
        said=Said.of(said),
        content=content,
    )
    return identified(event)
