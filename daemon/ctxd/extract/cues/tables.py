"""The compiled cue tables, one a language, made when a language is first met."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from ctxd.extract.cues import BIT, OPENERS, mask
from ctxd.extract.cues.lexicon import MARKS, Table, tree
from ctxd.extract.cues.tokens import spaced

if TYPE_CHECKING:
    from ctxd.extract.cues import Language

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
        mask(" ".join(OPENERS)),
        MARKS | frozenset(phrases.starters.split()),
    )
    return table, spaced


def _word_bits(words: dict[str, str]) -> dict[str, int]:
    bits = {str(number): BIT["number"] for number in range(100)}
    for cue, text in words.items():
        for word in text.split():
            bits[word] = bits.get(word, 0) | BIT[cue]
    return bits


def spellings(word: str) -> tuple[str, ...]:
    """Return a word of a phrase with and without the apostrophe that people leave out."""
    if "'" not in word or word in _OTHER_WORD:
        return (word,)
    return (word, word.replace("'", ""))


_OTHER_WORD = frozenset(("we're", "we'll", "she'll", "he'll", "we'd", "she'd"))
"""Without its apostrophe it is another word."""
