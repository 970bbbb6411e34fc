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

from ctxd.extract import terms as words
from ctxd.extract.cues.language import UNTOLD, language
from ctxd.extract.slots import compare, content, slots
from ctxd.extract.steering import steers
from ctxd.item import Kind
from ctxd.policy.extraction import ITEM_CHARS, LEAST_CONTENT
from ctxd.policy.reader import (
    READER_BESIDE_SHARE,
    READER_COVERED_SHARE,
    READER_RELATED_SHARE,
    READER_SHOWN_SHARE,
    READER_STATEMENT_SHARE,
    READER_WARY_SHARE,
)
from ctxd.reader.altering import alters
from ctxd.reader.meddling import presumes
from ctxd.retention.counted import counted


class Basis(msgspec.Struct, frozen=True, kw_only=True):
    """The words that a statement rests on."""

    quote: str
    """The words that bind it."""
    binding: str
    """The sentences that these stand in."""
    proposed: str = ""
    """Those that the proposal stands in, with the question and options around it."""
    shown: str = ""
    """What else was shown of the exchange, and may be trusted: where the things are named that "it"
    and "this" mean."""
    near: str = ""
    """What was shown of the exchanges right before it, and may be trusted."""
    before: str = ""
    """The same of all that were shown before it: where it is said which of several things, such as
    "level 2", the talk is about."""
    confirms: bool = False
    """Whether the binding words accept the proposal, which then says what holds."""
    is_wary: bool = False
    """Whether somebody speaks to a reader in the exchange: then only what stands in the quotes
    counts."""
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
    around = f"{text}\n{basis.shown}"
    share = _rests(statement, text)
    whole = shared(basis.quote, statement) >= READER_COVERED_SHARE
    if basis.is_wary and share < READER_WARY_SHARE:
        return Weighed("says more than the words it rests on", is_foreign=True)
    if is_in_another_language(statement, text):
        return Weighed("is not in the language of the words it rests on")
    known = f"{around}\n{basis.near}"
    fits = shared(statement, known if whole else around) >= READER_SHOWN_SHARE
    if share < READER_RELATED_SHARE and not whole:
        return Weighed("is about something else than its quotes", is_foreign=not fits)
    numbers = _strange_numbers(statement, text, f"{known}\n{basis.before}")
    new = next(numbers, "") or next(_strange(statement, known), "")
    if new:
        return Weighed(f"names {new[:60]!r}, which is not in the words it rests on")
    if not (share >= READER_STATEMENT_SHARE or whole) or not fits or _adds(statement, known):
        return Weighed("says more than the words it rests on")
    altered = alters(statement, basis.quote, around)
    turned = altered or _is_turned_round(_without_contrast(statement, basis), kind, basis)
    why = "alters" if altered else "says the opposite of"
    return Weighed(f"{why} the words it rests on") if turned else PASSES


def _misshapen(statement: str) -> str:
    if not statement.strip():
        return "is empty"
    if len(statement) > ITEM_CHARS:
        return f"is longer than {ITEM_CHARS} characters"
    if len(words.content(statement)) < LEAST_CONTENT:
        return "says too little to stand for itself"
    return "" if statement.isprintable() else "is not one line of plain text"


def shared(statement: str, text: str) -> float:
    """The share of a statement's content words that stand in a text, as stems; one word in common
    is none, unless there is but one."""
    ours = [word for word in dict.fromkeys(_content(statement)) if word not in _FORCE]
    theirs = frozenset(_content(text))
    common = sum(_stands(word, theirs) for word in ours)
    return common / len(ours) if common >= min(LEAST_CONTENT, max(1, len(ours))) else 0.0


def _rests(statement: str, text: str) -> float:
    """The same with or without names, which are looked for by themselves."""
    return max(shared(statement, text), shared(_NAME.sub(" ", statement), text))


def _adds(statement: str, text: str) -> bool:
    """Whether a clause of a statement has nothing in common with a text."""
    theirs = frozenset(_content(text))
    for clause in _CLAUSE.split(statement):
        ours = [word for word in _content(clause) if word not in _FORCE]
        if len(ours) >= _LEAST_WORDS and not any(_stands(word, theirs) for word in ours):
            return True
    return False


_CLAUSE = re.compile(r"[;,.:()\u2013\u2014](?:\s|$)|\s(?:because|since|so that|which|while|but)\s")
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


def _strange_numbers(statement: str, text: str, around: str = "") -> Iterator[str]:
    """Yield the numbers of a statement that a text does not have. One that is part of a name, such
    as "level 2", may stand around it."""
    known = frozenset(_DIGITS.findall(text))
    counts = frozenset(_COUNT.findall(text.casefold()))
    labels = frozenset(map(_squeezed, _LABELLED.findall(around)))
    named = {n for n in _LABELLED.findall(statement) if _squeezed(n) in labels}
    rest = statement
    for name in named:
        rest = rest.replace(name, " ")
    missing = [n for n in _DIGITS.findall(rest) if n not in known]
    missing += [n for n in _COUNT.findall(rest.casefold()) if n not in counts]
    if missing and not (counted(rest) and counted(rest) <= counted(text)):
        yield from missing


_LABELLED = re.compile(
    r"(?:\b(?!(?:to|of|at|by|in|than|the|a|an|and|or|is|be|for|from|with|max|most|least|every"
    r"|after)"
    r"\b)[A-Za-z]{2,20}[ -]?|#)\d{1,5}\b(?! ?%)"
)
"""A number that names something: "level 2", "PR #172"."""

_NAME = re.compile(
    r"`([^`\n]{1,80})`"
    r"|[\"\u201c\u00ab]([^\"\u201d\u00bb\n]{2,80})[\"\u201d\u00bb]"
    r"|(?<!\S)(--?[A-Za-z][\w-]*|[@#$][\w-]+|[~.]{0,2}/[\w./-]+)"
    r"|(?<![\w/.-])((?=[\w/.:@-]{0,80}(?:[\w-]/[\w.-]+/|[._:@][A-Za-z\d]|[A-Za-z]\d|\d[A-Za-z]"
    r"|[a-z][A-Z]|[A-Z]{2}))[A-Za-z](?:[\w/.:@-]*\w)?(?:\(\))?)"
)
"""Code, what is quoted, flags, paths, and words that are spelled as no other word is."""
_ABBREVIATIONS = frozenset({"e.g", "i.e", "a.k.a", "z.b", "d.h"})
_CAPITAL = re.compile(r"(?<=[a-z0-9,;)'\u2019\"”`] )([A-Z][\w]+(?:['\u2019-][\w]+)*)")
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
        if name.casefold() not in _ABBREVIATIONS and not is_known(name, known):
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


_DENIES = (
    r"\b(?:no|not|never|none|without|cannot|neither|nor|avoid\w*|stop\w*|forbid\w*|forbidden"
    r"|nothing"
    r"|reject\w*|exclud\w*|instead of|rather than|out of scope"
    r"|nicht|kein\w*|nie|niemals|ohne|ne|pas|jamais|sans|nunca|sin|não|nem|sem|non|mai"
    r"|senza)\b"
    r"|\w{2,}n['\u2019]t\b|\b(?:dont|doesnt|cant|wont|isnt|arent|shouldnt|wouldnt|couldnt|didnt"
    r"|hasnt)\b"
    r"|\b(?:не|нет|никогда"
    r"|нельзя|без)\b"
    r"|[不没无别勿未]|ない|ません|なし|않"
    r"|마세요"
)
_DENIAL = re.compile(_DENIES, re.IGNORECASE)
_ANY_DENIAL = re.compile(
    rf"{_DENIES}|\b(?:drop\w*|remov\w*|skip\w*|omit\w*|delet\w*|get(?:ting)? rid|alone|only|just"
    rf"|solely"
    r"|too|unless|except|instead|but|off|rid|kill\w*|ditch|revert|roll(?:ed)? back|undo|hate"
    r"|dislike"
    r"|wrong|bad|separate\w*|later|yet|out|weg|raus|nur|solo|seulement|só|nah|nope|nein|why"
    r"|hard|difficult|problems?|issues?|bugs?|broken|ugly|weird|confus\w+|annoy\w+|overflow\w*"
    r"|crowded|tiny|waste)\b"
    r"|только|只|だけ",
    re.IGNORECASE,
)
"""What a careful reader may put as a "not"."""


_CONTRAST = re.compile(
    r"[,;]?\s(?:and\s)?(?:not|rather than|instead of|no longer)\s(?:only\s)?([^,;.()]{3,80})$",
    re.IGNORECASE,
)


def _without_contrast(statement: str, basis: Basis) -> str:
    """A statement without the option that it sets its own against, "A, not B", where the words
    quoted name what it says and not that option, and both were spoken of."""
    found = _CONTRAST.search(statement)
    if found is None:
        return statement
    kept, other = statement[: found.start()], frozenset(_content(found[1]))
    said = frozenset(_content(basis.quote))
    ours = frozenset(_content(kept)) - other
    shown = frozenset(_content(f"{basis.text}\n{basis.shown}\n{basis.near}"))
    is_taken = any(_stands(word, said) for word in ours) and not any(
        _stands(word, said) for word in other - ours
    )
    return kept if is_taken and all(_stands(word, shown) for word in other) else statement


def _is_turned_round(statement: str, kind: Kind, basis: Basis) -> bool:
    """Whether a statement denies what its words affirm, or affirms what they deny."""
    if kind in _TURNED_DOWN or basis.turns_down:
        return False
    reproach = kind == "correction" and "?" in basis.binding
    if _DENIAL.search(statement) and not reproach and not _ANY_DENIAL.search(basis.text):
        return True
    return _against(statement, basis)


_TURNED_DOWN = frozenset({"rejection", "scope"})


def _against(statement: str, basis: Basis) -> bool:
    """Whether a statement clashes with the words that say what holds."""
    side = basis.proposed if basis.confirms else basis.binding
    if "?" in side or (_WANTED.search(statement) and _complains(side)):
        return False
    found = compare(slots(statement), slots(side))
    return "polarity" not in found.agree and bool(found.conflict & {"polarity", "pair"})


_WANTED = re.compile(
    r"\b(?:must|should|shall|needs? to|ha(?:s|ve) to|keeps?|stays?)\b", re.IGNORECASE
)
_NT = r" ?n['\u2019]?t"
_FAILS = re.compile(
    rf"\b(?:it|that|this|there|they|which|\w+s) (?:still )?"
    rf"(?:(?:does|do|is|are|wo){_NT}|(?:does|do|is|are|will) not)\b"
    rf"|\bi (?:still )?(?:ca{_NT}|cannot|do{_NT}) (?:really |even )?"
    r"(?:see|find|read|tell|hear|get|feel|know)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    rf"\b(?:never|(?:must|should)(?: not|{_NT})|no longer|avoid|stop)\b"
    rf"|(?:^|[.!;,]\s*|\b(?:please|and|but|so) )(?:do not|do{_NT}|no)\b",
    re.IGNORECASE,
)


def _complains(words: str) -> bool:
    """Whether words tell that something is not as it should be, and forbid nothing: what is wanted
    is then the opposite."""
    return _FAILS.search(words) is not None and _FORBIDS.search(words) is None


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
