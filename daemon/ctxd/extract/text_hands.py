"""How a paragraph is written: as people type to an agent, or as reviews, agents and pages are."""

from __future__ import annotations

import re

import msgspec

from ctxd.extract.text_blocks import Block
from ctxd.policy import PASTE_STYLE_CHARS, PASTE_WORDY

SAID = frozenset({"prose", "item", "heading", "table_row"})
"""Kinds of blocks that hold words."""


class Hand(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How one block is written."""

    words: int = 0
    lines: int = 1
    low: bool = False
    """Starts in lower case, as nobody does who writes for others."""
    casual: int = 0
    """Slips and short forms of somebody who types to an agent."""
    own: bool = False
    """Speaks to the agent: asks it, wants, thinks."""
    order: bool = False
    """Starts with what the agent is to do."""
    formal: int = 0
    """Marks of writing for others, of six."""
    marked: bool = False
    """Whether one of them is more than neat prose: typeset, referring to code, or judging."""
    wish: bool = False
    """Says what must or should be, as specifications do."""
    review: bool = False
    """Judges work as reviews do."""
    alien: bool = False
    """Holds what a user does not type: an agent's bullets and offers, the head of a mail."""
    glyph: bool = False
    """Starts with a sign of an agent's terminal."""
    mail: bool = False
    """Holds the head or the end of a mail."""
    latin: bool = True
    """Whether it has letters of the Latin script."""


_CASUAL = re.compile(
    r"(?:^|(?<=[\s(.,]))(?:i|im|ive|i'm|i'd|i'll|dont|doesnt|cant|wont|didnt|isnt|thats|whats|lets|"
    r"u|ur|y|pls|plz|[Yy]eah|[Yy]ep|[Yy]up|[Nn]ah|[Nn]ope|[Oo]k|OK|okay|[Hh]mm*|mmm|idk|imo|tbh|"
    r"btw|afaik|lol|gonna|wanna|kinda|thx|cuz|bc|smth|fyi)(?=[\s,.!?:]|$)|(?<=\w)\.\.+(?=\s?[a-z])|"
    r"\?\?|\?!|(?<=\s)[:;]-?[)(]"
)
_OWN = re.compile(
    r"\b(?:I(?:'d| would) (?:like|prefer|rather|say)|I (?:think|like|don't|want|guess|agree|"
    r"disagree|wonder|need|believe)|I'm (?:not|leaning|fine|ok)|we (?:should|need|want|don't)|"
    r"[Ll]et's|[Cc]an (?:you|we|u)|[Cc]ould (?:you|we)|[Ss]hould we|[Pp]lease|[Ww]hat do you think|"
    r"[Mm]y (?:take|view|opinion)|[Dd]o you (?:agree|think)|[Ww]hy (?:not|don't|is|are)|"
    r"[Hh]ow do we|[Yy]our (?:take|thoughts))\b"
)
_ORDER = re.compile(
    r"(?:please |pls |now |then |so |and |also |just |ok,? )*(?:review|check|fix|look|address|make|"
    r"add|apply|implement|handle|do|verify|assess|evaluate|tell|explain|summari[sz]e|update|answer|"
    r"reply|respond|go|try|read|investigate|debug|help|see|thoughts|ideas|agreed?|yes|no|same|"
    r"ignore|skip|use|keep|remove|write|run|move|take|start)\b",
    re.IGNORECASE,
)
_AGENT = re.compile(
    r"\b(?:Want me to|Would you like me to|Shall I|Should I (?:go ahead|proceed|start)|"
    r"Let me know (?:if|how|which|when)|I(?:'ve| have) (?:now )?(?:added|implemented|updated|fixed|"
    r"created|verified|refactored)|I'll (?:now|proceed|start|wait|go ahead)|"
    r"You're absolutely right|[Gg]ood catch|Ready to (?:merge|ship|resume)|I(?:'m| am) sorry for|"
    r"I apologi[sz]e|Could you (?:paste|share|provide|confirm|clarify)|[Mm]y (?:earlier|"
    r"previous) (?:call|message|answer|response))\b"
)
_MAIL = re.compile(
    r"(?:^|\n)(?:Reply )?(?:[Ff]rom|Subject|Sent|Date|To): \S[^\n]{0,200}\n"
    r"(?:From|Subject|Sent|Date|To): \S|\bOn [^\n]{6,80} wrote:$"
)
_SIGNED = re.compile(
    r"(?:^|\n)(?:(?:Best|Kind|Warm) [Rr]egards|Regards|Cheers|Sincerely|Best wishes|"
    r"Mit freundlichen)\b"
)
_GLYPH = re.compile(r"[⏺●✻✽⎿❯☒]")
_TYPESET = re.compile(r"[—–→≥≤×§“”‘’…•✅❌✓✔]|\*\*[^*\n]{1,160}\*\*")
_REVIEW = re.compile(
    r"\b(?:Consider(?:s|ing)? [a-z]|[Ss]uggest(?:s|ed|ion)?\b|should be (?:updated|renamed|removed|"
    r"changed|fixed)|[Pp]otential(?:ly)?\b|misleading|incorrect(?:ly)?\b|silently|overwrit|"
    r"edge case|[Cc]urrently\b|Note:|[Nn]it:|[Ss]everity|[Ee]ither \w|contradicts|stale|"
    r"is (?:wrong|false|imprecise)|never (?:touches|applied)|[Pp]lease (?:add|update|decide|"
    r"restrict)|may (?:never|not)|could (?:lead|cause|result)|ensure)"
)
_WISH = re.compile(
    r"\b(?:must|shall|needs? to|wants?|required?|has to|have to|never|always|users? (?:can|should)|"
    r"should (?:be able|have|not|only|always|never))\b|^(?:No|Keep|Use|Only|Don't|Do not) "
)
_REFERENCE = re.compile(
    r"\b[\w/-]{1,80}\.[a-z]{1,5}:\d{1,6}|\([Ll]ines? \d|\b[Ll]ines? \d{1,6}\b|"
    r"`[\w./-]{1,80}(?:\(\))?`"
)
_SENTENCE_START = re.compile(r"[.!?] +(?=[A-Z`\"(])")
_CLOSED = re.compile(r"[.!?:;)`*\"”’]$")
_LATIN = re.compile(r"[A-Za-z]{2}")
_DIALOG = '"="'


def hand(text: str, block: Block) -> Hand:
    """Return how this block of the text is written."""
    words = text[block.start : min(block.end, block.start + PASTE_STYLE_CHARS)]
    glyph = bool(_GLYPH.search(text, max(0, block.start - 3), min(block.end, block.start + 2)))
    if block.kind not in SAID or _DIALOG in words:
        return Hand(glyph=glyph)
    count = len(words.split())
    review = bool(_REVIEW.search(words))
    mail = _is_mail(text, block, words)
    marked = bool(_TYPESET.search(words)) + bool(_REFERENCE.search(words)) + review
    return Hand(
        words=count,
        lines=words.count("\n") + 1,
        low=block.kind == "prose" and _starts_low(words),
        casual=len(_CASUAL.findall(words)),
        own=bool(_OWN.search(words)),
        order=bool(_ORDER.match(words)),
        formal=marked + _neat(words, count),
        marked=marked > 0,
        wish=bool(_WISH.search(words)),
        review=review,
        alien=glyph or mail or _AGENT.search(words) is not None,
        glyph=glyph,
        mail=mail,
        latin=bool(_LATIN.search(words)),
    )


def _is_mail(text: str, block: Block, words: str) -> bool:
    """Return whether this is the head of a mail, or its end and something follows."""
    if _MAIL.search(words):
        return True
    return _SIGNED.search(words) is not None and bool(text[block.end : block.end + 80].strip())


def _starts_low(words: str) -> bool:
    first = words.split(None, 1)[0].rstrip(",.!?:;")
    return first.replace("'", "").isalpha() and first.islower()


def _neat(words: str, count: int) -> int:
    opened = words[:1].isupper() or words[:1] in '`*"“('
    closed = _CLOSED.search(words.rstrip()[-2:]) is not None
    return (
        (opened and closed)
        + (count >= PASTE_WORDY)
        + (opened and _SENTENCE_START.search(words) is not None)
    )
