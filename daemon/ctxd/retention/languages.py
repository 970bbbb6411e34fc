"""Words of other languages put into English, so that an item is found in an English summary.

Word by word, as far as `languages.toml` goes: enough to see what a statement is about and whether
it forbids. Unknown words stay as they are. Compounds give the words they begin and end with.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ctxd.policy.retention import (
    FOREIGN_TOKENS,
    HEAD_CHARS,
    LONGEST_WORD,
    SHOWN_WORDS,
    TAIL_CHARS,
)

_ENGLISH = frozenset(
    ("the", "of", "and", "to", "is", "are", "for", "that", "with", "it", "be", "this", "by", "from")
)


class _Languages(NamedTuple):
    names: frozenset[str]
    shown: tuple[frozenset[str], ...]
    words: Mapping[str, str]


def put_into_english() -> frozenset[str]:
    """Return the ISO codes of the languages whose words are known."""
    return _languages().names


def is_foreign(tokens: Sequence[str]) -> bool:
    """Return whether the small words of a text are those of another language."""
    looked_at = tokens[:FOREIGN_TOKENS]
    english = sum(token in _ENGLISH for token in looked_at)
    if english >= SHOWN_WORDS:
        return False
    needed = SHOWN_WORDS + english
    return any(sum(token in shown for token in looked_at) >= needed for shown in _languages().shown)


def translated(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the tokens of a text in another language, in English where they are known."""
    known = _languages().words
    for token in tokens:
        for piece in token.replace("\u2019", "'").split("'"):
            english = known.get(piece) or _by_parts(piece)
            yield from (english or piece).split("_")


def _by_parts(word: str) -> str:
    """Return the English of the words that a longer one begins and ends with."""
    if len(word) > LONGEST_WORD:
        return ""
    known = _languages().words
    sizes = range(len(word) - 1, HEAD_CHARS - 1, -1)
    head = next((word[:size] for size in sizes if word[:size] in known), "")
    if not head:
        return ""
    ends = (word[at:] for at in range(len(head), len(word) - TAIL_CHARS + 1))
    tail = next((known[end] for end in ends if end in known), "")
    return f"{known[head]}_{tail}" if tail else known[head]


@cache
def _languages() -> _Languages:
    text = files("ctxd.retention").joinpath("languages.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    shown = tuple(frozenset(words.split()) for words in table["shown_by"].values())
    words = {
        word: english
        for english, others in table["words"].items()
        for word in others.replace("|", " ").split()
    }
    return _Languages(frozenset(table["shown_by"]), shown, words)
