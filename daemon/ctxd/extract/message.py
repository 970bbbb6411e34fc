"""A message of the user's as extraction sees it: the user's own sentences, and what each does.

Read once and shared by everything after it. What is shown in a message (code, logs, quotes, pastes,
blocks that a client put around the words) is not the user's word and gives no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from ctxd.extract.acts import Act, acts, cues
from ctxd.extract.cues.language import language
from ctxd.extract.tags import between_tags
from ctxd.extract.terms import content, tokens
from ctxd.extract.text import SPOKEN, Block, blocks, sentences
from ctxd.policy.extraction import MESSAGE_CHARS, MESSAGE_SENTENCES
from ctxd_parsers.events import Origin, UserMessage


class Utterance(msgspec.Struct, frozen=True, gc=False):
    """One sentence of the user's."""

    start: int
    """Offset of its first character in the message."""
    end: int
    text: str
    acts: frozenset[Act]
    cues: frozenset[str]
    tokens: tuple[str, ...]
    content: frozenset[str]
    paragraph: int
    block: int
    item: bool
    """Whether it stands in a list."""
    label: str = ""
    """The enumeration label it stands behind."""


class Message(msgspec.Struct, frozen=True, gc=False):
    """The user's words of one event."""

    event: str
    origin: Origin
    text: str
    utterances: tuple[Utterance, ...]
    language: str
    shown: bool
    """Whether it also shows what is not the user's word."""
    size: int
    """Content words in the user's own sentences."""


_PLACEHOLDER = re.compile(
    r"^\[(?:image|screenshot|file|attachment|pasted|\.{3}truncated)\b", re.IGNORECASE
)


def message(event: UserMessage) -> Message:
    """Return a user's message as its own sentences. Of a very long one the start is read."""
    text = event.text[:MESSAGE_CHARS]
    shown = [(paste.start, paste.end) for paste in event.pasted]
    shown += between_tags(text)
    parts = blocks(text, shown)
    tongue = language(text)
    said = tuple(_utterances(text, parts, tongue))
    whole = any(block.kind not in SPOKEN for block in parts)
    return Message(event.id, event.origin, text, said, tongue, whole, _size(said))


def within(said: Message, start: int, end: int) -> Message:
    """Return a part of a message as one of its own, with the offsets of the whole."""
    text = said.text[start:end]
    own = tuple(
        msgspec.structs.replace(one, start=one.start + start, end=one.end + start)
        for one in _utterances(text, blocks(text), said.language)
    )
    return msgspec.structs.replace(said, utterances=own, shown=False, size=_size(own))


def _utterances(text: str, parts: Sequence[Block], tongue: str) -> Iterator[Utterance]:
    opening = True
    for sentence in sentences(text, parts)[:MESSAGE_SENTENCES]:
        words = text[sentence.start : sentence.end]
        if _PLACEHOLDER.match(words):
            continue
        block = parts[sentence.block]
        yield Utterance(
            sentence.start,
            sentence.end,
            words,
            acts(words, tongue, opening=opening),
            cues(words, tongue),
            tuple(tokens(words)),
            content(words),
            block.paragraph,
            sentence.block,
            block.kind == "item",
            block.label,
        )
        opening = False


def _size(said: Sequence[Utterance]) -> int:
    return sum(len(one.content) for one in said)
