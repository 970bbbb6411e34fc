"""JSON with comments as agents' settings have it: its values, and where each stands in the text.

Comments and commas before a closing bracket are allowed, anything else is as strict as JSON. The
libraries that keep comments write the whole text anew or are no longer kept; what is needed here is
where to put a few characters, and the standard decoder to judge everything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import msgspec

from ctxd.policy.hooks import CONFIGURATION_DEPTH

_TOKEN = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*"?'  # a string, or what was left open
    r"|//[^\r\n]*|/\*.*?(?:\*/|\Z)"
    r"|[\[\]{},:]|\s+"
    r'|[^\s"\[\]{},:/]+|.',
    re.DOTALL,
)
_PAIRS = {"{": "}", "[": "]"}
_CLOSERS = frozenset(_PAIRS.values())
_BRACKETS = _CLOSERS | set(_PAIRS)
Path = tuple[str | int, ...]


class BrokenError(ValueError):
    """The text is no JSON, with or without comments."""


class Token(msgspec.Struct, frozen=True, gc=False):
    """A piece of the text; all of them together are the text."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """Where the next one begins."""
        return self.start + len(self.text)

    @property
    def is_space(self) -> bool:
        """Whether it is nothing but blanks and line ends."""
        return self.text.isspace()

    @property
    def is_comment(self) -> bool:
        """Whether it is a comment."""
        return self.text.startswith(("//", "/*"))

    @property
    def counts(self) -> bool:
        """Whether it is part of the value."""
        return not (self.is_space or self.is_comment)


class Node(msgspec.Struct, gc=False):
    """A value, or a member with its key."""

    first: int
    """Index of its first token: of a member, the key."""
    opener: int = -1
    """Index of its bracket; -1 for what has none."""
    last: int = -1
    key: str | None = None
    children: list[Node] = []

    def child(self, key: str | int) -> Node | None:
        """The child of a name or number; of a name that is there twice, the one that counts."""
        if isinstance(key, int):
            return self.children[key] if key < len(self.children) else None
        return next((child for child in reversed(self.children) if child.key == key), None)


class Document(msgspec.Struct, frozen=True):
    """A text, taken apart."""

    text: str
    tokens: Sequence[Token]
    root: Node
    data: Any

    def find(self, path: Path) -> Node | None:
        """The value at a path; None where there is none."""
        node: Node | None = self.root
        for key in path:
            node = node.child(key) if node is not None else None
        return node


def parse(text: str) -> Document:
    """Take a text apart; raise BrokenError for what is no JSON, with the line where it fails."""
    tokens = [Token(found.start(), found[0]) for found in _TOKEN.finditer(text)]
    plain = list(map(_plain, tokens))
    for index in _loose_commas(tokens):
        plain[index] = " "
    try:
        data = json.loads("".join(plain), parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise BrokenError(f"line {error.lineno}: {error.msg.lower()}") from error
    except RecursionError as error:
        raise BrokenError("it is nested too deeply") from error
    if _depth(tokens) > CONFIGURATION_DEPTH:
        raise BrokenError("it is nested too deeply")
    return Document(text, tokens, _tree(tokens), data)


def _refuse(word: str) -> None:
    raise BrokenError(f"{word} is no value of JSON")


def _plain(token: Token) -> str:
    """What the standard decoder is to see, of the same length and with the same lines."""
    return re.sub(r"[^\r\n]", " ", token.text) if token.is_comment else token.text


def _loose_commas(tokens: Sequence[Token]) -> list[int]:
    """Indexes of commas that stand between a value and a closing bracket."""
    counting = [index for index, token in enumerate(tokens) if token.counts]
    return [
        index
        for before, index, after in zip(counting, counting[1:], counting[2:], strict=False)
        if tokens[index].text == ","
        and tokens[after].text in _CLOSERS
        and tokens[before].text not in (*_PAIRS, ",")
    ]


def _depth(tokens: Sequence[Token]) -> int:
    """How deeply a sound text is nested."""
    steps = (1 if token.text in _PAIRS else -1 for token in tokens if token.text in _BRACKETS)
    return max(accumulate(steps), default=0)


def _tree(tokens: Sequence[Token]) -> Node:
    """The tree of a sound text."""
    top = Node(-1, children=[])
    open_nodes, fresh = [top], True
    for index, token in enumerate(tokens):
        if not token.counts:
            continue
        if token.text in _CLOSERS:
            open_nodes.pop().last = index
            fresh = False
        elif token.text == ",":
            fresh = True
        elif token.text == ":":
            continue
        else:
            fresh = _value(tokens, index, open_nodes, fresh=fresh)
    return top.children[0]


def _value(tokens: Sequence[Token], index: int, open_nodes: list[Node], *, fresh: bool) -> bool:
    """Take in a key, a bracket or a plain value; return whether a value is awaited inside it."""
    text, parent = tokens[index].text, open_nodes[-1]
    in_object = parent.opener >= 0 and tokens[parent.opener].text == "{"
    if in_object and fresh:
        parent.children.append(Node(index, key=json.loads(text), children=[]))
        return False
    if not in_object:
        parent.children.append(Node(index, children=[]))
    node = parent.children[-1]
    node.last = index
    if text in _PAIRS:
        node.opener = index
        open_nodes.append(node)
    return text in _PAIRS
