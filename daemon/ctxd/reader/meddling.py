"""Words of an agent that carry no item, however the user answered them.

What it reports of pages, files and tools is not what it proposes; and what has something run,
fetched, sent or remembered for ever, or speaks in the user's name, only the user may ask for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ctxd.context_files.guard import needs_review
from ctxd.extract.doubts import acting
from ctxd.policy.extraction import DOUBT_CHARS

_REMEMBERS = re.compile(
    r"\b(?:for|in|across) (?:all|every|any) (?:future |later |subsequent |coming )?(?:sessions?"
    r"|conversations?|chats?|agents?|assistants?)\b"
    r"|\b(?:remember|memori[sz]e|note|keep in mind)\b[^.!?\n]{0,40}\b(?:permanent(?:ly)?|forever"
    r"|future sessions?|from now on|as a rule|long[- ]term)\b"
    r"|\b(?:the|this) user (?:has |already )*(?:wants|approved?|agreed|confirmed|authori[sz]ed|said"
    r"|decided|requires|prefers|allows|allowed)\b"
    r"|\b(?:agents?|assistants?|llms?|models?|ai tools?) (?:must|should|shall|have to|need to|are "
    r"(?:required|instructed|allowed|expected))\b",
    re.IGNORECASE,
)
"""Speaks in the user's name, or to all agents: only the user may."""

_SOURCE = (
    r"(?:readme|contributing|changelog|issues?|tickets?|comments?|commits?|e?-?mails?|pages?|sites?"
    r"|websites?|blog|article|docs?|documentation|wiki|outputs?|logs?|tools?|command|script|server"
    r"|api|response|file|package|license|header|reviewers?|reviews?|bot|pr|thread|post|notes"
    r"|description|message|it|he|she|they|\w{1,40}\.(?:md|txt|rst|ya?ml|json|toml|html?))"
)
_INTRODUCES = re.compile(
    rf"\b{_SOURCE}\b[^.!?\n]{{0,60}}\b(?:says?|said|reads?|states?|tells?|told|writes?|wrote|asks?"
    r"|instructs?|contains?|mentions?|includes?|claims?|reports?|reported|prints?|printed|returned"
    r"|returns?|shows?|has this|warns?|recommends?|suggests?|was|were|is|:)[^.!?\n]{0,40}"
    r"(?::\s*$|:\s+(?=\S)|\s(?=[\"\u201c\u00ab]))"
    rf"|\baccording to [^.!?\n]{{0,30}}\b{_SOURCE}\b[^.!?\n]{{0,20}}(?::\s*$|[:,]\s+(?=\S))"
    rf"|\b(?:found|read|saw|got|see|quoted?|copied) [^.!?\n]{{0,20}}\b(?:in|on|from"
    rf"|at) [^.!?\n]{{0,30}}"
    rf"\b{_SOURCE}\b[^.!?\n]{{0,20}}:\s*$"
    rf"|\b{_SOURCE}\b[^.!?\n]{{0,20}}:\s*$",
    re.IGNORECASE,
)
"""Announces what somebody or something else says."""
_BACK = re.compile(
    r"(?:i(?:['\u2019](?:ll|d|ve|m))? |i(?:\u2019|')|we(?:['\u2019]\w+)? |so[, ]|that said"
    r"|apart from|the (?:rest|build"
    r"|change|fix)\b|shall |should |do you|want me|would you|want to|next[,:?]|what (?:next|shall"
    r"|now)|how do we"
    r"|my (?:plan|proposal|suggestion|recommendation)|based on|given (?:this|that)|option )",
    re.IGNORECASE,
)
"""How an agent goes on in its own words."""
_QUOTE_MARKS = re.compile('["\u201c\u201d\u00ab\u00bb]')


@lru_cache(1024)
def presumes(text: str) -> bool:
    """Whether an agent's words ask for what only the user may ask for."""
    text = text[:DOUBT_CHARS]
    return _REMEMBERS.search(text) is not None or needs_review(text) or acting(text)


def told(paragraphs: Sequence[str]) -> list[int]:
    """Where in each of an agent's paragraphs somebody else's words begin that it reports; -1 where
    none do. What is announced goes on until the agent speaks again."""
    found: list[int] = []
    goes_on = False
    for text in paragraphs:
        if goes_on and not _BACK.match(text.lstrip(_MARKS)):
            found.append(0)
            continue
        announced = list(_INTRODUCES.finditer(text))
        goes_on = bool(announced) and announced[-1].end() >= len(text.rstrip())
        found.append(announced[0].end() if announced else -1)
    return found


_MARKS = " *_#>-"


def is_quotation(text: str, start: int) -> bool:
    """Whether an offset lies between quotation marks."""
    return len(_QUOTE_MARKS.findall(text[:start])) % 2 == 1
