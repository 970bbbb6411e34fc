"""From a sentence to the tokens that cue phrases are made of.

Words in lower case, numbers, marks. What is not the user's language, such as code spans, paths,
addresses and flags, becomes one token that no phrase contains, so that the "only" of `read_only`
limits nothing.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from ctxd.extract.cues.lexicon import END
from ctxd.policy import CUE_CHUNK_CHARS, CUE_CHUNKS_REMEMBERED, CUE_SENTENCE_CHARS

CODE = "`"
"""The token that stands for code."""


def spaced(sentence: str) -> list[str]:
    """Return the tokens of a sentence in a script with spaces between words, and `END`."""
    text = sentence[:CUE_SENTENCE_CHARS]
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_PLAIN)
    if CODE in text:
        text = _CODE_SPAN.sub(CODE, text)
    tokens: list[str] = []
    for chunk in text.lower().split():
        tokens += _chunk(chunk)
    tokens.append(END)
    return tokens


@lru_cache(CUE_CHUNKS_REMEMBERED)
def _chunk(chunk: str) -> tuple[str, ...]:
    """Return the tokens of what stands between two spaces."""
    if chunk.isalpha() and chunk.isascii():
        return (chunk,)
    if len(chunk) > CUE_CHUNK_CHARS:
        return (CODE,)
    if _CODE_LIKE.search(chunk) and not _WORDS.fullmatch(chunk):
        return (CODE, *_CLOSING.findall(chunk[-1]))
    return tuple(_TOKEN.findall(chunk))


def dense(sentence: str) -> list[str]:
    """Return the characters of a sentence in a script without spaces, Latin words whole."""
    text = unicodedata.normalize("NFKC", sentence[:CUE_SENTENCE_CHARS]).lower()
    if CODE in text:
        text = _CODE_SPAN.sub(CODE, text)
    return [*_DENSE.findall(text), END]


_PLAIN = str.maketrans({"’": "'", "‘": "'", "´": "'", "“": '"', "”": '"', "…": "..", "–": "-"})
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_CODE_LIKE = re.compile(r"[_\\@=<>{}\[\]#$~]|\w[/.:(]\w|^--?\w|^[./]\w|\(\)|::")
_WORDS = re.compile(
    r"[\"'(*]{0,3}(?:[^\W\d_]{1,24}(?:/[^\W\d_]{0,24}|\.\.+[^\W\d_]{1,24})|e\.g|i\.e|#\d{1,4}|[:;]-?[()dp]|<3"
    r"|:\+1:|[^\W\d_']{1,24}\([^\W\d_]{0,4}\))[\"')*,.!?;:]{0,4}"
)
_CLOSING = re.compile(r"[,.!?:;]")
_TOKEN = re.compile(
    r"e\.g\.|i\.e\.|w/o?(?![^\W_])|[+-]\d+|:\+1:|\+\+|[^\W\d_]+(?:'[^\W\d_]+)*|\d+|\.\.+|[,.!?:;#%]|[^\x00-\x7f]"
)
_DENSE = re.compile(r"`|[a-z]+(?:'[a-z]+)?|\d+|[^\sa-z\d]")
