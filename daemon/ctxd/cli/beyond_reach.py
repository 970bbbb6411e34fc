"""What `ctxd forget` has no hand in, or leaves alone: said, so that the user can see to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ctxd.terminal import short_path

if TYPE_CHECKING:
    from ctxd.item_log import ItemState
    from ctxd.ledger import KeptItem, Reader


def beyond_reach(reader: Reader, found: Sequence[KeptItem], receipts: Path) -> Iterator[str]:
    """Where words of these items go on standing, or may, a line each; `receipts` is the folder in
    which edits of context files are kept."""
    logs = (_log(reader, kept) for kept in found)
    yield from dict.fromkeys(filter(None, logs))
    yield from _other_items(reader, found)
    yield "commits that hold its line in a context file, or in `.ctxd/items.jsonl`"
    yield "clones and other machines that have taken it up"
    yield "what else was said of it in its session, and lines you moved out of ctxd's block"
    for path in sorted(reader.path.parent.glob(f"{reader.path.stem}.corrupt-*")):
        yield f"a damaged ledger that was put aside: {short_path(path, Path.home())}"
    for path in sorted(receipts.glob("*.rescued")):
        yield f"a version of a file that somebody saved meanwhile: {short_path(path, Path.home())}"


def _log(reader: Reader, kept: KeptItem) -> str:
    item = kept.item
    log = reader.around((item.agent, item.session), item.event).transcript
    return f"{item.agent}'s own log {short_path(log, Path.home())}" if log else ""


def _other_items(reader: Reader, found: Sequence[KeptItem]) -> Iterator[str]:
    """Items that stay, and hold the words of one that goes."""
    gone = {(kept.repository, kept.id): kept.item.text.casefold() for kept in found}
    for repository in sorted({kept.repository for kept in found}):
        words = [text for (where, _), text in gone.items() if where == repository]
        for other in reader.items(repository, statuses=()):
            said = _texts(other.state).casefold()
            if (repository, other.id) not in gone and any(text in said for text in words):
                yield f"another item with its words: {other.id}"


def _texts(state: ItemState) -> str:
    item = state.item
    quotes = (evidence.quote for evidence in item.evidence)
    return "\n".join([state.text, item.text, item.reason, *item.rejected, *quotes])
