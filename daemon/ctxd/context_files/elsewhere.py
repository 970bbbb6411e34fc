"""What stands in a file outside the block of ctxd, as far as it may be an item's line.

A human who moves a line out of the block has made it their own, with its id or without.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ctxd.context_files.lines import ids, parse, plain, unmarked
from ctxd.context_files.text_file import stem


class Elsewhere(msgspec.Struct, frozen=True):
    """The lines outside a block."""

    ids: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()

    def holds(self, item: str, text: str) -> bool:
        """Whether a line stands there, by its id or by its words alone."""
        return item in self.ids or _key(text) in self.texts


def elsewhere(lines: Iterable[str]) -> Elsewhere:
    """What stands in these lines."""
    bare = [stem(line) for line in lines]
    texts = (found.text if (found := parse(line)) else unmarked(line) for line in bare)
    keys = frozenset(_key(text) for text in texts)
    return Elsewhere(ids("\n".join(bare)), keys - {""})


def _key(text: str) -> str:
    return plain(text).rstrip(".;,").casefold()
