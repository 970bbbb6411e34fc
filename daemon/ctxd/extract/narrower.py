"""Whether a statement holds in a place or on an occasion that another one does not name.

"Use SQLite instead of Postgres for the tests" takes nothing from "use Postgres" elsewhere: both
hold. What is named behind "in" may be the choice itself ("log in UTC"), so a place is only what can
be left out with the conflict still there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_PHRASE = re.compile(
    r"(?<![\w'’/-])(?:for|in|on|within|inside|under|during|when|while)\s+"
    r"(?:(?!(?:instead|rather|over|not|and|but|or|because|since|as|so|from|to|of|at|with|by|for|in|"
    r"on|is|are|was|be|we|I|you|let|lets|use|do|don|should|must|can|will|please|within|inside|"
    r"under|during|when|while|then|go|keep|switch|never|always)\b)[`@~./]*\w(?:[\w./@-]*\w)?`?\s*){1,5}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w./@-]*\w")
_PURPOSE = re.compile(r"for\s+\w+ing\s*", re.IGNORECASE)
"""What a thing is for wherever it is used ("for logging")."""
_EVERYWHERE = frozenset(
    [
        "for",
        "in",
        "on",
        "within",
        "inside",
        "under",
        "during",
        "when",
        "while",
        "the",
        "a",
        "an",
        "our",
        "this",
        "that",
        "these",
        "my",
        "your",
        "its",
        "all",
        "any",
        "every",
        "each",
        "it",
        "everything",
        "anything",
        "everyone",
        "everywhere",
        "general",
        "future",
        "now",
        "here",
        "good",
        "whole",
        "entire",
        "complete",
        "project",
        "repo",
        "repository",
        "codebase",
        "app",
        "team",
        "moment",
        "time",
        "being",
        "start",
        "favor",
        "favour",
        "place",
        "fact",
        "end",
        "case",
        "total",
        "contrast",
        "thought",
        "second",
        "reflection",
        "reality",
        "once",
        "addition",
        "top",
        "example",
        "instance",
        "today",
        "tomorrow",
        "storage",
        "persistence",
    ]
)
"""Words that name no place of their own, but all of them."""
_REASONS = frozenset(
    [
        "simplicity",
        "speed",
        "performance",
        "safety",
        "security",
        "consistency",
        "clarity",
        "readability",
        "reason",
        "reasons",
        "maintainability",
        "compatibility",
        "better",
        "faster",
        "easier",
        "simpler",
        "sake",
        "sure",
    ]
)


def places(text: str) -> Iterator[tuple[str, str]]:
    """Yield the words of each place or occasion that a text names, and the text without it."""
    for match in _PHRASE.finditer(text):
        words = [word.casefold() for word in _WORD.findall(match[0])]
        if _PURPOSE.fullmatch(match[0]) or not _REASONS.isdisjoint(words):
            continue
        words = [word for word in _WORD.findall(match[0]) if word.casefold() not in _EVERYWHERE]
        if words:
            yield " ".join(words), f"{text[: match.start()]}{text[match.end() :]}"
