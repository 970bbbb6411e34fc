"""What an exchange comes to when a reader has read it beside the offline understanding.

What both saw is one item: under the id and on the words that it was understood by offline, since
context files hold that id, and worded by the reader. What only the reader saw is a new item. What
only the offline understanding saw stays, unless the reader says that it is none. Written unasked is
what both agree on, and of the rest only what the user said outright.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ctxd.extract.exchange import Spoken
from ctxd.extract.scopes import names, severity_of
from ctxd.extract.terms import content
from ctxd.extract.wording import cut, plain
from ctxd.item import Authority, Evidence, Item, item_id
from ctxd.policy.extraction import LEAST_PROBABILITY
from ctxd.policy.reader import (
    READER_AGREED_WEIGHT,
    READER_ALONE_PROBABILITY,
    READER_PLAIN_PROBABILITY,
    READER_REFUTED_WEIGHT,
    READER_SAME_SHARE,
    READER_SPARE_WORDS,
    READER_UNNAMED_WEIGHT,
)
from ctxd.reader.outright import deeds, is_clear, is_outright, is_picked, is_ruled
from ctxd.reader.values import Finding, Findings

_WEIGHT: dict[Authority, int] = {"agent": 0, "confirmed": 1, "user": 2}


def agreed(items: Sequence[Item], findings: Findings, said: Spoken) -> list[Item]:
    """Return the items of an exchange: what was understood offline and what a reader found."""
    found = sorted(findings.found, key=_place)
    same = _matched(items, found)
    taken = set(same.values())
    kept = [_kept(item, same.get(item.id), found, findings, said) for item in items]
    ids = {item.id for item in items}
    new = _new([one for at, one in enumerate(found) if at not in taken], ids, said)
    return [*(item for item in kept if item is not None), *new]


def _place(finding: Finding) -> tuple[str, int, str, str]:
    binding = finding.evidence[0]
    return binding.event, binding.start, finding.statement, finding.kind


def _matched(items: Sequence[Item], found: Sequence[Finding]) -> dict[str, int]:
    """Which finding says the same as an item, the likest pairs first."""
    pairs = sorted(
        (-alike, item.id, at)
        for item in items
        for at, one in enumerate(found)
        if (alike := likeness(item, one))
    )
    same: dict[str, int] = {}
    taken: set[int] = set()
    for _, item, at in pairs:
        if item not in same and at not in taken:
            same[item] = at
            taken.add(at)
    return same


_NAMED, _SAME_WORDS = 3.0, 2.0


def likeness(item: Item, one: Finding) -> float:
    """How surely an item and a finding are the same; 0 where they are not."""
    ours, theirs = content(item.text), content(one.statement)
    common = len(ours & theirs) / (min(len(ours), len(theirs)) or 1)
    if one.candidate == item.id:
        return _NAMED + common
    quotes = tuple(e.quote for e in one.evidence)
    if item_id(quotes) == item.id or item_id(quotes[:1]) == item.id:
        return _SAME_WORDS + common
    near = bool(item.evidence) and _meet(item.evidence[0], one.evidence[0])
    return common if near and common >= READER_SAME_SHARE else 0.0


def _meet(one: Evidence, other: Evidence) -> bool:
    """Whether two quotes have words in common."""
    return (
        one.event == other.event
        and one.start < other.start + len(other.quote)
        and other.start < one.start + len(one.quote)
    )


def _kept(
    item: Item, at: int | None, found: Sequence[Finding], findings: Findings, said: Spoken
) -> Item | None:
    """What an item that was understood offline comes to."""
    if at is not None and found[at].durability != "moment":
        return _merged(item, found[at], said)
    refuted = at is not None or item.id in findings.refuted
    weight = READER_REFUTED_WEIGHT if refuted else READER_UNNAMED_WEIGHT
    firm = item.plain and (not refuted or is_picked(item, said) or is_ruled(item, said))
    probability = round(item.probability * weight, 4)
    if not firm and probability < LEAST_PROBABILITY:
        return None
    return msgspec.structs.replace(item, probability=probability, plain=firm)


def _merged(item: Item, one: Finding, said: Spoken) -> Item:
    """An item that both saw."""
    text = _worded(item, one)
    # What was understood offline may have been of two rulings, of which the reader words one.
    is_same = text == item.text or is_picked(item, said)
    evidence = (*item.evidence, *_others(item.evidence, one.evidence))
    raised = (1 - item.probability) * READER_AGREED_WEIGHT * one.sure / 3
    merged = msgspec.structs.replace(
        item,
        kind=one.kind,
        text=text,
        filled=item.filled if text == item.text else (),
        reason=one.reason or (item.reason if is_same else ""),
        rejected=one.rejected or (item.rejected if is_same else ()),
        scope=one.scope or (item.scope if is_same else names([text])),
        authority=min(item.authority, one.authority, key=_WEIGHT.__getitem__),
        durability=one.durability,
        severity=severity_of(one.kind, text),
        probability=round(item.probability + raised, 4),
        evidence=evidence,
        overturns=one.supersedes,
    )
    likely = item.plain or item.probability >= READER_PLAIN_PROBABILITY
    return msgspec.structs.replace(merged, plain=likely and is_clear(merged, one.sure, said))


def _worded(item: Item, one: Finding) -> str:
    """The reader's line, unless it only leaves out a word or two of what was said."""
    line = cut(plain(one.statement))
    ours, theirs = content(item.text), content(line)
    if not theirs or (theirs <= ours and len(ours - theirs) <= READER_SPARE_WORDS):
        return item.text
    return line


def _others(known: Sequence[Evidence], more: Sequence[Evidence]) -> Iterator[Evidence]:
    stands = {(one.event, one.speaker, one.start, one.quote) for one in known}
    for one in more:
        if (one.event, one.speaker, one.start, one.quote) not in stands:
            yield one


def _new(found: Sequence[Finding], ids: set[str], said: Spoken) -> Iterator[Item]:
    """Yield items that only the reader saw."""
    order = {event.id: at for at, event in enumerate(said.answer)}
    for one in sorted(found, key=lambda one: (order.get(one.evidence[0].event, -1), _place(one))):
        if one.durability == "moment" or not one.evidence:
            continue
        quotes = [quote.quote for quote in one.evidence]
        name = item_id(quotes)
        if name in ids:
            name = item_id([*quotes, one.statement])
        if name in ids:
            continue
        ids.add(name)
        yield _item(name, one, said)


def _item(name: str, one: Finding, said: Spoken) -> Item:
    binding, text = one.evidence[0], cut(plain(one.statement))
    does, language = deeds(binding, said)
    item = Item(
        id=name,
        agent=said.agent,
        session=said.session,
        event=binding.event,
        time=binding.time,
        kind=one.kind,
        text=text,
        reason=one.reason,
        rejected=one.rejected,
        scope=one.scope,
        authority=one.authority,
        durability=one.durability,
        severity=severity_of(one.kind, text),
        probability=READER_ALONE_PROBABILITY[one.sure],
        act=does,
        language=language,
        evidence=one.evidence,
        overturns=one.supersedes,
    )
    return msgspec.structs.replace(item, plain=is_outright(item, one.sure, said))
