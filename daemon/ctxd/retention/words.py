"""The words that statements and passages are compared by: stems, clause by clause, with the meanings
they share and the cues that bind or loosen them.

Two people say one thing in different words: "no network" and "with the radio off". The tables
beside this module hold groups of words and phrases that stand for one another in software work, and
phrases that forbid, bind, soften, revoke or only report. Sharing a group counts nearly as much as
sharing a word. Names in code count whole and by their parts, so that `SocialScreen` is about a
screen.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from ctxd.extract.slot_words import STOP, term_of
from ctxd.policy.comparing import WORDS_REMEMBERED
from ctxd.policy.retention import TEXTS_REMEMBERED

_TOKEN = re.compile(
    r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?|\d+(?:[.,:]\d+)*|[,;:()\u2013\u2014!?]|\.(?=\s|$)|\n"
)
_MARKS = frozenset(",;:()\u2013\u2014!?.\n")
_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINTS = frozenset(("and", "but", "while", "wherea", "whereas", "or", "then", "+", "unless", "though"))
_APOSTROPHE = re.compile(r"['\u2019]")


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
def words(text: str) -> Words:
    """Return the words of a text."""
    clauses = tuple(_clause(line) for line in _lines(text))
    return Words(
        frozenset().union(*(clause.stems for clause in clauses)),
        frozenset().union(*(clause.meanings for clause in clauses)),
        frozenset().union(*(clause.cues for clause in clauses)),
        clauses,
    )


def meanings_of(stem: str) -> frozenset[str]:
    """Return the groups that a single stem belongs to."""
    return _phrases("meanings").single.get(stem, frozenset())


def _clause(spelled: tuple[str, ...]) -> Clause:
    line, cues = tuple(map(_stem, spelled)), _named(spelled, "cues")
    stems = frozenset(stem for stem in line if not _empty(stem))
    if "noexcept" in cues:
        cues = (cues - {"except", "permit"}) | {"every"}
    without = frozenset(base for stem in stems if (base := _negated(stem)))
    if without:
        stems, cues = stems | without, cues | {"deny"}
    return Clause(stems, _named(line, "meanings"), cues, tuple(_split(line)))


def _split(line: tuple[str, ...]) -> Iterator[frozenset[str]]:
    piece: set[str] = set()
    for stem in line:
        if stem in _JOINTS:
            if piece:
                yield frozenset(piece)
            piece = set()
        elif not _empty(stem):
            piece.add(stem)
    if piece:
        yield frozenset(piece)


def _lines(text: str) -> Iterator[tuple[str, ...]]:
    line: list[str] = []
    for token in _pieces(text):
        if token in _MARKS:
            if line:
                yield tuple(line)
            line = []
        else:
            line.append(_APOSTROPHE.sub("", token))
    if line:
        yield tuple(line)


def _pieces(text: str) -> list[str]:
    if not text.islower():
        text = _JOINT.sub(" ", text)
    found = _TOKEN.findall(text.casefold())
    return list(_translated(found)) if _is_foreign(found) else found


def in_english(text: str) -> str:
    """Return a text of another language with the words in English that are known; others as is."""
    found = _TOKEN.findall(text.casefold())
    return " ".join(_translated(found)) if _is_foreign(found) else text


def _is_foreign(tokens: list[str]) -> bool:
    """Whether most of the small words are those of another language."""
    looked_at = tokens[:_LOOKED_AT]
    english = sum(token in _ENGLISH for token in looked_at)
    return any(
        sum(token in shown for token in looked_at) >= max(2, 2 * english + 1)
        for shown in _languages().shown
    )


def _translated(tokens: list[str]) -> Iterator[str]:
    known = _languages().words
    for token in tokens:
        for piece in token.replace("\u2019", "'").split("'"):
            english = known.get(piece) or _by_beginning(piece)
            yield from (english or piece).split("_")


def _by_beginning(word: str) -> str:
    """Return the English of the word that a longer one begins with, and of the one it ends with."""
    known = _languages().words
    heads = (word[:size] for size in range(len(word) - 1, _HEAD - 1, -1))
    head = next((head for head in heads if head in known), "")
    if not head:
        return ""
    tail = next((known[word[at:]] for at in range(len(head), len(word) - 4) if word[at:] in known), "")
    return f"{known[head]}_{tail}" if tail else known[head]


_LOOKED_AT = 60
_HEAD = 5
_ENGLISH = frozenset("the of and to is are in for that with it be this on as not at by from or an we i no".split()) - {"in", "an", "no"}


class _Languages(NamedTuple):
    shown: tuple[frozenset[str], ...]
    words: Mapping[str, str]


@cache
def _languages() -> _Languages:
    text = files("ctxd.retention").joinpath("languages.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    shown = tuple(frozenset(words.split()) for words in table["shown_by"].values())
    words = {
        word: english
        for english, others in table["words"].items()
        for word in others.replace("|", " ").split()
    }
    return _Languages(shown, words)


@lru_cache(maxsize=WORDS_REMEMBERED)
def _stem(word: str) -> str:
    plain = _APOSTROPHE.sub("", word)
    return term_of(plain) if plain[:1].isalpha() else plain


@lru_cache(maxsize=WORDS_REMEMBERED)
def _empty(stem: str) -> bool:
    return stem in _empties() or (len(stem) == 1 and not stem.isdigit())


@lru_cache(maxsize=WORDS_REMEMBERED)
def _negated(stem: str) -> str:
    """Return what a word such as "unlocked" denies, else nothing."""
    found = _NEGATED.fullmatch(stem)
    return _stem(found[1]) if found and stem not in _NOT_NEGATED else ""


_NEGATED = re.compile(r"(?:un|non)([a-z]{4,})")
_NOT_NEGATED = frozenset(
    "until under union unite uniti uniqu univers unit understand underli undo undon unless unicod".split()
)


@cache
def _empties() -> frozenset[str]:
    spare = _toml()["spare"]["words"].split()
    return frozenset((*STOP, *spare, *map(_stem, STOP), *map(_stem, spare)))


class _Phrases(NamedTuple):
    single: Mapping[str, frozenset[str]]
    longer: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]


@cache
def _toml() -> dict[str, dict[str, str]]:
    text = files("ctxd.retention").joinpath("meanings.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _phrases(table: str) -> _Phrases:
    single: dict[str, frozenset[str]] = {}
    longer: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name, said in _toml()[table].items():
        for phrase in said.split(";"):
            spelled = _TOKEN.findall(_APOSTROPHE.sub("", phrase.strip()))
            stems = tuple(spelled if table == "cues" else map(_stem, spelled))
            if len(stems) == 1:
                single[stems[0]] = single.get(stems[0], frozenset()) | {name}
            elif stems:
                longer.setdefault(stems[0], []).append((stems, name))
    return _Phrases(single, {first: tuple(rest) for first, rest in longer.items()})


def _named(line: tuple[str, ...], table: str) -> frozenset[str]:
    phrases = _phrases(table)
    found: set[str] = set()
    for at, stem in enumerate(line):
        if names := phrases.single.get(stem):
            found |= names
        for phrase, name in phrases.longer.get(stem, ()):
            if line[at : at + len(phrase)] == phrase:
                found.add(name)
    return frozenset(found)


def opposites_of(stem: str) -> frozenset[str]:
    """Return the words that say the opposite of a word."""
    return _opposites().get(stem, frozenset())


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _toml()["opposites"]["pairs"].strip().splitlines():
        one, _, other = line.partition("/")
        ours, theirs = frozenset(map(_stem, one.split())), frozenset(map(_stem, other.split()))
        for here, there in ((ours, theirs), (theirs, ours)):
            for stem in here:
                found[stem] = found.get(stem, frozenset()) | (there - here)
    return found


@cache
def units() -> Mapping[str, str]:
    """Return the name of a unit by what it is written as."""
    return {word: name for name, words in _toml()["units"].items() for word in words.split()}
