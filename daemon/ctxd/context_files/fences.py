"""Which lines of a Markdown file are code between fences, and whether its end lies in the open.

As CommonMark has it: what opens in a list or a quote ends with it, what opens at the margin and is
not closed goes on to the end of the file. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

CODE_OPEN = "a code block is not closed"
COMMENT_OPEN = "a comment is not closed"

_BULLET = r"(?:[-*+]|\d{1,9}[.)])(?=[ \t])"
_OPENING = re.compile(rf"((?:[ \t]*(?:>|{_BULLET}))*[ \t]*)(`{{3,}}(?=[^`]*$)|~{{3,}})")
_LISTED = re.compile(rf"[ ]{{0,3}}{_BULLET}[ \t]")
_COMMENT = re.compile(r"[ ]{0,3}<!--")
_COMMENT_END = "-->"
_CODE_COLUMNS = 4


class Fences(msgspec.Struct, frozen=True):
    """What is code in a file."""

    code: frozenset[int]
    """Indexes of the lines of code blocks that have an end, their fences too."""
    left_open: str = ""
    """What swallows whatever is appended to the file."""


class _Fence(msgspec.Struct, frozen=True):
    """A code block that has begun."""

    first: int
    mark: str
    column: int
    quoted: bool
    held: bool
    """Whether it stands in a list, which ends it too."""

    def is_left(self, line: str) -> bool:
        """Whether the quote or the list that it stands in has ended before this line."""
        if self.quoted:
            return not line.lstrip().startswith(">")
        return self.held and bool(line.strip()) and not line.startswith((" ", "\t"))

    def is_closed(self, line: str) -> bool:
        """Whether this line is its closing fence."""
        bare = line.lstrip(" \t>") if self.quoted else line.lstrip(" \t")
        if not bare.startswith(self.mark) or bare.rstrip(" \t").strip(self.mark[0]):
            return False
        return self.quoted or _indent(line) < self.column + _CODE_COLUMNS


def fences(lines: Sequence[str], is_marker: Callable[[str], bool]) -> Fences:
    """What is code among lines without their ends. A marker of ctxd closes no comment that somebody
    else has opened."""
    code: set[int] = set()
    fence: _Fence | None = None
    comment = False
    content = 0
    for at, line in enumerate(lines):
        if comment:
            comment = _COMMENT_END not in line or is_marker(line)
            continue
        if fence and not fence.is_left(line):
            if fence.is_closed(line):
                code.update(range(fence.first, at + 1))
                fence = None
            continue
        if fence:
            code.update(range(fence.first, at))
        content = _content(line, content)
        fence = _opened(at, line, content)
        comment = _opens_comment(line, content)
    if fence and not fence.quoted and not fence.held:
        return Fences(frozenset(code), CODE_OPEN)
    return Fences(frozenset(code), COMMENT_OPEN if comment else "")


def _content(line: str, before: int) -> int:
    """The column at which what belongs to the list entry above begins; 0 outside of lists."""
    listed = _LISTED.match(line)
    if listed and (not before or _indent(line) < before):
        return len(listed[0].expandtabs(_CODE_COLUMNS))
    return 0 if line and not line[0].isspace() and not listed else before


def _opened(at: int, line: str, content: int) -> _Fence | None:
    if "```" not in line and "~~~" not in line:
        return None
    found = _OPENING.match(line)
    if not found:
        return None
    before = found[1]
    column = len(before.expandtabs(_CODE_COLUMNS))
    held = bool(before.strip()) or column >= _CODE_COLUMNS or 0 < content <= column
    return _Fence(at, found[2], column, before.lstrip().startswith(">"), held)


def _opens_comment(line: str, content: int) -> bool:
    if not _COMMENT.match(line) or 0 < content <= _indent(line):
        return False
    return _COMMENT_END not in line


def _indent(line: str) -> int:
    wide = line.expandtabs(_CODE_COLUMNS)
    return len(wide) - len(wide.lstrip(" "))
