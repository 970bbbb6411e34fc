"""A block that follows its items: changed lines in their place, new ones at the end, room made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ctxd.context_files.block import Block, Entry, find, more_line
from ctxd.context_files.budget import Claim, fit
from ctxd.context_files.drafting import TITLE_OF, Draft, section_for, without_block
from ctxd.context_files.human import Looked, own_texts
from ctxd.context_files.lines import render
from ctxd.context_files.text_file import Text, stem
from ctxd.context_files.values import Action, Change, Memory
from ctxd.item_log import ItemState

_GONE = frozenset({"retracted", "rejected"})


class Following:
    """The changes of one block."""

    def __init__(
        self,
        text: Text,
        block: Block,
        seen: Looked,
        looked: Memory,
        states: Mapping[str, ItemState],
    ) -> None:
        """`seen` holds the memory of the look before, `looked` is that of this one."""
        self.changes: list[Change] = []
        self._text, self._block, self._seen, self._states = text, block, seen, states
        self._looked = looked
        self._entries = seen.standing.entries
        self._written = dict(looked.written)
        self._left_out = looked.left_out
        self._draft = Draft(text, block)
        self._lines: dict[str, str] = {}
        """The lines of the items that stay, by id."""
        self._leaving: dict[str, Entry] = {}
        """The entries of the items that hold no more."""

    @property
    def memory(self) -> Memory:
        """What to remember once the changes are made."""
        return msgspec.structs.replace(self._looked, written=self._written, left_out=self._left_out)

    def lines(self) -> list[str]:
        """All lines of the file with the changes made; a block with nothing in it goes."""
        lines = self._draft.lines()
        block = find(lines)
        if isinstance(block, Block) and not "".join(lines[block.start + 1 : block.end]).strip():
            return without_block(self._text, self._block)
        return lines

    def heal(self) -> None:
        """Take out what a bad merge has doubled."""
        for entry in self._seen.standing.copies:
            self._take(entry, "heal")

    def follow(self) -> None:
        """Change the lines whose items have changed, and note those whose items hold no more."""
        for item, entry in self._entries.items():
            state = self._states.get(item)
            if state is None:
                continue
            if state.status == "active":
                self._keep(entry, state)
            elif self._leaves(entry, state):
                self._leaving[item] = entry

    def add(self, claims: Sequence[Claim], limit: int) -> None:
        """Put new lines in, others out where there is no room for all, and what holds no more."""
        if claims or any(change.action == "change" for change in self.changes):
            self._make_room(claims, limit)
        for entry in self._leaving.values():
            self._take(entry, "remove")
        if len(self._left_out) != self._block.left_out and (self.changes or claims):
            self._draft.count(len(self._left_out))
            self.changes.append(Change(None, "change", more_line(len(self._left_out))))

    def _keep(self, entry: Entry, state: ItemState) -> None:
        item = state.item.id
        self._lines[item] = entry.line.raw if entry.line else ""
        line, known = render(state), self._looked.written.get(item)
        if known and line != known and self._is_ours(entry, state):
            self._draft.replace(entry, line)
            self.changes.append(Change(item, "change", line))
            self._lines[item] = self._written[item] = line

    def _leaves(self, entry: Entry, state: ItemState) -> bool:
        """Whether the line of an item that holds no more is to go: it was there when the item still
        held, or it came back by a merge though a human had taken it back. What git laid as it was
        on another branch stays."""
        item, before = state.item.id, self._seen.memory
        was_there = bool(before.written.get(item)) and item in before.seen
        if state.status not in _GONE:
            return was_there and self._is_ours(entry, state)
        laid = self._seen.laid
        return was_there or item not in before.written or (laid is not None and item not in laid)

    def _is_ours(self, entry: Entry, state: ItemState) -> bool:
        """Whether a line says what ctxd wrote, or what the ledger has as the user's wording."""
        text = entry.line.text if entry.line else ""
        return state.edited or text in own_texts(state.item.id, state, self._seen.memory)

    def _make_room(self, claims: Sequence[Claim], limit: int) -> None:
        here = [
            Claim(self._states[item], line, is_new=False, is_held=self._is_held(item))
            for item, line in self._lines.items()
        ]
        fitted = fit([*here, *claims], limit, self._others())
        for claim in here:
            if claim.state.item.id in fitted.left_out:
                self._take(self._entries[claim.state.item.id], "remove")
        for claim in claims:
            self._written[claim.state.item.id] = claim.line
            if claim.state.item.id in fitted.shown:
                self._add(claim)
        self._left_out += fitted.left_out

    def _is_held(self, item: str) -> bool:
        state = self._states[item]
        return state.edited or not self._is_ours(self._entries[item], state)

    def _others(self) -> list[str]:
        """The lines of the block that stand for no item."""
        spans = [self._entries[item] for item in self._lines]
        taken = {at for entry in spans for at in range(entry.first, entry.last)}
        within = range(self._block.start, self._block.end + 1)
        return [stem(self._text.lines[at]) for at in within if at not in taken]

    def _add(self, claim: Claim) -> None:
        item, title = claim.state.item, TITLE_OF[claim.state.item.kind]
        old = self._place_of(item.id, title)
        if old is None:
            section = section_for(self._block, title, self._of(title))
            self._draft.append(section, title, claim.line)
        else:
            entry = self._leaving.pop(old)
            self._draft.replace(entry, claim.line)
            self._note(entry, "remove")
        self.changes.append(Change(item.id, "add", claim.line))

    def _place_of(self, item: str, title: str) -> str | None:
        """An item of the same section that leaves because this one holds instead."""
        for old in self._leaving:
            state = self._states[old]
            if state.superseded_by == item and TITLE_OF.get(state.item.kind) == title:
                return old
        return None

    def _of(self, title: str) -> Iterator[Entry]:
        """The entries of a section's kinds of items, wherever they stand."""
        for item, entry in self._entries.items():
            state = self._states.get(item)
            if state is not None and TITLE_OF.get(state.item.kind) == title:
                yield entry

    def _take(self, entry: Entry, action: Action) -> None:
        self._draft.remove(entry)
        self._note(entry, action)

    def _note(self, entry: Entry, action: Action) -> None:
        if entry.line is not None:
            self.changes.append(Change(entry.line.id, action, entry.line.raw))
