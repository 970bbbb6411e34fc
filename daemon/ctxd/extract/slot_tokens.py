"""A statement cut into tokens: words, code, names with signs in them, numbers, marks.

Cut at blanks first, so that the work is linear whatever the text is. Case is looked at once, here:
everything after it compares lower-case words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from ctxd.policy.comparing import SLOT_CHUNK_CHARS, SLOT_TEXT_CHARS, WORDS_REMEMBERED

TokenKind = Literal["word", "part", "joined", "code", "number", "mark", "glyphs"]
"""`part`: a piece of a hyphenated word. `joined`: a word with capitals inside.
`glyphs`: writing without blanks between words."""


class Token(NamedTuple):
    """One token."""

    kind: TokenKind
    text: str
    """In lower case; a word without its apostrophes."""
    named: bool = False
    """Whether its spelling shows a name: capitals inside a sentence, an acronym, a code span."""


STOP = Token("mark", ".")
COMMA = Token("mark", ",")

_CODE = re.compile(r"(`{1,2}[^`\n]{1,120}`{1,2})")
_ASSIGNED = re.compile(r"`+ ?([\w.-]{1,80}) ?[=:] ?(\d[\d,.]{0,20}[a-z]{0,3}) ?`+")
_OPENING = "([{\"'“‘«„<*"
_CLOSING = ")]}\"'”’»>*.,;:!?…"
_APOSTROPHE = re.compile(r"['’]")
_DASHES = re.compile(r"(—|–|->|→|⇒|=>|\.\.+)")
_HARD = frozenset(".;:!?…—")
_ASSIGNMENT = re.compile(r"([\w.-]{1,80}?)=?([=<>])=?([^=<>]{1,80})")
_INNER = re.compile(r"[_/\\.@#$=:|~+<>]|--|\(\)")
_NUMBERED = re.compile(r"[A-Za-z]+-\d+")
_CAMEL = re.compile(r"[a-z0-9][A-Z]")
_DIGIT = re.compile(r"\d")
_GLYPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_PLURAL_ACRONYM = re.compile(r"[A-Z][A-Z0-9]+s")
_QUANTITY = re.compile(
    r"[~≈<>≤≥=]{0,2}[$€£]?\d[\d,]*(?:[.:]\d+)?(?:[–-]\d[\d,]*(?:\.\d+)?)?"
    r"[-–]?(?:[a-zµ°%]{0,12}|[AP]M|[KMGT]i?[Bb]?|B)(?:/[a-z]{1,8})?\+?",
    re.ASCII,
)
_ABBREVIATED = {"e.g": "eg", "i.e": "ie", "a.m": "am", "p.m": "pm", "w/o": "without", "w/": "with"}
_PLAIN_PARTS = 3


def tokens(text: str) -> list[Token]:
    """Return the tokens of a statement; what is longer than a statement is cut."""
    found: list[Token] = []
    for part in _CODE.split(text[:SLOT_TEXT_CHARS]):
        if part.startswith("`") and (assigned := _ASSIGNED.fullmatch(part)):
            found.append(Token("code", assigned[1].casefold(), named=True))
            found.extend((Token("mark", "="), Token("number", assigned[2])))
        elif part.startswith("`") and len(part) > 1:
            found.append(Token("code", part.strip("` ").casefold(), named=True))
        else:
            _prose(part, found)
    return found


def _prose(text: str, found: list[Token]) -> None:
    for number, line in enumerate(text.splitlines()):
        if number:
            found.append(STOP)
        for chunk in line.split():
            _chunk(chunk[:SLOT_CHUNK_CHARS], found)


def _chunk(chunk: str, found: list[Token]) -> None:
    if chunk.isascii() and chunk.isalpha() and (chunk[1:].islower() or chunk.isupper()):
        found.append(_word(chunk, found))
        return
    for piece in _DASHES.split(chunk):
        if piece in {"->", "→", "⇒", "=>"}:
            found.append(Token("mark", "→"))
        elif piece in {"—", "–"} or piece.startswith(".."):
            found.append(STOP)
        elif piece:
            _bare(piece, found)


def _bare(chunk: str, found: list[Token]) -> None:
    """A chunk without the marks around it, which bound clauses."""
    core = chunk.lstrip(_OPENING)
    if "(" in chunk[: len(chunk) - len(core)]:
        found.append(COMMA)
    if core.endswith("()"):
        core, tail = core[:-2], ""
        found.append(Token("code", core.casefold(), named=True))
        return
    kept = core.rstrip(_CLOSING)
    tail = core[len(kept) :]
    if kept.casefold() in _ABBREVIATED:
        kept, tail = _ABBREVIATED[kept.casefold()], ""
    if kept and any(map(str.isalnum, kept)):
        found.extend(_kinds(kept, found))
    elif chunk in {"=", "==", "<", ">", "-", "+", "&", "|"}:
        found.append(Token("mark", chunk))
    if any(mark in _HARD for mark in tail):
        found.append(STOP)
    elif "," in tail or ")" in tail:
        found.append(COMMA)


def _kinds(core: str, found: list[Token]) -> Iterator[Token]:
    if _GLYPHS.search(core):
        yield Token("glyphs", core.casefold())
    elif _DIGIT.search(core) and _QUANTITY.fullmatch(core):
        yield Token("number", core if core.isupper() else core.replace("–", "-"))
    elif core.startswith("-") and len(core) > 1:
        yield Token("code", core.casefold(), named=True)
    elif "/" in core and _plain_parts(core):
        first, *others = core.split("/")
        counted = bool(found) and found[-1].kind == "number"
        yield _word(first, found)
        if counted:
            yield Token("word", "per")
        for part in others:
            yield _word(part, found)
    elif (assigned := _ASSIGNMENT.fullmatch(core)) is not None:
        name, sign, value = assigned.groups()
        yield from _kinds(name, found)
        yield Token("mark", sign)
        yield from _kinds(value, found)
    elif _INNER.search(core) or _CAMEL.search(core):
        kind: TokenKind = "joined" if core.isalpha() else "code"
        yield Token(kind, core.strip("/").casefold(), named=True)
    elif "-" in core:
        yield from _hyphenated(core)
    else:
        yield _word(core, found)


def _plain_parts(core: str) -> bool:
    parts = core.split("/")
    return len(parts) <= _PLAIN_PARTS and all(part.isalpha() for part in parts)


def _hyphenated(core: str) -> Iterator[Token]:
    if _DIGIT.search(core):
        key = core.replace("-", "") if _NUMBERED.fullmatch(core) else core
        yield Token("code", key.casefold(), named=True)
        return
    for part in core.split("-"):
        if part:
            yield Token("part", _APOSTROPHE.sub("", part).casefold(), named=part.isupper())


def _word(core: str, found: list[Token]) -> Token:
    return _spelled(core, inside=bool(found) and found[-1].kind != "mark")


@lru_cache(maxsize=WORDS_REMEMBERED)
def _spelled(core: str, *, inside: bool) -> Token:
    plain = "I" if core.casefold() in {"i'd", "i’d"} else _APOSTROPHE.sub("", core)
    if _DIGIT.search(plain):
        return Token("code", plain.casefold(), named=True)
    if plain.isupper() and len(plain) > 1:
        return Token("word", plain.casefold(), named=True)
    if _PLURAL_ACRONYM.fullmatch(plain):
        return Token("word", plain[:-1].casefold(), named=True)
    return Token("word", plain.casefold(), named=inside and plain[:1].isupper() and plain != "I")
