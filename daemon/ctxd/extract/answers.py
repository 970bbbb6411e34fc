"""The line of what a short answer settles: what was proposed, and what the answer adds to it.

"yes, but without the retry" settles the proposal and more; a line without the rest would say what
nobody agreed to. An offer that is agreed to becomes an order, any other question stands with its
answer behind it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ctxd.extract.acts import acts, cues, is_all_known
from ctxd.extract.cues import labelling
from ctxd.extract.message import Message
from ctxd.extract.proposals import Role
from ctxd.extract.reasons import reason_of
from ctxd.extract.terms import content
from ctxd.extract.wording import cut, order, plain
from ctxd.policy.extraction import ANSWER_CHARS, ITEM_CHARS, RIDER_CHARS, RIDER_WORDS

_CLAUSE = re.compile(
    r"\s*[,;:.!…]+(?:\s+|$)|\s*[，、。；！]+\s*|\s+[-–—]+\s+|\n+"
    r"|\s+(?=(?:but|because|since|without|with|unless|except|if|so|and|only|as|though|aber|weil|"
    r"ohne|mit|und|außer|pero|porque|sin|con|y|mais|car|sans|avec|et|mas|sem|com|e|но|потому|без|"
    r"если|и)\s)",
    re.IGNORECASE,
)
_ASKS = ("?", "？")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_CONTRAST = re.compile(r"\b(?:but|aber|pero|mais|mas|но)\s*$", re.IGNORECASE)
_LINK = re.compile(
    r"(?:and |but |as )?(?:because|cause|coz|cuz|weil|porque|parce que|потому что)?\s*$",
    re.IGNORECASE,
)
"""Words before a reason that say nothing else."""


class Answer(NamedTuple):
    """What an answer does to what it answers."""

    words: str
    rider: str
    """What it says beyond yes, no, the option it picks, and its reason."""
    refuses: bool
    """Whether it turns down what it answers."""
    approves: bool
    """Whether it agrees, and does not put it off or ask back."""

    denies: bool
    """Whether it says any no, asks, tells news, or shows code: then it approves nothing in
    passing."""

    @property
    def settles(self) -> bool:
        """Whether it is a yes or a no."""
        return self.refuses or self.approves

    def line(self, proposed: str, role: Role, *, picked: bool = False) -> str:
        """Return the line that a proposal and this answer to it come to; empty when the answer
        does not settle it, or says itself what it is about.

        `picked` tells that the answer names the proposal by its label.
        """
        meant = role in _MEANT
        if not meant and self.denies and not (self.refuses and role in _LIKELY):
            return ""
        if not meant and len(content(self.rider)) >= RIDER_WORDS:
            return ""
        asked = plain(proposed)
        offer = order(asked)
        settles = self.settles or picked
        if offer.endswith(_ASKS) or (meant and not settles):
            short = settles or len(self.words) <= ANSWER_CHARS
            return _joined(asked, self.words) if short else ""
        line = f"Not wanted: {offer}" if self.refuses else offer
        return _joined(line, self.rider) if meant or self.refuses else cut(line)


_MEANT = frozenset({"label", "question"})
_LIKELY = frozenset({"named", "recommended"})
"""Roles of what an answer may mean when it says no; of one of several things it does not."""


def answer(said: Message) -> Answer:
    """Return what a message answers."""
    acts = said.utterances[0].acts if said.utterances else frozenset()
    text = plain(" ".join(one.text for one in said.utterances))
    reason = reason_of([one.text for one in said.utterances])
    agrees = bool(acts & _AGREES)
    refuses = "refuse" in acts and not agrees
    return Answer(
        text[:RIDER_CHARS],
        _rider(text, said.language, reason, refuses=refuses)[:RIDER_CHARS],
        refuses,
        agrees and not acts & {"defer", "scope", "ask"},
        "`" in text or any(one.acts & _NO_ASSENT or one.cues & _NO_CUES for one in said.utterances),
    )


_NO_ASSENT = frozenset({"refuse", "correct", "constrain", "scope", "defer", "ask", "report"})
_NO_CUES = frozenset({"negation", "wait", "exception"})


def _rider(text: str, language: str, reason: str, *, refuses: bool) -> str:
    start = 0
    for mark in [*_CLAUSE.finditer(text), None]:
        clause = text[start : mark.start() if mark else len(text)]
        if _says_more(clause, language, no_counts=not refuses or start > 0):
            break
        start = mark.end() if mark else len(text)
    contrast = _CONTRAST.search(text, 0, start)
    start = contrast.start() if contrast else start
    for opening, closing in _BRACKETS.items():
        at = text.rfind(opening, 0, start)
        start = at if at >= 0 and closing not in text[at:start] else start
    rest = text[start:].strip()
    told = rest.rstrip(" .!;,")
    only_why = reason and told.endswith(reason) and _LINK.match(told[: -len(reason)])
    return "" if only_why else rest


def _says_more(clause: str, language: str, *, no_counts: bool) -> bool:
    more = {word for word in content(clause) - _ANSWERING if len(word) > 1 or not word.isascii()}
    told, shown = acts(clause, language), cues(clause, language)
    if not more and (shown.isdisjoint(_DENYING) or _drops(clause)):
        return False
    answers = _AGREES if no_counts else _ANSWERS
    return not (told and told <= answers and is_all_known(clause, language))


def _drops(clause: str) -> bool:
    """Whether a clause only names options that are not picked: "not 2"."""
    words = [word.lower() for word in _WORD.findall(clause)]
    named = [word for word in words if word.isdigit() or (len(word) == 1 and word.isalpha())]
    others = [word for word in words[1:] if word not in named]
    return bool(named) and words[0] in labelling.DROPPING and _NAMING.issuperset(others)


_NAMING = labelling.KINDS | labelling.ARTICLES | {"and", "or", "nor"}
_WORD = re.compile(r"[\w'’]+")
_DENYING = frozenset({"negation", "prohibition", "later"})
_AGREES = frozenset({"approve", "choose"})
_ANSWERS = _AGREES | {"refuse"}
_ANSWERING = frozenset().union(
    labelling.OPENING,
    labelling.LEADING,
    labelling.DROPPING,
    labelling.KINDS,
    labelling.OF_THEM,
    labelling.JUDGING,
    labelling.PRAISE,
    labelling.TRAILING,
    labelling.NUMBERS,
    labelling.ORDINALS,
    labelling.GROUPS,
    ("recommendation", "recommended", "suggested", "proposed", "ahead"),
)
"""Words that only point to what was proposed."""


def _joined(proposed: str, added: str) -> str:
    if not added:
        return cut(proposed)
    link = " " if proposed.endswith(_ASKS) else "; "
    room = ITEM_CHARS - len(added) - len(link)
    head = proposed.rstrip(" .;:") if link == "; " else proposed
    return cut(head, room) + link + added
