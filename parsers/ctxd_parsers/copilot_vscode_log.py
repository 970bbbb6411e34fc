"""The operation log in which VS Code keeps a chat: one state object, changed line by line.

Promises: `change` and `append` do to the object what VS Code does when it reads the log
(objectMutationLog.ts of microsoft/vscode), and refuse what would make VS Code give the log up;
`kept` builds, of any part of the object, only what is read of it, so that tool results, prompts,
drafts and thinking are skipped and not built, whatever their size.

Facts: a line is `{"kind":0,"v":STATE}`, `{"kind":1,"k":PATH,"v":VALUE}` (set; without `v` unset),
`{"kind":2,"k":PATH,"v":[...],"i":LENGTH}` (cut an array to that length if given, then append) or
`{"kind":3,"k":PATH}` (delete). The log is written anew, as one line of kind 0, after 1,024 lines.
What changed since the last save (up to a minute) is written in the order primitives, arrays,
objects: the `result` and `modelState` of a request stand *before* the last parts of its `response`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ctxd_parsers.decoding import mended

MAX_ITEMS = 100_000
"""Longest array that is followed. Real chats have hundreds of requests of hundreds of parts; an
operation beyond this is damage."""

MAX_NUMBER = 2**53
"""Largest whole number that is kept: VS Code can mean no larger one."""

SHORT_CHARS = 1000
"""Characters kept of a name or title, which are far shorter."""

Step = str | int
Keep = Mapping[str, "Keep"] | list["Keep"] | Callable[[msgspec.Raw], Any]
"""What to keep of a value: some fields of an object, of each item of an array, or what a function
makes of it."""

Raw = msgspec.Raw
UNSET = msgspec.UNSET
FAILURES = (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError)


class Operation(msgspec.Struct):
    """One line of the log."""

    kind: int | None = None
    k: list[Step] | None = None
    v: Raw = Raw()
    i: Any = None


def whole(raw: Raw) -> Any:
    """A value as it is, but for numbers that could not be stored."""
    return _storable(msgspec.json.decode(raw))


def _storable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _storable(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_storable(part) for part in value]
    return None if isinstance(value, int) and abs(value) > MAX_NUMBER else value


def short(raw: Raw) -> Any:
    """A name, number or mark: nothing that is not one, and no more of a text than names have."""
    if _starts(raw, b"{["):
        return None
    value = whole(raw)
    return value[:SHORT_CHARS] if isinstance(value, str) else value


def fields(raw: Raw) -> dict[str, Raw]:
    """The fields of an object, not decoded; none for anything else."""
    return msgspec.json.decode(raw, type=dict[str, Raw]) if _starts(raw, b"{") else {}


def items(raw: Raw) -> list[Raw]:
    """The items of an array, not decoded; none for anything else."""
    found = msgspec.json.decode(raw, type=list[Raw]) if _starts(raw, b"[") else []
    if len(found) > MAX_ITEMS:
        raise ValueError("more items than are followed")
    return found


def kept(raw: Raw, keep: Keep) -> Any:
    """What is to be kept of a value. A value of another shape is kept if it is a scalar."""
    if callable(keep):
        return keep(raw)
    if isinstance(keep, list):
        if _starts(raw, b"["):
            return [kept(item, keep[0]) for item in items(raw)]
    elif _starts(raw, b"{"):
        found = fields(raw)
        return {name: kept(found[name], keep[name]) for name in keep if name in found}
    return None if _starts(raw, b"{[") else whole(raw)


def safely_kept(raw: Raw, keep: Keep) -> Any:
    """The same where the bytes may hold what cannot be decoded: skipping does not look inside
    strings and numbers, so a damaged line is found to be one only here. Invalid UTF-8 and half
    surrogate pairs are mended; a part with other damage is None, and nothing beside it is lost."""
    try:
        return kept(raw, keep)
    except FAILURES:
        return _salvaged(Raw(mended(bytes(raw))), keep)


def _salvaged(raw: Raw, keep: Keep) -> Any:
    try:
        if isinstance(keep, list) and _starts(raw, b"["):
            return [_salvaged(item, keep[0]) for item in items(raw)]
        if isinstance(keep, Mapping) and _starts(raw, b"{"):
            found = fields(raw)
            return {name: _salvaged(found[name], keep[name]) for name in keep if name in found}
        return kept(raw, keep)
    except FAILURES:
        return None


def below(keep: Keep, path: list[Step]) -> Keep | None:
    """What to keep of the value at a path; None when nothing of it is. Raise ValueError for a path
    that steps into an object by number, or into an array by name."""
    node: Keep | None = keep
    for step in path:
        if isinstance(node, list if isinstance(step, str) else Mapping):
            raise ValueError("operation on what is not there")  # noqa: TRY004 - damage, no defect
        if isinstance(node, list):
            node = node[0]
        else:
            node = node.get(str(step)) if isinstance(node, Mapping) else None
    return node


def change(state: Any, path: list[Step], value: Any) -> bool:
    """Set the value at a path, or remove it if it is UNSET; False if there is no such place."""
    holder = _holder(state, path)
    key = path[-1] if path else ""
    if isinstance(holder, dict) and path:
        if value is UNSET:
            holder.pop(str(key), None)
        else:
            holder[str(key)] = value
        return True
    if isinstance(holder, list) and isinstance(key, int) and 0 <= key < MAX_ITEMS:
        _stretch(holder, key + 1)
        holder[key] = None if value is UNSET else value
        return True
    return False


def append(state: Any, path: list[Step], values: list[Any], length: Any) -> bool:
    """Cut the array at a path to a length, if one is given, and append; False if it cannot be."""
    found = at(state, path)
    array = found or []
    if not isinstance(array, list) or len(array) + len(values) > MAX_ITEMS:
        return False
    if length is not None:
        if not _is_index(length) or length > MAX_ITEMS - len(values):
            return False
        del array[length:]
        _stretch(array, length)
    array.extend(values)
    return change(state, path, array)


def at(state: Any, path: list[Step]) -> Any:
    """The value at a path; None if there is none."""
    holder = _holder(state, path)
    if not path:
        return None
    key = path[-1]
    if isinstance(holder, dict):
        return holder.get(str(key))
    if isinstance(holder, list) and isinstance(key, int) and 0 <= key < len(holder):
        return holder[key]
    return None


def _holder(state: Any, path: list[Step]) -> Any:
    """What the last step of a path is a step into."""
    for step in path[:-1]:
        if isinstance(state, dict):
            state = state.get(str(step))
        elif isinstance(state, list) and isinstance(step, int) and 0 <= step < len(state):
            state = state[step]
        else:
            return None
    return state


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _stretch(array: list[Any], length: int) -> None:
    """Fill an array up with nulls, as JSON shows the holes that the client leaves."""
    array.extend([None] * (length - len(array)))


def _starts(raw: Raw, characters: bytes) -> bool:
    data = memoryview(raw)
    return bool(data) and data[0] in characters
