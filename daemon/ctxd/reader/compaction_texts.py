"""What is shown to a reader of the texts that stand after a compaction.

The summary as the agent wrote it, and the messages that stay word for word, without what nobody
said: fenced code, and in messages pastes, quotations and output. Pieces are verbatim parts of the
texts as the ledger keeps them, without secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ctxd.extract.text import SPOKEN, blocks
from ctxd.policy.extraction import MESSAGE_CHARS
from ctxd.policy.reader import READER_SUMMARY_CHARS
from ctxd.reader.compaction_values import Shown
from ctxd.reader.values import Part
from ctxd.retention.afterwards import words
from ctxd_parsers.events import Compaction, Event, UserMessage

Span = tuple[int, int]
_FENCE = re.compile(r"[ \t>]*(?:[-*+][ \t]+)?(`{3,}|~{3,})")


def shown(summary: Compaction | None, kept: Iterable[Event]) -> list[Shown]:
    """The pieces of all texts after a compaction, in the order of the texts."""
    found: list[Shown] = []
    if summary is not None and summary.readable:
        found += in_summary(summary.summary or "", summary.id)
    for event in kept:
        text = words(event)[:MESSAGE_CHARS]
        found += [Shown("kept", part) for part in _parts(event.id, text, _said(event, text))]
    return found


def in_summary(text: str, name: str) -> list[Shown]:
    """The pieces of a summary: all of it but code between fences."""
    text = text[:READER_SUMMARY_CHARS]
    return [Shown("summary", part) for part in _parts(name, text, _unfenced(text))]


def _parts(name: str, text: str, spans: Iterable[Span]) -> Iterator[Part]:
    for start, end in spans:
        if text[start:end].strip():
            yield Part(name, start, text[start:end])


def _said(event: Event, text: str) -> Iterator[Span]:
    is_user = isinstance(event, UserMessage)
    pasted = (
        [(one.start, one.end) for one in event.pasted] if isinstance(event, UserMessage) else []
    )
    for block in blocks(text, pasted, typed=is_user):
        if block.kind in SPOKEN:
            yield block.start, block.end


def _unfenced(text: str) -> Iterator[Span]:
    """What lies outside of fences; one that is not closed is none."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    at = number = 0
    open_ended: dict[str, int] = {}
    while number < len(lines):
        mark = _FENCE.match(lines[number])
        end = _closing(lines, number, mark[1], open_ended) if mark else None
        if end is None:
            number += 1
            continue
        yield at, starts[number]
        number = end + 1
        at = starts[number]
    yield at, len(text)


def _closing(
    lines: Sequence[str], opening: int, mark: str, open_ended: dict[str, int]
) -> int | None:
    """Number of the line that closes a fence; where none does, none closes a longer one either."""
    char = mark[0]
    if len(mark) >= open_ended.get(char, len(mark) + 1):
        return None
    for number in range(opening + 1, len(lines)):
        bare = lines[number].strip(" \t>\r\n")
        if bare.startswith(mark) and not bare.strip(char):
            return number
    open_ended[char] = len(mark)
    return None
