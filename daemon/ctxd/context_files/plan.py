"""What is to be written into the context files of a worktree, and what humans did to them. Pure.

The daemon, `ctxd diff`, `--dry-run`, review and the tests all go by this one plan. It asks for no
edit when nothing has to change; what stands outside of ctxd's block keeps its bytes.

The order in which its results are kept matters: events into the ledger first, then `looked` or,
once the edits are applied, `memory`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from ctxd.context_files.block import Absent, Broken, find
from ctxd.context_files.bridges import bridges, is_led
from ctxd.context_files.conventions import CONVENTIONS, HOME
from ctxd.context_files.filing import Filing, filed
from ctxd.context_files.scoping import scoped_file
from ctxd.context_files.text_file import decode
from ctxd.context_files.told import is_told, others_words
from ctxd.context_files.values import File, Memory, Notice, Plan, Rules, View
from ctxd.context_files.wishes import Wishes
from ctxd.item_log import ItemState

_MISSING = File(kind="missing")
_UNTOUCHABLE = {
    "dangling": "it is a link to nothing",
    "unusable": "it cannot be read or written",
    "barred": "it must not be made",
}


def plan(
    view: View,
    states: Sequence[ItemState],
    rules: Rules,
    memory: Mapping[str, Memory] | None = None,
) -> Plan:
    """Given a worktree, all items known there, what the user has settled, and what is remembered of
    each file, return what is to be done."""
    known = dict(memory or {})
    if view.state != "ok" or not view.writable:
        why = view.why or f"git is {view.state} here"
        notices = (Notice("worktree.waiting", ".", why),)
        return Plan(notices=notices, memory=known, looked=known)
    home = home_of(view, known)
    by_id = {state.item.id: state for state in states}
    told = partial(is_told, texts=others_words(view))
    places = {item: _place(state, home, view, known) for item, state in by_id.items()}
    filings = {}
    for path in (home, *sorted({*places.values(), *_blocks(known)} - {home})):
        here = frozenset(item for item, place in places.items() if place == path)
        wishes = Wishes(path=path, states=by_id, here=here, is_told=told, rules=rules)
        filings[path] = _filed(view.files.get(path, _MISSING), known.get(path, Memory()), wishes)
    return _bridged(_together(filings, known), home, view, known)


def home_of(view: View, memory: Mapping[str, Memory]) -> str:
    """The file that the items stand in: the one with a block, else the one that most agents read,
    else one that is there and that all agents seen here read, else the first of these, to be made.
    """
    candidates = [convention.path for convention in CONVENTIONS]
    ours = [path for path in candidates if _is_ours(path, view, memory)]
    there = [path for path in candidates if view.files.get(path, _MISSING).kind == "file"]
    read = [path for path in there if all(is_led(agent, view, path) for agent in view.agents)]
    if not ours and view.files.get(HOME, _MISSING).kind not in ("missing", "barred"):
        ours = [HOME]
    path = next(iter(ours + read), HOME)
    return view.files.get(path, _MISSING).link_to or path


def _is_ours(path: str, view: View, memory: Mapping[str, Memory]) -> bool:
    remembered = memory.get(path, Memory())
    if remembered.block or remembered.stopped:
        return True
    file = view.files.get(path, _MISSING)
    text = decode(file.data) if file.kind == "file" else None
    found = find(text.lines) if text else Absent()
    return found.marked if isinstance(found, Broken) else not isinstance(found, Absent)


def _place(state: ItemState, home: str, view: View, memory: Mapping[str, Memory]) -> str:
    """The file an item belongs into: where it stands, else the nearest one for its paths."""
    for path in _blocks(memory):
        if memory[path].written.get(state.item.id):
            return path
    return scoped_file(state.item.scope, view) or home


def _blocks(memory: Mapping[str, Memory]) -> list[str]:
    """The files that a block was ever written into."""
    return [path for path, one in sorted(memory.items()) if one.written or one.block]


def _filed(file: File, memory: Memory, wishes: Wishes) -> Filing:
    why = _UNTOUCHABLE.get(file.kind)
    if why is None and file.kind in ("file", "missing"):
        return filed(file, memory, wishes)
    if why is None:  # it became a link since: its target is another file of the plan
        return Filing(memory=memory, looked=memory)
    notice = Notice("file.unusable", wishes.path, file.why or why)
    return Filing(notices=(notice,), memory=memory, looked=memory)


def _together(filings: Mapping[str, Filing], known: Mapping[str, Memory]) -> Plan:
    """The plan for all files. An item's line may have gone from one to another: what is still there
    in one was not deleted."""
    standing = {item for one in filings.values() for item in one.looked.seen}
    return Plan(
        edits=tuple(one.edit for one in filings.values() if one.edit),
        events=tuple(
            event
            for one in filings.values()
            for event in one.events
            if event.type != "retracted" or event.item not in standing
        ),
        notices=tuple(notice for one in filings.values() for notice in one.notices),
        memory={**known, **{path: one.memory for path, one in filings.items()}},
        looked={**known, **{path: one.looked for path, one in filings.items()}},
    )


def _bridged(plan: Plan, home: str, view: View, known: Mapping[str, Memory]) -> Plan:
    """The plan with the bridges to the home, if there is or will be anything in it to read."""
    if not plan.memory.get(home, Memory()).block:
        return plan
    found = bridges(view, home, known)
    memory = dict(plan.memory)
    taken = {edit.path for edit in plan.edits}
    edits = tuple(edit for edit in found.edits if edit.path not in taken)
    for edit in edits:
        memory[edit.path] = msgspec.structs.replace(memory.get(edit.path, Memory()), bridge=True)
    return msgspec.structs.replace(
        plan,
        edits=(*plan.edits, *edits),
        notices=(*plan.notices, *found.notices),
        memory=memory,
    )
