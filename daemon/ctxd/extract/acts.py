"""What the user's words do: approve, refuse, correct, set a rule, decide, ask, report, order.

`acts` judges one sentence, `cues` gives the finer signs behind the judgement, `labels` the options
a short answer picks, `parts` the points of a numbered reply. All of it by tables of phrases and a
short list of rules over the cues they show: no model, no context. What an answer refers to is told
elsewhere.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from ctxd.extract.cues import BIT, mask
from ctxd.extract.cues.language import language
from ctxd.extract.cues.lexicon import END, MARKS, Found, walk
from ctxd.extract.cues.tables import table_of
from ctxd.extract.cues.tokens import CODE
from ctxd.extract.picks import labels
from ctxd.extract.replies import Part, parts
from ctxd.policy import CUE_SENTENCES_REMEMBERED, CUE_SHORT_TOKENS

__all__ = ["Act", "Part", "Reading", "acts", "cues", "labels", "language", "parts", "read"]

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


class Reading(NamedTuple):
    """What one sentence does, and the cues that show it."""

    acts: frozenset[Act]
    cues: frozenset[str]


def acts(sentence: str, language: str = "en", opening: bool = True) -> frozenset[Act]:  # noqa: FBT001, FBT002 - as natural as a keyword
    """Return what a sentence of the user's does; several are possible.

    `opening` tells that it stands at the message's start: a "no," further on answers nobody.
    """
    return read(sentence, language, opening).acts


def cues(sentence: str, language: str = "en") -> frozenset[str]:
    """Return the names of the cues in a sentence; see `ctxd.extract.cues.NAMES`."""
    return read(sentence, language, True).cues  # noqa: FBT003 - same


@lru_cache(CUE_SENTENCES_REMEMBERED)
def read(sentence: str, language: str, opening: bool) -> Reading:  # noqa: FBT001 - same
    """Return the acts and the cues of a sentence, found in one pass."""
    table, tokenise = table_of(language)
    tokens = tokenise(sentence)
    found = walk(table, tokens)
    bits = found.opening | found.rest | found.words | _shapes(tokens)
    if bits & _MAY_PICK and labels(sentence):
        bits |= BIT["label"]
    return Reading(_acts_of(_judged(found, bits, opening)), _names(bits))


def _shapes(tokens: list[str]) -> int:
    """Return the cues that are no words: a question mark, code, a number, few words."""
    bits = 0
    for token in tokens:
        if token.isdigit():
            bits = BIT["number"]
    if "?" in tokens[-4:]:
        bits |= BIT["question"]
    if CODE in tokens:
        bits |= BIT["code"]
    if len(tokens) <= CUE_SHORT_TOKENS:
        bits |= BIT["short"]
    return bits


@lru_cache(CUE_SENTENCES_REMEMBERED)
def _names(bits: int) -> frozenset[str]:
    return frozenset(name for name, bit in BIT.items() if bits & bit)


class Rule(NamedTuple):
    """An act is seen where one of `any` is found and none of `but`."""

    act: Act
    any: int
    but: int = 0


ASKS = mask("question question_word inquiry")
STATES = mask("order design_order inquiry navigation report guess expectation background question")

RULES: tuple[Rule, ...] = (
    Rule("approve", mask("approval"), mask("question unsure")),
    Rule("approve", mask("yes"), mask("question question_word no refusal correction")),
    Rule("approve", mask("bare_ok")),
    Rule("choose", mask("pick label"), mask("question_word report")),
    Rule("refuse", mask("no"), mask("question yes")),
    Rule("refuse", mask("refusal"), mask("question_word")),
    Rule("correct", mask("correction")),
    Rule("constrain", mask("prohibition obligation permanence limit keep"), mask("question_word question report")),
    Rule("decide", mask("suggestion preference instead design_order")),
    Rule("scope", mask("scope"), mask("question_word")),
    Rule("defer", mask("later"), mask("question_word")),
    Rule("ask", mask("question question_word inquiry confusion"), mask("polite wish suggestion")),
    Rule("ask", mask("inquiry")),
    Rule("report", mask("report guess expectation background"), mask("question_word")),
    Rule("command", mask("order navigation"), mask("question_word inquiry")),
)
"""In no order: each act is judged for itself."""


def _judged(found: Found, bits: int, opening: bool) -> int:
    """Return the cues that acts are judged by: answers count only at the message's start."""
    answers = found.opening & _ANSWERS
    if not opening:
        bits &= ~(_ANSWERS & ~found.rest)
    elif answers & BIT["ok"] and not bits & _SUBSTANCE:
        bits |= BIT["bare_ok"]
    return bits


_ANSWERS = mask("yes ok no wait")
_SUBSTANCE = ~mask("ok filler thanks evaluation short polite agent_addressed first_person")
_MAY_PICK = mask("number pick label_word")


@lru_cache(CUE_SENTENCES_REMEMBERED)
def _acts_of(bits: int) -> frozenset[Act]:
    seen = {rule.act for rule in RULES if bits & rule.any and not bits & rule.but}
    return frozenset(seen or {"other"})
