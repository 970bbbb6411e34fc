"""What a single line is by its looks: a fence, a heading, a log line, an item, plain words.

Lines are judged one by one here; what runs of them make is the business of `text_blocks`.
"""

from __future__ import annotations

import re

import msgspec

from ctxd.extract.text_labels import Marker, marker


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line, without its indentation and trailing blanks."""

    start: int
    end: int
    indent: int
    """Columns before `start`; a tab counts as four."""
    shape: str
    """`blank`, `fence`, `heading`, `rule`, `quote`, `item`, `table`, `diff`, `log`, `code` or
    `text`."""
    marker: Marker | None = None
    """Of an item, a heading, or a line that starts with a bold lead-in."""


_FENCE = re.compile(r"(?:```+|~~~+)")
_HEADING = re.compile(r"#{1,6}[ \t]+(?=\S)")
_RULE = re.compile(r"(?:[-*_=─━═~][ \t]?){3,}$")
_TABLE = re.compile(r"[|│┃](?!\|)")
_TABLE_INNER = re.compile(r"[^|\n]{1,200}[ \t]\|[ \t][^|\n]{1,200}[ \t]\|[ \t]")
_BOX = re.compile(r"[┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝║]|[│┃][ \t]*[├└]|\+-{2,}")
_DIFF = re.compile(
    r"diff --git |@@ -\d+|\+\+\+ [ab/\"]|--- [ab/\"]|index [0-9a-f]{6,40}\.\.[0-9a-f]{6,40}|"
    r"(?:new|deleted) file mode \d{6}|rename (?:from|to) \S|similarity index \d"
)
DIFF_BODY = re.compile(r"[-+ @\\]|$")
"""A line inside a diff."""

_LOG = re.compile(
    r"""
    \[?\d{4}[-/]\d\d[-/]\d\d[T ,]\d\d?:\d\d
  | \[?\d\d:\d\d:\d\d
  | (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ ]{1,2}\d{1,2}[ ]\d\d:\d\d:\d\d
  | \[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL|NOTICE)\b[\]:]?[ \t|:]
  | \[(?:[Ee]rror|[Ww]arning|[Ww]arn|[Ii]nfo|[Dd]ebug|[Ll]og|vite|webpack|HMR)\]
  | [|I]?\[?[EWI]\d{4}[ ]\d\d:
  | Traceback[ ]\(most[ ]recent
  | File[ ]"[^"\n]{1,300}",[ ]line[ ]\d
  | at[ ](?:async[ ])?[\w.$<>\[\]/ ]{1,200}\(.{1,300}\)?$
  | at[ ](?:https?|file|/|[A-Z]:\\)\S{1,300}:\d+
  | \(anonymous\ function\)
  | (?:Uncaught\ )?(?:[A-Za-z_.]{0,80}(?:Error|Exception|Panic))(?:\ \[\w{1,60}\])?:[ ]\S
  | (?:error|warning)(?:\[E?\d{1,6}\]|[ ]TS\d{1,6}|\ CS\d{4}):
  | -->[ ]\S{1,300}:\d+
  | \d{1,6}[ ]\|[ ]
  | npm[ ](?:ERR|WARN|error|warn|notice)\b
  | goroutine[ ]\d{1,9}[ ]\[
  | panic:[ ]
  | (?:thread[ ]'[^'\n]{1,80}'[ ]panicked|fatal:[ ]|error:[ ](?:could|failed|cannot|linking|process))
  | E[ ]{2,}\S
  | (?:PASS|FAIL|ok|FAILED|PASSED|ERROR)[ \t]+[\w./@-]{1,200}[./:][\w./:@-]{1,200}
  | ---[ ](?:FAIL|PASS|SKIP):
  | [\w./@\\-]{1,200}\.\w{1,5}:\d{1,6}(?::\d{1,6})?:?[ ](?:error|warning|note|fatal)
  | [\w./@\\-]{1,200}\.\w{1,5}:\d{1,6}[ ]\+0x
  | (?:[$❯➜%]|PS[ ][A-Z]:\\\S*>|[\w.-]{1,40}@[\w.-]{1,40}:\S{0,100}[$\#])[ ]\S
  | >>>[ ]\S
  | ⎿
  | \{"[^"\n]{1,80}":
  | \[\{"
  | [\w.]{1,60}=\S{1,400}(?:[ ]+[\w.]{1,60}=\S{1,400}){2}
    """,
    re.VERBOSE,
)
_PAIRS = re.compile(r"(?<![\w?&])[\w.]{1,60}=(?=\S)")
_PAIRS_IN_LOG = 4
_CODE = re.compile(
    r"""
    (?:const|let|var)[ ][\w{}\[\], ]{1,80}[ ]?=
  | (?:export[ ]|async[ ]|public[ ]|private[ ]|static[ ]){0,3}
    (?:function|class|interface|def|func|fn|struct|enum)[ ][\w$]{1,80}[ ]?[<({:]
  | (?:import|from|using|package|\#include)[ ][\w{"'<@./*][^\n]{0,200}(?:;|["'>]|\bimport\b[^\n]{0,100})$
  | (?:if|for|while|switch|catch)[ ]?\([^\n]{0,300}\)[ ]?\{?$
  | </?[A-Za-z][\w-]{0,40}(?:[ ][^<>\n]{0,400})?/?>
  | <!(?:DOCTYPE|--)
  | [)}\]]{1,4}[;,)]{0,3}$
  | [\w.$\[\]"']{1,120}[ ]?(?:[+*/-]|\|\|)?=[ ]?[^=\s][^\n]{0,300};$
  | [\w.$]{1,120}\([^\n]{0,300}\)[;{]$
  | [A-Za-z_][\w.]{0,80}=\S{1,400}$
  | "[^"\n]{1,80}":[ ][^\n]{0,400}[,{\["\d\]}]$
  | @[A-Za-z_]\w{1,40}(?:\([^\n]{0,200}\))?$
    """,
    re.VERBOSE,
)


def line_of(text: str, start: int, end: int) -> Line:
    """Return what the line `text[start:end]` is by itself."""
    raw = text[start:end]
    words = raw.strip()
    if not words:
        return Line(start, start, 0, "blank")
    lead = raw[: len(raw) - len(raw.lstrip())]
    begin = start + len(lead)
    indent = len(lead.expandtabs(4)) if "\t" in lead else len(lead)
    shape, mark = _shape(words)
    return Line(begin, begin + len(words), indent, shape, mark)


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
    if _LOG.match(words) or _is_pairs(words):
        return "log", None
    if _CODE.match(words):
        return "code", None
    found = marker(words)
    if found is not None:
        return "item", found
    if "|" in words and _TABLE_INNER.match(words):
        return "table", None
    return "text", None


def _is_pairs(words: str) -> bool:
    return words.count("=") >= _PAIRS_IN_LOG and len(_PAIRS.findall(words)) >= _PAIRS_IN_LOG


def _heading_marker(words: str) -> Marker:
    found = _HEADING.match(words)
    begin = found.end() if found else 0
    inner = marker(words[begin:])
    if inner is None or not inner.label:
        return Marker(False, "", "", begin)
    return Marker(False, inner.label, inner.lead, begin + inner.body)


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
    return "log" if words.startswith(">>> ") else "quote"


def _bar(words: str) -> str:
    if _BOX.match(words):
        return "code"
    return "table" if _TABLE.match(words) else ""


_BY_FIRST = {
    "`": _fence,
    "~": lambda words: _fence(words) or _rule_or_diff(words),
    "#": _hash,
    ">": _quote,
    "|": _bar,
    "│": _bar,
    "┃": _bar,
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝║", _bar),
    "+": lambda words: "code" if _BOX.match(words) else _rule_or_diff(words),
    **dict.fromkeys("-*_=─━═@", _rule_or_diff),
}
