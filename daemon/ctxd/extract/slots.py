"""What decides the meaning of a statement besides its topic.

Two statements may share every word but one and say the opposite. So numbers, names, negations,
modality, exceptions and "A, not B" are read out and compared each for itself; what is left are the
content words, as stems. One pass from left to right, clause by clause; no grammar is needed to see
which words a "never" reaches.
"""

from __future__ import annotations

from functools import lru_cache

from ctxd.extract.slot_compare import Comparison, compare
from ctxd.extract.slot_reader import read
from ctxd.extract.slot_tokens import tokens
from ctxd.extract.slot_values import Slots, slots_of
from ctxd.policy.comparing import SLOTS_REMEMBERED

__all__ = ["Comparison", "Slots", "compare", "content", "slots"]


@lru_cache(maxsize=SLOTS_REMEMBERED)
def slots(text: str, *, denied: bool = False) -> Slots:
    """Return what decides the meaning of a statement.

    With `denied`, the statement names something that was turned down as a whole.
    """
    return slots_of(read(tokens(text)), denied=denied)


def content(text: str) -> tuple[str, ...]:
    """Return the stems of a text's content words in their order; numbers and identifiers whole."""
    return tuple(term.key for term in read(tokens(text)).everything)
