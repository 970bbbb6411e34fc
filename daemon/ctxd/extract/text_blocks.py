"""From lines to blocks: paragraphs, list items with their nesting, headings, and what is nobody's
speech: code, diffs, logs, quotes and marked pastes.

Every character that is no marker, rule or blank belongs to exactly one block; blocks ascend and do
not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from ctxd.extract.text_labels import lead_in, marker
from ctxd.extract.text_lines import DIFF_BODY, Line, line_of
from ctxd.extract.text_wraps import goes_on

BlockKind = Literal[
    "prose", "item", "heading", "table_row", "code", "diff", "log", "quote", "paste"
]


class Block(msgspec.Struct, frozen=True, gc=False):
    """A part of a message that is one thing; `text[start:end]` is it without its marker."""

    kind: BlockKind
    start: int
    end: int
    label: str = ""
    """Normalised enumeration label: "A", "2", "1.b"; empty for plain bullets and prose."""
    lead: str = ""
    """The words of a bold lead-in, which `text[start:end]` also holds."""
    depth: int = 0
    """How many list items it is nested in."""
    heading: int | None = None
    """Index of the heading it stands under."""
    parent: int | None = None
    """Index of the list item it is nested in."""
    paragraph: int = 0
    """Number of the group of lines between blank lines that it belongs to."""


def structure(text: str, pasted: Sequence[tuple[int, int]] = ()) -> list[Block]:
    """Return the blocks of a text, of which these spans were marked as pasted."""
    builder = _Builder(text)
    at = 0
    for start, end in _whole(pasted, len(text)):
        builder.read(at, start)
        builder.paste(start, end)
        at = end
    builder.read(at, len(text))
    builder.close()
    return builder.blocks


def _whole(spans: Sequence[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """Yield spans that ascend, do not overlap and lie in a text of this length."""
    done = 0
    for start, end in sorted(spans):
        first, last = max(start, done), min(end, length)
        if first < last:
            yield first, last
            done = last


class _Open(msgspec.Struct):
    """The block that the next line may still belong to."""

    kind: BlockKind
    start: int
    end: int
    label: str = ""
    lead: str = ""
    wraps: bool = False


_BOLD_LINE = re.compile(r"(?:\*\*|__)[^*\n]{1,100}(?:\*\*|__):?$")
_NO_HEADING_ENDS = (".**", "!**", "?**", ".__", "!__", "?__")
_ARROW = re.compile(r"(?:->|=>|-->|→)[ \t]+(?=\S)")
_TABLE_RULE = re.compile(r"[|│┃ \t:+=-]*$")
_CODE_INDENT = 4
_HEADING_LEVEL_OF_BOLD = 7


class _Builder:
    """Reads lines one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.paragraph = 0
        self._open: _Open | None = None
        self._items: list[tuple[int, int]] = []
        self._headings: list[tuple[int, int]] = []
        self._fence = ""
        self._blank = True
        self._diff = False

    def read(self, start: int, end: int) -> None:
        """Read the lines of `text[start:end]`."""
        text = self.text
        while start < end:
            stop = text.find("\n", start, end)
            stop = end if stop < 0 else stop
            self._line(text, start, stop)
            start = stop + 1

    def paste(self, start: int, end: int) -> None:
        """Read a span that was marked as pasted."""
        self.close()
        body = self.text[start:end]
        first = start + len(body) - len(body.lstrip())
        last = start + len(body.rstrip())
        if first < last:
            self._add(_Open("paste", first, last))
        self._blank = False

    def close(self) -> None:
        """End the open block."""
        block, self._open = self._open, None
        if block is not None:
            self._add(block)

    def _line(self, text: str, start: int, end: int) -> None:
        if self._fence:
            self._fenced(text, start, end)
            return
        line = line_of(text, start, end)
        if line.shape == "blank":
            self._blank_line()
            return
        self._take(line)
        self._blank = False

    def _blank_line(self) -> None:
        self.close()
        self._diff = False
        if not self._blank:
            self.paragraph += 1
        self._blank = True

    def _take(self, line: Line) -> None:
        shape = line.shape
        if self._diff and shape not in ("fence", "log") and self._in_diff(line):
            self._extend("diff", line)
            return
        self._diff = shape == "diff"
        if shape not in ("item", "text"):
            self._leave_items(line.indent)
        take = _TAKES.get(shape)
        if take is not None:
            take(self, line)
        elif shape in ("diff", "log", "quote"):
            self._extend(shape, line)  # type: ignore[arg-type]
        elif shape == "code":
            self._extend("code", line)

    def _in_diff(self, line: Line) -> bool:
        first = line.start - 1 if line.indent else line.start
        return DIFF_BODY.match(self.text, first) is not None

    def _extend(self, kind: BlockKind, line: Line) -> None:
        block = self._open
        if block is not None and block.kind == kind:
            block.end = line.end
            return
        self.close()
        start = line.start
        if kind == "quote":
            start = _behind_quote(self.text, start, line.end)
        if start < line.end:
            self._open = _Open(kind, start, line.end)

    def _fence_line(self, line: Line) -> None:
        self.close()
        mark = self.text[line.start]
        length = 0
        while self.text.startswith(mark, line.start + length):
            length += 1
        self._fence = mark * length

    def _fenced(self, text: str, start: int, end: int) -> None:
        words = text[start:end].strip()
        if words.startswith(self._fence) and not words.strip(self._fence[0]):
            self._fence = ""
            self.close()
        elif words:
            begin = start + text[start:end].find(words)
            block = self._open
            if block is None:
                self._open = _Open("code", begin, begin + len(words))
            else:
                block.end = begin + len(words)
        self._blank = False

    def _rule(self, line: Line) -> None:
        self.close()

    def _heading(self, line: Line) -> None:
        self.close()
        mark = line.marker
        level = self.text.count("#", line.start, min(line.start + 7, line.end))
        body = line.start + (mark.body if mark else 0)
        end = line.start + len(self.text[line.start : line.end].rstrip("# \t"))
        label, lead = (mark.label, mark.lead) if mark else ("", "")
        self._add_heading(_Open("heading", body, max(end, body), label, lead), level)

    def _add_heading(self, block: _Open, level: int) -> None:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._items.clear()
        if block.start < block.end:
            self._add(block)
            self._headings.append((level, len(self.blocks) - 1))

    def _item(self, line: Line) -> None:
        mark = line.marker
        if mark is None or line.start + mark.body >= line.end:
            return
        block = self._open
        if block is not None and not mark.label and goes_on(self.text, block.start, line.start):
            block.end = line.end
            return
        self.close()
        self._leave_items(line.indent)
        self._open = _Open("item", line.start + mark.body, line.end, mark.label, mark.lead)
        self._add_item(line.indent)

    def _leave_items(self, indent: int) -> None:
        while self._items and self._items[-1][0] >= indent:
            self._items.pop()

    def _add_item(self, indent: int) -> None:
        block, self._open = self._open, None
        if block is None:
            return
        self._add(block)
        self._items.append((indent, len(self.blocks) - 1))

    def _table(self, line: Line) -> None:
        self.close()
        text = self.text
        if _TABLE_RULE.match(text[line.start : line.end]):
            return
        start, end = line.start, line.end
        while start < end and text[start] in "|│┃ \t":
            start += 1
        while end > start and text[end - 1] in "|│┃ \t":
            end -= 1
        mark = marker(text[start:end].split("|", 1)[0].strip() + " ")
        label = mark.label if mark else ""
        if start < end:
            self._add(_Open("table_row", start, end, label))

    def _text(self, line: Line) -> None:
        if self._continues(line):
            return
        self.close()
        if self._blank and line.indent >= _CODE_INDENT + self._content_indent():
            self._open = _Open("code", line.start, line.end)
            return
        self._leave_items(line.indent)
        words = self.text[line.start : line.end]
        if self._blank and _BOLD_LINE.match(words) and not words.endswith(_NO_HEADING_ENDS):
            lead = lead_in(words)
            self._add_heading(
                _Open("heading", line.start, line.end, "", lead), _HEADING_LEVEL_OF_BOLD
            )
            return
        arrow = _ARROW.match(words)
        start = line.start + (arrow.end() if arrow else 0)
        lead = lead_in(words) if words.startswith(("**", "__")) else ""
        self._open = _Open("prose", start, line.end, "", lead)

    def _content_indent(self) -> int:
        return self._items[-1][0] + 2 if self._items else 0

    def _continues(self, line: Line) -> bool:
        block = self._open
        if block is not None and block.kind in ("prose", "code"):
            if block.kind == "code" and line.indent < _CODE_INDENT:
                return False
            block.end = line.end
            return True
        if block is None and not self._blank and self._items:
            return self._continues_item(line)
        return False

    def _continues_item(self, line: Line) -> bool:
        indent, index = self._items[-1]
        last = self.blocks[-1]
        if index != len(self.blocks) - 1:
            return False
        if line.indent <= indent and not goes_on(self.text, last.start, line.start):
            return False
        self.blocks[-1] = msgspec.structs.replace(last, end=line.end)
        return True

    def _add(self, block: _Open) -> None:
        inside = self._items and block.kind != "heading"
        self.blocks.append(
            Block(
                block.kind,
                block.start,
                block.end,
                block.label,
                block.lead,
                len(self._items) if inside else 0,
                self._headings[-1][1] if self._headings else None,
                self._items[-1][1] if inside else None,
                self.paragraph,
            )
        )


def _behind_quote(text: str, start: int, end: int) -> int:
    while start < end and text[start] in "> \t":
        start += 1
    return start


_TAKES = {
    "fence": _Builder._fence_line,  # noqa: SLF001
    "rule": _Builder._rule,  # noqa: SLF001
    "heading": _Builder._heading,  # noqa: SLF001
    "item": _Builder._item,  # noqa: SLF001
    "table": _Builder._table,  # noqa: SLF001
    "text": _Builder._text,  # noqa: SLF001
}
