"""What stands in a file besides the entries of ctxd, as far as it may be an item's line.

A human who moves a line out of the block, or takes the id off it, has made it their own.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ctxd.context_files.lines import ids, parse, plain, unmarked
from ctxd.context_files.text_file import stem


class Elsewhere(msgspec.Struct, frozen=True):
    """Lines that are no entries of ctxd."""

    ids: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()

    def holds(self, item: str, text: str) -> bool:
        """Whether a line is among them, by its id or by its words alone."""
        return item in self.ids or _key(text) in self.texts


def elsewhere(lines: Iterable[str]) -> Elsewhere:
    """What stands in these lines."""
    bare = [stem(line) for line in lines]
    texts = (found.text if (found := parse(line)) else unmarked(line) for line in bare)
    keys = frozenset(_key(text) for text in texts)
    return Elsewhere(ids("\n".join(bare)), keys - {""})


def _key(text: str) -> str:
    return plain(text).rstrip(".;,").casefold()
