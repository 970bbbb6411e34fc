"""The marker at the start of a line: a bullet, an enumeration label, a bold lead-in.

A user answers with the label ("A", "2 and 3"), so a label is told in one form however it is
written: "A)", "(A)", "**A.**", "Option A:" and "### Option A: ..." are all "A".
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Marker(NamedTuple):
    """What stands before the words of a line."""

    label: str
    """Normalised enumeration label; empty for plain bullets."""
    lead: str
    """The words of a bold lead-in, without their stars."""
    body: int
    """Offset of the first character of the words in the line."""


_BULLET = r"[-*+•●○◦▪▸‣·–⏺✅❌⚠☐☑✓✔✗✘]\ufe0f?"
_OPTION_WORDS = (
    "option|approach|alternative|choice|variant|plan|solution|path|route|strategy|proposal|"
    "idea|step|phase|stage|part|question|issue|finding|problem|point|item|task|scenario|case|"
    "variante|möglichkeit|ansatz|schritt|frage|opción|enfoque|approche|étape|opção|abordagem|"
    "вариант|шаг|方案|选项|オプション|案"
)
_WORDS = frozenset(_OPTION_WORDS.split("|"))
_LONGEST_WORD = 14
_LONGEST_LABEL = 5
_SEPARATORS = frozenset({" -", " –", " —", " :"})
_LABEL = r"\d{1,2}\.\d{1,2}|\d{1,3}(?:\.?[a-z])?|[A-Z]\d{1,2}|[A-Za-z]|[ivx]{2,4}"

_MARKER = re.compile(
    rf"""
    (?P<bullet>{_BULLET}[ \t]+(?:\[[ xX]\][ \t]+)?)?
    (?P<bold>\*\*|__)?
    (?:
        [(（]?(?P<plain>{_LABEL})(?:(?:[)]|\.(?=[\s*_]|$)) (?=[\s*_:]|$) [:]?|[）、．])
      | (?P<word>{_OPTION_WORDS})[ \t]*\#?(?P<named>\d{{1,2}}|[A-Z]|[a-h])\b(?![\w'’])
        (?:[ \t]*(?:[:.)]|[-–—](?=\s))|(?=[ \t]*(?:\*\*|__|\((?:recommend|prefer|my\b|default)|$)))
      | \#?(?P<short>[A-H]\d?|[A-Z]\d{{1,2}}|\d{{1,2}})(?:[ ]?:(?=\s|$)|[ ][-–—][ ])
      | (?P<cap>\d)\ufe0f?\u20e3
      | (?P<circled>[①-⑳])
    )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NAMED_IN_SENTENCE = re.compile(r"(?:\*\*|__)[ \t]+[^\W\d_A-Z]")
_CELL = re.compile(r"(?:[A-Z]\d?|\d{1,2})$")
_SMALL_SHORT = re.compile(r"[a-z]")
_CLOSING_BOLD = re.compile(r"[^*_\n]{0,160}(?:\*\*|__)")
_LEAD = re.compile(r"(?:\*\*|__)([^*\n]{1,160}?)(?:\*\*|__)")
_LEAD_EDGE = " \t:.-–—"


def marker(line: str) -> Marker | None:
    """Return the marker at the start of this line, or None where it starts with its words."""
    if line[:1].isascii() and line[:1].isalpha() and not _may_be_labelled(line):
        return None
    found = _MARKER.match(line)
    if found is None or not found.end():
        return None
    label = _label(found)
    if label and found["bold"]:
        return _bold_marker(line, found, label)
    if label:
        body = _skip_blank(line, found.end())
        return Marker(label, _lead(line, body), body)
    return _bulleted(line, found)


def _bulleted(line: str, found: re.Match[str]) -> Marker | None:
    bullet = found["bullet"]
    if not bullet:
        return None
    body = _skip_blank(line, len(bullet))
    return Marker("", _lead(line, body), body)


def _may_be_labelled(line: str) -> bool:
    """Return whether a line that starts with a letter can start with a label: most do not."""
    word = line[:_LONGEST_WORD].split(None, 1)[0]
    if len(word) <= _LONGEST_LABEL:
        return word[-1] in ").:）、．" or line[len(word) : len(word) + 2] in _SEPARATORS
    return word.lower() in _WORDS


def _bold_marker(line: str, found: re.Match[str], label: str) -> Marker | None:
    body = found.end()
    if found["named"] and _NAMED_IN_SENTENCE.match(line, body):
        return _bulleted(line, found)
    closing = _CLOSING_BOLD.match(line, body)
    if closing is None:
        return Marker(label, "", _skip_blank(line, body))
    lead = closing[0][:-2].strip(_LEAD_EDGE)
    if lead:
        return Marker(label, lead, _skip_blank(line, body))
    body = _skip_blank(line, closing.end())
    return Marker(label, _lead(line, body), body)


def lead_in(line: str) -> str:
    """Return the words of the bold lead-in that this line starts with, or ""."""
    return _lead(line, 0)


def cell_label(cell: str) -> str:
    """Return the label that the first cell of a row holds or starts with, or ""."""
    words = cell.strip(" \t*_()")
    if _CELL.match(words):
        return words
    found = marker(words)
    return found.label if found else ""


def _label(found: re.Match[str]) -> str:
    plain, short, named = found["plain"], found["short"], found["named"]
    if named:
        return named.upper()
    if plain:
        return plain
    if short:
        return "" if _SMALL_SHORT.match(short) else short
    if found["cap"]:
        return found["cap"]
    circled = found["circled"]
    return str(ord(circled) - ord("①") + 1) if circled else ""


def _lead(line: str, body: int) -> str:
    found = _LEAD.match(line, body)
    return found[1].strip(_LEAD_EDGE) if found else ""


def _skip_blank(line: str, start: int) -> int:
    while start < len(line) and line[start].isspace():
        start += 1
    return start
