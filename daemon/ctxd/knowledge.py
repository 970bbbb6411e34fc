"""What is known in one repository, and what a new item changes of it.

`ctxd.extract.reconcile` says how two statements stand to each other; here is what follows for the
history of items. What waits for review never takes out of force what needs none, and what the user
turned down stays out until the user says it anew. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

import msgspec

from ctxd.extract.reconcile import Known, Outcome, Relation
from ctxd.extract.terms import content
from ctxd.item import Item
from ctxd.item_log import ItemEvent, contradicted, refined, restated, superseded
from ctxd.ledger import ExchangeKey, KeptItem


class Change(msgspec.Struct, frozen=True):
    """What an item comes to: it is recorded itself, or events of known items are, or both."""

    items: tuple[Item, ...] = ()
    events: tuple[ItemEvent, ...] = ()


class Knowledge:
    """The items that hold in a repository, and those that the user turned down."""

    def __init__(
        self, active: Sequence[KeptItem], turned_down: Mapping[str, tuple[Item, datetime | None]]
    ) -> None:
        self._active: dict[str, Item] = {}
        self._accepted = {kept.id for kept in active if kept.state.accepted}
        self._exchanges: dict[str, ExchangeKey] = {}
        self._said: dict[ExchangeKey, set[str]] = {}
        """Items by the exchange that their content was understood from."""
        self._turned_down = turned_down
        self._known = Known((), [item for item, _ in turned_down.values()])
        for kept in active:
            self._learn(_as_it_stands(kept), kept.exchange)
        self._changes: dict[Relation, Callable[[Item, Outcome], Change]] = {
            "new": self._new,
            "same": self._same,
            "refines": self._refines,
            "supersedes": self._supersedes,
            "superseded": self._superseded,
            "contradicts": self._contradicts,
        }

    def take_out(self, exchange: ExchangeKey) -> int:
        """Forget what was understood from an exchange, which is judged anew; return how much."""
        own = self._said.get(exchange, set()) - self._accepted
        for name in own:
            self._forget(name)
        return len(own)

    @property
    def active(self) -> list[Item]:
        """The items that hold."""
        return list(self._active.values())

    def take_back(self, names: Iterable[str]) -> None:
        """Forget items that the user took back."""
        for name in names:
            self._forget(name)

    def stands(self, item: Item) -> Outcome:
        """How an item stands to what is known."""
        outcome = self._known.reconcile(item)
        if outcome.of == item.id and outcome.relation in _OVERTURNS:
            return Outcome("new")
        if outcome.relation == "new" and (over := self._overturned(item)):
            return Outcome("supersedes", over[0], others=over[1:])
        return outcome

    def _overturned(self, item: Item) -> tuple[str, ...]:
        """Items that a second reader says an item takes out of force: of those that hold, were
        said before, and speak of the same."""
        return tuple(
            name
            for name in item.overturns
            if name != item.id
            and (known := self._active.get(name)) is not None
            and _came_before(known, item)
            and content(known.text) & content(item.text)
        )

    def take(self, item: Item, outcome: Outcome, exchange: ExchangeKey) -> Change:
        """What an item of an exchange comes to that stands so; it is known from then on."""
        change = self._changes[outcome.relation](item, outcome)
        of_past = {event.item for event in change.events}
        for new in change.items:
            if new.id not in of_past:
                self._learn(new, exchange)
        for event in change.events:
            if event.type == "refined" and event.content is not None:
                self._learn(msgspec.structs.replace(event.content, id=event.item), exchange)
        return change

    def _learn(self, item: Item, exchange: ExchangeKey) -> None:
        self._forget(item.id)
        self._active[item.id], self._exchanges[item.id] = item, exchange
        self._said.setdefault(exchange, set()).add(item.id)
        self._known.add(item)

    def _forget(self, name: str) -> None:
        if self._active.pop(name, None) is not None:
            self._said[self._exchanges.pop(name)].discard(name)
            self._known.remove(name)

    def _new(self, item: Item, _outcome: Outcome) -> Change:
        return Change((item,))

    def _same(self, item: Item, outcome: Outcome) -> Change:
        known = self._active.get(outcome.of or "")
        if known is None:
            return self._said_anew(item, outcome.of or "")
        if _weighs_more(item, known) and known.id not in self._accepted:
            return Change(events=(refined(known.id, item),))
        return Change(events=(restated(known.id, item),))

    def _said_anew(self, item: Item, name: str) -> Change:
        """What the user turned down: only words later than that bring it up again, for review."""
        _, when = self._turned_down.get(name, (None, None))
        if name == item.id or when is None or item.time is None or item.time <= when:
            return Change()
        return Change((msgspec.structs.replace(item, plain=False),))

    def _refines(self, item: Item, outcome: Outcome) -> Change:
        known = self._active[outcome.of or ""]
        if self._is_firm(known) and not self._is_firm(item):
            return Change((item,))
        return Change(events=(refined(known.id, item),))

    def _supersedes(self, item: Item, outcome: Outcome) -> Change:
        return self._overturn(item, outcome, superseded)

    def _superseded(self, item: Item, outcome: Outcome) -> Change:
        known = self._active[outcome.of or ""]
        if self._is_firm(item) and not self._is_firm(known):
            return Change((item,))
        return Change((item,), (superseded(item.id, known),))

    def _contradicts(self, item: Item, outcome: Outcome) -> Change:
        known = self._active[outcome.of or ""]
        if item.authority == "agent" != known.authority:
            return Change((item,))
        if item.time and known.time and item.time < known.time:
            if self._is_firm(item) and not self._is_firm(known):
                return Change((item,))
            return Change((item,), (contradicted(item.id, known),))
        return self._overturn(item, outcome, contradicted)

    def _overturn(
        self, item: Item, outcome: Outcome, event: Callable[[str, Item], ItemEvent]
    ) -> Change:
        names = [name for name in (outcome.of, *outcome.others) if name in self._active]
        firm = self._is_firm(item)
        over = [name for name in names if firm or not self._is_firm(self._active[name])]
        for name in over:
            self._forget(name)
        return Change((item,), tuple(event(name, item) for name in over))

    def _is_firm(self, item: Item) -> bool:
        """Whether it holds without further review."""
        return item.plain or item.id in self._accepted


def overturned_by(accepted: str, items: Iterable[KeptItem]) -> list[ItemEvent]:
    """The events of those of the items that hold no more once the user has accepted another of
    them, which was said later and says the opposite. What waits for review goes on waiting."""
    by_id = {kept.id: kept for kept in items if kept.id == accepted or not kept.state.waits}
    new = by_id.pop(accepted, None)
    if new is None:
        return []
    item = _as_it_stands(new)
    outcome = Known(map(_as_it_stands, by_id.values())).reconcile(item)
    if outcome.relation not in ("supersedes", "contradicts"):
        return []
    event = superseded if outcome.relation == "supersedes" else contradicted
    over = [by_id[name].item for name in (outcome.of, *outcome.others) if name in by_id]
    return [event(old.id, item) for old in over if _came_before(old, item)]


def _as_it_stands(kept: KeptItem) -> Item:
    return msgspec.structs.replace(kept.item, text=kept.state.text)


def _came_before(old: Item, new: Item) -> bool:
    return not (old.time and new.time) or old.time <= new.time


_OVERTURNS = frozenset({"supersedes", "superseded", "contradicts"})
_AUTHORITY = {"agent": 0, "confirmed": 1, "user": 2}


def _weighs_more(item: Item, known: Item) -> bool:
    """Whether what was said again is a better source than what is known: then its words stand."""
    return (item.plain, _AUTHORITY[item.authority]) > (known.plain, _AUTHORITY[known.authority])
