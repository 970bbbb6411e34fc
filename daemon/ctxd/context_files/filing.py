"""What is to be changed in one context file, and what was done to it.

A line is added, changed or taken out when its item changes, never because the file does: so a line
that a human deleted or moved, or that stands on another branch only, does not come back, and a look
at a file that nothing happened to changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from ctxd.context_files.block import BEGIN, END, Absent, Block, Broken, find
from ctxd.context_files.budget import fit
from ctxd.context_files.drafting import TITLE_OF, TITLES, new_block, with_block
from ctxd.context_files.elsewhere import elsewhere
from ctxd.context_files.following import Following
from ctxd.context_files.human import decided, decisions, is_stop, look, standing
from ctxd.context_files.lines import render
from ctxd.context_files.text_file import Text, decode
from ctxd.context_files.values import Change, Edit, File, Memory, Notice
from ctxd.context_files.wishes import Wishes, adding
from ctxd.item_log import ItemEvent, ItemState


class Filing(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of one file."""

    edit: Edit | None = None
    events: tuple[ItemEvent, ...] = ()
    notices: tuple[Notice, ...] = ()
    memory: Memory
    """What to remember once the edit is applied."""
    looked: Memory
    """What to remember if it is not."""


def filed(file: File, memory: Memory, wishes: Wishes) -> Filing:
    """What becomes of a file, given what it is and what is remembered of it."""
    text = decode(file.data)
    if text is None:
        return _untouched("file.encoding", "it is no text in a known encoding", memory, wishes)
    found = find(text.lines)
    if isinstance(found, Broken):
        return _untouched("block.broken", found.reason, memory, wishes)
    if is_stop(found, file, memory):
        stopped = msgspec.structs.replace(memory, seen={}, block=False, stopped=True)
        why = "its markers were removed: ctxd writes there no more"
        return _untouched("block.stopped", why, stopped, wishes)
    if isinstance(found, Absent):
        memory = msgspec.structs.replace(memory, seen={}, block=False, stopped=False)
        return _with_new_block(file, text, memory, wishes)
    return _with_changes(file, text, found, memory, wishes)


def _untouched(code: str, why: str, memory: Memory, wishes: Wishes) -> Filing:
    return Filing(notices=(Notice(code, wishes.path, why),), memory=memory, looked=memory)


def _with_new_block(file: File, text: Text, memory: Memory, wishes: Wishes) -> Filing:
    """A file that gets a block, if there is anything to say."""
    new = adding(wishes, wishes.states, memory, elsewhere(text.lines))
    looked = new.remembered(memory)
    headings = [line for title in TITLES for line in (f"## {title}", "", "")]
    fitted = fit(new.claims, wishes.rules.budget_tokens, [BEGIN, "", *headings, END])
    nothing = Filing(notices=new.notices, memory=looked, looked=looked)
    if not fitted.shown:
        return nothing
    chosen = [claim for claim in new.claims if claim.state.item.id in fitted.shown]
    sections = {
        title: [claim.line for claim in chosen if TITLE_OF[claim.state.item.kind] == title]
        for title in TITLES
    }
    lines = with_block(text, new_block(sections, len(fitted.left_out)))
    changes = tuple(Change(claim.state.item.id, "add", claim.line) for claim in chosen)
    written = {claim.state.item.id: claim.line for claim in new.claims}
    memory = msgspec.structs.replace(
        looked, written={**looked.written, **written}, left_out=fitted.left_out
    )
    return _edited(nothing, (file, text), (lines, changes), memory, wishes)


def _with_changes(file: File, text: Text, block: Block, memory: Memory, wishes: Wishes) -> Filing:
    """A file whose block follows its items."""
    seen = look(text.lines, block, file, memory, wishes.states)
    events = tuple(decisions(seen, wishes.states, wishes.is_told, wishes.rules.now))
    states = decided(wishes.states, events)
    looked = _looked(seen.standing.texts, memory, states, events)
    new = adding(wishes, states, looked, seen.outside)
    looked = new.remembered(looked)
    following = Following(text, block, seen, looked, states)
    following.heal()
    following.follow()
    following.add(new.claims, wishes.rules.budget_tokens)
    nothing = Filing(
        events=events,
        notices=(*new.notices, *_told(wishes.path, events, seen.standing.strays)),
        memory=looked,
        looked=looked,
    )
    if not following.changes:
        return nothing
    lines, changes = following.lines(), tuple(following.changes)
    return _edited(nothing, (file, text), (lines, changes), following.memory, wishes)


def _edited(
    nothing: Filing,
    before: tuple[File, Text],
    after: tuple[Sequence[str], tuple[Change, ...]],
    memory: Memory,
    wishes: Wishes,
) -> Filing:
    """The filing with these lines as an edit."""
    (file, text), (lines, changes) = before, after
    data = text.encode(tuple(lines))
    if data is None:
        why = "its encoding lacks a character of an item"
        notice = Notice("file.encoding", wishes.path, why)
        return msgspec.structs.replace(nothing, notices=(*nothing.notices, notice))
    full = "items found no room in the block"
    notices = [Notice("budget.full", wishes.path, full, memory.left_out)] * bool(memory.left_out)
    return msgspec.structs.replace(
        nothing,
        edit=Edit(wishes.path, None if file.kind == "missing" else file.data, data, changes),
        notices=(*nothing.notices, *notices),
        memory=_with_seen(memory, lines, wishes.states),
    )


def _looked(
    texts: Mapping[str, str],
    memory: Memory,
    states: Mapping[str, ItemState],
    events: Sequence[ItemEvent],
) -> Memory:
    """What is remembered after a look: the lines that stand there, and what is wanted for each."""
    written = dict(memory.written)
    worded = {event.item for event in events if event.type in ("edited", "restored")}
    for item in texts:
        if item in states and (not written.get(item) or item in worded):
            written[item] = render(states[item])
    for item in written:
        if item in states and states[item].status != "active":
            written[item] = ""
    left_out = tuple(item for item in memory.left_out if written.get(item) and item not in texts)
    return msgspec.structs.replace(
        memory, written=written, seen=dict(texts), left_out=left_out, block=True, stopped=False
    )


def _with_seen(memory: Memory, lines: Sequence[str], states: Mapping[str, ItemState]) -> Memory:
    """The memory with what stands in the lines that will be written."""
    block = find(lines)
    if not isinstance(block, Block):
        return msgspec.structs.replace(memory, seen={}, block=False)
    seen = standing(block, states, memory).texts
    return msgspec.structs.replace(memory, seen=seen, block=True)


def _told(path: str, events: Sequence[ItemEvent], strays: tuple[str, ...]) -> list[Notice]:
    gone = tuple(event.item for event in events if event.type == "retracted")
    notices = []
    if gone:
        why = "the items of deleted lines are retracted"
        notices.append(Notice("lines.deleted", path, why, gone))
    if strays:
        why = "lines with other words carry the same id"
        notices.append(Notice("ids.doubled", path, why, strays))
    return notices
