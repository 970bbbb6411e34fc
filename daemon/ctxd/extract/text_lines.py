"""What a single line is by its looks: a fence, a heading, a log line, an item, plain words.

Lines are judged one by one here; what runs of them make is the business of `text_blocks`.
"""

from __future__ import annotations

import re

import msgspec

from ctxd.extract.text_dumps import CODE, CONSOLE, LOG, PAIRS, PLAIN
from ctxd.extract.text_labels import Marker, marker
from ctxd.policy.extraction import LOG_LINE_CHARS, LOG_PAIRS, TAB_COLUMNS


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line, without its indentation and trailing blanks."""

    start: int
    end: int
    indent: int
    """Columns before `start`."""
    shape: str
    """`blank`, `fence`, `opens` (words that end in a fence), `heading`, `rule`, `quote`, `item`,
    `table`, `diff`, `log`, `console` (a command typed to a shell), `code` or `text`."""
    marker: Marker | None = None
    """Of an item or a heading."""


BLANK = Line(0, 0, 0, "blank")

_FENCE = re.compile(r"(?:```+|~~~+)")
_OPENS = re.compile(r"[^`\n]```[\w+#.-]{0,20}$")
_HEADING = re.compile(r"#{1,6}[ \t]+(?=\S)")
_RULE = re.compile(r"(?:[-*_=─━═~][ \t]?){3,}$")
_CELLS = re.compile(r"[^|\n]{1,200}[ \t]\|[ \t][^|\n]{1,200}[ \t]\|[ \t]")
_BOX = re.compile(r"[┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝║]|\+-{2,}")
_BARS_OF_TABLE = 3
_DIFF = re.compile(
    r"diff --git |@@ -\d|\+\+\+ [ab/\"]|--- [ab/\"]|index [0-9a-f]{6,40}\.\.[0-9a-f]{6,40}|"
    r"(?:new|deleted) file mode \d{6}|rename (?:from|to) \S|similarity index \d"
)
_DIFF_LETTERS = frozenset("dinrs")
_DIFF_BODY = re.compile(r"[-+ @\\]|$")


def line_of(text: str, start: int, end: int) -> Line:
    """Return what the line `text[start:end]` is by itself."""
    raw = text[start:end]
    words = raw.strip()
    if not words:
        return BLANK
    indent = 0
    if raw[0] != words[0]:
        lead = raw[: len(raw) - len(raw.lstrip())]
        start += len(lead)
        indent = len(lead.expandtabs(TAB_COLUMNS))
    shape, mark = _shape(words)
    return Line(start, start + len(words), indent, shape, mark)


def in_diff(text: str, line: Line) -> bool:
    """Return whether this line can stand inside a diff."""
    first = line.start - 1 if line.indent else line.start
    return _DIFF_BODY.match(text, first) is not None


def _shape(words: str) -> tuple[str, Marker | None]:
    first = words[0]
    if first.isalpha():
        return _wordy(words)
    check = _BY_FIRST.get(first)
    if check is not None:
        shape = check(words)
        if shape == "heading":
            return shape, _heading_marker(words)
        if shape:
            return shape, None
    return _wordy(words)


def _wordy(words: str) -> tuple[str, Marker | None]:
    if not PLAIN.match(words):
        shape = "diff" if words[0] in _DIFF_LETTERS and _DIFF.match(words) else _dump(words)
        if shape:
            return shape, None
    found = marker(words)
    if found is not None:
        return "item", found
    if "|" in words and _CELLS.match(words):
        return "table", None
    return ("opens" if _opens_fence(words) else "text"), None


def _opens_fence(words: str) -> bool:
    """Return whether a line of words ends in a fence that it does not close itself."""
    tail = max(0, len(words) - 24)
    return "```" in words and words.count("```") % 2 == 1 and bool(_OPENS.search(words, tail))


def _dump(words: str) -> str:
    if LOG.match(words):
        return "log"
    if CONSOLE.match(words):
        return "console"
    if CODE.match(words):
        return "code"
    if words.count("=") < LOG_PAIRS:
        return ""
    return "log" if len(PAIRS.findall(words[:LOG_LINE_CHARS])) >= LOG_PAIRS else ""


def _heading_marker(words: str) -> Marker:
    found = _HEADING.match(words)
    begin = found.end() if found else 0
    inner = marker(words[begin:])
    if inner is None or not inner.label:
        return Marker("", "", begin)
    return Marker(inner.label, inner.lead, begin + inner.body)


def _fence(words: str) -> str:
    found = _FENCE.match(words)
    return "fence" if found and "`" not in words[found.end() :] else ""


def _hash(words: str) -> str:
    return "heading" if _HEADING.match(words) else ""


def _rule_or_diff(words: str) -> str:
    if _RULE.match(words):
        return "rule"
    return "diff" if _DIFF.match(words) else ""


def _quote(words: str) -> str:
    return "console" if words.startswith(">>> ") else "quote"


def _bar(words: str) -> str:
    if _BOX.match(words):
        return "code"
    if words[0] == "|":
        return "" if words.startswith("||") else "table"
    return "table" if words.count(words[0]) >= _BARS_OF_TABLE else "code"


_BY_FIRST = {
    "`": _fence,
    "~": lambda words: _fence(words) or _rule_or_diff(words),
    "#": _hash,
    ">": _quote,
    **dict.fromkeys("|│┃┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝║", _bar),
    "+": lambda words: "code" if _BOX.match(words) else _rule_or_diff(words),
    **dict.fromkeys("-*_=─━═@", _rule_or_diff),
}
