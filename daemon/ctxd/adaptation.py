"""The model as this user's verdicts have made it, for the exchanges of each repository.

What is learned is kept in the ledger and made anew when there are other verdicts: not at once but
when an exchange is to be judged, and not more often than every few minutes. It stays on the machine
and holds no text. A verdict whose words the ledger no longer holds teaches nothing.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec

from ctxd.errors import CtxdError
from ctxd.exchange import Exchange
from ctxd.extract.adapt import (
    Adjustment,
    Lesson,
    Verdict,
    in_repository,
    learned,
    lenient,
    lesson,
    moved,
    traced,
)
from ctxd.extract.classify import Model, shipped
from ctxd.extract.exchange import Spoken
from ctxd.extract.judge import judge
from ctxd.item import Item
from ctxd.item_log import EventType, ItemEvent
from ctxd.ledger import Ledger, Reader, ReviewedItem
from ctxd.listening import spoken
from ctxd.policy.items import (
    ADAPT_LEFT_ALONE,
    ADAPT_LEFT_ALONE_WEIGHT,
    ADAPT_SECONDS,
    ADAPT_VERDICTS,
)
from ctxd.redact import redact

log = logging.getLogger(__name__)

LEARNED = "learned"
"""Name of what was learned, in the ledger."""

_KEPT: dict[EventType, bool] = {
    "accepted": True,
    "edited": True,
    "restored": True,
    "rejected": False,
    "retracted": False,
}


class Learned(msgspec.Struct, frozen=True):
    """What was learned, and from what."""

    basis: str
    """Hash of the verdicts and of the model that they were given on."""
    adjustment: Adjustment = Adjustment()


class Adaptation:
    """Follows the verdicts in the ledger."""

    def __init__(self, ledger: Ledger, wall: Callable[[], float]) -> None:
        self._ledger = ledger
        self._wall = wall
        self._learned = Learned("")
        self._model: Model | None = None
        """The shipped model, with its weights moved; None before the first look."""
        self._lenient = lenient(shipped())
        self._looked = 0.0
        self._changes = -1
        """Of the ledger's items, at the last look."""

    def judge(self, said: Spoken, repository: str) -> list[Item]:
        """The items of an exchange, as the user's verdicts have it.

        What is to be written unasked must be plain for nearly the model that ships, too: a wrong
        rule costs more than a verdict tells.
        """
        model = self.model(repository)
        found = judge(said, model)
        if model is shipped() or not any(item.plain for item in found):
            return found
        sure = {item.id for item in judge(said, self._lenient) if item.plain}
        return [
            item if item.id in sure else msgspec.structs.replace(item, plain=False)
            for item in found
        ]

    def model(self, repository: str) -> Model:
        """The model for the exchanges of a repository; the one that ships while there is nothing to
        learn from."""
        if self._model is None or self._is_due():
            self._look()
        if self._model is None or not self._learned.basis:
            return shipped()
        return in_repository(self._model, self._learned.adjustment, redact(repository))

    def _is_due(self) -> bool:
        if self._changes == self._ledger.item_changes:
            return False
        return abs(self._wall() - self._looked) >= ADAPT_SECONDS

    def _look(self) -> None:
        """Learn from the verdicts if they are others than before; a defect in that costs no more
        than what was to be learned."""
        self._looked, self._changes = self._wall(), self._ledger.item_changes
        try:
            self._learn()
        except CtxdError:
            raise
        except Exception as error:
            log.exception("defect: nothing is learned from verdicts: %s", type(error).__name__)
            self._model = self._model or shipped()

    def _learn(self) -> None:
        reviewed = self._ledger.reviewed(ADAPT_VERDICTS)
        basis = _basis(shipped().version, reviewed)
        if self._model is not None and basis == self._learned.basis:
            return
        found = _stored(self._ledger)
        if found.basis != basis:
            found = Learned(basis, learned(list(self._lessons(reviewed))))
            self._ledger.set_meta(LEARNED, msgspec.json.encode(found).decode())
        self._model, self._learned = moved(shipped(), found.adjustment), found

    def _lessons(self, reviewed: Sequence[ReviewedItem]) -> Iterator[Lesson]:
        told = islice(self._left_alone(reviewed), ADAPT_LEFT_ALONE)
        for item, verdict in (*self._judged(reviewed), *told):
            said = self._said(item)
            found = traced(said, item) if said else None
            if found:
                yield lesson(*found, verdict, shipped())

    def _judged(self, reviewed: Sequence[ReviewedItem]) -> Iterator[tuple[Item, Verdict]]:
        """Items that the user has judged, each with the user's last word to it."""
        for one in reviewed:
            history = self._ledger.item_events(one.repository, one.item)
            item, last = _content(history), _verdict(one, history)
            if item and last:
                yield item, last

    def _left_alone(self, reviewed: Sequence[ReviewedItem]) -> Iterator[tuple[Item, Verdict]]:
        """Items that were written unasked and that the user let be when judging others later on,
        the last ones first: a weak sign of agreement."""
        judged = {(one.repository, one.item) for one in reviewed}
        last: dict[str, float] = {}
        for one in reviewed:
            last[one.repository] = max(one.last, last.get(one.repository, 0.0))
        for repository, until in last.items():
            for kept in reversed(self._ledger.items(repository)):
                item, time = kept.item, kept.item.time
                known = (repository, item.id) in judged or kept.state.accepted
                if item.plain and not known and time is not None and time.timestamp() < until:
                    weight = ADAPT_LEFT_ALONE_WEIGHT
                    yield item, Verdict(item.id, repository, kept=True, time=time, weight=weight)

    def _said(self, item: Item) -> Spoken | None:
        """The exchange that an item was understood from."""
        key = (item.agent, item.session)
        near = self._ledger.around(key, item.event)
        events = {event.id: event for event in (*near.earlier, *near.before, *near.words)}
        exchange = Exchange(
            proposal=tuple(event.id for event in near.before),
            answer=tuple(event.id for event in near.words),
            earlier=tuple(event.id for event in near.earlier),
        )
        return spoken(key, exchange, events)


def as_learned(reader: Reader, repository: str) -> Model:
    """The model for the exchanges of a repository as it was last learned: for those who only read
    the ledger."""
    found = _stored(reader)
    if not found.basis:
        return shipped()
    return in_repository(moved(shipped(), found.adjustment), found.adjustment, redact(repository))


def _stored(reader: Reader) -> Learned:
    text = reader.meta(LEARNED)
    try:
        return msgspec.json.decode(text, type=Learned) if text else Learned("")
    except msgspec.MsgspecError:
        return Learned("")


def _basis(version: str, reviewed: Sequence[ReviewedItem]) -> str:
    """A hash of what there is to learn from; empty when that is nothing."""
    if not reviewed:
        return ""
    told = msgspec.json.encode([version, *reviewed])
    return hashlib.sha256(told).hexdigest()[:16]


def _content(history: Sequence[ItemEvent]) -> Item | None:
    """What the item was understood to be when the user last saw it."""
    contents = [event.content for event in history if event.content is not None]
    return contents[-1] if contents else None


def _verdict(of: ReviewedItem, history: Sequence[ItemEvent]) -> Verdict | None:
    """The user's last word to an item. Deleting what was agreed to before says that it is outdated,
    not that it never was an item."""
    words = [event for event in history if event.by == "user" and event.type in _KEPT]
    if words and words[-1].type == "retracted":
        words = [event for event in words if event.type != "retracted"] or words
    last = words[-1] if words else None
    if last is None or last.time is None:
        return None
    return Verdict(of.item, of.repository, _KEPT[last.type], last.time)
