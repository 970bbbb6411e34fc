"""A clause while it is read, and what a statement's clauses come to."""

from __future__ import annotations

from typing import Literal

import msgspec

from ctxd.extract.slot_numbers import Number

Modality = Literal["forbid", "require", "allow", "prefer", "plain"]
"""`allow` also stands for an obligation that was lifted ("need not")."""


class Term(msgspec.Struct, gc=False):
    """One content word where it stands."""

    key: str
    named: bool = False
    identifier: bool = False
    place: bool = False
    topic: bool = False
    denied: bool = False
    conditional: bool = False
    behind: str = ""
    """The preposition or verb that it stands behind; `use` and `is` for what is chosen."""
    beside: bool = False
    """Whether others of its kind may stand beside it ("run ruff", "support Postgres")."""


class Found(msgspec.Struct):
    """What was read from a statement."""

    terms: list[Term] = []
    excepted: list[Term] = []
    reasons: list[Term] = []
    everything: list[Term] = []
    numbers: list[Number] = []
    modalities: list[Modality] = []
    deeds: list[str] = []
    pairs: list[tuple[frozenset[str], frozenset[str]]] = []
    clauses: list[frozenset[str]] = []
    orders: list[tuple[frozenset[str], frozenset[str]]] = []
    only: bool = False
    every: bool = False
    unexceptional: bool = False
    also: bool = False


class Clause(msgspec.Struct):
    """The clause being read."""

    terms: list[Term] = []
    numbers: list[Number] = []
    denied: bool = False
    """Whether a "not" reaches the whole clause; a second one adds nothing."""
    undone: bool = False
    """Whether a verb like "remove" turns it around."""
    undone_at: int = -1
    """Terms before that verb."""
    contrast: tuple[int, int] | None = None
    """Terms and numbers before a "not" or "instead of" that turns around only what follows."""
    absent: bool = False
    """Whether a "without" stood in it: what is missing is no alternative."""
    firm: bool = False
    """Whether it goes on behind a preposition: "A, never push to B"."""
    order: tuple[int, bool] | None = None
    """Terms before a word like "before", and whether it is one like "after"."""
    modality: Modality | None = None
    verb: bool = False
    """Whether a light verb stood in it."""
    deed: str = ""
    """The first of them that does something, as a term."""
    condition: int | None = None
    """Terms before an "if"."""
    bound: str = ""
    topic: bool = False
    behind: str = ""
    joins: bool = False
    """Whether its verb is one of which many objects may be true side by side."""

    @property
    def turned(self) -> bool:
        """Whether the clause says what is not to be."""
        return self.denied != self.undone

    def deny(self, modality: Modality) -> None:
        """A "not" reaches the whole clause."""
        self.denied = True
        self.modality = modality

    def begin_contrast(self, *, firm: bool = False) -> None:
        """What follows is turned down for what went before."""
        self.end_contrast()
        self.firm = firm
        self.contrast = (len(self.terms), len(self.numbers))

    def in_contrast(self) -> bool:
        """Whether something was turned down, and what follows may be another matter."""
        if self.contrast is None:
            return False
        return len(self.terms) > self.contrast[0] or len(self.numbers) > self.contrast[1]

    def end_contrast(self) -> None:
        """What follows is no longer turned down."""
        if self.contrast is None:
            return
        first, first_number = self.contrast
        self.contrast, self.firm = None, False
        turns_back = self.undone and first > self.undone_at
        for term in self.terms[first:]:
            term.denied = not self.undone or turns_back
        self.numbers[first_number:] = [
            n if n.bound else _turned(n) for n in self.numbers[first_number:]
        ]

    def close(self, found: Found) -> None:
        """Give every term its side, and add what the clause says to what was found."""
        self.end_contrast()
        if self.condition is None and not self.absent:
            self._pair(found)
        elif self.condition is not None:
            for term in self.terms[self.condition :]:
                term.conditional = True
        self._order(found)
        if self.deed and not (self.terms or self.numbers):
            self.terms.append(Term(self.deed))
        if self.turned:
            for term in self.terms:
                term.denied = not term.denied
        found.terms += self.terms
        found.clauses.append(frozenset(term.key for term in self.terms))
        found.numbers += map(self._placed, self.numbers)
        if self.terms or self.numbers:
            found.modalities.append(self.modality or "plain")

    def _pair(self, found: Found) -> None:
        turned_down = frozenset(term.key for term in self.terms if term.denied)
        chosen = frozenset(term.key for term in self.terms if not (term.denied or term.topic))
        if turned_down and chosen:
            found.pairs.append((turned_down, chosen) if self.turned else (chosen, turned_down))

    def _placed(self, number: Number) -> Number:
        """Mark a number that settles nothing: what is banned or allowed may be more than one."""
        banned = self.denied and not (self.undone or number.bound)
        bare = not (number.unit or number.of or number.bound)
        several = bare and (self.undone_at == 0 or self.modality == "allow")
        return msgspec.structs.replace(number, beside=True) if banned or several else number

    def _order(self, found: Found) -> None:
        if self.order is None:
            return
        at, back = self.order
        before = frozenset(term.key for term in self.terms[:at])
        after = frozenset(term.key for term in self.terms[at:]) - before
        if after:
            found.orders.append((after, before) if back else (before, after))


def _turned(number: Number) -> Number:
    return msgspec.structs.replace(number, denied=not number.denied)
