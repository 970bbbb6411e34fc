"""Words as features and overlaps count them: lower case, no punctuation, numbers alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ctxd.policy.extraction import CONTENTS_REMEMBERED

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*|[?!]")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Characters of scripts that are written without blanks."""

_FUNCTION_WORDS = """
a about after again all also am an and any are as at be been before being but by can could did do
does doing done for from get got had has have having he her here hers him his how i if in into is it
its just like me more most my no nor not now of off on one only or other our out over own same she
should so some such than that the their them then there these they this those through to too under
until up us very was way we well were what when where which while who why will with would yes yet
you your let let's lets ok okay yeah yep please really thing things i'm i'd i'll i've it's that's
there's don't dont doesn't can't won't isn't we're we'll you're they're want need make use think
know see
"""

FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words that say little of what a text is about. English; in other languages all words count."""

_NO_CONTENT = FUNCTION_WORDS | {"?", "!"}


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, its question and exclamation marks, and a `0` for
    every number."""
    return ["0" if token[0].isdigit() else token for token in _found(text)]


@lru_cache(CONTENTS_REMEMBERED)
def content(text: str) -> frozenset[str]:
    """Return the words that say what a text is about; numbers as they are. Of scripts that put no
    blank between words, pairs of characters."""
    found = frozenset(_found(text)) - _NO_CONTENT
    if text.isascii() or _DENSE.search(text) is None:
        return found
    return frozenset(piece for token in found for piece in _pieces(token))


@lru_cache(1)
def _found(text: str) -> list[str]:
    """The tokens of a text; of the last one remembered, since words and content are asked for one
    after the other."""
    return _TOKEN.findall(text.lower().replace("’", "'"))


def _pieces(token: str) -> Iterator[str]:
    if _DENSE.match(token) is None:
        yield token
        return
    for at in range(0, len(token), 2):
        yield token[at : at + 2]
