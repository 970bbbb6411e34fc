"""Passages of a typed message that only their shape, or a word beside them, shows to be copied.

A chat with its speakers, a ticket with its fields, rows of a table, a filled-in template, an error
with its class, and what is called somebody else's afterwards ("that's the thread"). Linear in the
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE = re.compile(r"[^\n]+")
_SPEAKER = re.compile(
    r"[ \t>]*(?:\[?\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?\]?[ \t]+)?"
    r"(?P<who>[A-Za-z\u00c0-\u024f][\w.'\u00e0-\u024f-]{1,19}(?: [A-Z]\w{0,12}\.?)?)"
    r"(?:[ \t]+\[?\d{1,2}:\d\d(?: ?[ap]m)?\]?)?:(?= )",
    re.IGNORECASE,
)
_TIMED = re.compile(
    r"[ \t>]*(?:[A-Za-z][\w.'-]{1,19}[ \t]+)?"
    r"[\[(]?\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?[\])]?(?:[ \t]|$)",
    re.IGNORECASE,
)
_CHAT = re.compile(
    r"\b(?:slack|chat|thread|discord|teams|irc|discussion|conversation|whatsapp|channel|standup"
    r"|gespr\u00e4ch|verlauf)\b",
    re.IGNORECASE,
)
_INLINE_CHAT = re.compile(
    r"\b(?:discussion|conversation|thread|chat|talk|call|meeting|they said|went like (?:this"
    r"|that))\b"
    r"[^\n]{0,30}[.:] ?(?=(?:[A-Z]\w{1,14}: ))",
    re.IGNORECASE,
)
_SAYS_INLINE = re.compile(
    r"(?:^|(?<=[.?!] )|(?<=[:\n] ))(?P<who>[A-Z]\w{1,14}): [^.?!\n]{1,200}[.?!\n]"
)
_FIELD = re.compile(
    r"[ \t]*\W{0,2}(?:title|summary|description|acceptance(?: criteria)?|reporter|assignee|priority"
    r"|severity|status|labels?|steps to reproduce|expected(?: \w{2,10})?|actual(?: \w{2,10})?"
    r"|component"
    r"|environment|sprint|epic|story points|due|beschreibung|titel|melder|as an? \w{2,12})\W{0,2}:"
    r"[ \t]{0,3}\S?",
    re.IGNORECASE,
)
_BOX = re.compile(r"[ \t]*[-*] \[[ xX]\] ")
_HEADING = re.compile(
    r"[ \t]*#{1,4} (?:what|why|how|checklist|description|summary|changes|testing)\b", re.IGNORECASE
)
_ERROR = re.compile(
    r"(?:\b|^)(?:[A-Z]\w{0,40}(?:Error|Exception|Warning|Failure)|panic|fatal"
    r"|Traceback[^\n:]{0,40})"
    r"(?: \[\w{1,20}\])?: [^\n]{40,400}$(?!\n[ \t])",
    re.MULTILINE,
)
_CELLS = re.compile(r"[^;\t|\n]{0,80}(?:[;\t|][^;\t|\n]{0,120}){2,20}")
_AFTERWARDS = re.compile(
    r"(?:(?:^|(?<=\n))\W{0,3}|(?<=[.!?] ))\W{0,2}(?:that(?:['\u2019]s| is| was)|this (?:is|was"
    r"|came in)|these"
    r" (?:are|were)|those (?:are|were)|they were|(?:he|she) was|copied from)"
    r"\b[^.\n]{0,30}\b(?:thread|templates?|banner|wiki|mails?|readme|issue|ticket|chat|slack|joking"
    r"|kidding|came in|marketing"
    r"|spam|bot|what (?:he|she|they|it) (?:said|wrote|says|posted)|not (?:me|mine|us|ours)"
    r"|somebody else['\u2019]?s?)\b",
    re.IGNORECASE,
)
_LEAST_LINES = 2


def passages(text: str) -> list[tuple[int, int]]:
    """Return the spans of a typed message that were copied by the look of them, ascending."""
    if ":" not in text and "\n" not in text and ";" not in text:
        return []
    lines = [(one.start(), one.end()) for one in _LINE.finditer(text)]
    found = [
        *_chats(text, lines),
        *_inline(text),
        *_runs(text, lines, (_FIELD,)),
        *_runs(text, lines, (_BOX, _HEADING)),
        *_tables(text, lines),
        *((one.start(), one.end()) for one in _ERROR.finditer(text)),
        *_called(text),
        *_listed(text, lines),
    ]
    return sorted(found)


def _chats(text: str, lines: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield lines with speakers: where times stand in them, where the talk is of a chat, or where
    somebody speaks again."""
    for paragraph in _paragraphs(text, lines):
        timed = [one for one in paragraph if _TIMED.match(text, *one)]
        if len(timed) >= _LEAST_LINES:
            yield timed[0][0], paragraph[-1][1]
            continue
        said = [(one, found["who"]) for one in paragraph if (found := _SPEAKER.match(text, *one))]
        if len(said) < _LEAST_LINES:
            continue
        (start, _), (_, end) = said[0][0], said[-1][0]
        again = len({who.casefold() for _, who in said}) < len(said)
        if again or _CHAT.search(text, max(0, start - _BEFORE), start):
            yield start, end


def _paragraphs(text: str, lines: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    run: list[tuple[int, int]] = []
    for start, end in lines:
        if run and text.count("\n", run[-1][1], start) > 1:
            yield run
            run = []
        run.append((start, end))
    if run:
        yield run


_BEFORE = 80
"""Characters in which a chat is announced."""


def _inline(text: str) -> Iterator[tuple[int, int]]:
    """Yield a talk told in one line: "it went like this. Ann: ... Ben: ..."."""
    for opened in _INLINE_CHAT.finditer(text):
        last = 0
        for one in _SAYS_INLINE.finditer(text, opened.end()):
            last = one.end()
        if last:
            yield opened.start(), last


def _runs(
    text: str, lines: list[tuple[int, int]], signs: tuple[re.Pattern[str], ...]
) -> Iterator[tuple[int, int]]:
    """Yield what stands between lines of a paragraph that show one of these signs."""
    for paragraph in _paragraphs(text, lines):
        holds = [one for one in paragraph if any(sign.match(text, *one) for sign in signs)]
        if len(holds) >= _LEAST_LINES:
            yield holds[0][0], holds[-1][1]


def _tables(text: str, lines: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield lines in a row with as many cells."""
    run: list[tuple[int, int]] = []
    cells = 0
    for start, end in [*lines, (len(text), len(text))]:
        line = text[start:end]
        here = len(re.findall(r"[;\t|]", line)) if _CELLS.fullmatch(line) else 0
        if here and (here == cells or not run):
            run.append((start, end))
            cells = here
            continue
        if len(run) > _LEAST_LINES:
            yield run[0][0], run[-1][1]
        run, cells = ([(start, end)], here) if here else ([], 0)


def _listed(text: str, lines: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the list behind "the policy reads as follows"."""
    opened = 0
    for start, end in lines:
        if opened and not _POINT.match(text, start):
            opened = 0
        elif opened:
            yield start, end
        if _OPENS.search(text, start, end):
            opened = 1


_OPENS = re.compile(
    r"\b(?:policy|rules?|guide|handbook|template|issue|ticket|mail|page|readme|docs?|contract"
    r"|spec|they"
    r"|it)\b[^\n]{0,40}\b(?:reads?|says?|said|states?|goes|wrote|writes)\b[^\n.!?]{0,20}$",
    re.IGNORECASE | re.MULTILINE,
)
_POINT = re.compile(r"[ \t]*(?:[-*\u2022]|\d{1,2}[.)])[ \t]")


def _called(text: str) -> Iterator[tuple[int, int]]:
    """Yield the paragraph before words that call it somebody else's."""
    found = _AFTERWARDS.search(text)
    if found is None or _ANNOUNCES.match(text, found.end()):
        return
    end = len(text[: found.start()].rstrip(" \t("))
    before = text[:end].rstrip()
    if "\n" in text[len(before) : end] or (end and text[end - 1] == "\n"):
        yield before.rfind("\n\n") + 1, len(before)


_ANNOUNCES = re.compile(r"[^\n]{0,200}:[ \t]*(?:\n|$)")
