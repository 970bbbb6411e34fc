"""The points of a numbered reply: "1. yes 2. no, use the file 3. later".

Each point answers another point of what was said before it, so each is judged for itself. A text
is such a reply when labels that rise follow each other, one a line or several on one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from ctxd.policy.extraction import PART_NUMBER_GAP, REPLY_CHARS


class Part(msgspec.Struct, frozen=True, gc=False):
    """The reply to one point."""

    label: str
    """As `ctxd.extract.picks.labels` writes it."""
    start: int
    """Offset of the reply's first character, behind the label."""
    end: int
    mark: int = 0
    """Offset of the label."""


def parts(text: str) -> list[Part]:
    """Return the points of a numbered reply in their order; [] when it is none."""
    for shape in (_LINES, _INLINE, _BARE_LINES, _BARE_ANSWERS):
        marks = _run(shape.finditer(text[:REPLY_CHARS]))
        if len(marks) > 1 and _begins(text, marks[0], bare=shape in {_BARE_LINES, _BARE_ANSWERS}):
            found = _between(text, marks)
            if len(found) > 1:
                return found
    return []


def _begins(text: str, mark: re.Match[str], *, bare: bool) -> bool:
    """Tell whether a first label can open a reply: bare numbers only stand at the very start."""
    if bare:
        return not text[: mark.start()].strip()
    at_line = not text[text.rfind("\n", 0, mark.start()) + 1 : mark.start()].strip(" \t>*-")
    return at_line or bool(mark["called"]) or _label(mark) in {"1", "A"}


def _between(text: str, marks: list[re.Match[str]]) -> list[Part]:
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    found = []
    for mark, end in zip(marks, ends, strict=True):
        reply = text[mark.end() : end].rstrip(" \t\n\r,;，；、>*-")
        if reply:
            found.append(Part(_label(mark), mark.end(), mark.end() + len(reply)))
    return found


def _run(marks: Iterable[re.Match[str]]) -> list[re.Match[str]]:
    """Return the labels that go on from each other: numbers that rise, letters that rise."""
    run: list[re.Match[str]] = []
    for mark in marks:
        if not run or _follows(_label(run[-1]), _label(mark)):
            run.append(mark)
    return run


def _label(mark: re.Match[str]) -> str:
    label = mark["label"]
    return str(int(label)) if label.isdecimal() else label.upper()


def _follows(label: str, after: str) -> bool:
    if label.isdecimal() != after.isdecimal():
        return False
    step = int(after) - int(label) if label.isdecimal() else ord(after) - ord(label)
    return 0 < step <= PART_NUMBER_GAP


_CALLED = r"(?P<called>(?:question|point|item|for|re|ad|to|on|zu|q|a|#)\s?)?"
_LABELLED = r"\(?(?P<label>[0-9]{1,2}|[a-h])"
_MARK = r"(?:[.):．）：、]{1,2}\**[ \t]*|[ \t]{0,2}[-–—=][ \t]*)(?=[^\s\d])"
_LINE = r"^[ \t>*-]{0,6}"
_SPACED_MARK = r"(?:[.):．）：、]{1,2}\**[ \t]+(?=\S)|" + _MARK + ")"
_LINES = re.compile(_LINE + _CALLED + _LABELLED + _SPACED_MARK, re.IGNORECASE | re.MULTILINE)
_INLINE = re.compile(r"(?:^|(?<=[\s,;.!?，；。]))" + _CALLED + _LABELLED + _MARK, re.IGNORECASE)
_BARE_LINES = re.compile(
    _LINE + r"(?P<called>[qa#])?(?P<label>[0-9]{1,2})[ \t]+(?=\S)", re.IGNORECASE | re.MULTILINE
)
_BARE_ANSWERS = re.compile(
    r"(?:^|(?<=[,;.] ))#?(?P<called>)(?P<label>[0-9]{1,2})[ \t]+"
    r"(?=(?:yes|yep|yeah|no|nope|nah|ok|okay|sure|fine|agreed?|later|skip|keep|drop|good|maybe|not)\b)",
    re.IGNORECASE,
)
