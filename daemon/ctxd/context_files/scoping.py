"""The rule file that is for certain paths alone: where an item about these paths may stand.

Only a file that is there already, and only when every agent seen here reads it when it touches one
of the paths: an item must not be read by fewer agents than in the home of all items. A file names
its paths in its first lines, between two lines of three dashes. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from ctxd.context_files.conventions import HOME, NESTED_READERS, RULE_FOLDERS
from ctxd.context_files.text_file import decode, stem
from ctxd.context_files.values import View
from ctxd.policy.context_files import RULE_HEAD_LINES, RULE_PATTERNS

_KEY = re.compile(r"([\w-]+)\s*:\s*(.*)")
_ENTRY = re.compile(r"\s*-\s+(.+)")
_EVERYTHING = frozenset({"", "*", "**", "**/*"})


def scoped_file(scope: Sequence[str], view: View) -> str | None:
    """The file for exactly these paths: the nearest nested HOME, else a rule file whose patterns
    match all of them; None when there is none, and where the scope names no paths."""
    root = f"{view.root.as_posix()}/"
    names = [name.removeprefix(root) for name in scope]
    paths = [name.strip("/") for name in names if "/" in name.strip("/")]
    if not paths:
        return None
    nested = _nested(paths, view)
    if nested is not None:
        return nested
    for folder in RULE_FOLDERS:
        if not view.agents or not view.agents <= folder.readers:
            continue
        for path in sorted(view.files):
            if path.startswith(f"{folder.path}/") and path.endswith(folder.suffix):
                found = patterns(view.files[path].data, folder.key)
                if _is_writable(path, view) and found and _match_all(found, paths):
                    return path
    return None


def patterns(data: bytes, key: str) -> tuple[str, ...]:
    """The patterns that a rule file has under a key of its first lines; () for none, and when one
    of them means everything."""
    found = tuple(_values(data, key))[:RULE_PATTERNS]
    return () if _EVERYTHING.intersection(found) else found


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern matches a path: `*` within a part, `**` over parts, `{a,b}` for either."""
    names = path.split("/")
    return any(_match(one.strip("/").split("/"), names) for one in _alternatives(pattern))


def _nested(paths: Sequence[str], view: View) -> str | None:
    if not view.agents <= NESTED_READERS:
        return None
    folders = [
        path.removesuffix(f"/{HOME}")
        for path in view.files
        if path.endswith(f"/{HOME}") and _is_writable(path, view)
    ]
    around = [folder for folder in folders if all(p.startswith(f"{folder}/") for p in paths)]
    return f"{max(around, key=len)}/{HOME}" if around else None


def _is_writable(path: str, view: View) -> bool:
    return view.files[path].kind == "file"


def _match_all(found: Sequence[str], paths: Sequence[str]) -> bool:
    return all(any(matches(pattern, path) for pattern in found) for path in paths)


def _values(data: bytes, key: str) -> Iterator[str]:
    """What stands under a key: a text, parted by commas, or a list in one line or in several."""
    is_under = False
    for line in _head(data):
        entry, named = _ENTRY.fullmatch(line), _KEY.fullmatch(line)
        if entry and is_under:
            yield _unquoted(entry[1])
        elif named:
            is_under = named[1] == key
            if is_under:
                yield from _listed(named[2])


def _head(data: bytes) -> list[str]:
    text = decode(data)
    lines = [stem(line).rstrip() for line in text.lines[:RULE_HEAD_LINES]] if text else []
    if not lines or lines[0] != "---" or "---" not in lines[1:]:
        return []
    return lines[1 : lines.index("---", 1)]


def _listed(text: str) -> Iterator[str]:
    """The patterns of one line; commas inside of braces part nothing."""
    depth, word = 0, ""
    for sign in text.strip().removeprefix("[").removesuffix("]"):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth == 0:
            yield from filter(None, [_unquoted(word)])
            word = ""
        else:
            word += sign
    yield from filter(None, [_unquoted(word)])


def _unquoted(text: str) -> str:
    return text.strip().strip("\"'").strip()


def _alternatives(pattern: str) -> list[str]:
    """A pattern without braces, once for each of the alternatives in them."""
    left = [pattern]
    done: list[str] = []
    while left and len(left) + len(done) <= RULE_PATTERNS:
        one = left.pop()
        start, end = one.rfind("{"), one.find("}", one.rfind("{"))
        if start < 0 or end < 0:
            done.append(one)
        else:
            left += [
                one[:start] + part + one[end + 1 :] for part in one[start + 1 : end].split(",")
            ]
    return done


def _match(pattern: Sequence[str], names: Sequence[str]) -> bool:
    """Part by part: which lengths of the path the pattern so far can have taken."""
    reached = {0}
    for part in pattern:
        if part == "**":
            reached = set(range(min(reached), len(names) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(names) and fnmatchcase(names[at], part)}
        if not reached:
            return False
    return len(names) in reached
