"""Text in a typed message that brings a frame of its own: a mail with its head, a talk with its
speakers, what stands between foreign marks, what somebody "says: ...".

The frame tells that it is somebody else's, whatever hand it is in. Some of it is made to look like
the user's word to whoever reads the session later; so a frame that was opened and never closed
reaches to the end of what it stands in. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxd.extract.text_passages import passages
from ctxd.policy.extraction import FRAME_QUOTE_CHARS, FRAMES_A_MESSAGE

_MAY = re.compile(
    r"^[ \t]*(?:[\"“«„]|<\||<</?sys|</?(?:turn|user|system|assistant|human|session|transcript)\b"
    r"|\[/?(?:system|sys|inst|assistant)\b|\W{0,3}(?:system|assistant|developer)\b[^\n:]{0,12}:"
    r"|#[0-9a-f]{8} |(?:from|subject|von|betreff|de|asunto|objet): \S)"
    r"|\b(?:says?|said|reads?|states?|wrote|writes|returns?|returned|prints?|printed|reports?"
    r"|replied"
    r"|answers?|answered)\b[^\n\"“«„]{0,30}[\"“«„]|regards|cheers|sincerely|grüße|cordialement"
    r"|saludos"
    r"|(?:^|\s)@[\w.-]{2,30}: |^#{2,4} ?(?:instruction|response|input|system|user|assistant)"
    r"|^[ \t]*(?:fwd?|forwarded)\b|^[ \t]*(?:best|kind|warm)\b|\btold (?:me|us)\b"
    r"|^[ \t]*(?:thanks|many thanks|yours \w{4,12}|atentamente|atenciosamente"
    r"|с уважением)[,!.]?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""Without one of these a text has no frame in it."""
_SPEAKER = re.compile(
    r"^[ \t>]*\W{0,3}(?:system|assistant|developer)(?: (?:prompt|message|note))?\W{0,3}:",
    re.IGNORECASE | re.MULTILINE,
)
_MARK = re.compile(
    r"<\|[a-z_]{2,20}\|>|<</?sys>>|\[/?(?:system|sys|inst|assistant)\b[^\]\n]{0,20}\]"
    r"|</?(?:turn|user|system|assistant|human|session|transcript)\b[^>\n]{0,80}>"
    r"|^#{2,4} ?(?:instructions?|response|input|system|user|assistant)\b[ \t]{0,4}:?[ \t]*$"
    r"|^#[0-9a-f]{8} (?:turn|end|note|candidate|earlier|[ck]\d)\b[^\n]{0,80}$",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = re.compile(
    r"^(?:from|to|subject|date|sent|cc|von|an|betreff|de|para|asunto|à|objet): \S[^\n]{0,200}\n"
    r"(?:from|to|subject|date|sent|cc|von|an|betreff|de|para|asunto|à|objet): \S[^\n]{0,200}$",
    re.IGNORECASE | re.MULTILINE,
)
_GREETING = re.compile(
    r"\n\n[ \t]*(?:hi|hello|hey|dear|hallo|liebe[rs]?|guten tag|sehr geehrte[rs]?|bonjour|hola|olá"
    r"|ciao|buongiorno|estimad[oa]s?|здравствуйте|добрый день)\b[^\n.?]{0,40}[,!:]?[ \t]*\n",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"^[ \t]*(?:(?:best|kind|warm)(?: regards| wishes)?|regards|cheers|sincerely|yours \w{4,12}"
    r"|many"
    r" thanks|thanks|mit (?:freundlichen|besten) grüßen|viele grüße|cordialement|bien à vous"
    r"|saludos"
    r"|atentamente|atenciosamente|cordiali saluti|с уважением)[,!.]?[ \t]*(?:\n[^\n]{1,60})?$",
    re.IGNORECASE | re.MULTILINE,
)
_SAYS = re.compile(
    r"\b(?:issues?|tickets?|readme|docs?|documentation|pages?|site|website|mails?|e-?mails?|bots?"
    r"|reviewers?|reviews?|comments?|logs?|output|server|api|response|description|commit|article"
    r"|blog|post|thread|vendor|support|customer|client|linter|tool|#\d{1,6})"
    r"(?: #?\w{1,15}){0,2}? (?:says?|said|reads?|states?|wrote|writes|returns?|returned|prints?"
    r"|printed"
    r"|reports?|replied|answers?|answered)(?: \w{1,12}){0,2}[:：]? ?(?=[\"“«„])",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:he|she|they|it|someone|somebody|ops|support|vendor|boss|colleagues?|customers?|clients?)"
    r"(?: \w{1,15}){0,2} (?:told (?:me|us)|said|wrote|says)(?: \w{1,12}){0,2}[:：]? ?(?=[\"“«„])",
    re.IGNORECASE,
)
_MENTION = re.compile(r"(?:^|(?<=\s))@[\w.-]{2,30}: ")
_FORWARDED = re.compile(r"^[ \t]*(?:fwd?|forwarded)\b[^\n]{0,60}:\s*", re.IGNORECASE | re.MULTILINE)
_CITED = re.compile(
    r"^[ \t]*[\"“«„][^\"“”«»„\n]{30,600}[\"”»“][ ,–-]{0,3}(?=(?:is|was|that['’]?s|so|said|says"
    r"|wrote"
    r"|writes|according|claims|as|the|they|he|she)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_TO_MANY = re.compile(
    r"(?:hi|hello|dear|hallo|liebe[rs]?|sehr geehrte[rs]?|bonjour|hola|olá|cher[s]?|estimad[oa]s?)"
    r" (?:team|all|everyone|everybody|folks|colleagues|customers?|sirs?|madam|mrs?|ms|users?"
    r"|developers?"
    r"|kolleg\w+|damen|kund\w+|équipe|equipo|tod[oa]s|clientes?)\b[^\n]{0,40}\n",
    re.IGNORECASE,
)
_CLOSING = {'"': '"', "“": "”", "«": "»", "„": "“"}
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\Z")


def frames(text: str) -> list[tuple[int, int]]:
    """Return the spans of a typed message that bring a frame of their own, ascending."""
    passed = passages(text)
    if _MAY.search(text) is None:
        return passed
    found = [*passed, *_talks(text), *_marked(text), *_mails(text), *_said(text), *_mentions(text)]
    return sorted(found)


def _talks(text: str) -> Iterator[tuple[int, int]]:
    """Yield what speakers are named in, each to the end of its paragraph."""
    done = 0
    for found in _SPEAKER.finditer(text):
        if found.start() >= done:
            done = _end(text, found.end())
            yield found.start(), done


def _marked(text: str) -> Iterator[tuple[int, int]]:
    """Yield what stands from the first foreign mark, which begins a line, to the last one; of a
    single one, the rest of its paragraph."""
    marks = [(one.start(), one.end()) for one in _MARK.finditer(text)]
    while marks and text[text.rfind("\n", 0, marks[0][0]) + 1 : marks[0][0]].strip():
        del marks[0]
    if marks:
        last = marks[-1][1]
        yield marks[0][0], last if len(marks) > 1 else _end(text, last)


def _mails(text: str) -> Iterator[tuple[int, int]]:
    """Yield mails: from their head, or a greeting in the middle, to who signed them."""
    done = 0
    opened = [(one.start(), True) for one in _HEAD.finditer(text)]
    opened += [(one.start() + 2, False) for one in _GREETING.finditer(text)]
    if greeting := _TO_MANY.match(text):
        opened.append((greeting.start(), False))
    for start, head in sorted(opened)[:FRAMES_A_MESSAGE]:
        if start < done:
            continue
        signed = _SIGNED.search(text, start)
        if signed is not None or head:
            done = signed.end() if signed else len(text)
            yield start, done


def _said(text: str) -> Iterator[tuple[int, int]]:
    """Yield quotations behind "the issue says"."""
    done = 0
    for found in sorted([*_SAYS.finditer(text), *_TOLD.finditer(text)], key=_ends):
        start = found.end()
        if start < done:
            continue
        end = text.find(_CLOSING[text[start]], start + 1) + 1
        if not end or text.find("\n\n", start, end) >= 0:
            end = _end(text, start)
        done = end
        if end - start >= FRAME_QUOTE_CHARS:
            yield start, end


def _mentions(text: str) -> Iterator[tuple[int, int]]:
    """Yield what stands behind a name as chats write it, or was forwarded, to the end of its
    paragraph; and what is cited with its source behind it."""
    yield from ((one.start(), one.end()) for one in _CITED.finditer(text))
    done = 0
    for found in sorted([*_MENTION.finditer(text), *_FORWARDED.finditer(text)], key=_ends):
        if found.start() >= done:
            done = _end(text, found.end())
            yield found.start(), done


def _ends(found: re.Match[str]) -> int:
    return found.end()


def _end(text: str, at: int) -> int:
    """Where the paragraph ends that an offset stands in."""
    found = _PARAGRAPH_END.search(text, at)
    return found.start() if found else len(text)
