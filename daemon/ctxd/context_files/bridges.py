"""Bridges: one line that leads an agent to the home of the items, where it would not read it.

Only for agents that were seen here, and only by an import that the agent understands: a rule is
never written twice. A bridge that somebody took out stays out. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ctxd.context_files.block import swallowed
from ctxd.context_files.conventions import CONVENTIONS, READ_AT_MOST, Convention, reads
from ctxd.context_files.drafting import with_block
from ctxd.context_files.imports import import_line, imported
from ctxd.context_files.text_file import decode
from ctxd.context_files.values import Change, Edit, File, Memory, Notice, View
from ctxd.policy.context_files import NEARLY_CUT_SHARE

_MISSING = File(kind="missing")


class Bridges(msgspec.Struct, frozen=True):
    """What leads the agents of a worktree to the home of the items."""

    edits: tuple[Edit, ...] = ()
    notices: tuple[Notice, ...] = ()
    """Agents that nothing leads there."""


def bridges(view: View, home: str, memory: Mapping[str, Memory] | None = None) -> Bridges:
    """The bridges that are missing in a worktree whose items stand in `home`."""
    edits: dict[str, Edit | None] = {}
    notices = []
    for agent in sorted(view.agents):
        if is_led(agent, view, home):
            notices += _cut(agent, view, home)
            continue
        place = _place(agent, view)
        if place is None:
            notices.append(_unled(agent, home))
        elif (memory or {}).get(place.path, Memory()).bridge:
            continue
        elif why := _swallowed(place, view):
            notices.append(Notice("block.broken", place.path, why))
        else:
            edits[place.path] = _edit(place, view, home)
    return Bridges(tuple(edit for edit in edits.values() if edit), tuple(notices))


def is_led(agent: str, view: View, home: str) -> bool:
    """Whether an agent reads the home of the items, by itself or through a file that it reads."""
    there = frozenset(path for path in view.files if _stands(_file(view, path))) | {home}
    return any(
        reads(agent, convention.path, there) and _leads(convention, view, home)
        for convention in CONVENTIONS
    )


def _leads(convention: Convention, view: View, home: str) -> bool:
    file = _file(view, convention.path)
    if home in (convention.path, file.link_to):
        return True
    if not convention.imports or not _stands(file):
        return False
    return home in imported(file.link_to or convention.path, file.data)


def _place(agent: str, view: View) -> Convention | None:
    """The file to put a bridge into: one that is there, else one to be made."""
    able = [known for known in CONVENTIONS if known.imports and agent in known.readers]
    there = [known for known in able if _file(view, known.path).kind == "file"]
    free = [known for known in able if _is_free(known.path, view)]
    return next(iter(there + free), None)


def _is_free(path: str, view: View) -> bool:
    """Whether a file may be made: never a folder for it."""
    return "/" not in path and _file(view, path).kind == "missing"


def _edit(place: Convention, view: View, home: str) -> Edit | None:
    """The edit that puts a bridge at the end of a file; None for what is no text."""
    line = import_line(place.imports, place.path, home)
    change = Change(None, "bridge", line)
    file = _file(view, place.path)
    if file.kind == "missing":
        return Edit(place.path, None, f"{line}\n".encode(), (change,))
    text = decode(file.data)
    after = text.encode(with_block(text, [line])) if text else None
    return None if after is None else Edit(place.path, file.data, after, (change,))


def _swallowed(place: Convention, view: View) -> str:
    """Why a bridge at the end of a file would lead nowhere; empty where it leads."""
    file = _file(view, place.path)
    text = decode(file.data) if file.kind == "file" else None
    return swallowed(text.lines) if text else ""


def _unled(agent: str, home: str) -> Notice:
    return Notice("bridge.none", home, f"{agent} does not read `{home}` here")


def _cut(agent: str, view: View, home: str) -> list[Notice]:
    """A word of warning before an agent does not read a file to its end."""
    most, size = READ_AT_MOST.get(agent), len(_file(view, home).data)
    if most is None or size < most * NEARLY_CUT_SHARE:
        return []
    text = f"{agent} reads {most:,} bytes of it and the like, and it has {size:,}: shorten it"
    return [Notice("file.cut", home, text)]


def _stands(file: File) -> bool:
    return file.kind not in ("missing", "barred", "dangling")


def _file(view: View, path: str) -> File:
    return view.files.get(path, _MISSING)
