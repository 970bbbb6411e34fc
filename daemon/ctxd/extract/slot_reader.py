"""One pass over the tokens of a statement: which words each clause holds, and which way round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from ctxd.extract.slot_clause import Clause, Found, Modality, Term
from ctxd.extract.slot_counting import Counting
from ctxd.extract.slot_cues import CUES, PHRASES, Does
from ctxd.extract.slot_tokens import STOP as STOP_MARK
from ctxd.extract.slot_tokens import Token
from ctxd.extract.slot_words import (
    ANSWERED,
    AUXILIARIES,
    BE,
    CONDITIONS,
    DETERMINERS,
    DWELLING,
    EXAMPLES,
    FOREIGN_DENIALS,
    GLYPH_DENIALS,
    JOINING,
    NAMING,
    PLACES,
    PREPOSITIONS,
    RIVALS,
    SETTING,
    STOP,
    TOPIC_BEFORE,
    term_of,
)
from ctxd.policy.comparing import LIST_REACH_WORDS

_SAME_PREPOSITION = {"with": "use", "via": "use", "by": "use", "as": "use", "under": "use"}
_JOINING_DEEDS = frozenset({"add", "touch", "enable", "show"})
_JOINED_BEHIND = frozenset({"", "to", "on"})
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


_DO = {does: f"_do_{does}" for does in get_args(Does)}
"""What a cue does -> the method that does it: tells whether it counts where it stands."""


class _Reader(Counting):
    def step(self, at: int) -> int:
        """Read on at a token; return how many were used up."""
        token = self._tokens[at]
        if token.kind == "mark":
            self._mark(token.text, at)
        elif token.kind == "code":
            self._term(Term(token.text, named=True, identifier=True))
        elif token.kind == "glyphs":
            self._glyphs(token.text)
        elif used := self._rate(at) or self._interval(at) or self._cue(at) or self._number(at):
            return used
        elif token.kind == "number":
            self._term(Term(token.text.casefold(), named=True, identifier=True))
        else:
            self._word(token, at)
        return 1

    def end(self) -> None:
        """End the clause; a modality that stood alone is that of the next one."""
        self._clause.close(self.found)
        done = self._clause
        modality = None if done.terms or done.denied else done.modality
        self._clause = Clause(modality=modality)

    def _mark(self, mark: str, at: int) -> None:
        if mark == "→":
            self._do_order("into", at, 1)
        elif mark in {"<", ">"}:
            self._clause.bound = "max" if mark == "<" else "min"
        elif mark == ".":
            self.end()
            self._clause = Clause()
            self._part = "main"
        elif mark == "," and (self._list_goes_on(at) or self._contrasts(at)):
            return
        elif mark in {",", "-"}:
            lasting = at > 0 and self._words[at - 1] == "never"
            self.end()
            if lasting:
                self._clause.deny("forbid")
            if not self.found.terms:
                self._part = "main"

    def _list_goes_on(self, at: int) -> bool:
        """Whether a comma only parts the members of a list that ends in "or"."""
        if not self._clause.turned and self._clause.contrast is None:
            return False
        if self._words[at + 1 : at + 2] and self._words[at + 1] in EXAMPLES:
            return True
        for word in self._words[at + 1 : at + 1 + LIST_REACH_WORDS]:
            if word in {"or", "nor"}:
                return True
            if word in CUES:
                return False
        return False

    def _contrasts(self, at: int) -> bool:
        """Whether a "not" behind a comma turns down an alternative to what went before."""
        following = self._words[at + 1] if at + 1 < len(self._words) else ""
        if following in {"not", "never"} and (self._clause.terms or self._clause.numbers):
            self._clause.begin_contrast(firm=True)
            return True
        return False

    def _cue(self, at: int) -> int:
        phrases = PHRASES.get(self._words[at], ())
        part = bool(phrases) and self._tokens[at].kind == "part"
        for words, cue in phrases:
            size = len(words)
            if size > 1 and tuple(self._words[at : at + size]) != words:
                continue
            if part and cue.does != "term":
                continue
            if getattr(self, _DO[cue.does])(cue.what, at, size):
                return size
        return 0

    def _do_deny(self, strength: str, at: int, size: int) -> bool:
        clause = self._clause
        if self._only_answers(at):
            return True
        if clause.firm and not clause.in_contrast():
            return True
        before = self._words[at - 1] if at else ""
        word = self._words[at]
        joins = word == "not" or (word == "never" and clause.verb)
        contrasts = size == 1 and joins and before not in AUXILIARIES
        if contrasts and (clause.terms or clause.numbers):
            return self._do_deny_rest("", at, size)
        if clause.condition is not None:
            clause.begin_contrast(firm=True)
            return True
        if clause.modality == "prefer":
            strength = "prefer"
        clause.deny(_MODALITIES[strength])
        return True

    def _do_deny_doing(self, strength: str, at: int, size: int) -> bool:
        following = self._words[at + size : at + size + 1]
        return (
            bool(following) and following[0].endswith("ing") and self._do_deny(strength, at, size)
        )

    def _only_answers(self, at: int) -> bool:
        """Whether a "no" answers something and denies nothing of what follows."""
        if self._words[at] not in {"no", "nope"} or self._clause.terms:
            return False
        following = self._tokens[at + 1] if at + 1 < len(self._tokens) else STOP_MARK
        return following.kind == "mark" or following.text in ANSWERED

    def _do_deny_rest(self, _what: str, _at: int, _size: int) -> bool:
        self._clause.begin_contrast()
        return True

    def _do_deny_before(self, _what: str, _at: int, _size: int) -> bool:
        self._clause.deny("forbid")
        return True

    def _do_freeze(self, deed: str, at: int, _size: int) -> bool:
        deeds = self.found.deeds
        if self._words[at] == "alone" and "keep" not in deeds:
            return False
        deeds[:] = [known for known in deeds if known != "keep"]
        deeds.append(deed)
        return self._do_deny_before("", at, 1)

    def _do_waive(self, _what: str, _at: int, _size: int) -> bool:
        self._clause.deny("allow")
        return True

    def _do_modal(self, modality: str, _at: int, _size: int) -> bool:
        if self._part == "main" and self._clause.modality is None:
            self._clause.modality = _MODALITIES[modality]
        return True

    def _do_except(self, _what: str, _at: int, _size: int) -> bool:
        self.end()
        self._part = "except"
        return True

    def _do_ask(self, _what: str, at: int, size: int) -> bool:
        """To ask before something is not to do it without asking."""
        asked = Term(term_of("ask"))
        self.found.everything.append(asked)
        self.found.excepted.append(asked)
        return self._do_deny("forbid", at, size)

    def _do_without(self, _what: str, at: int, size: int) -> bool:
        if self._clause.turned or self._words[at] != "without":
            return self._do_except("", at, size)
        self._clause.absent = True
        return self._do_deny_rest("", at, size)

    def _do_reason(self, _what: str, _at: int, _size: int) -> bool:
        self.end()
        self._part = "reason"
        return True

    def _do_clause(self, _what: str, _at: int, _size: int) -> bool:
        self.end()
        self._part = "main"
        return True

    def _do_only(self, _what: str, _at: int, _size: int) -> bool:
        self.found.only = self.found.only or self._part == "main"
        return True

    def _do_every(self, _what: str, at: int, size: int) -> bool:
        self.found.every = True
        if self._words[at] in {"no", "without"}:
            self.found.unexceptional = True
        if self._words[at] == "always":
            self._do_modal("require", at, size)
        return True

    def _do_also(self, _what: str, at: int, _size: int) -> bool:
        if self._words[at] == "too" and not self._clause.terms:
            return False
        self.found.also = True
        return True

    def _do_deed(self, deed: str, at: int, _size: int) -> bool:
        clause = self._clause
        after_and = at > 0 and self._words[at - 1] == "and"
        if after_and or clause.in_contrast():
            self.end()
        elif clause.terms and self._words[at] != "used":
            for term in clause.terms:
                term.topic = True
        clause = self._clause
        clause.verb, clause.topic = True, False
        clause.behind = self._chooses(deed, at) or clause.behind
        clause.joins = deed in _JOINING_DEEDS
        if deed != "make" and self._part == "main":
            self.found.deeds.append(deed)
            clause.deed = clause.deed or term_of(self._words[at])
        return True

    def _chooses(self, deed: str, at: int) -> str:
        if deed == "make":
            return "is" if self._words[at] in BE else "made"
        return "use" if deed == "use" else ""

    def _do_done(self, deed: str, at: int, size: int) -> bool:
        return self._passive(at) and self._do_deed(deed, at, size)

    def _do_undone(self, deed: str, at: int, size: int) -> bool:
        return self._passive(at) and self._do_undo(deed, at, size)

    def _passive(self, at: int) -> bool:
        return bool(BE.intersection(self._words[max(at - 3, 0) : at]))

    def _do_undo(self, deed: str, at: int, size: int) -> bool:
        self._do_deed(deed, at, size)
        if self._part == "main":
            self._clause.undone = not self._clause.undone
            self._clause.undone_at = len(self._clause.terms)
            self._clause.behind, self._clause.joins = "", True
        return True

    def _do_order(self, what: str, at: int, _size: int, *, back: bool = False) -> bool:
        clause = self._clause
        if clause.terms and self._part == "main":
            clause.order = (len(clause.terms), back)
        if what:
            settles = self._words[at] == "to" and not SETTING.isdisjoint(self._words[:at])
            clause.behind = "use" if settles else "to"
        else:
            for term in clause.terms:
                term.beside = True
        return True

    def _do_link(self, what: str, at: int, size: int) -> bool:
        self._do_order(what, at, size)
        return self._do_term(term_of(self._words[at]), at, size)

    def _do_order_back(self, what: str, at: int, size: int) -> bool:
        return self._do_order(what, at, size, back=True)

    def _do_term(self, key: str, _at: int, _size: int) -> bool:
        self._term(Term(key))
        return True

    def _glyphs(self, text: str) -> None:
        if any(mark in text for mark in GLYPH_DENIALS):
            self._clause.deny("forbid")
        for start in range(max(len(text) - 1, 1)):
            self._term(Term(text[start : start + 2]))

    def _word(self, token: Token, at: int) -> None:
        word, clause = token.text, self._clause
        if word in FOREIGN_DENIALS and token.kind == "word":
            clause.deny("forbid")
            return
        if clause.in_contrast() and (word == "for" if clause.firm else word in PREPOSITIONS):
            clause.end_contrast()
        if word in TOPIC_BEFORE:
            clause.topic = True
        elif word in DETERMINERS and clause.terms and clause.terms[-1].topic:
            clause.topic = False
        if word in CONDITIONS and clause.condition is None:
            clause.condition = len(clause.terms)
        if word in PREPOSITIONS or word in _SAME_PREPOSITION:
            clause.behind = self._behind(word, at)
        if word == "and" and clause.behind == "use" and clause.terms:
            clause.terms[-1].beside = clause.joins = True
            clause.behind = ""
        if word not in STOP or token.named:
            key = term_of(word)
            joined = token.kind == "joined"
            self._term(Term(key, named=token.named or key in RIVALS, identifier=joined))

    def _behind(self, preposition: str, at: int) -> str:
        if preposition == "in" and not DWELLING.isdisjoint(self._words[:at]):
            return "use"
        return _SAME_PREPOSITION.get(preposition, preposition)

    def _term(self, term: Term) -> None:
        if not term.key:
            return
        term.place = term.key in PLACES or term.key.startswith("#")
        term.topic = self._clause.topic
        term.behind = self._clause.behind
        term.beside = self._clause.joins and term.behind in _JOINED_BEHIND
        if term.key in JOINING:
            self._clause.joins = True
        if term.key in NAMING:
            self._clause.behind = "use"
        self.found.everything.append(term)
        if self._part == "except":
            self.found.excepted.append(term)
        elif self._part == "reason":
            self.found.reasons.append(term)
        else:
            self._clause.terms.append(term)
