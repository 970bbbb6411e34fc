"""Whether an item that was judged at a compaction still holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxd.item_log import ItemState
from ctxd.retention.values import ItemVerdict

if TYPE_CHECKING:
    from ctxd.ledger import Reader


def holding(reader: Reader, one: ItemVerdict) -> ItemState | None:
    """The item as it stands now; None when it was forgotten or does not hold any more."""
    for kept in reader.items_by_id(one.item):
        if kept.repository == one.repository and kept.state.status == "active":
            return kept.state
    return None
