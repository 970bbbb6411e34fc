"""The words that statements and passages are compared by, clause by clause.

Stems, the meanings they share, and the cues that bind or loosen them. Two people say one thing in
different words: "no network" and "with the radio off". Sharing a group of `meanings.toml` counts
less than sharing a word, and more than nothing. Names in code count by their parts, so that
`SocialScreen` is about a screen; "unlocked" is about a lock and denies it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ctxd.policy.comparing import SLOT_TEXT_CHARS, WORDS_REMEMBERED
from ctxd.policy.retention import TEXTS_REMEMBERED
from ctxd.retention.languages import is_foreign, translated
from ctxd.retention.tables import Line, cues, meanings, spare, stem_of, without_apostrophes

_TOKEN = re.compile(
    r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?|\d+(?:[.,:]\d+)*|[,;:()\u2013\u2014!?]|\.(?=\s|$)|\n"
)
_JOINED = re.compile(r"[A-Za-z][A-Za-z0-9]{2,39}")
_MARKS = frozenset(",;:()\u2013\u2014!?.\n")
_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINING = frozenset(("and", "but", "while", "whereas", "or", "then", "unless", "though"))
_NEGATED = re.compile(r"(?:un|non)([a-z]{4,})")
_NOT_NEGATED = frozenset(
    ("until", "under", "union", "unit", "uniqu", "univers", "understand", "underli", "undo")
)


class Clause(NamedTuple):
    """Words between two marks."""

    stems: frozenset[str]
    """Words that say what it is about."""
    meanings: frozenset[str]
    cues: frozenset[str]
    pieces: tuple[frozenset[str], ...] = ()
    """The same between "and", "but" and the like."""


class Words(NamedTuple):
    """What a text is about, and what it does."""

    stems: frozenset[str]
    meanings: frozenset[str]
    cues: frozenset[str]
    clauses: tuple[Clause, ...]


@lru_cache(maxsize=TEXTS_REMEMBERED)
def words(text: str, *, whole: bool = False) -> Words:
    """Return the words of a text, names in code `whole` as well; what is too long is cut."""
    return of_clauses(tuple(map(_clause, _lines(text, whole=whole))))


def of_clauses(clauses: tuple[Clause, ...]) -> Words:
    """Return what clauses come to."""
    return Words(
        frozenset().union(*(clause.stems for clause in clauses)),
        frozenset().union(*(clause.meanings for clause in clauses)),
        frozenset().union(*(clause.cues for clause in clauses)),
        clauses,
    )


def in_english(text: str) -> str:
    """Return a text of another language with the words in English that are known; others as is."""
    found = _TOKEN.findall(text[:SLOT_TEXT_CHARS].casefold())
    return " ".join(translated(found)) if is_foreign(found) else text


def _clause(spelled: Line) -> Clause:
    line, told = tuple(map(stem_of, spelled)), cues().named(spelled)
    stems = frozenset(stem for stem in line if not _is_empty(stem))
    if "noexcept" in told:
        told = (told - {"except", "permit"}) | {"every"}
    without = frozenset(base for stem in stems if (base := _negated(stem)))
    if without:
        stems, told = stems | without, told | {"deny"}
    return Clause(stems, meanings().named(line), told, tuple(_split(line)))


def _split(line: Line) -> Iterator[frozenset[str]]:
    piece: set[str] = set()
    for stem in line:
        if stem not in _JOINING:
            piece.add(stem)
        elif piece:
            yield frozenset(stem for stem in piece if not _is_empty(stem))
            piece = set()
    if piece:
        yield frozenset(stem for stem in piece if not _is_empty(stem))


def _lines(text: str, *, whole: bool) -> Iterator[Line]:
    line: list[str] = []
    for token in _pieces(text[:SLOT_TEXT_CHARS], whole=whole):
        if token not in _MARKS:
            line.append(without_apostrophes(token))
        elif line:
            yield tuple(line)
            line = []
    if line:
        yield tuple(line)


def _both_ways(name: re.Match[str]) -> str:
    """A name in code by its parts and as one word: people write "docusign" of DocuSign."""
    parts = _JOINT.sub(" ", name[0])
    return parts if parts == name[0] else f"{parts} {name[0]}"


def _pieces(text: str, *, whole: bool = False) -> list[str]:
    if not text.islower():
        text = (
            _JOINED.sub(_both_ways, text).casefold() if whole else _JOINT.sub(" ", text).casefold()
        )
    found = _TOKEN.findall(text)
    return list(translated(found)) if is_foreign(found) else found


@lru_cache(maxsize=WORDS_REMEMBERED)
def _is_empty(stem: str) -> bool:
    return stem in spare() or (len(stem) == 1 and not stem.isdigit())


@lru_cache(maxsize=WORDS_REMEMBERED)
def _negated(stem: str) -> str:
    """Return what a word such as "unlocked" denies, else nothing."""
    found = _NEGATED.fullmatch(stem)
    return stem_of(found[1]) if found and stem not in _NOT_NEGATED else ""
