"""Whether a statement says no more than the words it rests on.

Its numbers and names must stand there, it may not turn them round, and most of what it is about
must be there too. What is written in another language than the words cannot be checked word by
word: it does not pass, and the words themselves take its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from ctxd.extract.cues.language import UNTOLD, language
from ctxd.extract.slots import compare, content, slots
from ctxd.item import Kind
from ctxd.policy.extraction import ITEM_CHARS
from ctxd.policy.reader import (
    READER_BESIDE_SHARE,
    READER_RELATED_SHARE,
    READER_STATEMENT_SHARE,
)
from ctxd.reader.meddling import presumes, steers
from ctxd.retention.counted import counted


class Basis(msgspec.Struct, frozen=True, kw_only=True):
    """The words that a statement rests on."""

    binding: str
    """The sentences that the binding quote stands in."""
    proposed: str = ""
    """Those that the proposal stands in, with the question and options around it."""
    turns_down: bool = False
    """Whether the binding words turn the proposal down."""

    @property
    def text(self) -> str:
        """All of them."""
        return f"{self.binding}\n{self.proposed}" if self.proposed else self.binding


class Weighed(msgspec.Struct, frozen=True):
    """How a statement stands to the words it rests on."""

    why: str = ""
    """Why it does not pass; empty where it does."""
    is_foreign: bool = False
    """Whether it is about something else altogether."""


PASSES = Weighed()


def weigh(statement: str, kind: Kind, basis: Basis) -> Weighed:
    """Return whether a statement says no more than the words it rests on."""
    if why := _misshapen(statement):
        return Weighed(why)
    if steers(statement):
        return Weighed("speaks to a reader", is_foreign=True)
    return _weighed(statement, kind, basis)


def _weighed(statement: str, kind: Kind, basis: Basis) -> Weighed:
    text = basis.text
    share = shared(statement, text)
    if is_in_another_language(statement, text):
        return Weighed("is not in the language of the words it rests on")
    if share < READER_RELATED_SHARE:
        return Weighed("is about something else than its quotes", is_foreign=True)
    if new := next(_strange_numbers(statement, text), "") or next(_strange(statement, text), ""):
        return Weighed(f"names {new[:60]!r}, which is not in the words it rests on")
    if share < READER_STATEMENT_SHARE:
        return Weighed("says more than the words it rests on")
    turned = _is_turned_round(statement, kind, basis)
    return Weighed("says the opposite of the words it rests on") if turned else PASSES


def _misshapen(statement: str) -> str:
    if not statement.strip():
        return "is empty"
    if len(statement) > ITEM_CHARS:
        return f"is longer than {ITEM_CHARS} characters"
    return "" if statement.isprintable() else "is not one line of plain text"


def shared(statement: str, text: str) -> float:
    """The share of a statement's content words that stand in a text, as stems."""
    ours = [word for word in dict.fromkeys(_content(statement)) if word not in _FORCE]
    if not ours:
        return 0.0
    theirs = frozenset(_content(text))
    return sum(_stands(word, theirs) for word in ours) / len(ours)


_FORCE = frozenset(
    {"must", "shall", "should", "always", "never", "keep", "kept", "instead", "rather", "without"}
    | {"only", "avoid", "stop", "need", "requir", "allow", "ensur", "remain", "treat", "includ"}
)
"""Words of how something holds, not of what it is about."""


@lru_cache(512)
def _content(text: str) -> tuple[str, ...]:
    return content(text)


def _stands(word: str, others: frozenset[str]) -> bool:
    if word in others:
        return True
    if len(word) < _ALIKE or not word.isalpha():
        return False
    return any(
        other[:_ALIKE] == word[:_ALIKE] and abs(len(other) - len(word)) <= _ENDING
        for other in others
    )


_ALIKE = 5
"""Letters in common from which on two stems are one word with other endings."""
_ENDING = 4
_LEAST_WORDS = 3


def is_in_another_language(statement: str, text: str) -> bool:
    """Whether a statement is surely written in another language than a text."""
    ours, theirs = language(statement), language(text)
    if UNTOLD in (ours, theirs) or ours == theirs:
        return False
    return shared(statement, text) < READER_STATEMENT_SHARE


_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_COUNT = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|ninety|hundred|thousand|million|dozen|half|twice|double)\b",
    re.IGNORECASE,
)


def _strange_numbers(statement: str, text: str) -> Iterator[str]:
    """Yield the numbers of a statement that a text does not have."""
    lower = text.casefold()
    known = frozenset(_DIGITS.findall(text))
    counts = frozenset(_COUNT.findall(lower))
    missing = [n for n in _DIGITS.findall(statement) if n not in known]
    missing += [n for n in _COUNT.findall(statement.casefold()) if n not in counts]
    if missing and not (counted(statement) and counted(statement) <= counted(text)):
        yield from missing


_NAME = re.compile(
    r"`([^`\n]{1,80})`"
    r"|[\"“«]([^\"”»\n]{2,80})[\"”»]"
    r"|(?<![\w])((?:--?|[@#$~./])?[A-Za-z][\w]*(?:[-_./:@][\w]+)+[/()]*)"
    r"|(?<![\w-])(--?[A-Za-z][\w-]*|[@#$]\w+)"
    r"|\b([a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w*[A-Za-z]\d\w*|[A-Z]{2,}\w*)\b"
)
_CAPITAL = re.compile(r"(?<=[a-z0-9,;)'’\"”`] )([A-Z][\w]+(?:['’-][\w]+)*)")
"""A word that begins with a capital though no sentence does."""
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_SQUEEZED = re.compile(r"[\W_]+")
_HYPHENED = re.compile(r"[a-z]+(?:-[a-z]+)+")


def _strange(statement: str, text: str) -> Iterator[str]:
    """Yield the names of a statement that a text does not have."""
    found = [next(filter(None, match.groups())) for match in _NAME.finditer(statement)]
    if language(statement) != "de":
        found += _CAPITAL.findall(statement)
    known = _runs(text)
    for name in found:
        if not is_known(name, known):
            yield name


def is_known(name: str, known: frozenset[str]) -> bool:
    """Whether a name stands among the runs of a text's words, however it is put together."""
    plain = _squeezed(name)
    if not plain or plain in known or plain.rstrip("s") in known or f"{plain}s" in known:
        return True
    stems = content(name)
    if _HYPHENED.fullmatch(name) or " " in name:
        return all(_squeezed(piece) in known for piece in re.split(r"[-\s]+", name) if piece)
    return len(stems) == 1 and f"={stems[0]}" in known


@lru_cache(64)
def _runs(text: str) -> frozenset[str]:
    """Up to five words in a row of a text, as one, and the stems of its words."""
    words = [word for token in text.split() for word in _pieces(token)]
    found = {"".join(words[at : at + size]) for at in range(len(words)) for size in range(1, 8)}
    found |= {_squeezed(token) for token in text.split()}
    return frozenset(found) | {f"={word}" for word in _content(text)}


def _pieces(token: str) -> list[str]:
    return [piece.casefold() for piece in _PIECE.findall(token)]


def _squeezed(name: str) -> str:
    return _SQUEEZED.sub("", name).casefold()


_NEGATION = re.compile(
    r"\b(?:no|not|never|none|without|cannot|neither|nor|avoid\w*|stop\w*|forbid\w*|forbidden|nothing"
    r"|reject\w*|exclud\w*|instead of|rather than|out of scope|drop\w*|remov\w*|skip\w*|omit\w*"
    r"|nicht|kein\w*|nie|niemals|ohne|ne|pas|jamais|sans|nunca|sin|não|nem|sem|non|mai|senza)\b"
    r"|n['’]t\b|\b(?:dont|doesnt|cant|wont|isnt|arent)\b"
    r"|\b(?:не|нет|никогда|нельзя|без)\b|[不没无别勿未]|ない|ません|なし|않|마세요|말",
    re.IGNORECASE,
)


def _is_turned_round(statement: str, kind: Kind, basis: Basis) -> bool:
    """Whether a statement denies what its words affirm, or affirms what they deny."""
    denies = _NEGATION.search(statement) is not None
    said = [basis.binding, basis.proposed] if basis.proposed else [basis.binding]
    denied = any(_NEGATION.search(one) for one in said)
    if denies and not denied and kind not in _TURNED_DOWN and not basis.turns_down:
        return _ONLY.search(basis.text) is None
    if kind in _TURNED_DOWN:
        return False
    return _against(statement, basis)


_TURNED_DOWN = frozenset({"rejection", "scope"})
_ONLY = re.compile(
    r"\b(?:only|just|solely|nur|solo|seulement|só|только|alone|but)\b|只|だけ", re.IGNORECASE
)


def _against(statement: str, basis: Basis) -> bool:
    ours = slots(statement)
    sides = [basis.binding]
    if basis.proposed and not basis.turns_down:
        sides.append(basis.proposed)
    found = [compare(ours, slots(side)) for side in sides]
    if any("polarity" in one.agree for one in found):
        return False
    return any(one.conflict & {"polarity", "pair"} for one in found)


def is_told_in(words: str, text: str) -> bool:
    """Whether words that stand beside a statement, such as its reason, stand in a text."""
    if steers(words) or presumes(words):
        return False
    if next(_strange_numbers(words, text), "") or next(_strange(words, text), ""):
        return False
    return shared(words, text) >= READER_BESIDE_SHARE


def names_known(name: str, text: str) -> bool:
    """Whether a path or symbol stands in a text."""
    return bool(name.strip()) and is_known(name.strip(), _runs(text)) and not steers(name)
