"""What the ledger keeps of items: all of it, without secrets.

The texts come from events that are stored without any; they pass once more, since a newer version
may know more secrets than the one that stored the events, and the user's wording has not passed.
"""

from __future__ import annotations

import msgspec

from ctxd.item import Evidence, Item
from ctxd.item_log import ItemEvent, identified
from ctxd.ledger.keeping import shortened


def event_as_kept(event: ItemEvent) -> ItemEvent:
    """The event as it is stored: under another id where a secret was in it."""
    content = item_as_kept(event.content) if event.content else None
    text = shortened(event.text) if event.text else event.text
    kept = msgspec.structs.replace(event, content=content, text=text)
    return event if kept == event else identified(kept)


def item_as_kept(item: Item) -> Item:
    """The item as it is stored."""
    return msgspec.structs.replace(
        item,
        text=shortened(item.text),
        filled=_clean(item.filled),
        reason=shortened(item.reason),
        rejected=_clean(item.rejected),
        scope=_clean(item.scope),
        evidence=tuple(map(evidence_as_kept, item.evidence)),
    )


def _clean(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(shortened, texts))


def evidence_as_kept(evidence: Evidence) -> Evidence:
    """A quote as it is stored."""
    return msgspec.structs.replace(evidence, quote=shortened(evidence.quote))
