"""The parts of a statement that decide what it means, as a value."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ctxd.extract.slot_clause import Found, Modality
from ctxd.extract.slot_numbers import Number

_CHOICE = frozenset({"use", "is"})


class Slots(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a statement that decide what it means. Words are stems, synonyms are one."""

    words: frozenset[str] = frozenset()
    """All content words of the statement itself, without exceptions and reasons."""
    affirmed: frozenset[str] = frozenset()
    """Content words of what is to be, names and identifiers included."""
    denied: frozenset[str] = frozenset()
    """Content words of what is not to be."""
    conditions: frozenset[str] = frozenset()
    """Content words of either that only say when."""
    excepted: frozenset[str] = frozenset()
    """Content words behind "except", "unless", "without" and the like."""
    reasons: frozenset[str] = frozenset()
    """Content words behind "because" and the like; they decide nothing."""
    numbers: tuple[Number, ...] = ()
    identifiers: frozenset[str] = frozenset()
    """Code spans, paths, flags, versions, snake_case and the like, whole and in lower case."""
    names: frozenset[str] = frozenset()
    """Content words whose spelling shows a name; identifiers included."""
    places: frozenset[str] = frozenset()
    """Environments, platforms and branches."""
    topics: frozenset[str] = frozenset()
    """Content words that say what it is about ("for the cache"), never what is chosen."""
    modality: Modality = "plain"
    deeds: frozenset[str] = frozenset()
    """Light verbs: use, add, keep, touch, enable."""
    only: bool = False
    every: bool = False
    unexceptional: bool = False
    """Whether it says itself that there are no exceptions."""
    also: bool = False
    """Whether it says that it comes on top of something else."""
    pairs: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
    """What was chosen, and what was turned down for it."""
    clauses: tuple[frozenset[str], ...] = ()
    """Content words clause by clause."""
    options: tuple[frozenset[str], ...] = ()
    """Words of options that were turned down beside it, outside of the statement."""
    orders: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
    """What comes before, or goes into, what."""
    chosen: frozenset[str] = frozenset()
    """Names where a choice stands: behind "use", "with" or "is", not behind "run" or "for"."""
    beside: frozenset[str] = frozenset()
    """Content words that leave room for others of their kind."""
    line: tuple[str, ...] = ()
    """Content words in their order."""


def slots_of(found: Found, *, denied: bool) -> Slots:
    """Return the slots of what was read; with `denied`, of a statement turned down as a whole."""
    terms, numbers = found.terms, tuple(found.numbers)
    turn = denied and not any(term.denied for term in terms)
    words = found.everything
    if turn:
        numbers = tuple(msgspec.structs.replace(number, denied=True) for number in numbers)
    return Slots(
        words=frozenset(term.key for term in terms),
        affirmed=frozenset(term.key for term in terms if term.denied == turn),
        denied=frozenset(term.key for term in terms if term.denied != turn),
        conditions=frozenset(term.key for term in terms if term.conditional),
        excepted=frozenset(term.key for term in found.excepted),
        reasons=frozenset(term.key for term in found.reasons),
        numbers=numbers,
        identifiers=frozenset(term.key for term in words if term.identifier),
        names=frozenset(term.key for term in words if term.named),
        places=frozenset(term.key for term in terms if term.place),
        topics=frozenset(term.key for term in terms if term.topic),
        modality="forbid" if turn else _modality(found.modalities),
        deeds=frozenset(found.deeds),
        only=found.only,
        every=found.every,
        unexceptional=found.unexceptional,
        also=found.also,
        pairs=tuple(found.pairs),
        clauses=tuple(clause for clause in found.clauses if clause),
        orders=tuple(found.orders),
        chosen=frozenset(
            term.key
            for term in terms
            if term.named and term.behind in _CHOICE and not (term.topic or term.beside)
        ),
        beside=frozenset(term.key for term in terms if term.beside),
        line=tuple(term.key for term in terms),
    )


def _modality(clauses: Sequence[Modality]) -> Modality:
    """The first clause decides; a plain one leaves it to the others, unless they forbid."""
    if not clauses:
        return "plain"
    if clauses[0] != "plain":
        return clauses[0]
    return next((m for m in clauses if m not in {"plain", "forbid"}), "plain")
