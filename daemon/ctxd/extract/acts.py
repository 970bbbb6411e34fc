"""What the user's words do: approve, refuse, correct, set a rule, decide, ask, report, order.

`acts` judges one sentence, `cues` gives the finer signs behind the judgement, `labels` the options
a short answer picks, `parts` the points of a numbered reply. All of it by tables of phrases and a
short list of rules over the cues they show: no model, no context. What an answer refers to is told
elsewhere.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from ctxd.extract.cues import BIT, mask
from ctxd.extract.cues.language import language
from ctxd.extract.cues.lexicon import Found, walk
from ctxd.extract.cues.tables import table_of
from ctxd.extract.cues.tokens import CODE
from ctxd.extract.picks import labels
from ctxd.extract.replies import Part, parts
from ctxd.policy.extraction import (
    CUE_PICK_TOKENS,
    CUE_READINGS_REMEMBERED,
    CUE_SENTENCE_CHARS,
    CUE_SENTENCES_REMEMBERED,
    CUE_SHORT_TOKENS,
)

__all__ = ["Act", "Part", "acts", "cues", "is_all_known", "labels", "language", "parts"]

Act = Literal[
    "approve",
    "choose",
    "refuse",
    "correct",
    "constrain",
    "decide",
    "scope",
    "defer",
    "ask",
    "report",
    "command",
    "other",
]
"""`approve`: agrees to what was proposed. `choose`: picks among options. `refuse`: turns something
down or takes it back. `correct`: puts right what the agent did or believed. `constrain`: what must
hold. `decide`: says how something shall be, as an order, a wish or a suggesting question. `scope`:
leaves something out. `defer`: puts something off. `ask`: wants to know. `report`: tells what
happened. `command`: orders a single action. `other`: none of these."""


def acts(
    sentence: str,
    language: str = "en",
    opening: bool = True,  # noqa: FBT001, FBT002 - as natural by place as by name
) -> frozenset[Act]:
    """Return what a sentence of the user's does; several are possible.

    `opening` tells that it stands at the message's start: a "no," further on answers nobody.
    """
    found, bits = _found(sentence[:CUE_SENTENCE_CHARS], language)
    return _acts_of(_judged(found, bits, opening=opening))


def cues(sentence: str, language: str = "en") -> frozenset[str]:
    """Return the names of the cues in a sentence; see `ctxd.extract.cues.NAMES`."""
    return _names(_found(sentence[:CUE_SENTENCE_CHARS], language)[1])


def is_all_known(sentence: str, language: str = "en") -> bool:
    """Return whether all words of a sentence belong to known phrases: it says nothing else."""
    return not _found(sentence[:CUE_SENTENCE_CHARS], language)[0].left


@lru_cache(CUE_SENTENCES_REMEMBERED)
def _found(sentence: str, language: str) -> tuple[Found, int]:
    """Return the cues of a sentence, by place and all together."""
    table, tokenise = table_of(language)
    tokens = tokenise(sentence)
    found = walk(table, tokens)
    bits = found.opening | found.rest | found.words
    if "?" in tokens[-4:]:
        bits |= _QUESTION
    if CODE in tokens:
        bits |= _CODE
    if len(tokens) <= CUE_SHORT_TOKENS:
        bits |= _SHORT
    if bits & _MAY_PICK and len(tokens) <= CUE_PICK_TOKENS and labels(sentence):
        bits |= _LABEL
    if found.opening & _OK and not found.left and not (found.opening | found.rest) & _SUBSTANCE:
        bits |= _BARE_OK
    return found, bits


@lru_cache(CUE_READINGS_REMEMBERED)
def _names(bits: int) -> frozenset[str]:
    names = []
    while bits:
        lowest = bits & -bits
        names.append(_NAME[lowest])
        bits ^= lowest
    return frozenset(names)


def _judged(found: Found, bits: int, *, opening: bool) -> int:
    """Return the cues that acts are judged by: answers count only at the message's start."""
    return bits if opening else bits & ~(_ANSWERS & ~found.rest)


class Rule(NamedTuple):
    """An act is seen where one of `any` is found, none of `but`, and one of `beside` if given."""

    act: Act
    any: int
    but: int = 0
    beside: int = -1


QUERY = mask("question_word inquiry")
OPEN = QUERY | mask("deliberation")
TOLD = mask("report guess expectation background")

RULES: tuple[Rule, ...] = (
    Rule("approve", mask("approval"), mask("question unsure refusal")),
    Rule("approve", mask("yes"), QUERY | mask("no refusal correction")),
    Rule("approve", mask("bare_ok")),
    Rule("choose", mask("pick label"), OPEN | mask("report question")),
    Rule("choose", mask("pick label"), OPEN | mask("report"), mask("wish polite yes ok")),
    Rule("refuse", mask("no"), QUERY | TOLD | mask("yes")),
    Rule("refuse", mask("refusal"), OPEN | mask("guess expectation reproach")),
    Rule("correct", mask("correction"), QUERY | mask("question deliberation approval")),
    Rule("correct", mask("reproach")),
    Rule(
        "constrain", mask("prohibition obligation keep"), QUERY | mask("guess expectation question")
    ),
    Rule("constrain", mask("permanence limit"), QUERY | mask("report guess expectation question")),
    Rule("decide", mask("design_order instead"), QUERY),
    Rule(
        "decide", mask("suggestion deliberation preference norm"), QUERY | mask("guess expectation")
    ),
    Rule("decide", mask("wish"), QUERY | mask("order navigation approval refusal pick idiom")),
    Rule("scope", mask("scope"), QUERY),
    Rule("defer", mask("later"), QUERY),
    Rule("ask", QUERY | mask("confusion")),
    Rule("ask", mask("question"), mask("polite wish suggestion design_order order")),
    Rule("report", TOLD, mask("question_word")),
    Rule("command", mask("order navigation wait"), QUERY),
)
"""Each act is judged for itself."""


@lru_cache(CUE_READINGS_REMEMBERED)
def _acts_of(bits: int) -> frozenset[Act]:
    seen: set[Act] = {
        act for act, some, but, beside in RULES if bits & some and bits & beside and not bits & but
    }
    return frozenset(seen or {"other"})


_NAME = {bit: name for name, bit in BIT.items()}
_ANSWERS = mask("yes ok no wait bare_ok")
_SUBSTANCE = ~mask("ok filler thanks hedge musing")
_MAY_PICK = mask("number pick label_word")
_QUESTION, _CODE, _SHORT = BIT["question"], BIT["code"], BIT["short"]
_LABEL, _OK, _BARE_OK = BIT["label"], BIT["ok"], BIT["bare_ok"]
