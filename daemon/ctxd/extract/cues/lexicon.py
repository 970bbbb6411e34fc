"""Tables of cue phrases, and one pass over a sentence that finds them.

A table names cues and lists the phrases that show each. It is compiled once into trees of words; a
sentence is walked from left to right, the longest phrase wins, and its words are used up. That is
what makes near misses cheap to keep apart: "must be a bug" is listed as a guess, so its "must" is
no obligation. The time is linear in the sentence, whatever its words, and does not depend on how
many phrases there are.

Notation: phrases are separated by ";". `(a|b c|)` are alternatives, the last of them nothing. `_`
is any one word, `<n>` a number, `<past>`, `<s>` and `<ing>` are words of that form, and `$` is the
end of the sentence. `{NAME}` stands for alternatives that a file gives a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

END = "$"

Tree = dict[str, Any]
"""Word -> what may follow it, or the bits of the phrase that it ends; "" -> the bits of the phrase
that ends before."""

Spelling = Callable[[str], Sequence[Sequence[str]]]
"""From a word of a phrase to the tokens of the ways in which people type it."""


class Table(NamedTuple):
    """The compiled phrases of one language."""

    opening: Tree
    """Phrases that count only where nothing but openers went before."""
    clause: Tree
    """Phrases that count where a clause begins."""
    anywhere: Tree
    words: Mapping[str, int]
    """Bits of single words, counted also inside a phrase."""
    openers: int
    """Cues after which a sentence, or a clause, is still at its beginning."""
    starters: frozenset[str]
    """Tokens after which a clause begins."""


class Found(NamedTuple):
    """The cues of one sentence, as bits."""

    opening: int
    """Those of its beginning: openers, and the phrase they lead to."""
    rest: int
    words: int
    left: int
    """How many words belong to no phrase."""


def walk(table: Table, tokens: Sequence[str]) -> Found:
    """Given tokens that close with `END`, find the cues of the opening and of the rest."""
    clauses, anywhere, openers, starters = table[1], table[2], table.openers, table.starters
    first, left, at, begins = _opening(table, tokens)
    rest, last = 0, len(tokens) - 1
    while at < last:
        token = tokens[at]
        bits, end = _longest(anywhere, tokens, at) if token in anywhere else (0, at)
        if begins and token in clauses:
            bits, end = _longer(bits, end, *_longest(clauses, tokens, at))
        if end > at:
            rest |= bits
            begins = bits & openers != 0 or tokens[end - 1] in starters
            at = end
        else:
            left += token not in MARKS
            begins = token in starters
            at += 1
    return Found(first, rest, _words(table.words, tokens), left)


def _words(bits_of: Mapping[str, int], tokens: Sequence[str]) -> int:
    bits = 0
    for token in tokens:
        if token in bits_of:
            bits |= bits_of[token]
    return bits


def _opening(table: Table, tokens: Sequence[str]) -> tuple[int, int, int, bool]:
    """Return the cues of the openers and of the phrase they lead to, how many words were left over,
    where that ends, and whether a clause begins there.
    """
    first = at = 0
    while at < len(tokens) - 1:
        bits, end = 0, at
        for one in table[:3]:
            if tokens[at] in one:
                bits, end = _longer(bits, end, *_longest(one, tokens, at))
        if end > at:
            first |= bits
            at = end
            if not bits & table.openers:
                return first, 0, at, tokens[at - 1] in table.starters
        elif tokens[at] in MARKS:
            at += 1
        else:
            return first, 1, at + 1, tokens[at] in table.starters
    return first, 0, at, False


def _longer(bits: int, end: int, other: int, other_end: int) -> tuple[int, int]:
    if other_end == end:
        return bits | other, end
    return (other, other_end) if other_end > end else (bits, end)


def _longest(tree: Tree, tokens: Sequence[str], at: int) -> tuple[int, int]:
    """Return the bits of the longest phrase that begins here, and where it ends.

    `END` keeps it from running over the end: nothing follows that in a phrase.
    """
    bits, end, node = 0, at, tree
    while True:
        token = tokens[at]
        below = node.get(token)
        if below is None and _KINDS in node:
            below = _by_kind(node[_KINDS], token)
        if below is None:
            return bits, end
        at += 1
        if isinstance(below, int):
            return below, at
        if token == END:
            return below.get("", bits), at
        node = below
        if "" in node:
            bits, end = node[""], at


def _by_kind(kinds: Tree, token: str) -> Tree | int | None:
    for name, below in kinds.items():
        if KINDS[name](token):
            found: Tree | int = below
            return found
    return None


def tree(phrases: Iterable[tuple[int, str]], spell: Spelling) -> Tree:
    """Compile pairs of bits and the phrases that show them."""
    root: Tree = {}
    for bits, text in phrases:
        for phrase in text.split(";"):
            ends, _ = _grown([root], _PIECE.findall(phrase), 0, spell)
            for node in ends:
                if node is not root:
                    node[""] = node.get("", 0) | bits
    return _pruned(root)


def _grown(
    roots: list[Tree], pieces: Sequence[str], at: int, spell: Spelling
) -> tuple[list[Tree], int]:
    """Grow branches for the pieces up to the closing bracket; return their ends and its place."""
    done: list[Tree] = []
    here = roots
    while at < len(pieces) and pieces[at] != ")":
        if pieces[at] == "|":
            done += here
            here = roots
        elif pieces[at] == "(":
            here, at = _grown(here, pieces, at + 1, spell)
        else:
            here = [_branch(node, words) for words in spell(pieces[at]) for node in here]
        at += 1
    return done + here, at


def _pruned(node: Tree) -> Tree:
    """Replace branches that only end a phrase by its bits: most do, and they take the memory."""
    for word, below in node.items():
        if word:
            node[word] = below[""] if len(below) == 1 and "" in below else _pruned(below)
    return node


def _branch(node: Tree, words: Sequence[str]) -> Tree:
    for word in words:
        if word in KINDS:
            node = node.setdefault(_KINDS, {})
        node = node.setdefault(word, {})
    return node


def _past(token: str) -> bool:
    return token in _IRREGULAR or token.endswith("ed")


MARKS = frozenset(",.!?:;-*\"'()…") | {".."}
"""Tokens that are no words."""

KINDS: Mapping[str, Callable[[str], bool]] = {
    "<past>": _past,
    "<s>": lambda token: token.endswith("s") and not token.endswith(("ss", "is", "us")),
    "<n>": str.isdigit,
    "<ing>": lambda token: token.endswith("ing"),
    "_": lambda token: token not in MARKS and token != END,
}
"""Kinds of words a phrase may name, the narrower ones first."""

_KINDS = "\0kinds"
_PIECE = re.compile(r"[()|]|[^\s()|]+")
_IRREGULAR = frozenset(
    [
        "got",
        "had",
        "was",
        "were",
        "did",
        "saw",
        "came",
        "went",
        "ran",
        "made",
        "took",
        "gave",
        "found",
        "knew",
        "thought",
        "said",
        "told",
        "felt",
        "left",
        "kept",
        "lost",
        "met",
        "sent",
        "set",
        "put",
        "read",
        "wrote",
        "broke",
        "built",
        "bought",
        "began",
        "became",
        "understood",
    ]
)
