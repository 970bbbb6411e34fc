"""What humans did to the lines of ctxd: their last word, as events for the ledger.

A line with other words than at the last look is the item's wording from now on. A line that is gone
is retracted for good, unless it stands somewhere else in the file: then it is the human's own. A
line that was gone and is back holds again. What git laid, by a checkout or a stash, is nobody's
word: what a hand did is told from the version that git laid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from difflib import SequenceMatcher

import msgspec

from ctxd.context_files.block import Absent, Block, Broken, Entry, find
from ctxd.context_files.elsewhere import Elsewhere, elsewhere
from ctxd.context_files.inert import inert
from ctxd.context_files.lines import parse, plain, said
from ctxd.context_files.text_file import decode
from ctxd.context_files.values import File, Memory
from ctxd.item import Item
from ctxd.item_log import ItemEvent, ItemState, verdict
from ctxd.policy.context_files import CONTEXT_REWORDING_SHARE
from ctxd.redact import redact

States = Mapping[str, ItemState]

_GONE = frozenset({"retracted", "rejected"})


class Standing(msgspec.Struct, frozen=True):
    """What stands in a block for each item."""

    entries: Mapping[str, Entry]
    copies: tuple[Entry, ...] = ()
    """Lines of ctxd's that a bad merge has doubled."""
    strays: tuple[str, ...] = ()
    """Ids that a human's own line carries as well."""

    @property
    def texts(self) -> dict[str, str]:
        """The line of each item, by id, as one line."""
        return {item: plain(entry.line.raw) for item, entry in self.entries.items() if entry.line}


class Looked(msgspec.Struct, frozen=True, kw_only=True):
    """A file at this look, and what is known of the one before."""

    standing: Standing
    outside: Elsewhere
    """What stands in the file besides these entries."""
    memory: Memory
    laid: Mapping[str, str] | None = None
    """What git laid since, by id; None when it laid nothing."""
    made_room: bool = False
    """Whether lines of what git laid are gone because ctxd, on another machine, made room."""


def standing(block: Block, states: States, memory: Memory) -> Standing:
    """Which entry of a block stands for which known item, each once."""
    found: dict[str, list[Entry]] = {}
    for entry in block.entries:
        if entry.line and (entry.line.id in states or entry.line.id in memory.written):
            found.setdefault(entry.line.id, []).append(entry)
    entries, copies, strays = {}, [], []
    for item, several in found.items():
        entries[item], doubled, others = _one(several, states.get(item), memory)
        copies += doubled
        strays += [item] if others else []
    return Standing(entries, tuple(copies), tuple(strays))


def look(lines: Sequence[str], block: Block, file: File, memory: Memory, states: States) -> Looked:
    """What stands in a file, beside what git laid and what stood there at the last look."""
    here = standing(block, states, memory)
    spans = (range(e.first, e.last) for e in (*here.entries.values(), *here.copies))
    taken = {at for span in spans for at in span}
    outside = elsewhere(line for at, line in enumerate(lines) if at not in taken)
    base = _base(file)
    if base is None:
        return Looked(standing=here, outside=outside, memory=memory)
    old, left_out = base
    return Looked(
        standing=here,
        outside=outside,
        memory=memory,
        laid=old,
        made_room=block.left_out > left_out,
    )


def _base(file: File) -> tuple[dict[str, str], int] | None:
    """The lines that git laid, by id, and how many it says are left out."""
    if file.base is None:
        return None
    text = decode(file.base)
    block = find(text.lines) if text else Absent()
    if not isinstance(block, Block):
        return {}, 0
    lines = {entry.line.id: plain(entry.line.raw) for entry in block.entries if entry.line}
    return lines, block.left_out


def is_stop(found: Block | Absent | Broken, file: File, memory: Memory) -> bool:
    """Whether somebody took the markers out of a file, which means: write here no more."""
    if not isinstance(found, Absent):
        return False
    return memory.stopped or (memory.block and file.base is None)


def decisions(
    looked: Looked, states: States, is_told: Callable[[Item], bool], now: datetime
) -> Iterator[ItemEvent]:
    """What humans have said of items by what they did to their lines since the last look. What
    another rule of theirs still tells was not taken back with its line."""
    for item, state in states.items():
        entry = looked.standing.entries.get(item)
        if entry is None:
            if _deleted(item, state, looked) and not is_told(state.item):
                yield verdict(item, "retracted", now)
        elif entry.line:
            yield from _reworded(entry.line.text, state, looked, now)


def decided(states: States, events: Sequence[ItemEvent]) -> dict[str, ItemState]:
    """What items have come to with these verdicts."""
    after = dict(states)
    for event in events:
        state = after[event.item]
        if event.type == "retracted":
            after[event.item] = msgspec.structs.replace(state, status="retracted", accepted=False)
        elif event.type == "restored":
            after[event.item] = msgspec.structs.replace(state, status="active")
        elif event.text is not None:
            after[event.item] = msgspec.structs.replace(
                state, text=event.text, edited=True, accepted=True, status="active"
            )
    return after


def _reworded(text: str, state: ItemState, looked: Looked, now: datetime) -> Iterator[ItemEvent]:
    item, memory = state.item.id, looked.memory
    if not text:
        if state.status == "active":
            yield verdict(item, "retracted", now)
        return
    if state.status in _GONE:
        if _is_back(item, looked):
            yield verdict(item, "restored", now)
            if text not in (said(state), _text(memory.written, item)):
                yield verdict(item, "edited", now, redact(text))
        return
    known = {said(state), _text(memory.written, item), _text(memory.seen, item)}
    known.add(_text(looked.laid or {}, item))
    if text in known or (looked.laid is not None and item not in looked.laid):
        return
    if item in memory.written or inert(state.item.text) not in text:
        yield verdict(item, "edited", now, redact(text))


def _is_back(item: str, looked: Looked) -> bool:
    """Whether a hand put a line back that was gone at the last look."""
    return looked.laid is None and item in looked.memory.written and item not in looked.memory.seen


def _deleted(item: str, state: ItemState, looked: Looked) -> bool:
    """Whether a hand took the line out since the last look."""
    if state.status != "active" or item not in looked.memory.seen:
        return False
    if looked.laid is not None and (looked.made_room or item not in looked.laid):
        return False
    line = _text(looked.memory.seen, item) or ""
    return not any(looked.outside.holds(item, text) for text in (line, inert(state.text)))


def _text(lines: Mapping[str, str], item: str) -> str | None:
    """What a remembered line says."""
    line = parse(lines.get(item, ""))
    return line.text if line else None


def _one(
    several: list[Entry], state: ItemState | None, memory: Memory
) -> tuple[Entry, list[Entry], list[Entry]]:
    """Of entries with the same id: the one that counts, those to take out, those to leave alone.

    Only what ctxd wrote is ever taken out, and what says the same as one that stays.
    """
    if len(several) == 1:
        return several[0], [], []
    item = several[0].line.id if several[0].line else ""
    own = own_texts(item, state, memory)
    texts = {_said(entry): entry for entry in reversed(several)}
    copies = [entry for entry in several if texts[_said(entry)] is not entry]
    humans = [entry for text, entry in texts.items() if text not in own]
    chosen = _chosen(texts, humans, own, _text(memory.seen, item) or "")
    rest = [entry for entry in texts.values() if entry is not chosen]
    copies += [entry for entry in rest if _said(entry) in own]
    return chosen, copies, [entry for entry in rest if _said(entry) not in own]


def _chosen(
    texts: Mapping[str, Entry], humans: list[Entry], own: Sequence[str], seen: str
) -> Entry:
    made = [texts[text] for text in own if text in texts]
    if not made:
        return texts[seen] if seen in texts else min(humans, key=lambda entry: entry.first)
    if seen in texts and texts[seen] in humans:
        return texts[seen]
    reworded = [entry for entry in humans if any(_alike(entry, other) for other in made)]
    return min(reworded, key=lambda entry: entry.first) if reworded else made[0]


def own_texts(item: str, state: ItemState | None, memory: Memory) -> list[str]:
    """What ctxd itself has written for an item, or would write; what says it now comes first."""
    texts = []
    if state is not None:
        unedited = msgspec.structs.replace(state, text=state.item.text, edited=False)
        texts = [said(unedited)] if state.edited else [said(state)]
    written = _text(memory.written, item)
    if written is not None and not (state and state.edited):
        texts.append(written)
    return list(dict.fromkeys(texts))


def _said(entry: Entry) -> str:
    return entry.line.text if entry.line else ""


def _alike(one: Entry, other: Entry) -> bool:
    """Whether one says what the other does, in other words: not a new rule made from its line."""
    words = SequenceMatcher(None, _said(one).split(), _said(other).split(), autojunk=False)
    return words.ratio() >= CONTEXT_REWORDING_SHARE
