"""The judge's reasons in words for people: a record keeps them as one word each."""

from __future__ import annotations

from collections.abc import Mapping

from ctxd.retention.values import Verdict

_WORDS: Mapping[str, str] = {
    "number": "the number is another, or gone",
    "unit": "the unit is another",
    "name": "another name stands there",
    "identifier": "another identifier stands there",
    "opposite": "the opposite is said",
    "turned down": "what was turned down is said",
    "polarity": "what was forbidden is not forbidden there",
    "exception": "the exception is gone",
    "modality": "it does not bind there",
    "changed places": "two things have changed places",
    "taken back": "it is taken back there",
    "scope": "what was left out is taken in",
    "cut off": "it is cut off",
    "words": "what comes nearest does not say it",
}


def in_words(verdict: Verdict) -> str:
    """Why the judge decided so; what is more than one of its words is in words already."""
    return _WORDS.get(verdict.why, verdict.why)
