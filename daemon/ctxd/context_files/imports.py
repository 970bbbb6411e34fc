"""Which other file a context file brings in: by an import, or by being nothing but its name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ctxd.context_files.text_file import decode

_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_TICKS = re.compile(r"`+")
_IMPORT = re.compile(r"(?<!\S)@([\w./-]*[\w-])")
_POINTER = re.compile(r"[\w./-]{1,255}\.md")


def imported(path: str, data: bytes) -> frozenset[str]:
    """The files that the file at `path` imports: outside of code, as the agents that import do."""
    return frozenset(filter(None, (_resolved(path, name) for name in _imports(data))))


def only_import(path: str, data: bytes) -> str | None:
    """The file that a file imports and has nothing else to say; None when it says more."""
    text = _text(data)
    found = _IMPORT.fullmatch(text)
    return _resolved(path, found[1]) if found else None


def only_pointer(path: str, data: bytes) -> str | None:
    """The file whose name is all that a file holds, as a link does on a system without links."""
    text = _text(data)
    return _resolved(path, text) if _POINTER.fullmatch(text) else None


def import_line(form: str, path: str, target: str) -> str:
    """The line by which the file at `path` imports another one."""
    return form.format(path=posixpath.relpath(target, posixpath.dirname(path) or "."))


def _text(data: bytes) -> str:
    text = decode(data)
    return "".join(text.lines).strip() if text else ""


def _imports(data: bytes) -> Iterator[str]:
    fence = ""
    text = decode(data)
    for line in text.lines if text else ():
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            yield from (found[1] for found in _IMPORT.finditer(_without_code(line)))


def _without_code(line: str) -> str:
    """A line without its code spans: from a run of backticks to the next one of that length."""
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(line)]
    closing: dict[int, int] = {}
    ends = [-1] * len(runs)
    for number in range(len(runs) - 1, -1, -1):
        start, end = runs[number]
        ends[number] = closing.get(end - start, -1)
        closing[end - start] = end
    kept, position = [], 0
    for (start, _), end in zip(runs, ends, strict=True):
        if start >= position and end >= 0:
            kept.append(line[position:start])
            position = end
    return " ".join((*kept, line[position:]))


def _resolved(path: str, name: str) -> str | None:
    """A name in a file as a path of the worktree; None when it leads out of it."""
    found = posixpath.normpath(posixpath.join(posixpath.dirname(path), name.strip()))
    return None if found.startswith(("/", "../")) or found in ("..", ".") else found
