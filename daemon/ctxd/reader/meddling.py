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
    r"(?:required|instructed|allowed|expected|permitted))\b"
    r"|\b(?:assistants?|agents?) (?:has|have|is|are|was|were) (?:the )?(?:permission|allowed"
    r"|permitted"
    r"|authori[sz]ed)\b|\bfor the record\b|\bthe (?:owner|maintainer|team|developer)s? (?:has "
    r"|have "
    r"|already )*(?:agreed|approved|confirmed|authori[sz]ed)\b"
    r"|\b(?:merke?|merken|notier\w*)\b[^.!?\n]{0,20}\b(?:dauerhaft|f\u00fcr immer|k\u00fcnftig)\b"
    r"|\b(?:toutes les|todas las|todas as|tutte le|alle) (?:k\u00fcnftigen )?"
    r"(?:sessions|sesiones|sess\u00f5es|sessioni|sitzungen)\b",
    re.IGNORECASE,
)
"""Speaks in the user's name, or to all agents: only the user may."""

_SOURCE = (
    r"(?:readme|contributing|changelog|issues?|tickets?|comments?|commits?|e?-?mails?|pages?|sites?"
    r"|websites?|blog|article|docs?|documentation|wiki|outputs?|logs?|tools?|command|script|server"
    r"|api|response|results?|files?|package|license|header|reviewers?|reviews?|bot|chatbot|pr"
    r"|thread"
    r"|post|notes|description|messages?|lines?|sentences?|passages?|paragraphs?|text|excerpt"
    r"|snippet"
    r"|it|he|she|they|\w{1,40}\.(?:md|txt|rst|ya?ml|json|toml|html?)"
    r"|seiten?|datei|meldung|ausgabe|kommentar|er|sie|fichier|texte|il|elle|p[aá]gina|archivo"
    r"|salida"
    r"|mensaje|texto|arquivo|pagina|messaggio|\u0444\u0430\u0439\u043b\w*"
    r"|\u0441\u0442\u0440\u0430\u043d\u0438\u0446\w*"
    r"|\u0432\u044b\u0432\u043e\u0434)"
)
_SAYING = (
    r"(?:says?|said|reads?|states?|tells?|told|writes?|wrote|asks?|instructs?|contains?|mentions?"
    r"|includes?|claims?|reports?|reported|prints?|printed|returned|returns?|answers?|answered"
    r"|replie[sd]"
    r"|shows?|has this|warns?|recommends?|suggests?|was|were|is|stands? out|lists?"
    r"|sagt|schreibt|enth\u00e4lt|lautet|steht|dit|contient|indique|dice|contiene|diz|cont\u00e9m"
    r"|\u0433\u043e\u0432\u043e\u0440\u0438\u0442"
    r"|\u0441\u043e\u0434\u0435\u0440\u0436\u0438\u0442|\u043f\u0438\u0448\u0435\u0442)"
)
_INTRODUCES = re.compile(
    rf"\b{_SOURCE}\b[^.!?\n]{{0,60}}\b(?:reads?|is|are|was|were|goes) (?:as follows"
    rf"|like this)\W{{0,3}}$|"
    rf"\b{_SOURCE}\b[^.!?\n]{{0,60}}\b{_SAYING}\b[^.!?\n]{{0,40}}"
    r"(?:\s?[:\uff1a]\s*$|\s?[:\uff1a]\s*(?=\S)|\s(?=[\"\u201c\u00ab]))"
    rf"|\b(?:according to|laut|selon|seg\u00fan"
    rf"|segundo) [^.!?\n]{{0,30}}\b{_SOURCE}\b[^.!?\n]{{0,20}}"
    r"(?::\s*$|[:,]\s+(?=\S))"
    rf"|\b(?:found|read|saw|got|see|quoted?|copied|fetched) [^.!?\n]{{0,20}}\b(?:in|on|from|at) "
    rf"[^.!?\n]{{0,30}}\b{_SOURCE}\b[^.!?\n]{{0,20}}:\s*$"
    rf"|\b{_SOURCE}\b[^.!?\n]{{0,20}}:\s*$"
    r"|(?:^|\n)\W{0,4}(?:tool |command |test )?(?:results?|outputs?|stdout|log)\s?:\s+(?=\S)",
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


_OWN_VOICE = re.compile(
    r"(?:^|(?<=[^\w]))(?:i|i['\u2019]\w{1,2}|we|we['\u2019]\w{1,2}|let['\u2019]?s|my|our|us"
    r"|should|could"
    r"|would|shall|might|will|propose\w*|proposal|suggest\w*|recommend\w*|prefer\w*|option|better"
    r"|best"
    r"|instead|plan|approach|go with|want me"
    r"|ich|wir|sollte\w*|k\u00f6nnte\w*|schlage|je|nous|devrait|propose|yo|nosotros"
    r"|podr\u00eda\w*|propongo"
    r"|eu|n\u00f3s|poderia\w*|proponho|\u044f|\u043c\u044b"
    r"|\u043f\u0440\u0435\u0434\u043b\u0430\u0433\u0430\u044e)(?=[^\w]|$)|[\u6211\u5efa\u8bae]"
    r"|\u79c1|\u63d0\u6848",
    re.IGNORECASE,
)


def is_own_voice(text: str) -> bool:
    """Whether an agent speaks of what it would do, or what could be done, rather than telling."""
    return _OWN_VOICE.search(text) is not None


_ITSELF = re.compile(
    r"(?:^|(?<=[^\w]))(?:i|i['\u2019](?:ll|d|m|ve)|we['\u2019]ll|let['\u2019]s|my (?:plan|take|pick"
    r"|proposal|suggestion|recommendation|choice|approach)|go(?:ing)? with|ich|wir|je|yo|eu|io"
    r"|propongo"
    r"|proponho|propose|suggest|recommend(?:ation|ed)?|\u044f|\u043f\u0440\u0435\u0434\u043b\u0430"
    r"\u0433\u0430\u044e)(?=[^\w]|$)|[\u6211]|\u79c1|\u63d0\u6848",
    re.IGNORECASE,
)


def speaks_for_itself(text: str) -> bool:
    """Whether an agent says in so many words that it is the one who chooses."""
    return _ITSELF.search(text) is not None
