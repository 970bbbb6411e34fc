"""The compiled cue tables, one a language, made when a language is first met."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from itertools import product

from ctxd.extract.cues import BIT, OPENERS, Language
from ctxd.extract.cues.lexicon import MARKS, Table, tree
from ctxd.extract.cues.tokens import spaced

Tokenise = Callable[[str], list[str]]

MODULES = {"en": "english"}
"""Language code -> the module of its phrases. English serves for all others."""


def table_of(language: str) -> tuple[Table, Tokenise]:
    """Return the table of a language, and what cuts its sentences into tokens."""
    return _table(MODULES.get(language, "english"))


@cache
def _table(module: str) -> tuple[Table, Tokenise]:
    phrases: Language = import_module(f"ctxd.extract.cues.{module}").LANGUAGE
    table = Table(
        tree(phrases.opening, BIT, spellings),
        tree(phrases.clause, BIT, spellings),
        tree(phrases.anywhere, BIT, spellings),
        _word_bits(phrases.words),
        sum(BIT[name] for name in OPENERS),
        MARKS | frozenset(phrases.starters.split()),
    )
    return table, spaced


def _word_bits(words: dict[str, str]) -> dict[str, int]:
    bits: dict[str, int] = {}
    for word_tree in (tree({cue: text}, BIT, spellings) for cue, text in words.items()):
        for word, below in word_tree.items():
            bits[word] = bits.get(word, 0) | below.get("", 0)
    return bits


def spellings(phrase: str) -> list[list[str]]:
    """Return a phrase's tokens, with and without the apostrophes that people leave out."""
    words = phrase.split()
    alone = len(words) == 1
    return [list(one) for one in product(*(_spelled(word, alone=alone) for word in words))]


def _spelled(word: str, *, alone: bool) -> tuple[str, ...]:
    if "'" not in word or word in _OTHER_WORD or (alone and word in _OTHER_WORD_ALONE):
        return (word,)
    return (word, word.replace("'", ""))


_OTHER_WORD = frozenset(("we're", "we'll", "she'll", "he'll", "we'd", "she'd"))
"""Without its apostrophe it is another word."""

_OTHER_WORD_ALONE = frozenset(("i'll", "i'd", "it's", "let's", "who's", "can't", "won't"))
"""The same, where no other word tells which is meant."""
