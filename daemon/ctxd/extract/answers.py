"""The line of what a short answer settles: what was proposed, and what the answer adds to it.

"yes, but without the retry" settles the proposal and more; a line without the rest would say what
nobody agreed to. An offer that is agreed to becomes an order, any other question stands with its
answer behind it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ctxd.extract.acts import acts, is_all_known
from ctxd.extract.cues import labelling
from ctxd.extract.message import Message
from ctxd.extract.reasons import reason_of
from ctxd.extract.terms import content
from ctxd.extract.wording import cut, order, plain
from ctxd.policy import ANSWER_CHARS, ITEM_CHARS, RIDER_CHARS

_CLAUSE = re.compile(
    r"\s*[,;:.!…]+(?:\s+|$)|\s*[，、。；！]+\s*|\s+[-–—]+\s+|\n+|\s+(?=(?:but|because|since|without|with|unless|except|if|"
    r"so|and|only|as|aber|weil|ohne|mit|und|außer|pero|porque|sin|con|y|mais|car|sans|avec|et|mas|"
    r"sem|com|e|но|потому|без|если|и)\s)",
    re.IGNORECASE,
)
_ASKS = ("?", "？")
_LINK = 5
"""Characters before a reason that say nothing: "and "."""


class Answer(NamedTuple):
    """What an answer does to what it answers."""

    words: str
    rider: str
    """What it says beyond yes, no, the option it picks, and its reason."""
    refuses: bool
    """Whether it turns down what it answers."""
    approves: bool
    """Whether it agrees, and does not put it off or ask back."""

    def line(self, proposed: str, *, meant: bool = True, picked: bool = False) -> str:
        """Return the line that a proposal and this answer to it come to; empty when the answer
        says itself what it is about.

        `meant` tells that it answers just this, not one of several things that it may mean;
        `picked` that it names it by its label.
        """
        asked = plain(proposed)
        offer = order(asked)
        settles = self.refuses or self.approves or picked
        if offer.endswith(_ASKS) or (meant and not settles):
            short = settles or len(self.words) <= ANSWER_CHARS
            return _joined(asked, self.words) if short else ""
        line = f"Not wanted: {offer}" if self.refuses else offer
        return _joined(line, self.rider) if meant else cut(line)


def answer(said: Message) -> Answer:
    """Return what a message answers."""
    acts = said.utterances[0].acts if said.utterances else frozenset()
    text = plain(" ".join(one.text for one in said.utterances))
    agrees = bool(acts & {"approve", "choose"})
    return Answer(
        text[:RIDER_CHARS],
        _rider(text, said.language)[:RIDER_CHARS],
        "refuse" in acts and not agrees,
        agrees and not acts & {"defer", "scope", "ask"},
    )


def _rider(text: str, language: str) -> str:
    start = 0
    for mark in [*_CLAUSE.finditer(text), None]:
        if _says_more(text[start : mark.start() if mark else len(text)], language):
            break
        start = mark.end() if mark else len(text)
    rest = text[start:].strip()
    reason, told = reason_of([rest]), rest.rstrip(" .!;,")
    return "" if reason and told.endswith(reason) and len(told) - len(reason) < _LINK else rest


def _says_more(clause: str, language: str) -> bool:
    more = {word for word in content(clause) - _ANSWERING if len(word) > 1 or not word.isascii()}
    if not more:
        return False
    told = acts(clause, language)
    return not (told and told <= _ANSWERS and is_all_known(clause, language))


_ANSWERS = frozenset({"approve", "choose", "refuse"})
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
    if len(head) > room:
        head = head[: room - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    return head + link + added
