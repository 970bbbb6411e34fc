"""What stands in `meanings.toml`: phrases with the group or cue of each, opposites, units."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from ctxd.extract.slot_words import STOP, term_of
from ctxd.policy.comparing import WORDS_REMEMBERED

_SPELLED = re.compile(r"[^\W\d_]+|\d+|[/%$€£°+]")
_APOSTROPHE = re.compile(r"['\u2019]")

Line = tuple[str, ...]


class Phrases(NamedTuple):
    """A table of phrases, by their first word."""

    single: Mapping[str, frozenset[str]]
    longer: Mapping[str, tuple[tuple[Line, str], ...]]

    def named(self, line: Line) -> frozenset[str]:
        """Return the names of the phrases that stand in a line of words."""
        found: set[str] = set()
        for at, word in enumerate(line):
            found |= self.single.get(word, frozenset())
            for phrase, name in self.longer.get(word, ()):
                if line[at : at + len(phrase)] == phrase:
                    found.add(name)
        return frozenset(found)


def without_apostrophes(word: str) -> str:
    """Return a word as the tables have it: "don't" is "dont"."""
    return _APOSTROPHE.sub("", word)


@lru_cache(maxsize=WORDS_REMEMBERED)
def stem_of(word: str) -> str:
    """Return the stem of a word, or what it is another word for; numbers are their own."""
    return term_of(word) if word[:1].isalpha() else word


@cache
def cues() -> Phrases:
    """Return the phrases that bind or loosen, word for word: "largely" is not "large"."""
    return _phrases("cues", stemmed=False)


@cache
def meanings() -> Phrases:
    """Return the phrases that stand for one another, as stems."""
    return _phrases("meanings", stemmed=True)


@cache
def spare() -> frozenset[str]:
    """Return the words that do not say what a text is about."""
    words = _toml()["spare"]["words"].split()
    return frozenset((*STOP, *words, *map(stem_of, STOP), *map(stem_of, words)))


@cache
def units() -> Mapping[str, str]:
    """Return the name of a unit by what it is written as."""
    return {word: name for name, words in _toml()["units"].items() for word in words.split()}


@cache
def measures() -> Mapping[str, tuple[str, float]]:
    """Return what a unit measures and its size."""
    rows = ((name, said.split()) for name, said in _toml()["measures"].items())
    return {name: (what, float(size)) for name, (what, size) in rows}


def meanings_of(stem: str) -> frozenset[str]:
    """Return the groups that a single stem belongs to."""
    return meanings().single.get(stem, frozenset())


def opposites_of(stem: str) -> frozenset[str]:
    """Return the words that say the opposite of a word."""
    return _opposites().get(stem, frozenset())


@cache
def _toml() -> dict[str, Any]:
    text = files("ctxd.retention").joinpath("meanings.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _phrases(table: str, *, stemmed: bool) -> Phrases:
    single: dict[str, frozenset[str]] = {}
    longer: dict[str, list[tuple[Line, str]]] = {}
    for name, said in _toml()[table].items():
        for phrase in said.split(";"):
            spelled = _SPELLED.findall(without_apostrophes(phrase.casefold()))
            line = tuple(map(stem_of, spelled) if stemmed else spelled)
            if len(line) == 1:
                single[line[0]] = single.get(line[0], frozenset()) | {name}
            elif line:
                longer.setdefault(line[0], []).append((line, name))
    return Phrases(single, {first: tuple(rest) for first, rest in longer.items()})


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _toml()["opposites"]["pairs"].strip().splitlines():
        one, _, other = line.partition("/")
        ours, theirs = frozenset(map(stem_of, one.split())), frozenset(map(stem_of, other.split()))
        for here, there in ((ours, theirs), (theirs, ours)):
            for stem in here:
                found[stem] = found.get(stem, frozenset()) | (there - here)
    return found
