"""Numbers where they stand in a clause: their limits, rates and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from ctxd.extract.slot_clause import Clause, Found
from ctxd.extract.slot_numbers import Number, number_at, rate_at
from ctxd.extract.slot_tokens import Token
from ctxd.extract.slot_words import LABELLED, SIEVING
from ctxd.policy.comparing import BOUND_REACH_WORDS


class Counting:
    """Reads the numbers of a statement; see `slot_reader` for the rest."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.found = Found()
        self._tokens = tokens
        self._words = [token.text if token.kind in {"word", "part"} else "" for token in tokens]
        self._clause = Clause()
        self._part: Literal["main", "except", "reason"] = "main"

    def _do_bound(self, what: str, at: int, size: int) -> bool:
        """A limit belongs to the number that follows closely, else to the one before."""
        clause = self._clause
        if any(self._is_number(at + size + step) for step in range(BOUND_REACH_WORDS)):
            if clause.turned and what == "min":
                clause.denied, clause.modality, what = False, "require", "max"
            clause.bound = what
            return True
        if self._words[at + size : at + size + 1] == ["one"]:
            clause.numbers.append(Number(1.0, bound=what, written=1))
            return True
        if not clause.numbers:
            return False
        clause.numbers[-1] = msgspec.structs.replace(clause.numbers[-1], bound=what)
        return True

    def _is_number(self, at: int) -> bool:
        if at >= len(self._tokens):
            return False
        return self._tokens[at].kind == "number" or number_at(self._tokens, at)[1] > 0

    def _do_over(self, _what: str, at: int, size: int) -> bool:
        """A preference "over" something; "over" a number is a limit."""
        if self._is_number(at + size):
            return self._do_bound("min", at, size)
        if self._clause.modality != "prefer":
            return False
        self._clause.begin_contrast()
        return True

    def _number(self, at: int) -> int:
        numbers, used = number_at(self._tokens, at)
        if not numbers:
            return 0
        if self._labelled(at, used):
            return used
        bound = self._clause.bound
        if bound:
            numbers = [msgspec.structs.replace(number, bound=bound) for number in numbers]
            self._clause.bound = ""
        if self._names_one(at):
            numbers = [_one_of_many(number) for number in numbers]
        if self._part != "reason":
            self._clause.numbers += numbers
        return used

    def _names_one(self, at: int) -> bool:
        """Whether a number only tells which one is meant, as behind "on" or "block"."""
        port = at > 0 and self._words[at - 1] == "port"
        if self._clause.behind == "on" and not port:
            return not number_at(self._tokens, at)[0][0].of
        return any(term.key in SIEVING for term in self._clause.terms)

    def _labelled(self, at: int, used: int) -> bool:
        """Whether a number names one among many ("phase 2"): then it is part of the word."""
        terms = self._clause.terms
        counts = used == 1 and self._tokens[at].text.isdigit() and terms and at > 0
        if not counts or self._words[at - 1] not in LABELLED:
            return False
        terms[-1].key += f" {self._tokens[at].text}"
        terms[-1].place = terms[-1].named = True
        return True

    def _rate(self, at: int) -> int:
        """A "per hour" that stands behind what is counted."""
        numbers = self._clause.numbers
        if not numbers or numbers[-1].per or not (per := rate_at(self._tokens, at)):
            return 0
        numbers[-1] = msgspec.structs.replace(numbers[-1], per=per)
        return 2

    def _interval(self, at: int) -> int:
        """An "every day", of which the "every" closes nothing."""
        return self._number(at) if self._words[at] in {"every", "each"} else 0


def _one_of_many(number: Number) -> Number:
    """The number, with room for others unless it measures something."""
    return msgspec.structs.replace(number, beside=not (number.unit or number.bound))
