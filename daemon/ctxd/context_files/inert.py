"""Text of sessions as Markdown in which nothing acts.

What comes out is one line that reads as it was said: no heading, list, fence, rule or task opens in
it, no HTML, comment, link, image or address is active, no agent expands an import, and nothing is
hidden in it. Code spans stay; what would act is put into one, so that it still reads as it was
typed. Text that is inert already comes out as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ctxd.policy.context_files import INERT_TEXTS_REMEMBERED

_SPACES = re.compile(r"\s+")
_HIDDEN = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"  # format characters
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0"  # blank though they count
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # zero width, bidi, separators
    "\ufff0-\ufffb\ufffe\uffff"  # marks of other programs, no characters
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"  # variation selectors: texts have been hidden in them
    "\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff"  # halves of characters, private use
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e007f"  # tags: a whole hidden alphabet
    "]"
)
_COMMENT_OPEN = re.compile(r"<!--")
_COMMENT_CLOSE = re.compile(r"--(!?>)")
_FILE_IMPORT = re.compile(r"#\[\[")
_TICKS = re.compile(r"`+")
_FENCE_TICKS = 3

_ACTIVE = re.compile(
    r"<[A-Za-z/!?]"  # HTML
    r"|(?:^|[\W_])@\S"  # an import of a file, or a mention
    r"|\w:/|://|\b(?:www\.|mailto:|xmpp:)"  # an address
    r"|[\w+-]@\w",  # a mail address
    re.IGNORECASE,
)
_WORD = re.compile(r"\S+")
_CLOSING = ".,;:!?)]}\"'"
_OPENING = "([{\"'"
_LINK = re.compile(r"\](?=\()")
_OPENER = re.compile(
    r"(?:\#{1,6}|[-+*])(?=\s|$)"  # headings, lists
    r"|>|~~~"  # quotes, fences
    r"|(?=([-*_]))(?:\1\s?){3,}$"  # rules
    r"|\[[ xX]\]\s|\[[^\[\]]*\]:"  # tasks, definitions of links
)
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|$)")


@lru_cache(maxsize=INERT_TEXTS_REMEMBERED)
def inert(text: str) -> str:
    """The text as one line of Markdown that shows it and does nothing else."""
    line = _HIDDEN.sub("", _SPACES.sub(" ", text))
    line = _SPACES.sub(" ", line).strip()
    line = _COMMENT_CLOSE.sub(r"-- \1", _COMMENT_OPEN.sub("<! --", line))
    line = _FILE_IMPORT.sub("# [[", line)
    return _unopened("".join(_calmed(line)).strip())


def _unopened(line: str) -> str:
    """The line without what opens a block at its beginning."""
    if _OPENER.match(line):
        return "\\" + line
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line


def _calmed(line: str) -> Iterator[str]:
    """Pieces of the line: code spans as they are, between them nothing that acts."""
    position = 0
    for start, end, ticks in _code_spans(line):
        yield _plain(line[position:start], between=position > 0, more=True)
        yield _span(line[start + ticks : end - ticks], ticks)
        position = end
    yield _plain(line[position:], between=position > 0, more=False)


def _code_spans(line: str) -> Iterator[tuple[int, int, int]]:
    """Start, end and length of the mark of each code span, from left to right."""
    runs = [(match.start(), match.end() - match.start()) for match in _TICKS.finditer(line)]
    later: dict[int, list[int]] = {}
    for start, length in reversed(runs):
        later.setdefault(length, []).append(start)
    position = 0
    for start, length in runs:
        starts = later[length]
        while starts and starts[-1] <= start:
            starts.pop()
        if start < position or not starts:
            continue
        position = starts[-1] + length
        yield start, position, length


def _span(code: str, ticks: int) -> str:
    """A code span whose mark opens no fence."""
    if ticks < _FENCE_TICKS:
        return f"{'`' * ticks}{code}{'`' * ticks}"
    return f"`{code.replace('`', chr(39))}`"


def _plain(text: str, *, between: bool, more: bool) -> str:
    """What stands outside code: marks of code that have no partner are no marks, and what acts
    becomes code. `between`, `more`: whether a code span stands before, and behind it."""
    text = _LINK.sub("] ", text.replace("`", "'"))
    text = _WORD.sub(_coded, text)
    if between and text.startswith("`"):
        text = " " + text
    if more and text.endswith("`"):
        text += " "
    escapes = len(text) - len(text.rstrip("\\"))
    return text + "\\" if more and escapes % 2 else text


def _coded(match: re.Match[str]) -> str:
    word = match[0]
    if not _ACTIVE.search(word):
        return word
    start, end = len(word) - len(word.lstrip(_OPENING)), len(word.rstrip(_CLOSING))
    if start >= end:
        start, end = 0, len(word)
    return f"{word[:start]}`{word[start:end]}`{word[end:]}"
