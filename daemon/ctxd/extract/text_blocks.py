"""From lines to blocks: paragraphs, list items with their nesting, headings, and what is nobody's
speech: code, diffs, logs, quotes and marked pastes.

Every character that is no marker, rule or blank belongs to exactly one block; blocks ascend and do
not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, cast

import msgspec

from ctxd.extract.text_labels import cell_label, lead_in
from ctxd.extract.text_lines import Line, in_diff, line_of
from ctxd.extract.text_series import bare_number, continues, series
from ctxd.extract.text_wraps import goes_on
from ctxd.policy.extraction import BOLD_HEADING_LEVEL, CODE_COLUMNS

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
    indent: int = 0
    runs: bool = False
    """Whether all up to the next blank line belongs to it: what a command printed, or a diff."""


_BOLD_LINE = re.compile(r"(?:\*\*|__)[^*\n]{1,100}(?:\*\*|__):?$")
_BOLD_SENTENCE = (".**", "!**", "?**", ".__", "!__", "?__")
_ARROW = re.compile(r"(?:->|=>|-->|→)[ \t]+(?=\S)")
_TABLE_RULE = re.compile(r"[|│┃ \t:+=-]*$")
_BARS = "|│┃"
_SHOWN = frozenset({"code", "diff", "log", "quote"})


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
        self._loose = False
        self._blank = True
        self._number = 0
        """Of the last item that was numbered."""

    def read(self, start: int, end: int) -> None:
        """Read the lines of `text[start:end]`."""
        text = self.text
        while start < end:
            stop = text.find("\n", start, end)
            stop = end if stop < 0 else stop
            if self._fence:
                self._fenced(start, stop)
            else:
                self._line(line_of(text, start, stop))
            start = stop + 1

    def paste(self, start: int, end: int) -> None:
        """Read a span that was marked as pasted."""
        self.close()
        body = self.text[start:end]
        first = start + len(body) - len(body.lstrip())
        last = start + len(body.rstrip())
        if first < last:
            self._leave_items(0)
            self._add(_Open("paste", first, last))
        self._blank = False

    def close(self) -> None:
        """End the open block."""
        block, self._open = self._open, None
        if block is None:
            return
        if block.kind not in ("prose", "item"):
            self._add(block)
            return
        parts = series(self.text, block.start, block.end, block.label)
        nested = block.kind == "item" and len(parts) > 1 and not continues(block.label, parts[1][2])
        for start, end, label in parts:
            self._add_spoken(block, start, end, label)
            if nested and start == block.start:
                block.indent += 1

    def _add_spoken(self, block: _Open, start: int, end: int, label: str) -> None:
        whole = start == block.start
        if block.kind == "prose" and whole and not label:
            self._add(_Open("prose", start, end, "", block.lead))
            return
        self._leave_items(block.indent)
        self._add(_Open("item", start, end, label, block.lead if whole else ""))
        self._items.append((block.indent, len(self.blocks) - 1))

    def _line(self, line: Line) -> None:
        if line.shape == "blank":
            self.close()
            if not self._blank:
                self.paragraph += 1
            self._blank = True
            return
        if not self._runs_on(line):
            _TAKES[line.shape](self, line)
        self._blank = False

    def _runs_on(self, line: Line) -> bool:
        """Add this line to what a machine printed before it, if it belongs there."""
        block = self._open
        if block is None or block.kind not in ("diff", "log") or line.shape == "fence":
            return False
        if block.kind == "diff":
            goes = line.shape != "log" and in_diff(self.text, line)
        else:
            goes = block.runs or (line.indent > block.indent and line.shape != "item")
        if goes:
            block.end = line.end
        return goes

    def _shown(self, line: Line) -> None:
        block, kind = self._open, cast("BlockKind", line.shape)
        if kind not in _SHOWN:
            kind = "log"
        runs = line.shape in ("console", "diff")
        if block is not None and block.kind == kind:
            block.end = line.end
            block.runs = block.runs or runs
            return
        self.close()
        self._leave_items(line.indent)
        start = line.start
        if kind == "quote":
            start = _behind_quote(self.text, start, line.end)
        if start < line.end:
            self._open = _Open(kind, start, line.end, indent=line.indent, runs=runs)

    def _opening_fence(self, line: Line) -> None:
        self.close()
        self._leave_items(line.indent)
        self._loose = False
        length = line.end - line.start
        mark = self.text[line.start]
        self._fence = mark * (length - len(self.text[line.start : line.end].lstrip(mark)))

    def _words_then_fence(self, line: Line) -> None:
        end = self.text.rfind("```", line.start, line.end)
        words = self.text[line.start : end].rstrip()
        self._text(Line(line.start, line.start + len(words), line.indent, "text"))
        self.close()
        self._fence, self._loose = "```", True

    def _fenced(self, start: int, end: int) -> None:
        raw = self.text[start:end]
        words = raw.strip()
        closes = words.startswith(self._fence) and not words.strip(self._fence[0])
        if not closes and self._loose and words.endswith(self._fence):
            closes = True
            words = words[: -len(self._fence)].rstrip()
            self._extend_code(start + len(raw) - len(raw.lstrip()), len(words))
        if closes:
            self._fence = ""
            self.close()
        elif words:
            self._extend_code(start + len(raw) - len(raw.lstrip()), len(words))
        self._blank = False

    def _extend_code(self, start: int, length: int) -> None:
        if not length:
            return
        if self._open is None:
            self._open = _Open("code", start, start + length)
        self._open.end = start + length

    def _rule(self, line: Line) -> None:
        self.close()
        self._leave_items(line.indent)

    def _heading(self, line: Line) -> None:
        self.close()
        mark = line.marker
        words = self.text[line.start : line.end]
        level = len(words) - len(words.lstrip("#"))
        start = line.start + (mark.body if mark else 0)
        end = line.start + len(words.rstrip("# \t").rstrip())
        label, lead = (mark.label, mark.lead) if mark else ("", "")
        self._add_heading(_Open("heading", start, end, label, lead), level)

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
        self.close()
        self._leave_items(line.indent)
        self._number = int(mark.label) if mark.label.isdecimal() else 0
        self._open = _Open(
            "item", line.start + mark.body, line.end, mark.label, mark.lead, line.indent
        )

    def _leave_items(self, indent: int) -> None:
        while self._items and self._items[-1][0] >= indent:
            self._items.pop()

    def _table(self, line: Line) -> None:
        self.close()
        self._leave_items(line.indent)
        text, start, end = self.text, line.start, line.end
        if _TABLE_RULE.match(text[start:end]):
            return
        while start < end and (text[start] in _BARS or text[start].isspace()):
            start += 1
        while end > start and (text[end - 1] in _BARS or text[end - 1].isspace()):
            end -= 1
        if start < end:
            label = cell_label(text[start:end].split("|", 1)[0])
            self._add(_Open("table_row", start, end, label))

    def _text(self, line: Line) -> None:
        if self.text[line.start].isdecimal():
            mark = bare_number(self.text, line.start, line.end, self._number)
            if mark is not None:
                self._item(msgspec.structs.replace(line, marker=mark))
                return
        if self._continues(line):
            return
        self.close()
        if self._blank and line.indent >= CODE_COLUMNS + self._content_indent():
            self._open = _Open("code", line.start, line.end, indent=line.indent)
            return
        self._leave_items(line.indent)
        words = self.text[line.start : line.end]
        lead = lead_in(words) if words.startswith(("**", "__")) else ""
        if lead and self._blank and _BOLD_LINE.match(words) and not words.endswith(_BOLD_SENTENCE):
            self._add_heading(_Open("heading", line.start, line.end, "", lead), BOLD_HEADING_LEVEL)
            return
        arrow = _ARROW.match(words)
        start = line.start + (arrow.end() if arrow else 0)
        self._open = _Open("prose", start, line.end, "", lead, line.indent)

    def _content_indent(self) -> int:
        return self._items[-1][0] + 2 if self._items else 0

    def _continues(self, line: Line) -> bool:
        block = self._open
        if block is None:
            return False
        if block.kind == "prose":
            goes = self.text[block.end - 1] not in ":："
        elif block.kind == "item":
            goes = line.indent > block.indent or goes_on(self.text, block.start, line.start)
        else:
            goes = block.kind == "code" and line.indent >= CODE_COLUMNS
        if goes:
            block.end = line.end
        return goes

    def _add(self, block: _Open) -> None:
        inside = bool(self._items) and block.kind != "heading"
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
    while start < end and (text[start] == ">" or text[start].isspace()):
        start += 1
    return start


_TAKES = {
    "fence": _Builder._opening_fence,  # noqa: SLF001
    "opens": _Builder._words_then_fence,  # noqa: SLF001
    "rule": _Builder._rule,  # noqa: SLF001
    "heading": _Builder._heading,  # noqa: SLF001
    "item": _Builder._item,  # noqa: SLF001
    "table": _Builder._table,  # noqa: SLF001
    "text": _Builder._text,  # noqa: SLF001
    **dict.fromkeys(("code", "diff", "log", "quote", "console"), _Builder._shown),  # noqa: SLF001
}
