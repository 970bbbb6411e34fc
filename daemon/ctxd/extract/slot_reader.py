"""One pass over the tokens of a statement: which words each clause holds, and which way round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from ctxd.extract.slot_clause import Clause, Found, Modality, Term
from ctxd.extract.slot_cues import CUES, Cue, Does
from ctxd.extract.slot_numbers import number_at, rate_at
from ctxd.extract.slot_tokens import Token
from ctxd.extract.slot_words import (
    AUXILIARIES,
    BE,
    FOREIGN_DENIALS,
    GLYPH_DENIALS,
    PLACES,
    PREPOSITIONS,
    RIVALS,
    STOP,
    TOPIC_BEFORE,
    term_of,
)
from ctxd.policy import BOUND_REACH_WORDS, LIST_REACH_WORDS

_SAME_PREPOSITION = {"with": "use", "via": "use", "by": "use"}
_MODALITIES: dict[str, Modality] = {
    "forbid": "forbid",
    "require": "require",
    "allow": "allow",
    "prefer": "prefer",
}


def read(tokens: Sequence[Token]) -> Found:
    """Return what the tokens of a statement say."""
    reader = _Reader(tokens)
    at = 0
    while at < len(tokens):
        at += reader.step(at)
    reader.end()
    return reader.found


def _tree() -> dict[str, list[tuple[tuple[str, ...], Cue]]]:
    tree: dict[str, list[tuple[tuple[str, ...], Cue]]] = {}
    for phrase, cue in CUES.items():
        words = tuple(phrase.split())
        tree.setdefault(words[0], []).append((words, cue))
    for phrases in tree.values():
        phrases.sort(key=lambda pair: -len(pair[0]))
    return tree


_TREE = _tree()


class _Reader:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.found = Found()
        self._tokens = tokens
        self._words = [token.text if token.kind in {"word", "part"} else "" for token in tokens]
        self._clause = Clause()
        self._do: dict[Does, Callable[[str, int, int], bool]] = {
            "deny": self._deny,
            "deny_rest": self._contrast,
            "deny_before": self._deny_before,
            "freeze": self._freeze,
            "waive": self._waive,
            "modal": self._modal,
            "except": self._except,
            "without": self._without,
            "reason": self._reason,
            "clause": self._new_clause,
            "only": self._only,
            "every": self._every,
            "bound": self._bound,
            "deed": self._deed,
            "undo": self._undo,
            "done": self._done,
            "undone": self._undone,
            "over": self._over,
            "order": self._set_order,
            "order_back": self._set_order_back,
            "term": self._given_term,
        }
        self._part: Literal["main", "except", "reason"] = "main"

    def step(self, at: int) -> int:
        """Read on at a token; return how many were used up."""
        token = self._tokens[at]
        if token.kind == "mark":
            self._mark(token.text, at)
        elif token.kind == "code":
            self._term(Term(token.text, named=True, identifier=True))
        elif token.kind == "glyphs":
            self._glyphs(token.text)
        elif used := self._rate(at) or self._cue(at) or self._number(at):
            return used
        elif token.kind == "number":
            self._term(Term(token.text.casefold(), named=True, identifier=True))
        else:
            self._word(token)
        return 1

    def end(self) -> None:
        """End the clause; a modality that stood alone is that of the next one."""
        self._clause.close(self.found)
        lasting = None if self._clause.terms else self._clause.modality
        self._clause = Clause(modality=lasting)

    def _mark(self, mark: str, at: int) -> None:
        if mark == "→":
            self._set_order("into", at, 1)
        elif mark in {"<", ">"}:
            self._clause.bound = "max" if mark == "<" else "min"
        elif mark == ".":
            self.end()
            self._part = "main"
        elif mark == "," and self._list_goes_on(at):
            return
        elif mark in {",", "-"}:
            self.end()
            if not self.found.terms:
                self._part = "main"

    def _list_goes_on(self, at: int) -> bool:
        """Whether a comma only parts the members of a list that ends in "or"."""
        if not self._clause.turned and self._clause.contrast is None:
            return False
        for word in self._words[at + 1 : at + 1 + LIST_REACH_WORDS]:
            if word in {"or", "nor"}:
                return True
            if word in CUES:
                return False
        return False

    def _cue(self, at: int) -> int:
        phrases = _TREE.get(self._words[at], ())
        part = bool(phrases) and self._tokens[at].kind == "part"
        for words, cue in phrases:
            size = len(words)
            if size > 1 and tuple(self._words[at : at + size]) != words:
                continue
            if part and cue.does != "term" and self._words[at] != "non":
                continue
            if self._do[cue.does](cue.what, at, size):
                return size
        return 0

    def _deny(self, strength: str, at: int, size: int) -> bool:
        clause = self._clause
        before = self._words[at - 1] if at else ""
        contrasts = size == 1 and self._words[at] in {"not", "never"} and before not in AUXILIARIES
        if contrasts and (clause.terms or clause.numbers):
            return self._contrast("", at, size)
        if clause.modality == "prefer":
            strength = "prefer"
        clause.turn(_MODALITIES[strength])
        return True

    def _contrast(self, _what: str, _at: int, _size: int) -> bool:
        self._clause.begin_contrast()
        return True

    def _deny_before(self, _what: str, _at: int, _size: int) -> bool:
        self._clause.turn("forbid")
        return True

    def _freeze(self, deed: str, at: int, _size: int) -> bool:
        deeds = self.found.deeds
        if self._words[at] == "alone" and "keep" not in deeds:
            return False
        deeds[:] = [known for known in deeds if known != "keep"]
        deeds.append(deed)
        return self._deny_before("", at, 1)

    def _waive(self, _what: str, _at: int, _size: int) -> bool:
        self._clause.turn("allow")
        return True

    def _modal(self, modality: str, _at: int, _size: int) -> bool:
        if self._part == "main" and self._clause.modality is None:
            self._clause.modality = _MODALITIES[modality]
        return True

    def _except(self, _what: str, _at: int, _size: int) -> bool:
        self.end()
        self._part = "except"
        return True

    def _without(self, _what: str, at: int, size: int) -> bool:
        if self._clause.turned or self._words[at] != "without":
            return self._except("", at, size)
        return self._contrast("", at, size)

    def _reason(self, _what: str, _at: int, _size: int) -> bool:
        self.end()
        self._part = "reason"
        return True

    def _new_clause(self, _what: str, _at: int, _size: int) -> bool:
        self.end()
        self._part = "main"
        return True

    def _only(self, _what: str, _at: int, _size: int) -> bool:
        self.found.only = self.found.only or self._part == "main"
        return True

    def _every(self, _what: str, at: int, size: int) -> bool:
        self.found.every = True
        if self._words[at] in {"no", "without"}:
            self.found.unexceptional = True
        if self._words[at] == "always":
            self._modal("require", at, size)
        return True

    def _bound(self, what: str, at: int, size: int) -> bool:
        """A limit belongs to the number that follows closely, else to the one before."""
        if any(self._is_number(at + size + step) for step in range(BOUND_REACH_WORDS)):
            turned = self._clause.turned and self._words[at] in {"more", "exceed", "longer", "over"}
            self._clause.bound = "max" if turned else what
            return True
        if not self._clause.numbers:
            return False
        last = self._clause.numbers[-1]
        self._clause.numbers[-1] = msgspec.structs.replace(last, bound=what)
        return True

    def _is_number(self, at: int) -> bool:
        if at >= len(self._tokens):
            return False
        return self._tokens[at].kind == "number" or number_at(self._tokens, at)[1] > 0

    def _deed(self, deed: str, at: int, _size: int) -> bool:
        clause = self._clause
        after_and = at > 0 and self._words[at - 1] == "and"
        if after_and or clause.in_contrast():
            self.end()
        elif clause.terms and self._words[at] != "used":
            for term in clause.terms:
                term.topic = True
        clause = self._clause
        clause.behind = "" if deed == "make" else "use" if deed == "use" else clause.behind
        if deed != "make" and self._part == "main":
            self.found.deeds.append(deed)
        return True

    def _done(self, deed: str, at: int, size: int) -> bool:
        return self._passive(at) and self._deed(deed, at, size)

    def _undone(self, deed: str, at: int, size: int) -> bool:
        return self._passive(at) and self._undo(deed, at, size)

    def _passive(self, at: int) -> bool:
        return bool(BE.intersection(self._words[max(at - 2, 0) : at]))

    def _over(self, what: str, at: int, size: int) -> bool:
        """A preference "over" something; "over" a number is a limit."""
        if self._is_number(at + size):
            return self._bound("min", at, size)
        return self._clause.modality == "prefer" and self._contrast(what, at, size)

    def _undo(self, deed: str, at: int, size: int) -> bool:
        self._deed(deed, at, size)
        if self._part == "main":
            self._clause.turned = not self._clause.turned
        return True

    def _set_order(self, _what: str, _at: int, _size: int) -> bool:
        return self._hold_order(back=False)

    def _set_order_back(self, _what: str, _at: int, _size: int) -> bool:
        return self._hold_order(back=True)

    def _hold_order(self, *, back: bool) -> bool:
        if self._clause.terms and self._part == "main":
            self._clause.order = (len(self._clause.terms), back)
        return True

    def _given_term(self, key: str, _at: int, _size: int) -> bool:
        self._term(Term(key))
        return True

    def _number(self, at: int) -> int:
        numbers, used = number_at(self._tokens, at)
        if not numbers:
            return 0
        bound = self._clause.bound
        if bound:
            numbers = [msgspec.structs.replace(number, bound=bound) for number in numbers]
            self._clause.bound = ""
        if self._part != "reason":
            self._clause.numbers += numbers
        return used

    def _rate(self, at: int) -> int:
        """A "per hour" that stands behind what is counted."""
        numbers = self._clause.numbers
        if not numbers or numbers[-1].per or not (per := rate_at(self._tokens, at)):
            return 0
        numbers[-1] = msgspec.structs.replace(numbers[-1], per=per)
        return 2

    def _glyphs(self, text: str) -> None:
        if any(mark in text for mark in GLYPH_DENIALS):
            self._clause.turned, self._clause.modality = True, "forbid"
        for start in range(max(len(text) - 1, 1)):
            self._term(Term(text[start : start + 2]))

    def _word(self, token: Token) -> None:
        word, clause = token.text, self._clause
        if word in FOREIGN_DENIALS and token.kind == "word":
            clause.turned, clause.modality = True, "forbid"
            return
        if word in PREPOSITIONS and clause.in_contrast():
            clause.end_contrast()
        if word in TOPIC_BEFORE:
            clause.topic = True
        if word in PREPOSITIONS:
            clause.behind = _SAME_PREPOSITION.get(word, word)
        if word not in STOP or token.named:
            key = term_of(word)
            self._term(Term(key, named=token.named or key in RIVALS))

    def _term(self, term: Term) -> None:
        term.place = term.key in PLACES
        term.topic = self._clause.topic
        term.behind = self._clause.behind
        self.found.everything.append(term)
        if self._part == "except":
            self.found.excepted.append(term)
        elif self._part == "reason":
            self.found.reasons.append(term)
        else:
            self._clause.terms.append(term)
