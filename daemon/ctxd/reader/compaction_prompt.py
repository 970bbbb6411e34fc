"""The question that is asked about a compaction. Its words are those of `compaction_prompt.md`,
under this version."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files

from ctxd.context_files.tokens import counts
from ctxd.extract.wording import cut
from ctxd.policy.reader import (
    READER_CALL_TOKENS,
    READER_ITEM_CHARS,
    READER_ITEM_QUOTES,
    READER_JUDGED_ANSWER_TOKENS,
    READER_MARK_TOKENS,
)
from ctxd.reader.compaction_answer import schema
from ctxd.reader.compaction_chunks import Room, chunks
from ctxd.reader.compaction_values import CompactionChunk, Looked, Shown
from ctxd.reader.own import MARK
from ctxd.reader.values import Ask

VERSION = "1"
"""Goes up whenever `compaction_prompt.md` or the way texts are shown changes."""

_TITLES = {"summary": "the summary", "kept": "a message that stays word for word"}


def chunks_of(event: str, items: Sequence[Looked], shown: Sequence[Shown]) -> list[CompactionChunk]:
    """The calls about a compaction, each of at most `READER_CALL_TOKENS`."""
    return chunks(event, items, shown, Room(_capacity(), counts, _line, VERSION))


def ask_of(chunk: CompactionChunk) -> Ask:
    """The question that is asked in a call."""
    key = f"#{chunk.digest[:8]}"
    return Ask(
        instructions=f"{MARK}\n{_words().replace('{key}', key)}",
        text="\n".join(_lines(chunk, key)),
        schema=schema(),
        answer_tokens=READER_JUDGED_ANSWER_TOKENS,
    )


def _capacity() -> int:
    """Tokens that the items and texts of one call may take."""
    fixed = sum(counts([MARK, _words(), json.dumps(schema())]))
    return READER_CALL_TOKENS - fixed - 6 * READER_MARK_TOKENS


@functools.cache
def _words() -> str:
    return files("ctxd.reader").joinpath("compaction_prompt.md").read_text(encoding="utf-8").strip()


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
    return cut(" ".join(text.split()), READER_ITEM_CHARS)
