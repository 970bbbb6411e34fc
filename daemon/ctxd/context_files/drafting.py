"""The lines of a file with some of the block's changed, and all others as they are.

Lines are replaced and taken out where they stand, and new ones come to the end of their section;
what no change names keeps its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxd.context_files.block import BEGIN, END, Block, Entry, Section, more_line
from ctxd.context_files.text_file import Text, stem
from ctxd.item import Kind

TITLES: dict[str, tuple[Kind, ...]] = {
    "Always holds": ("constraint", "correction"),
    "Decided": ("decision", "rejection"),
    "Out of scope": ("scope",),
    "Open questions": ("question",),
}
"""Headings of the block, and the kinds of items that stand below each."""

TITLE_OF: dict[Kind, str] = {kind: title for title, kinds in TITLES.items() for kind in kinds}


class Draft:
    """Changes of one block, made all at once at the end."""

    def __init__(self, text: Text, block: Block) -> None:
        self._text = text
        self._block = block
        self._replaced: dict[int, list[str]] = {}
        """New lines instead of the one with that index; none to take it out."""
        self._inserted: dict[int, list[str]] = {}
        """New lines before the one with that index."""
        self._sections: dict[str, list[str]] = {}
        """Lines of sections that are to be made."""

    def replace(self, entry: Entry, line: str) -> None:
        """Put another line in an entry's place, as deep in the list as it stands."""
        first = self._text.lines[entry.first]
        indent = first[: len(first) - len(first.lstrip(" \t"))]
        self.remove(entry)
        self._replaced[entry.first] = [indent + line]

    def remove(self, entry: Entry) -> None:
        """Take an entry out."""
        for index in range(entry.first, entry.last):
            self._replaced[index] = []

    def append(self, section: Section | None, title: str, line: str) -> None:
        """Put a line at the end of a section; a section that is not there is made."""
        if section is None:
            self._sections.setdefault(title, []).append(line)
            return
        at = section.entries[-1].last if section.entries else section.head + 1
        new = self._inserted.setdefault(at, [] if section.entries else [""])
        new.append(line)

    def count(self, left_out: int) -> None:
        """Say how many items are left out."""
        at = self._block.more
        if at is not None:
            self._replaced[at] = [more_line(left_out)] if left_out else []
        elif left_out:
            self._sections[""] = [more_line(left_out)]

    def lines(self) -> list[str]:
        """All lines of the file."""
        self._drop_empty_sections()
        return [line for at in range(len(self._text.lines)) for line in self._at(at)]

    def _at(self, at: int) -> list[str]:
        """What stands at the place of a line."""
        line = self._text.lines[at]
        before = self._ended(self._inserted.get(at, ()))
        if at == self._first_free:
            before += self._ended(self._new_sections(at, before))
        if at not in self._replaced:
            return [*before, line]
        end = line[len(stem(line)) :]
        return before + [new + end for new in self._replaced[at]]

    def _ended(self, lines: Iterable[str]) -> list[str]:
        return [line + self._text.eol for line in lines]

    @property
    def _first_free(self) -> int:
        """Index of the line before which new sections go."""
        at = self._block.more
        return self._block.end if at is None or self._replaced.get(at) == [] else at

    def _new_sections(self, at: int, before: Sequence[str]) -> list[str]:
        above = before[-1] if before else self._text.lines[at - 1]
        lines = [""] if self._sections and stem(above).strip() else []
        for title in (*TITLES, ""):
            if title in self._sections:
                lines += [f"## {title}", ""] if title else []
                lines += [*self._sections[title], ""]
        return lines

    def _drop_empty_sections(self) -> None:
        """Take out the headings below which these changes leave nothing."""
        for section in self._block.sections:
            within = range(section.head + 1, section.end)
            gone = [at for at in within if self._replaced.get(at) == []]
            fresh = any(at in self._inserted for at in range(section.head + 1, section.end + 1))
            left = any(
                self._text.lines[at].strip() for at in within if self._replaced.get(at) != []
            )
            if gone and not left and not fresh and section.title in TITLES:
                for at in range(section.head, section.end):
                    self._replaced[at] = []


def new_block(sections: dict[str, list[str]], left_out: int) -> list[str]:
    """The lines of a block that is not there yet, without line ends."""
    lines = [BEGIN, ""]
    for title in TITLES:
        if sections.get(title):
            lines += [f"## {title}", "", *sections[title], ""]
    if left_out:
        lines += [more_line(left_out), ""]
    return [*lines, END]


def with_block(text: Text, block: Sequence[str]) -> list[str]:
    """The lines of a file with a new block at its end; its last line ends as it did before."""
    lines = list(text.lines)
    ends = not lines or stem(lines[-1]) != lines[-1]
    if not ends:
        lines[-1] += text.eol
    if lines and stem(lines[-1]).strip():
        lines.append(text.eol)
    lines += [line + text.eol for line in block]
    if not ends:
        lines[-1] = stem(lines[-1])
    return lines


def without_block(text: Text, block: Block) -> list[str]:
    """The lines of a file outside its block."""
    return [*text.lines[: block.start], *text.lines[block.end + 1 :]]


def section_for(block: Block, title: str, entries: Iterable[Entry]) -> Section | None:
    """The section of a heading; one that was renamed is known by the entries of its kind in it."""
    named = [section for section in block.sections if section.title == title]
    if named:
        return named[0]
    places = {entry.first for entry in entries}
    counted = [(sum(e.first in places for e in s.entries), s) for s in block.sections]
    most, section = max(counted, key=lambda one: one[0])
    return section if most else None
