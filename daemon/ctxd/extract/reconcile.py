"""A new item against those that are known: the same, refined, superseded, contradicted, or new.

The last word of the user wins, an agent alone never overrules the user, and what the user rejected
stays out. Each pair of statements is judged by `relation`; here is only who said it, and when. The
answer does not depend on the order in which the known items are given.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain, repeat
from typing import Literal

import msgspec

from ctxd.extract.echo import Echo
from ctxd.extract.narrower import places
from ctxd.extract.relation import Relatedness, relate
from ctxd.extract.slot_words import POINTING, RIVALS
from ctxd.extract.slots import Slots, slots
from ctxd.extract.turned_down import weight
from ctxd.item import Item
from ctxd.policy.comparing import LEAST_SHARE, POINTING_WORDS, RECONCILED_CANDIDATES

Relation = Literal["new", "same", "refines", "supersedes", "superseded", "contradicts"]
"""How a new item stands to a known one. `superseded`: the known one was said later, as when history
is read after the present; the new item is of the past."""


_WORD = re.compile(r"\w+")
_ENUMERATOR = re.compile(r"^\W{0,4}\d{1,2}[.):]\s+")
_DRAWBACK = re.compile(r"[:(;]| [-–—] ")


class Outcome(msgspec.Struct, frozen=True):
    """What a new item is, in the light of those that are known."""

    relation: Relation
    of: str | None = None
    """Id of the known item; None for what is new, or stands in a context file."""
    why: str = ""
    """The slot that decided. Of `same` it is what the known item says beyond the new one, such as
    its exception; `words` and `id` when it says no more."""
    others: tuple[str, ...] = ()
    """Ids of further known items that it supersedes or contradicts in the same way."""


class Known:
    """The active items of a repository, and those that the user rejected."""

    def __init__(
        self,
        items: Iterable[Item] = (),
        rejected: Iterable[Item] = (),
        told: Echo | None = None,
    ) -> None:
        """`told` are the context files: what stands there already is nothing new."""
        self._told = told
        self._entries: dict[str, _Entry] = {}
        self._postings: dict[str, set[str]] = {}
        """Content word, or whole text, -> ids of the items that have it."""
        for item in rejected:
            self.add(item, rejected=True)
        for item in items:
            self.add(item)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, item: Item, *, rejected: bool = False) -> None:
        """Add an item; one of the same id takes its place."""
        self.remove(item.id)
        entry = _entry(item, rejected=rejected)
        self._entries[item.id] = entry
        for key in entry.keys:
            self._postings.setdefault(key, set()).add(item.id)

    def remove(self, item_id: str) -> None:
        """Remove an item, if it is there."""
        entry = self._entries.pop(item_id, None)
        if entry is None:
            return
        for key in entry.keys:
            ids = self._postings[key]
            ids.discard(item_id)
            if not ids:
                del self._postings[key]

    def reconcile(self, new: Item) -> Outcome:
        """Return what a new item is in the light of these."""
        known = self._entries.get(new.id)
        if known is not None and known.item.text == new.text:
            return Outcome("same", new.id, "rejected" if known.rejected else "id")
        wanted = _entry(new)
        outcomes: list[tuple[Relation, Relatedness, _Entry]] = [
            (relation, related, entry)
            for entry in self._candidates(wanted)
            if entry.leans == wanted.leans
            and (related := _related(entry, wanted)).stands != "new"
            and (relation := _relation(entry, new, related)) != "new"
            and not (related.stands == "against" and _is_narrower(relation, entry, wanted))
        ]
        outcome = _chosen(outcomes)
        if outcome.relation == "new" and self._told and self._told.holds(new.text):
            return Outcome("same", None, "told")
        return outcome

    def _candidates(self, wanted: _Entry) -> list[_Entry]:
        """The known items with the largest part of their words in common with a new one."""
        entries = self._entries
        counted = Counter(chain.from_iterable(map(self._postings.get, wanted.keys, repeat(()))))
        least = LEAST_SHARE * len(wanted.slots.words)
        likely = [
            (-count / (size + 1), item_id)
            for item_id, count in counted.items()
            if count >= LEAST_SHARE * (size := entries[item_id].size) or count >= least
        ]
        likely.sort()
        return [entries[item_id] for _, item_id in likely[:RECONCILED_CANDIDATES]]


class _Entry(msgspec.Struct, frozen=True, gc=False):
    item: Item
    slots: Slots
    keys: tuple[str, ...]
    """What it is looked up by."""
    text: str
    """Its text without case and marks."""
    rejected: bool = False
    size: int = 0
    leans: frozenset[str] | None = None
    """What the agent said that its text points to; None for a text that stands alone."""


def _entry(item: Item, *, rejected: bool = False) -> _Entry:
    found = item_slots(item)
    text = " ".join(_WORD.findall(item.text.casefold()))
    keys = (*found.words, f" {text}", *_rival_keys(found))
    return _Entry(item, found, keys, text, rejected, len(found.words), _leans(item, found))


def _rival_keys(found: Slots) -> Iterator[str]:
    """Of a statement of one word, all that this word excludes."""
    if len(found.words) == 1:
        for word in found.words:
            yield from (f" {family}" for family in RIVALS.get(word, ()))


def _related(known: _Entry, new: _Entry) -> Relatedness:
    if known.text == new.text and known.slots.numbers == new.slots.numbers:
        return Relatedness("same", "words", 1.0)
    return relate(known.slots, new.slots)


def _leans(item: Item, found: Slots) -> frozenset[str] | None:
    """A text of few words that says "it", or nothing at all, means what it points to."""
    words = weight(found.words)
    points = not POINTING.isdisjoint(_WORD.findall(item.text.casefold()))
    telling = bool(found.names or found.numbers)
    if (
        words > POINTING_WORDS
        or (words > 1 and not points)
        or (words == 1 and telling and not points)
    ):
        return None
    return frozenset(e.quote for e in item.evidence if e.speaker == "agent") or None


def reconcile(
    known: Sequence[Item],
    new: Item,
    rejected: Sequence[Item] = (),
    told: Echo | None = None,
) -> Outcome:
    """Given the active items of a repository and those the user rejected, return what a new one is.

    For many items in a row keep a `Known`.
    """
    return Known(known, rejected, told).reconcile(new)


def item_slots(item: Item) -> Slots:
    """Return the slots of an item, its kind and its fields taken into account."""
    text = _ENUMERATOR.sub("", item.text)
    found = slots(text, denied=item.kind == "rejection")
    if item.reason and not found.reasons:
        found = msgspec.structs.replace(found, reasons=slots(item.reason).words)
    options = tuple(words for option in item.rejected if (words := _option(option)))
    return msgspec.structs.replace(found, options=options) if options else found


def _option(text: str) -> frozenset[str]:
    """The words of an option that was turned down, without its drawback."""
    return slots(_DRAWBACK.split(text, maxsplit=1)[0]).words


_STANDS = frozenset({"decision", "rejection", "constraint", "scope", "correction"})


def _relation(entry: _Entry, new: Item, related: Relatedness) -> Relation:
    known = entry.item
    if entry.rejected:
        return "same" if related.stands == "same" else "new"
    if known.kind != new.kind and not {known.kind, new.kind} <= _STANDS:
        return "supersedes" if _answers(new, known) else "new"
    if related.stands == "same":
        return "same"
    if related.stands == "refines":
        return _refinement(known, new, related)
    return _conflict(known, new)


def _answers(new: Item, known: Item) -> bool:
    """Whether somebody who may settle it settles a question."""
    return known.kind == "question" and new.kind in _STANDS and new.authority != "agent"


def _refinement(known: Item, new: Item, related: Relatedness) -> Relation:
    """An agent alone adds nothing to the user's word: an exception would take from it."""
    if new.authority != "agent" or known.authority == "agent":
        return "refines"
    return (
        "same"
        if related.why == "reason"
        else "contradicts"
        if related.why == "exception"
        else "new"
    )


def _conflict(known: Item, new: Item) -> Relation:
    if (known.authority == "agent") != (new.authority == "agent"):
        return "supersedes" if known.authority == "agent" else "contradicts"
    before, after = _time(known), _time(new)
    if before is None or after is None or before == after:
        return "contradicts"
    return "supersedes" if before < after else "superseded"


def _is_narrower(relation: Relation, known: _Entry, new: _Entry) -> bool:
    """Whether the later of two that conflict names a place that the earlier does not."""
    if relation not in {"supersedes", "superseded", "contradicts"}:
        return False
    later, earlier = (known, new) if relation == "superseded" else (new, known)
    for place, rest in places(later.item.text):
        if not (slots(place).words & later.slots.words) - earlier.slots.words:
            continue
        wide = item_slots(msgspec.structs.replace(later.item, text=rest))
        pair = (wide, new.slots) if later is known else (known.slots, wide)
        if relate(*pair).stands == "against":
            return True
    return False


def _time(item: Item) -> datetime | None:
    if item.time is None or item.time.tzinfo:
        return item.time
    return item.time.replace(tzinfo=UTC)


_ORDER: dict[Relation, int] = {
    "same": 0, "superseded": 1, "supersedes": 2, "contradicts": 3, "refines": 4, "new": 5,
}  # fmt: skip


def _chosen(outcomes: list[tuple[Relation, Relatedness, _Entry]]) -> Outcome:
    if not outcomes:
        return Outcome("new")
    outcomes.sort(key=lambda one: (_ORDER[one[0]], -one[1].likeness, one[2].item.id))
    relation, related, entry = outcomes[0]
    others = tuple(e.item.id for r, _, e in outcomes[1:] if r == relation)
    why = "rejected" if entry.rejected else related.why
    return Outcome(relation, entry.item.id, why, others if relation in _OVERTURNS else ())


_OVERTURNS = frozenset({"supersedes", "contradicts"})
