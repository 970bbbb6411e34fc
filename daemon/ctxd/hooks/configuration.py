"""What becomes of the text of a configuration file: pure, printable, the same for every agent.

Hooks of ours are known by the client that their command calls, wherever they stand; all others are
foreign, and no byte of them changes. A hook that calls what is to be called is left as it is,
whatever else somebody has added to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from ctxd.hooks import editing, jsonc
from ctxd.hooks.shell import is_ours
from ctxd.hooks.vendor import Form, Moment, Words

WordsOf = Callable[[Moment], Words]
Path = tuple[str | int, ...]
_MARK = b"\xef\xbb\xbf"
_TRIGGER = "trigger"


class Hook(msgspec.Struct, frozen=True):
    """A hook of ours in a file."""

    event: str
    path: Path
    commands: tuple[str, ...]


def decoded(data: bytes) -> str:
    """A file as text; raise BrokenError for one that is not UTF-8. An empty one is an object."""
    try:
        text = data.removeprefix(_MARK).decode("utf-8")
    except UnicodeDecodeError as error:
        raise jsonc.BrokenError("it is not UTF-8") from error
    return text if text.strip() else "{}"


def encoded(text: str, before: bytes | None) -> bytes:
    """The bytes of a file again, with the mark at its start that it had."""
    mark = _MARK if before is not None and before.startswith(_MARK) else b""
    return mark + text.encode("utf-8")


def hooks_in(data: Any) -> list[Hook]:
    """The hooks of ours in the data of a file."""
    hooks = data.get("hooks") if isinstance(data, dict) else None
    return list(_found(hooks, ("hooks",)))


def hook_of(entry: Any) -> Hook:
    """The hook in an entry that ctxd itself has made, with its path from `hooks` on."""
    return next(_found([entry], ("hooks",)))


def _found(data: Any, path: Path) -> Iterator[Hook]:
    """Elements of lists that hold a command of ours, be it in an object inside them."""
    for key, value in _children(data):
        here = (*path, key)
        commands = tuple(_commands(value)) if isinstance(key, int) else ()
        if commands:
            event = value.get(_TRIGGER) if isinstance(here[1], int) else here[1]
            yield Hook(str(event), here, commands)
        else:
            yield from _found(value, here)


def _children(data: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(data, dict):
        return data.items()
    return enumerate(data) if isinstance(data, list) else ()


def _commands(element: Any) -> Iterator[str]:
    """Commands of ours in an element, without those of lists inside it."""
    if not isinstance(element, dict):
        return
    for value in element.values():
        if is_ours(value):
            yield value
        yield from _commands(value)


def installed(text: str | None, form: Form, moments: Sequence[Moment], words: WordsOf) -> str:
    """The text with one hook for each of these moments, and no other of ours.

    Raise BrokenError for a text that is no JSON, ShapeError where something else is in the way.
    """
    if text is None:
        return _fresh(form, moments, words)
    wanted = {moment.event: form.entry(moment, words(moment)) for moment in moments}
    text = _settled(text, wanted)
    there = {hook.event for hook in hooks_in(jsonc.parse(text).data)}
    for key, value in form.whole.items():
        text = editing.member(text, key, value)
    for moment in moments:
        if moment.event not in there:
            text = editing.append(text, form.list_of(moment), wanted[moment.event])
    return text


def _fresh(form: Form, moments: Sequence[Moment], words: WordsOf) -> str:
    data: dict[str, Any] = dict(form.whole)
    for moment in moments:
        *way, last = form.list_of(moment)
        holder = data
        for key in way:
            holder = holder.setdefault(key, {})
        holder.setdefault(last, []).append(form.entry(moment, words(moment)))
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _settled(text: str, wanted: dict[str, Any]) -> str:
    """The text without hooks of ours that call something else, or that nobody wants."""
    for _ in range(len(text)):
        seen: set[str] = set()
        for hook in hooks_in(jsonc.parse(text).data):
            entry = wanted.get(hook.event) if hook.event not in seen else None
            seen.add(hook.event)
            if entry is None:
                text = without(text, hook.path)
                break
            fresh = hook_of(entry)
            if fresh.commands != hook.commands:
                text = editing.replace(text, hook.path, _at(entry, fresh.path[2:]))
                break
        else:
            break
    return text


def _at(data: Any, path: Path) -> Any:
    for key in path:
        data = data[key]
    return data


def uninstalled(text: str, kept: frozenset[Path] = frozenset(), added: Iterable[str] = ()) -> str:
    """The text without any hook of ours, and without what held nothing else.

    `kept` are the lists and objects that were empty before ctxd came, `added` the members that came
    with it, which go when no hook of anybody is left.
    """
    while hooks := hooks_in(jsonc.parse(text).data):
        text = without(text, hooks[0].path, kept)
    data = jsonc.parse(text).data
    for key in added:
        if isinstance(data, dict) and key in data and not data.get("hooks"):
            text = editing.remove(text, (key,))
    return text


def without(text: str, path: Path, kept: frozenset[Path] = frozenset()) -> str:
    """The text without the hook at a path: with the group, the list and the object around it, where
    they hold nothing else."""
    data = jsonc.parse(text).data
    doomed = path
    while len(doomed) > 1:
        above = doomed[:-1]
        holder = _at(data, above)
        is_group = isinstance(holder, dict) and isinstance(above[-1], int)
        if above in kept or not (len(holder) == 1 or is_group):
            break
        doomed = above
    return editing.remove(text, doomed)


def empties(text: str | None) -> frozenset[Path]:
    """The lists and objects on the way to hooks that hold nothing."""
    data = jsonc.parse(text).data if text is not None else None
    hooks = data.get("hooks") if isinstance(data, dict) else None
    found = {("hooks",): hooks} | {("hooks", key): value for key, value in _children(hooks)}
    return frozenset(path for path, value in found.items() if value in ([], {}))


def holds_nothing(text: str) -> bool:
    """Whether nothing is left in it."""
    return bool(jsonc.parse(text).data == {})
