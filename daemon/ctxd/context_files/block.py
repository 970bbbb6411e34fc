"""The block of ctxd in a context file: where it is, and what stands in it.

Two marker lines, each a short comment, stand around it; the first names the version of the form.
Anything a human put between them is kept where it is. A file whose markers do not make exactly one
pair, or that holds a conflict git left, is not understood and so not touched. Markers in a code
block only show what they look like; where a code block or a comment is not closed, what stands
behind it does not count as text, and ctxd writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from ctxd.context_files.fences import fences
from ctxd.context_files.lines import Line, is_entry, parse
from ctxd.context_files.text_file import stem
from ctxd.policy.context_files import CONTEXT_WRAPPED_LINES

VERSION = 1
BEGIN = f"<!-- ctxd:{VERSION} kept by ctxd; its lines are yours to edit or delete -->"
END = "<!-- /ctxd -->"

_BEGIN = re.compile(r"[ \t]*<!--[ \t]*ctxd:(\d{1,4})\b[^<>]*-->[ \t]*")
_END = re.compile(r"[ \t]*<!--[ \t]*/ctxd\b[^<>]*-->[ \t]*")
_CONFLICT = re.compile(r"(?:<{7}|>{7}|\|{7})(?:[ \t]|$)")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+([^\r\n]*)")
_CONTINUED = re.compile(r"[ \t]+\S")
_MORE = re.compile(r"[ \t]*(\d{1,9}) more in `?\.ctxd/items\.jsonl\b")


class Entry(msgspec.Struct, frozen=True):
    """A list entry of the block."""

    first: int
    """Index of its first line in the file."""
    last: int
    """Index behind its last line."""
    line: Line | None
    """What it says for an item; None for an entry without an id."""


class Section(msgspec.Struct, frozen=True):
    """A heading of the block and what stands below it."""

    title: str
    """Empty for what stands before the first heading."""
    head: int
    """Index of the heading's line; of what stands before the first one, that of the marker."""
    end: int
    """Index behind its last line."""
    entries: tuple[Entry, ...]


class Block(msgspec.Struct, frozen=True):
    """A block that is understood."""

    start: int
    """Index of the first marker's line."""
    end: int
    """Index of the second one's."""
    sections: tuple[Section, ...]
    more: int | None = None
    """Index of the line that says how many items are left out."""
    left_out: int = 0
    """How many it says."""

    @property
    def entries(self) -> Iterator[Entry]:
        """All entries, from top to bottom."""
        for section in self.sections:
            yield from section.entries


def more_line(count: int) -> str:
    """The line that names what is left out."""
    return f"{count} more in `.ctxd/items.jsonl`; `ctxd items` lists them."


class Absent(msgspec.Struct, frozen=True):
    """No markers."""


class Broken(msgspec.Struct, frozen=True):
    """Markers that do not make one pair, a conflict, or an end that lies in code or a comment."""

    reason: str
    marked: bool = True
    """Whether it may hold a block of ctxd."""


def find(lines: Sequence[str]) -> Block | Absent | Broken:
    """The block among the lines of a file."""
    bare = [stem(line) for line in lines]
    if any(_CONFLICT.match(line) for line in bare):
        return Broken("it holds conflict markers")
    begins = [(at, found[1]) for at, line in enumerate(bare) if (found := _BEGIN.fullmatch(line))]
    ends = [at for at, line in enumerate(bare) if _END.fullmatch(line)]
    known = fences(bare, _is_marker)
    begins = [one for one in begins if one[0] not in known.code]
    ends = [at for at in ends if at not in known.code]
    if known.left_open:
        return Broken(known.left_open, marked=bool(begins or ends))
    if not begins and not ends:
        return Absent()
    wrong = _wrong(begins, ends)
    if wrong:
        return Broken(wrong)
    return _read(bare, begins[0][0], ends[0])


def swallowed(lines: Sequence[str]) -> str:
    """Why what is appended to the lines of a file would not count as text; empty where it does."""
    return fences([stem(line) for line in lines], _is_marker).left_open


def _is_marker(line: str) -> bool:
    return bool(_BEGIN.fullmatch(line) or _END.fullmatch(line))


def _wrong(begins: list[tuple[int, str]], ends: list[int]) -> str:
    if len(begins) > 1 or len(ends) > 1:
        return "it holds more than one block of ctxd"
    if not ends:
        return "the second marker of ctxd's block is missing"
    if not begins:
        return "the first marker of ctxd's block is missing"
    if begins[0][0] > ends[0]:
        return "the markers of ctxd's block are in the wrong order"
    if int(begins[0][1]) != VERSION:
        return "its block was written by another version of ctxd"
    return ""


def _read(lines: list[str], start: int, end: int) -> Block:
    heads = [at for at in range(start + 1, end) if _HEADING.fullmatch(lines[at])]
    bounds = [start, *heads, end]
    sections = tuple(
        Section(_title(lines[head]), head, stop, _entries(lines, head, stop))
        for head, stop in pairwise(bounds)
    )
    counts = [(at, found[1]) for at in range(start, end) if (found := _MORE.match(lines[at]))]
    more, left_out = counts[-1] if counts else (None, "0")
    return Block(start, end, sections, more, int(left_out))


def _title(line: str) -> str:
    found = _HEADING.fullmatch(line)
    return found[1].rstrip("# \t") if found else ""


def _entries(lines: list[str], head: int, stop: int) -> tuple[Entry, ...]:
    starts = [at for at in range(head + 1, stop) if is_entry(lines[at])]
    return tuple(_entry(lines, at, stop) for at in starts)


def _entry(lines: list[str], first: int, stop: int) -> Entry:
    """The entry that begins there: up to its id, which an editor may have wrapped into a later,
    indented line. What a human wrote below is not part of it."""
    for last in range(first, min(first + CONTEXT_WRAPPED_LINES, stop)):
        if last > first and (not _CONTINUED.match(lines[last]) or _ends_entry(lines[last])):
            break
        line = parse("\n".join(lines[first : last + 1]))
        if line is not None:
            return Entry(first, last + 1, line)
    return Entry(first, first + 1, None)


def _ends_entry(line: str) -> bool:
    return bool(is_entry(line) or _HEADING.fullmatch(line) or _MORE.match(line))
