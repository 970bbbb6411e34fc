"""Which language a text is written in.

Own tables, because what the libraries are made for is not what is asked here. Measured on answers
such as "lass das", "dale" and "nan laisse tomber": py3langid takes a second to load and takes them
for Haitian or Slovene; pycld2 is compiled, 14 MB large, and tells none of them. Developers'
sentences are short, mixed with English words, and from a few languages, where scripts and the
commonest words tell more than letter statistics.

Scripts decide first. Among languages of the Latin script, the words that only one of them has count
most; English words of the trade ("commit", "push") count for nobody.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from typing import cast

from ctxd.extract.cues.tables import COVERED, phrases
from ctxd.policy.extraction import (
    LANGUAGE_CHARS,
    LANGUAGE_FEW_WORDS,
    LANGUAGE_LEAD,
    LANGUAGE_SCORE,
    LANGUAGE_SCRIPT_SHARE,
    LANGUAGE_UNCOVERED_SCORE,
)

UNTOLD = "und"
"""The text is too short to tell."""

OTHER = "other"
"""It is written in a script that none of the languages known here uses."""


def language(text: str) -> str:
    """Return the ISO code of a text's language, `UNTOLD` or `OTHER`."""
    text = _NOT_PROSE.sub(" ", text[:LANGUAGE_CHARS]).replace("’", "'")
    words = _WORD.findall(text.lower())
    if not text.isascii():
        script = _script(text, sum(word[0] < "ɐ" for word in words))
        if script:
            return script
    return _latin(words, text)


def _script(text: str, latin_words: int) -> str:
    """Return the language of the script that most words are in, "" when that is Latin."""
    letters = Counter(_BLOCK_LANGUAGES[bisect_right(_BLOCK_STARTS, ord(char)) - 1] for char in text)
    del letters[""]
    if not letters:
        return ""
    if letters["ja"] * 10 > letters["zh"]:
        letters["ja"] += letters.pop("zh", 0)
    told, size = letters.most_common(1)[0]
    if size / _LETTERS_A_WORD.get(told, 4) < LANGUAGE_SCRIPT_SHARE * latin_words:
        return ""
    return _cyrillic(text) if told == "ru" else told


def _cyrillic(text: str) -> str:
    lower = text.lower()
    return next((code for code, only in _CYRILLIC.items() if any(c in lower for c in only)), "ru")


def _latin(words: list[str], text: str) -> str:
    known = _languages_of_words()
    scores: dict[str, float] = defaultdict(float)
    for word in words:
        languages = known.get(word, ())
        for code in languages:
            scores[code] += 1 / len(languages)
    if not text.isascii():
        lower = text.lower()
        for code, letters in _languages()["letters"].items():
            scores[code] += any(letter in lower for letter in letters)
    if not scores:
        return UNTOLD
    ranked = sorted(scores.items(), key=lambda pair: -pair[1])
    (best, score), second = ranked[0], ranked[1][1] if len(ranked) > 1 else 0.0
    enough = LANGUAGE_SCORE if best in COVERED else LANGUAGE_UNCOVERED_SCORE
    if score >= enough and score - second >= LANGUAGE_LEAD:
        return best
    return _only_covered(scores) if len(words) <= LANGUAGE_FEW_WORDS else UNTOLD


def _only_covered(scores: Mapping[str, float]) -> str:
    """Return the only language with tables among those that a word or two may be of."""
    most = max(scores.values())
    covered = [code for code, score in scores.items() if score == most and code in COVERED]
    return covered[0] if len(covered) == 1 else UNTOLD


@cache
def _languages() -> dict[str, dict[str, str]]:
    return cast("dict[str, dict[str, str]]", phrases("languages"))


@cache
def _languages_of_words() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for code, text in _languages()["words"].items():
        for word in dict.fromkeys(text.split()):
            found[word] = (*found.get(word, ()), code)
    return found


_NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|\S*[/\\_=<>{}\[\]@$]\S*|\b\w+\.\w+\b|(?<!\S)--?\w+",
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_LETTERS_A_WORD = {"zh": 2, "ja": 2.5, "ko": 2.5, "th": 4}
_CYRILLIC = {"uk": "іїєґ", "be": "ў", "sr": "ђћљњџј"}
_BLOCKS = (
    (0x0000, ""),
    (0x0370, "el"),
    (0x0400, "ru"),
    (0x0530, OTHER),
    (0x0590, "he"),
    (0x0600, "ar"),
    (0x0780, OTHER),
    (0x0900, "hi"),
    (0x0980, OTHER),
    (0x0E00, "th"),
    (0x0E80, OTHER),
    (0x1100, "ko"),
    (0x1200, OTHER),
    (0x1E00, ""),
    (0x1F00, "el"),
    (0x2000, ""),
    (0x3040, "ja"),
    (0x3100, "zh"),
    (0x3130, "ko"),
    (0x3190, ""),
    (0x31F0, "ja"),
    (0x3200, ""),
    (0x3400, "zh"),
    (0xA000, OTHER),
    (0xAC00, "ko"),
    (0xD7B0, ""),
    (0xF900, "zh"),
    (0xFB00, ""),
    (0xFF66, "ja"),
    (0xFFA0, ""),
    (0x20000, "zh"),
    (0x32000, ""),
)
"""First character of a Unicode block -> the language it tells of."""
_BLOCK_STARTS = [start for start, _ in _BLOCKS]
_BLOCK_LANGUAGES = [code for _, code in _BLOCKS]
