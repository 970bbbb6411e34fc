"""The points of a numbered reply: "1. yes 2. no, use the file 3. later"."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from ctxd.policy import PART_NUMBER_GAP


class Part(msgspec.Struct, frozen=True, gc=False):
    """The reply to one point."""

    label: str
    """As `ctxd.extract.picks.labels` writes it."""
    start: int
    """Offset of the reply's first character, behind the label."""
    end: int


def parts(text: str) -> list[Part]:
    """Return the points of a numbered reply in their order; [] when it is none."""
    lines = _run(_LINE_LABEL.finditer(text))
    marks = lines if len(lines) > 1 else _run(_INLINE_LABEL.finditer(text))
    if len(marks) < 2 or text[: marks[0].start()].count("\n") > 2:
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [_part(text, mark, end) for mark, end in zip(marks, ends, strict=True)]


def _part(text: str, mark: re.Match[str], end: int) -> Part:
    reply = text[mark.end() : end]
    return Part(_label(mark), mark.end(), mark.end() + len(reply.rstrip(" \n\t,;")))


def _label(mark: re.Match[str]) -> str:
    return mark["label"].upper().lstrip("0")


def _run(marks: Iterator[re.Match[str]]) -> list[re.Match[str]]:
    """Return the labels that go on from each other: numbers that rise, letters that rise."""
    run: list[re.Match[str]] = []
    for mark in marks:
        if not run or _follows(_label(run[-1]), _label(mark)):
            run.append(mark)
    return run


def _follows(label: str, after: str) -> bool:
    if label.isdigit() != after.isdigit():
        return False
    step = int(after) - int(label) if label.isdigit() else ord(after[0]) - ord(label[0])
    return 0 < step <= PART_NUMBER_GAP


_LABEL = r"(?:(?:q|a|re|for|ad|point|question|item|to|on|#)\s?)?\(?(?P<label>\d{1,2}|[a-h])"
_LINE_LABEL = re.compile(
    rf"^[ \t>*-]{{0,6}}{_LABEL}(?:[.):]+\**[ \t]+|[ \t]*[-–—:=][ \t]*|[ \t]+)(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE_LABEL = re.compile(
    rf"(?:^|(?<=[\s,;.!?])){_LABEL}(?:[.):]+[ \t]*|[ \t]*[-–—=:][ \t]*)(?=[^\s\d])", re.IGNORECASE
)
