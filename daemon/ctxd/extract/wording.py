"""The one line of an item, made of the words that were said.

Lightly trimmed and never rewritten: what is dropped are openers ("ok so", "yeah,") and Markdown;
what is put in are names for "it", marked with brackets. A "no" is dropped only where it answers
somebody and a whole sentence follows.
"""

from __future__ import annotations

import re

from ctxd.extract.terms import content
from ctxd.policy.extraction import ITEM_CHARS

_STRONG = re.compile(r"(?<![\w/*`])\*\*(?=[^\s*/])([^*\n]+)(?<=[^\s/])\*\*(?![\w/*`])")
_STRONG_WORDS = re.compile(r"(?<!\w)__(?=[^\W_])([^_\n]* [^_\n]*)(?<=\S)__(?!\w)")
"""Of one word alone it is a name: `__init__`."""
_EMPHASIS = re.compile(r"(?<![\w/.*`])\*(?=[^\s*./])([^*\n]+)(?<=[^\s/])\*(?!\.?[\w/*`])")
_HALVES = re.compile(r"^\*{1,2}(?=[^\W_])|(?<=[\w.!?:])\*{1,2}$|^#{1,6}\s+|^>\s+")
"""What is left where a sentence begins or ends within a mark."""
_OPENERS = re.compile(
    r"^(?:(?:ok(?:ay)?|o?k|yes|yeah|yea|yep|yup|ya|sure|so|and|but|well|hm+|mm+|uh+|um+|oh|ah+|ha+|"
    r"lol|right|great|cool|perfect|nice|thanks|thank you|please|pls|also|actually|alright|then|"
    r"now|good|awesome|amazing|ja|gut|oui|bien|vale|sim|хорошо|ладно|да|好的?|はい)"
    r"(?:[\s,.!…:;–—-]+|$))+",
    re.IGNORECASE,
)
_NO = re.compile(r"^(?:no|nope|nah|nein|non|não|нет)\s*(?:[,.!…–—-]+)\s+(?=\S)", re.IGNORECASE)
_OFFER = re.compile(
    r"^(?:(?:so|ok|then|alternatively|or)[, ]+)?(?:do you )?(?:want|would you like|should|shall|"
    r"can|could)\s+(?:me to|i|we|us to|it be)\s+",
    re.IGNORECASE,
)
_OFFER_ONLY = re.compile(r"^(?:go ahead|continue|proceed|do (?:it|that)|start)\b", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\((?:[^()\s]|\([^()\s]{0,200}\)){1,500}\)")
HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e007f]"
)
"""Characters that show nothing: controls, zero widths, directions, tags."""
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
_LEAST_LEFT = 2


def plain(text: str) -> str:
    """Return a text without Markdown's marks and hidden characters, on one line; of a link its
    words."""
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    line = text.replace("\n", " ")
    if "*" in line or "__" in line or line.startswith(("#", ">")):
        for marked in (_EMPHASIS, _STRONG, _STRONG_WORDS):
            line = marked.sub(r"\1", line)
        line = _HALVES.sub("", line)
    line = " ".join(line.split())
    if line.isascii() and line.isprintable():
        return line
    return " ".join(HIDDEN.sub("", _CONTROLS.sub(" ", line)).split())


def trimmed(text: str) -> str:
    """Return the user's words as an item's line."""
    line = plain(text)
    shorter = _OPENERS.sub("", line)
    answered = _NO.sub("", shorter)
    if len(content(answered)) > _LEAST_LEFT + 1:
        shorter = _OPENERS.sub("", answered)
    if len(content(shorter)) < min(_LEAST_LEFT, len(content(line))):
        shorter = line
    return cut(shorter)


def option(text: str) -> str:
    """Return an option as it is picked: without what joins it to the next in a question."""
    return _JOINT.sub("", plain(text)) or plain(text)


_JOINT = re.compile(r"[\s,;]*(?:\b(?:or|and|oder|ou|o|или)\b)?[\s?？]*$", re.IGNORECASE)


def order(question: str) -> str:
    """Return what a yes to an offer orders: "Want me to rename it?" becomes "rename it".

    A question that is no offer, or that asks which of two, stays as it is.
    """
    line = plain(question)
    found = _OFFER.match(line)
    if found is None or re.search(r"\bor\b", line, re.IGNORECASE):
        return cut(line)
    rest = line[found.end() :].rstrip("?？ ")
    return cut(line if _OFFER_ONLY.match(rest) or len(content(rest)) < _LEAST_LEFT else rest)


def cut(text: str, limit: int = ITEM_CHARS) -> str:
    """Return a text of at most `limit` characters, cut between words."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    at = head.rfind(" ", 2 * limit // 3)
    return (head[:at].rstrip(" ,;:(") if at > 0 else head) + "…"
