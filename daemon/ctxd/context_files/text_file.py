"""The bytes of a file as lines of text, and back to the very same bytes.

Byte order mark, encoding and the end of each line are kept; whatever is not UTF-8 is read one byte
a character, so that lines nobody touched come back as they were.
"""

from __future__ import annotations

import codecs
import re

import msgspec

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SINGLE_BYTE = "latin-1"


class Text(msgspec.Struct, frozen=True):
    """A file as lines."""

    lines: tuple[str, ...]
    """Each with its own end."""
    encoding: str
    mark: bytes
    eol: str
    """How most of its lines end."""

    def encode(self, lines: list[str] | tuple[str, ...]) -> bytes | None:
        """The bytes of these lines in the file's encoding; None where it lacks a character."""
        try:
            return self.mark + "".join(lines).encode(self.encoding)
        except UnicodeEncodeError:
            return None


def decode(data: bytes) -> Text | None:
    """The file as lines; None for what is no text."""
    mark, encoding = next(((m, e) for m, e in _MARKS if data.startswith(m)), (b"", "utf-8"))
    body = data[len(mark) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError:
        if encoding != "utf-8" or mark:
            return None
        encoding, text = _SINGLE_BYTE, body.decode(_SINGLE_BYTE)
    if "\0" in text or text.encode(encoding) != body:
        return None
    lines = tuple(_LINE.findall(text))
    return Text(lines, encoding, mark, _eol(lines))


def stem(line: str) -> str:
    """A line without its end."""
    return line.rstrip("\r\n")


def _eol(lines: tuple[str, ...]) -> str:
    ends = [line[len(stem(line)) :] for line in lines]
    found = [end for end in ("\n", "\r\n", "\r") if end in ends]
    return max(found, key=ends.count) if found else "\n"
