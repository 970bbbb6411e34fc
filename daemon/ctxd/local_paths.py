"""Items without the folder they were said in: what is told of `shop/app.py` holds in every clone,
whatever folder that lies in. The evidence keeps its words."""

from __future__ import annotations

import re

import msgspec

from ctxd.item import Item
from ctxd.repositories import repository_of


def root_of(cwd: str | None) -> str:
    """The folder whose name says nothing to others: the checkout's, else the session's own; empty
    where there is none that could be told from another word."""
    found = repository_of(cwd or "")
    root = str(found.worktree) if found else (cwd or "")
    root = root.rstrip("/\\")
    return root if re.search(r"[/\\].*[/\\]", root) else ""


def without_root(item: Item, root: str) -> Item:
    """The item with the paths below a folder as they are seen from there."""
    if not root:
        return item
    inside = re.compile(rf"(?<![\w./\\~-]){re.escape(root)}(?:[/\\]+(?=[^\s/\\])|(?![\w./\\-]))")

    def short(text: str) -> str:
        return inside.sub(lambda found: "" if found[0] != root else ".", text)

    return msgspec.structs.replace(
        item,
        text=short(item.text),
        filled=tuple(map(short, item.filled)),
        reason=short(item.reason),
        rejected=tuple(map(short, item.rejected)),
        scope=tuple(dict.fromkeys(map(short, item.scope))),
    )
