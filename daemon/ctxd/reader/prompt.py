"""The question that a chunk becomes. Its words are those of `prompt.md`, under this version."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ctxd.context_files.tokens import long_counts
from ctxd.item import Item
from ctxd.policy.reader import (
    READER_ANSWER_TOKENS,
    READER_CARRIED_TOKENS,
    READER_MARK_TOKENS,
    READER_REFUSALS_TOLD,
)
from ctxd.reader.answer import schema
from ctxd.reader.chunks import candidate_line, chunks
from ctxd.reader.question import instructions, key_of, on_one_line, room_for
from ctxd.reader.turns import Heard
from ctxd.reader.values import Ask, Chunk, Part, Refusal, Turn

VERSION = "1"
"""Goes up whenever `prompt.md` or the way exchanges are shown changes: what was read under another
one is read anew only when that is asked for."""

_WORDS = "prompt.md"


def chunks_of(heard: Sequence[Heard]) -> list[Chunk]:
    """The chunks of a session, each so small that its question has at most `READER_CALL_TOKENS`."""
    return chunks(heard, _capacity(), long_counts, VERSION)


def ask_of(chunk: Chunk) -> Ask:
    """The question that is asked about a chunk."""
    key = key_of(chunk.digest)
    return Ask(
        instructions=instructions(_WORDS, key),
        text="\n".join(_lines(chunk, key)),
        schema=schema(),
        answer_tokens=READER_ANSWER_TOKENS,
    )


def again(ask: Ask, refusals: Sequence[Refusal]) -> Ask:
    """The same question once more, with what was wrong with the answer to it."""
    told = [f"- {one.where}: {one.why}" for one in refusals[:READER_REFUSALS_TOLD]]
    lines = [
        "",
        "Your last answer had faults. Answer anew and in full, with these mended or left out:",
        *told,
    ]
    return msgspec.structs.replace(ask, text=ask.text + "\n".join(lines))


def labels(chunk: Chunk) -> dict[str, Item]:
    """The labels that items understood offline have in the question: `c1` those of the exchanges
    shown, `k1` earlier ones."""
    shown = [item for turn in chunk.turns for item in turn.candidates]
    found = {f"c{number}": item for number, item in enumerate(shown, 1)}
    return found | {f"k{number}": item for number, item in enumerate(chunk.carried, 1)}


def tokens_of(ask: Ask) -> int:
    """Tokens that a question takes, its schema included."""
    return sum(long_counts([ask.prompt, json.dumps(ask.schema)]))


def _capacity() -> int:
    """Tokens that the exchanges of one call may take."""
    return room_for(_WORDS, schema()) - READER_CARRIED_TOKENS - 4 * READER_MARK_TOKENS


def _lines(chunk: Chunk, key: str) -> Iterator[str]:
    names = {item.id: label for label, item in labels(chunk).items() if label[0] == "c"}
    if chunk.carried:
        yield f"{key} earlier in this session, as a simple program understood it"
        for number, item in enumerate(chunk.carried, 1):
            yield f"{key} k{number} {_line(item)}"
    for turn in chunk.turns:
        yield from _turn(turn, key, names)
    yield f"{key} end of the log. Now answer with the JSON object."


def _turn(turn: Turn, key: str, names: Mapping[str, str]) -> Iterator[str]:
    if turn.agent:
        yield f"{key} turn {turn.number}, the agent"
        yield _shown(turn.agent)
    yield f"{key} turn {turn.number}, the user"
    yield _shown(turn.user)
    for note in turn.notes:
        yield f"{key} note: {on_one_line(note)}"
    for item in turn.candidates:
        yield f"{key} candidate {names[item.id]} {_line(item)}"


def _line(item: Item) -> str:
    return on_one_line(candidate_line(item))


def _shown(parts: Sequence[Part]) -> str:
    """The pieces of a turn, with a mark where something between them is not shown."""
    lines: list[str] = []
    before: Part | None = None
    for part in parts:
        if before is not None and before.event == part.event:
            gap = part.start - before.start - len(before.text)
            if gap > _JOINT:
                lines.append("[...]")
        lines.append(part.text)
        before = part
    return "\n".join(lines)


_JOINT = 12
"""Characters between two pieces that are but line breaks, bullets and indentation."""
