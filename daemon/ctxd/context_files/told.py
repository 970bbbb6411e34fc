"""Whether a rule that stands in a context file already says what an item says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ctxd.context_files.block import Block, find
from ctxd.context_files.text_file import Text, decode, stem
from ctxd.context_files.values import View
from ctxd.extract.echo import Echo
from ctxd.extract.reconcile import Known
from ctxd.item import Item
from ctxd.policy.context_files import CONTEXT_RULES_READ, CONTEXT_TEXTS_REMEMBERED


def others_words(view: View) -> tuple[str, ...]:
    """What humans have written into the context files, ctxd's blocks left out."""
    texts = (decode(file.data) for _, file in sorted(view.files.items()) if file.kind == "file")
    return tuple(found for text in texts if text and (found := _own_words(text)))


def is_told(item: Item, texts: tuple[str, ...]) -> bool:
    """Whether one of these texts states an item already."""
    return bool(texts) and _known(texts).reconcile(item).relation == "same"


def _own_words(text: Text) -> str:
    found = find(text.lines)
    lines: Sequence[str] = text.lines
    if isinstance(found, Block):
        lines = (*lines[: found.start], *lines[found.end + 1 :])
    return "\n".join(map(stem, lines)).strip()


@lru_cache(maxsize=CONTEXT_TEXTS_REMEMBERED)
def _known(texts: tuple[str, ...]) -> Known:
    """The lines of these texts as if each were an item."""
    lines = [line.strip(" \t-*+>#") for text in texts for line in text.splitlines()]
    rules = [line for line in dict.fromkeys(lines) if line][:CONTEXT_RULES_READ]
    return Known([_rule(number, line) for number, line in enumerate(rules)], told=Echo(texts))


def _rule(number: int, line: str) -> Item:
    return Item(
        id=f"rule {number}",
        agent="",
        session="",
        event="",
        kind="constraint",
        text=line,
        authority="user",
        probability=1.0,
    )
