"""The compiled cue tables, one a language, made when a language is first met.

The phrases stand in `phrases/`, a file a language: tables that grow and that people who speak the
language can read and mend without Python.
"""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from ctxd.extract.cues import BIT, OPENERS, mask
from ctxd.extract.cues.lexicon import END, KINDS, MARKS, Spelling, Table, Tree, tree
from ctxd.extract.cues.tokens import CODE, Tokenise, chunk_tokens, dense, elided, folded, spaced
from ctxd.policy.extraction import LANGUAGES_REMEMBERED

Phrases = dict[str, dict[str, str]]
"""Part of a table -> cue -> its phrases."""


class Covered(NamedTuple):
    """A language that has a table."""

    code: str
    tokenise: Tokenise
    spell: Spelling


@lru_cache(LANGUAGES_REMEMBERED)
def table_of(language: str) -> tuple[Table, Tokenise]:
    """Return the table of a language, and what cuts its sentences into tokens."""
    covered = COVERED.get(language) or COVERED["en"]
    return _table(covered), covered.tokenise


def phrases(name: str) -> Any:
    """Return the tables of a file of `phrases/`."""
    text = files("ctxd.extract.cues").joinpath("phrases", f"{name}.toml")
    return tomllib.loads(text.read_text(encoding="utf-8"))


@cache
def _table(covered: Covered) -> Table:
    own, shared = phrases(covered.code), phrases("common")
    starters = [token for word in own["starters"].split() for token in covered.spell(word)[0]]
    opening, clause, anywhere = (
        _tree((own[part], shared[part]), own.get("names", {}), covered.spell)
        for part in ("opening", "clause", "anywhere")
    )
    words = _word_bits((own["words"], shared["words"]), covered.spell)
    return Table(opening, clause, anywhere, words, mask(" ".join(OPENERS)), MARKS.union(starters))


def _tree(parts: tuple[dict[str, str], ...], names: dict[str, str], spell: Spelling) -> Tree:
    pairs = [(BIT[cue], _named(text, names)) for part in parts for cue, text in part.items()]
    return tree(pairs, spell)


def _named(text: str, names: dict[str, str]) -> str:
    """Put in what names stand for."""
    for name, alternatives in names.items():
        text = text.replace(f"{{{name}}}", alternatives)
    return text


def _word_bits(parts: tuple[dict[str, str], ...], spell: Spelling) -> dict[str, int]:
    bits = {str(number): BIT["number"] for number in range(100)}
    for part in parts:
        for cue, text in part.items():
            for token in (token for word in text.split() for token in spell(word)[0]):
                bits[token] = bits.get(token, 0) | BIT[cue]
    return bits


def _as_typed(word: str) -> list[tuple[str, ...]]:
    """Return the tokens of an English word, with and without the apostrophe people leave out."""
    if word in _SPECIAL:
        return [(word,)]
    if "'" not in word or word in _OTHER_WORD:
        return [chunk_tokens(word)]
    return [(word,), (word.replace("'", ""),)]


def _unaccented(word: str) -> list[tuple[str, ...]]:
    return [(word,) if word in _SPECIAL else chunk_tokens(folded(word))]


def _elided(word: str) -> list[tuple[str, ...]]:
    """Return the tokens of a French word, and the one that "cest" and "jai" are typed as."""
    before, mark, after = word.partition("'")
    if not mark or not after:
        return [(word,)] if mark else _unaccented(word)
    apart = (before + mark, *_unaccented(after)[0])
    return [apart] if after in _SPECIAL else [apart, chunk_tokens(folded(before + after))]


def _characters(word: str) -> list[tuple[str, ...]]:
    return [(word,) if word in _SPECIAL else tuple(dense(word)[:-1])]


_SPECIAL = frozenset((*KINDS, END, CODE, *MARKS, "#", "&", "+"))
_OTHER_WORD = frozenset(("we're", "we'll", "she'll", "he'll", "we'd", "she'd"))
"""Without its apostrophe it is another word."""

COVERED = {
    covered.code: covered
    for covered in (
        Covered("en", spaced, _as_typed),
        Covered("de", spaced, _unaccented),
        Covered("es", spaced, _unaccented),
        Covered("fr", elided, _elided),
        Covered("pt", spaced, _unaccented),
        Covered("ru", spaced, _unaccented),
        Covered("zh", dense, _characters),
        Covered("ja", dense, _characters),
    )
}
"""Language code -> its table. English serves for all others."""
