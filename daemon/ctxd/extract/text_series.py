"""Enumerations inside one line: "1) keep it 2) drop the cache 3) later"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxd.extract.text_labels import Marker

_MARK = re.compile(r"(?<![^\s])\(?(\d{1,2}|[A-Ha-h])([.)])[ \t]+(?=\S)")
_BARE = re.compile(r"(\d{1,2})[ \t]+(?=[^\W\d_]{2})")
_SECOND = re.compile(r"\s{1,8}2[ \t.):]")
_BEFORE_DOT = re.compile(r"[:;,.!?)(–—-]\s+$|^\s*$")
_JOINERS = frozenset({"and", "or", "&", "und", "oder", "et", "y", "e", "to", ","})
_BEGINS = {"": ("1)", "1.", "A)", "a)"), "1": ("2)", "2."), "A": ("B)",), "a": ("b)",)}
"""By what an enumeration begins, or goes on behind the label of its line. Looked for first, since
most lines hold none."""
_FIRST = {"1", "A", "a"}


def series(text: str, start: int, end: int, label: str) -> list[tuple[int, int, str]]:
    """Return the parts of `text[start:end]`: start, end and label of each.

    It is one part with the label given, unless it holds an ascending enumeration of at least two,
    or goes on with the one that its own label begins.
    """
    for mark in _BEGINS.get(label, _BEGINS[""]):
        if text.find(mark, start, end) >= 0:
            return list(_parts(text, start, end, label))
    return [(start, end, label)]


def _parts(text: str, start: int, end: int, label: str) -> Iterator[tuple[int, int, str]]:
    at, name = start, label
    for found in _ascending(text, start, end, label):
        stop = at + len(text[at : found.start()].rstrip())
        if at < stop:
            yield at, stop, name
        at, name = found.end(), found[1]
    if at < end:
        yield at, end, name


def continues(label: str, following: str) -> bool:
    """Return whether an enumeration that `label` begins goes on with `following`."""
    return label in _FIRST and following == _next(label)


def bare_number(text: str, start: int, end: int, before: int) -> Marker | None:
    """Return the marker of a line that answers a numbered point without any sign: "2 no".

    It is one when the number follows the one before, or is the first and the second stands at the
    next line.
    """
    found = _BARE.match(text, start, end)
    if found is None:
        return None
    number = int(found[1])
    if number != before + 1 or (number == 1 and not _SECOND.match(text, end)):
        return None
    return Marker(found[1], "", found.end() - start)


def _ascending(text: str, start: int, end: int, label: str) -> list[re.Match[str]]:
    marks: list[re.Match[str]] = []
    expected = {_next(label)} if label in _FIRST else _FIRST
    for found in _MARK.finditer(text, start, end):
        if found[1] not in expected or (marks and found[2] != marks[-1][2]):
            continue
        if found[2] == "." and not _may_be_dotted(text, start, found):
            continue
        marks.append(found)
        expected = {_next(found[1])}
    if not marks or (len(marks) < 2 and label not in _FIRST):  # noqa: PLR2004
        return []
    return marks if _all_said(text, marks, end) else []


def _may_be_dotted(text: str, start: int, found: re.Match[str]) -> bool:
    if not found[1].isdigit():
        return False
    return _BEFORE_DOT.search(text[max(start, found.start() - 4) : found.start()]) is not None


def _all_said(text: str, marks: list[re.Match[str]], end: int) -> bool:
    """Return whether each part says something, so that "as in 1) and 2)" is no enumeration."""
    stops = [mark.start() for mark in marks[1:]] + [end]
    return all(
        text[mark.end() : stop].strip(" \t\n,;").lower() not in {*_JOINERS, ""}
        for mark, stop in zip(marks, stops, strict=True)
    )


def _next(label: str) -> str:
    return str(int(label) + 1) if label.isdigit() else chr(ord(label[:1] or "@") + 1)
