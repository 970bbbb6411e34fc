"""The question that is asked about a compaction. Its words are those of `compaction_prompt.md`,
under this version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxd.context_files.tokens import long_counts
from ctxd.extract.wording import cut
from ctxd.policy.reader import (
    READER_ITEM_CHARS,
    READER_ITEM_QUOTES,
    READER_JUDGED_ANSWER_TOKENS,
    READER_MARK_TOKENS,
)
from ctxd.reader.compaction_answer import schema
from ctxd.reader.compaction_chunks import Room, chunks
from ctxd.reader.compaction_values import CompactionChunk, Looked, Shown
from ctxd.reader.question import instructions, key_of, on_one_line, room_for
from ctxd.reader.values import Ask

VERSION = "1"
"""Goes up whenever `compaction_prompt.md` or the way texts are shown changes."""

_WORDS = "compaction_prompt.md"
_TITLES = {"summary": "the summary", "kept": "a message that stays word for word"}


def chunks_of(event: str, items: Sequence[Looked], shown: Sequence[Shown]) -> list[CompactionChunk]:
    """The calls about a compaction, each of at most `READER_CALL_TOKENS`."""
    return chunks(event, items, shown, Room(_capacity(), _counts, _line, VERSION))


def ask_of(chunk: CompactionChunk) -> Ask:
    """The question that is asked in a call."""
    key = key_of(chunk.digest)
    return Ask(
        instructions=instructions(_WORDS, key),
        text="\n".join(_lines(chunk, key)),
        schema=schema(),
        answer_tokens=READER_JUDGED_ANSWER_TOKENS,
    )


def _capacity() -> int:
    """Tokens that the items and texts of one call may take."""
    return room_for(_WORDS, schema()) - 6 * READER_MARK_TOKENS


def _counts(lines: Sequence[str]) -> list[int]:
    """Tokens of lines, their ends included."""
    return long_counts([f"{line}\n" for line in lines])


def _lines(chunk: CompactionChunk, key: str) -> Iterator[str]:
    yield f"{key} the items that were agreed before"
    for label, one in chunk.labels.items():
        yield f"{key} {label} {_line(one)}"
    name = ""
    for shown in chunk.shown:
        if shown.part.event != name:
            rest = "" if chunk.whole else ", the parts nearest to the items"
            yield f"{key} {_TITLES[shown.kind]}{rest}"
        else:
            yield "[...]"
        name = shown.part.event
        yield shown.part.text.rstrip("\n")
    yield f"{key} end of the texts. Now answer with the JSON object."


def _line(one: Looked) -> str:
    """An item on one line: what stands behind a key must not go on without one."""
    stated = one.stated
    said = [f'said: "{_flat(quote)}"' for quote in stated.quotes[:READER_ITEM_QUOTES]]
    down = "; ".join(map(_flat, stated.rejected[:READER_ITEM_QUOTES]))
    parts = [f"{stated.kind}: {_flat(stated.text)}", *said, down and f"turned down: {down}"]
    return " | ".join(filter(None, parts))


def _flat(text: str) -> str:
    return cut(on_one_line(text), READER_ITEM_CHARS)
