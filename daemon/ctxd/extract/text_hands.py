"""How a paragraph is written: as people type to an agent, or as reviews, agents and pages are.

Each trait is looked for when it is first asked for: most messages need few of them.
"""

from __future__ import annotations

import re
from functools import cached_property

from ctxd.extract.text_blocks import Block
from ctxd.policy.extraction import PASTE_STYLE_CHARS, PASTE_WORDY

SAID = frozenset({"prose", "item", "heading", "table_row"})
"""Kinds of blocks that hold words."""

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
_MAIL_WORDS = (
    "rom: ",
    "Subject: ",
    "Sent: ",
    "Date: ",
    " wrote:",
    "egards",
    "Cheers",
    "Sincerely",
    "Best wishes",
    "Mit freundlichen",
)
_AGENT_WORDS = (
    " me to",
    "hall I",
    "hould I",
    "Let me",
    "I've",
    "I have",
    "I'll",
    "absolutely",
    "ood catch",
    "Ready to",
    "sorry for",
    "apolog",
    "Could you",
    "y earlier",
    "y previous",
)


class Signs:
    """What is in a message at all, found fast, so that it need not be looked for in each block."""

    def __init__(self, text: str) -> None:
        self.mail = any(word in text for word in _MAIL_WORDS)
        self.agent = any(word in text for word in _AGENT_WORDS)
        self.glyph = _GLYPH.search(text) is not None


class Hand:
    """How one block is written."""

    def __init__(self, text: str, block: Block, signs: Signs) -> None:
        self._text = text
        self._block = block
        self._signs = signs
        words = text[block.start : min(block.end, block.start + PASTE_STYLE_CHARS)]
        self.text = "" if block.kind not in SAID or _DIALOG in words else words
        self.words = len(self.text.split())

    @cached_property
    def low(self) -> bool:
        """Starts in lower case, as nobody does who writes for others."""
        if self._block.kind != "prose" or not self.text[:1].islower():
            return False
        first = self.text.split(None, 1)[0].rstrip(",.!?:;")
        return first.replace("'", "").isalpha() and first.islower()

    @cached_property
    def casual(self) -> int:
        """Slips and short forms of somebody who types to an agent."""
        return len(_CASUAL.findall(self.text))

    @cached_property
    def own(self) -> bool:
        """Speaks to the agent: asks it, wants, thinks."""
        return _OWN.search(self.text) is not None

    @cached_property
    def order(self) -> bool:
        """Starts with what the agent is to do."""
        return _ORDER.match(self.text) is not None

    @cached_property
    def formal(self) -> int:
        """Marks of writing for others, of six."""
        opened = self.opened
        closed = _CLOSED.search(self.text.rstrip()[-2:]) is not None
        neat = (opened and closed) + (self.words >= PASTE_WORDY)
        return self._marks + neat + (opened and _SENTENCE_START.search(self.text) is not None)

    @cached_property
    def opened(self) -> bool:
        """Starts as a sentence does that is written for others."""
        return self.text[:1].isupper() or self.text[:1] in tuple('`*"“(')

    @cached_property
    def marked(self) -> bool:
        """Is typeset, refers to code, or judges: more than neat prose."""
        return self._marks > 0

    @cached_property
    def _marks(self) -> int:
        typeset = _TYPESET.search(self.text) is not None
        return typeset + (_REFERENCE.search(self.text) is not None) + self.review

    @cached_property
    def wish(self) -> bool:
        """Says what must or should be, as specifications do."""
        return _WISH.search(self.text) is not None

    @cached_property
    def review(self) -> bool:
        """Judges work as reviews do."""
        return _REVIEW.search(self.text) is not None

    @cached_property
    def alien(self) -> bool:
        """Holds what a user does not type: an agent's bullets and offers, the head of a mail."""
        spoken = self._signs.agent and _AGENT.search(self.text) is not None
        return spoken or self.glyph or self.mail

    @cached_property
    def glyph(self) -> bool:
        """Starts with a sign of an agent's terminal."""
        if not self._signs.glyph:
            return False
        start, end = self._block.start, self._block.end
        return _GLYPH.search(self._text, max(0, start - 3), min(end, start + 2)) is not None

    @cached_property
    def mail(self) -> bool:
        """Holds the head of a mail, or its end and something follows."""
        if not self._signs.mail:
            return False
        if _MAIL.search(self.text):
            return True
        end = self._block.end
        return _SIGNED.search(self.text) is not None and bool(self._text[end : end + 80].strip())

    @cached_property
    def latin(self) -> bool:
        """Has letters of the Latin script."""
        return not self.text or _LATIN.search(self.text) is not None
