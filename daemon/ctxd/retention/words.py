"""The words that statements and passages are compared by: stems, with the meanings they share.

Two people say one thing in different words: "no network" and "with the radio off". The table beside
this module holds groups of words and phrases that stand for one another in software work. Sharing a
group counts nearly as much as sharing a word. Names in code count whole and by their parts, so that
`SocialScreen` is about a screen.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from ctxd.extract.slot_words import STOP, term_of
from ctxd.policy.comparing import WORDS_REMEMBERED

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,:]\d+)*")
_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_APOSTROPHE = re.compile(r"['’]")
_SPARE = frozenset(
    "no not never none nothing nobody don dont doesn doesnt must should shall can cannot could may "
    "might have has had need needs ever yet never all any every only just new get gets got use uses "
    "used using make makes made set sets put keep keeps user users please also always "
    "doing being been does did done day go goes".split()
)
"""Words that bind or bound but do not say what a statement is about."""


class Words(NamedTuple):
    """What a text is about."""

    stems: frozenset[str]
    meanings: frozenset[str]
    line: tuple[str, ...]
    """All words as stems in their order, those that say nothing included."""


@lru_cache(maxsize=4096)
def words(text: str) -> Words:
    """Return the words of a text."""
    line = tuple(map(_stem, _pieces(text)))
    stems = frozenset(stem for stem in line if stem and not _empty(stem))
    return Words(stems, _meanings(line), line)


def meanings_of(stem: str) -> frozenset[str]:
    """Return the groups that a single stem belongs to."""
    return _table().single.get(stem, frozenset())


def _pieces(text: str) -> list[str]:
    if not text.islower():
        text = _JOINT.sub(" ", text)
    return _TOKEN.findall(text.casefold())


@lru_cache(maxsize=WORDS_REMEMBERED)
def _stem(word: str) -> str:
    plain = _APOSTROPHE.sub("", word)
    return term_of(plain) if plain[:1].isalpha() else plain


@lru_cache(maxsize=WORDS_REMEMBERED)
def _empty(stem: str) -> bool:
    return stem in _empties() or (len(stem) < 2 and not stem.isdigit())


@cache
def _empties() -> frozenset[str]:
    return frozenset((*STOP, *_SPARE, *map(_stem, STOP), *map(_stem, _SPARE)))


class _Table(NamedTuple):
    single: dict[str, frozenset[str]]
    phrases: dict[str, tuple[tuple[tuple[str, ...], str], ...]]


@cache
def _table() -> _Table:
    text = files("ctxd.retention").joinpath("meanings.toml").read_text(encoding="utf-8")
    single: dict[str, frozenset[str]] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name, said in tomllib.loads(text)["meanings"].items():
        for phrase in said.split(";"):
            stems = tuple(map(_stem, _pieces(phrase)))
            if len(stems) == 1:
                single[stems[0]] = single.get(stems[0], frozenset()) | {name}
            elif stems:
                phrases.setdefault(stems[0], []).append((stems, name))
    return _Table(single, {first: tuple(rest) for first, rest in phrases.items()})


def _meanings(line: tuple[str, ...]) -> frozenset[str]:
    table = _table()
    found: set[str] = set()
    for at, stem in enumerate(line):
        found |= table.single.get(stem, frozenset())
        for phrase, name in table.phrases.get(stem, ()):
            if line[at : at + len(phrase)] == phrase:
                found.add(name)
    return frozenset(found)
