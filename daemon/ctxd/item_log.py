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

import functools
import math
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import Literal

import msgspec

from ctxd.item import Item
from ctxd.policy.items import ITEM_EVENT_ID_BYTES

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

Verdict = Literal["accepted", "edited", "rejected", "retracted", "restored"]
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
    """What was understood: of `captured`, `refined` and `restated`. Of the last it counts only when
    no event of the others is left: then those words are what the item rests on."""
    text: str | None = None
    """The user's wording: of `edited`."""


class ItemState(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What an item has come to."""

    item: Item
    """As it was understood last, under the id that it was first known by."""
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
    return _learned("restated", known, again, content=again)


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
    kind: Verdict,
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
    import base64  # those who only read need neither
    import hashlib

    plain = msgspec.json.encode(msgspec.structs.replace(event, id=""))
    digest = hashlib.sha256(plain).digest()[:ITEM_EVENT_ID_BYTES]
    return msgspec.structs.replace(event, id=base64.b32encode(digest).decode("ascii").lower())


def state(events: Iterable[ItemEvent]) -> dict[str, ItemState]:
    """What items have come to, by id, in the order of their ids.

    An item of which no event tells the content is left out.
    """
    histories: dict[str, _History] = {}
    for event in _each_once(events):
        histories.setdefault(event.item, _History()).add(event)
    rejected = {item for item, history in histories.items() if history.verdict == "rejected"}
    return {
        item: made
        for item, history in sorted(histories.items())
        if (made := _state(history, rejected - {item})) is not None
    }


def by_time(event: ItemEvent) -> tuple[float, int, int, str]:
    """Sorts events: by time, unknown ones first; of the same time, verdicts last, and of the same
    words, what a second reader made of them later."""
    time, rank = event.time, _RANKS[event.type]
    read = event.content.read_at if event.content else 0
    if time is None:
        return -math.inf, rank, read, event.id
    known = time if time.tzinfo else time.replace(tzinfo=UTC)
    return known.timestamp(), rank, read, event.id


_SAID: tuple[EventType, ...] = ("captured", "restated", "refined")
_DENIED: tuple[EventType, ...] = ("superseded", "contradicted", "retracted")
_MOVED: tuple[EventType, ...] = ("withdrawn", "restored")
_JUDGED: tuple[EventType, ...] = ("accepted", "edited", "rejected", "retracted", "restored")
_COUNT: dict[By, frozenset[EventType]] = {
    "ctxd": frozenset(_SAID + _DENIED),
    "user": frozenset(_JUDGED),
    "withdrawal": frozenset(_MOVED),
}
"""Types of events that count, by whose they are."""
_RANKS = {kind: rank for rank, kind in enumerate(dict.fromkeys(_SAID + _DENIED + _MOVED + _JUDGED))}
_FINAL: dict[EventType, Status] = {"rejected": "rejected", "retracted": "retracted"}
"""Verdicts that only another verdict overturns."""


class _History:
    """The events of one item."""

    def __init__(self) -> None:
        self._events: dict[By, list[ItemEvent]] = {by: [] for by in _COUNT}

    def add(self, event: ItemEvent) -> None:
        if event.type in _COUNT[event.by]:
            self._events[event.by].append(event)

    @functools.cached_property
    def verdicts(self) -> list[ItemEvent]:
        return sorted(self._events["user"], key=by_time)

    @property
    def verdict(self) -> EventType | None:
        """The user's last word to it."""
        return self.verdicts[-1].type if self.verdicts else None

    @functools.cached_property
    def learned(self) -> list[ItemEvent]:
        return sorted(self._events["ctxd"], key=by_time)

    @functools.cached_property
    def standing(self) -> list[ItemEvent]:
        """What was learned from words that were not taken back."""
        moves = {
            event.said: event.type for event in sorted(self._events["withdrawal"], key=by_time)
        }
        return [event for event in self.learned if moves.get(event.said) != "withdrawn"]

    @property
    def content(self) -> Item | None:
        """As understood last: from words that were taken back only where no others are left, and
        from a restatement only where nothing else is."""
        for events in (self.standing, self.learned):
            known = [event for event in events if event.content]
            known = [event for event in known if event.type != "restated"] or known
            if known and known[-1].content is not None:
                return msgspec.structs.replace(known[-1].content, id=known[-1].item)
        return None

    @property
    def accepted(self) -> bool:
        """Whether the user agreed to it and has not turned it down since."""
        agreed = any(event.type in {"accepted", "edited"} for event in self.verdicts)
        return agreed and self.verdict not in _FINAL

    @property
    def wording(self) -> str | None:
        """The user's own wording."""
        texts = [event.text for event in self.verdicts if event.type == "edited" and event.text]
        return texts[-1] if texts else None


def _state(history: _History, rejected: Collection[str]) -> ItemState | None:
    item, wording = history.content, history.wording
    if item is None:
        return None
    status, superseded_by = _status(history, rejected)
    said = {event.said or event.id for event in history.standing if event.type in _SAID}
    return ItemState(
        item=item,
        text=wording or item.text,
        status=status,
        superseded_by=superseded_by,
        restated=max(len(said) - 1, 0),
        accepted=history.accepted,
        edited=wording is not None,
    )


def _status(history: _History, rejected: Collection[str]) -> tuple[Status, str | None]:
    """Whether an item holds, and which one holds instead.

    What a rejected item superseded holds again. The user's own wording holds whatever is said
    later, since a human's line is not ctxd's to take away.
    """
    if history.verdict in _FINAL:
        return _FINAL[history.verdict], None
    words = [e for e in history.standing if e.type in _SAID or e.of is None or e.of not in rejected]
    words += history.verdicts[-1:]
    if all(event.type in _DENIED for event in words):
        return "withdrawn", None
    last = max(words, key=by_time)
    if last.type not in _DENIED:
        return "active", None
    if history.wording is not None:
        return "active", last.of
    return ("retracted" if last.type == "retracted" else "superseded"), last.of


def _each_once(events: Iterable[ItemEvent]) -> list[ItemEvent]:
    """Events without repeats. Of different ones under one id, which only a damaged or forged
    record holds, the same one is taken in any order."""
    found: dict[str, ItemEvent] = {}
    for event in events:
        known = found.setdefault(event.id, event)
        if known is not event and known != event:
            found[event.id] = min(known, event, key=msgspec.json.encode)
    return list(found.values())


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
