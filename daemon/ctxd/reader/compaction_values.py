"""What a reader is asked about a compaction."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ctxd.reader.values import Part
from ctxd.retention.values import Stated, TextKind, Verdict


class Shown(msgspec.Struct, frozen=True):
    """A piece of a text that stands after a compaction."""

    kind: TextKind
    part: Part


class Looked(msgspec.Struct, frozen=True, kw_only=True):
    """An item that is looked for."""

    repository: str
    item: str
    """Its id."""
    stated: Stated
    offline: Verdict
    """What the comparison came to."""


class CompactionChunk(msgspec.Struct, frozen=True, kw_only=True):
    """What one call about a compaction is about."""

    event: str
    """Id of the compaction's event."""
    items: Sequence[Looked]
    """The first is `i1` to the reader."""
    shown: Sequence[Shown]
    """In the order of the texts."""
    whole: bool
    """Whether that is all that can be shown of them, not just the passages nearest to the items."""
    digest: str
    """Of the compaction, the items and the prompt's version."""

    @property
    def labels(self) -> dict[str, Looked]:
        """The items by the labels that they have in the question."""
        return {f"i{number}": item for number, item in enumerate(self.items, 1)}
