"""Whether a sentence only repeats what stood before the model anyway.

Context files, injected context, recalled memory, compaction summaries, our own block, and what the
agent said just before: text that comes from there is nobody's new word. It counts as repeated when
nearly all its words stand there in one sentence, in their order, and when nothing that turns or
bounds the meaning differs: "push to main" is no echo of "never push to main".

Each source is cut into hashed runs of words once; a sentence is then a few look-ups.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from ctxd.extract.slot_cues import CUES
from ctxd.extract.slot_numbers import UNITS
from ctxd.extract.slot_words import FOREIGN_DENIALS, STOP, term_of
from ctxd.policy.comparing import (
    ECHO_REACH_WORDS,
    ECHO_RUN_WORDS,
    ECHO_SENTENCE_CHARS,
    ECHO_SHARE,
    ECHO_SOURCE_CHARS,
    ECHO_WORDS,
)

_SENTENCE = re.compile(r"\n|[.!?;:](?=\s)|[。！？]|\s[-–—]\s|\s\|\s")
_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")
_OWN_ID = re.compile(r"\s*[\[(<`^{]{0,3}[a-z2-7]{8}[\])>`}]{0,3}\s*(?:-->)?\s*$", re.MULTILINE)
"""The short id behind a line of our own block."""

_TURNING = frozenset(
    {"deny", "deny_rest", "deny_before", "waive", "except", "without", "only", "modal"}
)
_CRITICAL = (
    FOREIGN_DENIALS
    | UNITS
    | {phrase for phrase, cue in CUES.items() if cue.does in _TURNING and " " not in phrase}
)


class Echo:
    """Sentences of the texts that a session was given."""

    def __init__(self, sources: Sequence[str] = ()) -> None:
        self._sentences: list[tuple[str, ...]] = []
        self._runs: dict[int, list[int]] = {}
        for source in sources:
            self.add(source)

    def add(self, source: str) -> None:
        """Add a text; of a very long one the beginning counts."""
        plain = _OWN_ID.sub("", source[:ECHO_SOURCE_CHARS])
        for sentence in _SENTENCE.split(plain):
            words = _words(sentence)
            if len(words) >= ECHO_WORDS:
                self._add(words)

    def _add(self, words: tuple[str, ...]) -> None:
        number = len(self._sentences)
        self._sentences.append(words)
        for run in _runs(words):
            known = self._runs.setdefault(run, [])
            if not known or known[-1] != number:
                known.append(number)

    def holds(self, text: str) -> bool:
        """Whether all that a text says stands, nearly word for word, in one of the sources."""
        said = map(_words, _SENTENCE.split(_OWN_ID.sub("", text[:ECHO_SENTENCE_CHARS])))
        telling = [words for words in said if len(words) >= ECHO_WORDS]
        return bool(telling) and all(self._holds(words) for words in telling)

    def _holds(self, words: tuple[str, ...]) -> bool:
        runs = _runs(words)
        counted = Counter(number for run in runs for number in self._runs.get(run, ()))
        others = int((1 - ECHO_SHARE) * len(words))
        least = max(1, len(runs) - ECHO_RUN_WORDS * others)
        likely = (number for number, count in counted.items() if count >= least)
        return any(_repeats(words, self._sentences[number]) for number in likely)


def _words(sentence: str) -> tuple[str, ...]:
    found = _WORD.findall(sentence.casefold())
    return tuple(word.replace("'", "").replace("’", "") for word in found)


def _runs(words: tuple[str, ...]) -> set[int]:
    size = min(ECHO_RUN_WORDS, len(words))
    return {hash(words[at : at + size]) for at in range(len(words) - size + 1)}


def _repeats(words: tuple[str, ...], source: tuple[str, ...]) -> bool:
    """Whether the words stand in the source with nothing that turns them left out or put in."""
    here, there = Counter(words), Counter(source)
    common = here & there
    if common.total() < ECHO_SHARE * len(words):
        return False
    stems = {term_of(word) for word in source}
    if any(_is_critical(word) or not _is_told(word, stems) for word in here - common):
        return False
    places = [at for at, word in enumerate(source) if word in here]
    window = Counter(source[max(places[0] - ECHO_REACH_WORDS, 0) : places[-1] + ECHO_REACH_WORDS])
    return not any(_is_critical(word) for word in window - here)


def _is_critical(word: str) -> bool:
    return word in _CRITICAL or any(character.isdigit() for character in word)


def _is_told(word: str, stems: Collection[str]) -> bool:
    return word in STOP or word in CUES or term_of(word) in stems
