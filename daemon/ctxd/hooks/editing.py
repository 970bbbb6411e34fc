"""The smallest change of a JSON text: one value put in, or one taken out, nothing else touched.

What is put in is laid out as its neighbours are. What is taken out again leaves the text as it was
before it came. The result is read once more and held against what it must say: a text that would
say anything else is never handed back.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from ctxd.hooks.jsonc import Document, Node, Path, Token, parse

_INDENT = re.compile(r"(?:^|[\r\n])([ \t]+)\S")
_DEFAULT_INDENT = "  "


class ShapeError(ValueError):
    """Something stands where a list or an object is needed."""

    def __init__(self, path: Path) -> None:
        where = f"`{'.'.join(map(str, path))}`" if path else "the whole"
        super().__init__(f"{where} is not what the agent expects there")


class _Splice(msgspec.Struct, frozen=True, order=True):
    """Characters that give way to others."""

    start: int
    end: int
    text: str


def append(text: str, path: Path, value: Any) -> str:
    """The text with a value at the end of the list at `path`; what is missing on the way is made.

    Raise BrokenError for a text that is no JSON, ShapeError where something else stands there.
    """
    document = parse(text)
    wanted = _with(document.data, path, value)
    depth = next(n for n in range(len(path), -1, -1) if document.find(path[:n]) is not None)
    container = document.find(path[:depth])
    assert container is not None  # noqa: S101 - the root is always there
    if depth == len(path):
        member = None
    else:
        member, value = str(path[depth]), [value]
        for key in reversed(path[depth + 1 :]):
            value = {key: value}
    return _checked(text, _insertion(document, container, member, value), wanted)


def member(text: str, key: str, value: Any) -> str:
    """The text with a member of the whole object, where there is none of that name."""
    document = parse(text)
    if not isinstance(document.data, dict):
        raise ShapeError(())
    if key in document.data:
        return text
    wanted = {**document.data, key: value}
    return _checked(text, _insertion(document, document.root, key, value), wanted)


def replace(text: str, path: Path, value: Any) -> str:
    """The text with another value for the element of a list at `path`, which must be there."""
    document = parse(text)
    wanted = copy.deepcopy(document.data)
    _holder(wanted, path)[path[-1]] = value
    node = document.find(path)
    assert node is not None  # noqa: S101 - the caller found it
    container = document.find(path[:-1])
    assert container is not None  # noqa: S101 - same
    first, last = document.tokens[node.first], document.tokens[node.last]
    before = document.tokens[container.last - 1]
    layout = _layout(document, container, before if before.is_space else None)
    return _checked(text, [_Splice(first.start, last.end, _dumped(value, layout))], wanted)


def remove(text: str, path: Path) -> str:
    """The text without the value at `path`, which must be there."""
    document = parse(text)
    wanted = copy.deepcopy(document.data)
    del _holder(wanted, path)[path[-1]]
    node = document.find(path)
    assert node is not None  # noqa: S101 - the caller found it
    return _checked(text, _deletion(document, node), wanted)


def _holder(data: Any, path: Path) -> Any:
    """What the value at a path is in."""
    for key in path[:-1]:
        data = data[key]
    return data


def _with(data: Any, path: Path, value: Any) -> Any:
    """The data as it is to be."""
    result = copy.deepcopy(data)
    holder = result
    for depth, key in enumerate(path):
        if not isinstance(holder, dict):
            raise ShapeError(path[:depth])
        holder = holder.setdefault(key, [] if depth == len(path) - 1 else {})
    if not isinstance(holder, list):
        raise ShapeError(path)
    holder.append(value)
    return result


def _checked(text: str, splices: Sequence[_Splice], wanted: Any) -> str:
    """The text after these changes; they are right, or there is a defect here."""
    for splice in sorted(splices, reverse=True):
        text = text[: splice.start] + splice.text + text[splice.end :]
    if parse(text).data != wanted:
        raise AssertionError("an edit of a JSON text did not say what it was to say")
    return text


def _insertion(document: Document, container: Node, key: str | None, value: Any) -> list[_Splice]:
    """A further child at the end of a container."""
    tokens = document.tokens
    before = container.last - 1
    inner = tokens[before] if tokens[before].is_space else None
    if inner:
        before -= 1
    counting = next(i for i in range(before, -1, -1) if tokens[i].counts)
    layout = _layout(document, container, inner)
    head = "" if key is None else json.dumps(key, ensure_ascii=False) + layout.colon
    written = head + _dumped(value, layout)
    start = tokens[before].end
    if counting == container.opener:
        end = inner.end if inner else start
        return [_Splice(start, end, layout.lead + written + layout.tail)]
    if tokens[counting].text == ",":
        return [_Splice(start, start, layout.lead + written + ",")]
    comma = _Splice(tokens[counting].end, tokens[counting].end, ",")
    if start == comma.start:
        return [_Splice(start, start, "," + layout.lead + written)]
    return [comma, _Splice(start, start, layout.lead + written)]


class _Layout(msgspec.Struct, frozen=True):
    """How a child is laid out."""

    lead: str
    """What stands before it."""
    tail: str
    """What stands behind it in a container that was empty."""
    indent: str | None
    """Of one more level; None where all stands on one line."""
    eol: str = ""
    """Line end and indentation of the child's own lines."""
    colon: str = ": "
    comma: str = ", "


def _layout(document: Document, container: Node, inner: Token | None) -> _Layout:
    text = document.text
    eol = "\r\n" if "\r\n" in text else "\n"
    if container.children:
        spread = inner is not None and ("\n" in inner.text or "\r" in inner.text)
    else:
        spread = "\n" in text.strip() or text.strip() == "{}"
    if not spread:
        tight = not any(token.is_space for token in document.tokens[:-1])
        gap = " " if container.children and not tight else ""
        return _Layout(gap, "", None, "", ":" if tight else ": ", "," if tight else ", ")
    found = _INDENT.search(text)
    unit = found[1] if found else _DEFAULT_INDENT
    outer = _indent_of(text, document.tokens[container.opener].start)
    own = outer + unit
    if container.children:
        own = _indent_of(text, document.tokens[container.children[-1].first].start)
    return _Layout(eol + own, eol + outer, unit, eol + own)


def _indent_of(text: str, position: int) -> str:
    """The indentation of the line that a position is in."""
    start = max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1
    line = text[start:position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _dumped(value: Any, layout: _Layout) -> str:
    if layout.indent is None:
        return json.dumps(value, ensure_ascii=False, separators=(layout.comma, layout.colon))
    return json.dumps(value, ensure_ascii=False, indent=layout.indent).replace("\n", layout.eol)


def _deletion(document: Document, node: Node) -> list[_Splice]:
    """Take out a child, the comma that goes with it, and the line it stood on."""
    tokens = document.tokens
    before = next(i for i in range(node.first - 1, -1, -1) if tokens[i].counts)
    after = next(i for i in range(node.last + 1, len(tokens)) if tokens[i].counts)
    first, last = node.first, node.last
    splices = []
    if tokens[after].text == ",":
        splices.append(_Splice(tokens[after].start, tokens[after].end, ""))
    elif tokens[before].text == ",":
        splices.append(_Splice(tokens[before].start, tokens[before].end, ""))
    start, end = tokens[first].start, tokens[last].end
    rest = ""
    if tokens[first - 1].is_space:
        start = tokens[first - 1].start
        rest = _line_end(tokens, first, last + 2 if tokens[last + 1].text == "," else last + 1)
    elif tokens[after].text == "," and tokens[after + 1].is_space:
        splices.append(_Splice(tokens[after + 1].start, tokens[after + 1].end, ""))
    if tokens[before].text in "[{" and before >= first - 2 and _closes(tokens, last):
        end = tokens[last + 1].end if tokens[last + 1].is_space else end
    return [*splices, _Splice(start, end, rest)]


def _line_end(tokens: Sequence[Token], first: int, follow: int) -> str:
    """The end of the line that a comment before the child needs, unless what will follow has it."""
    is_needed = first > 1 and tokens[first - 2].text.startswith("//")
    if not is_needed or tokens[follow].text.startswith(("\n", "\r")):
        return ""
    return "\r\n" if tokens[first - 1].text.startswith("\r\n") else tokens[first - 1].text[:1]


def _closes(tokens: Sequence[Token], last: int) -> bool:
    """Whether nothing but blanks stands between a child and the closing bracket."""
    follow = last + 2 if tokens[last + 1].is_space else last + 1
    return tokens[follow].text in ("]", "}")
