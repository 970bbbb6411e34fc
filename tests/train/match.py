"""When a candidate says what a label says: the yes or no that the model is trained on.

By words, as a reader would skim: half of the label's content words are there, a third of the
candidate's are the label's, no "no" is lost, no number is new.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.train.material import Label

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|without|cannot|neither|nor|avoid|stop|nothing|forbid\w*|reject\w*|"
    r"exclude\w*|instead of|rather than)\b|n't\b",
    re.IGNORECASE,
)
_COMMON = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "do",
        "does",
        "for",
        "from",
        "has",
        "have",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "like",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "so",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "this",
        "those",
        "to",
        "too",
        "was",
        "we",
        "what",
        "when",
        "which",
        "will",
        "with",
        "would",
        "you",
        "your",
        "can",
        "could",
        "should",
        "let's",
        "lets",
        "ok",
        "okay",
        "yes",
        "yeah",
        "please",
        "also",
        "than",
    ]
)
COVERED = 0.5
COMPACT = 0.35


def says(text: str, label: Label, limit: int = 300) -> float:
    """Return how well a text says a label, 0 where it does not."""
    text = text[:limit]
    mine = _words(text)
    if len(mine) < 2:
        return 0.0
    sources = [label.statement, label.proposal_quote]
    if len(_words(label.quote)) > 3:
        sources.append(label.quote)
    sources = [source for source in sources if source]
    covered = [(_share(_words(source), mine), source) for source in sources]
    best = max(share for share, _ in covered)
    compact = _share(mine, _words(" ".join([*sources, label.quote])))
    if best < COVERED or compact < COMPACT:
        return 0.0
    if _turned(text, [source for share, source in covered if share >= COVERED], label):
        return 0.0
    if set(_NUMBER.findall(text)) - set(_NUMBER.findall(" ".join([*sources, label.quote]))):
        return 0.0
    return 0.6 * best + 0.4 * compact


def _turned(text: str, sources: Iterable[str], label: Label) -> bool:
    """Whether a text has lost the label's negation, or opens with one that it has not."""
    negated = {bool(_NEGATION.search(source)) for source in [*sources, label.statement]}
    if negated == {True}:
        return not _NEGATION.search(text)
    return negated == {False} and bool(_NEGATION.search(" ".join(text.split()[:4])))


def _words(text: str) -> frozenset[str]:
    return frozenset(
        word
        for word in _WORD.findall(text.lower())
        if word not in _COMMON and (len(word) > 1 or word.isdigit())
    )


def _share(of: frozenset[str], by: frozenset[str]) -> float:
    return len(of & by) / len(of) if of else 0.0
