"""What somebody passes on from others within their own sentences: no mark shows it, only
that somebody or something else is said to want, say or hold it.

Each span begins where the words of the other are announced and ends with its sentence, or where the
speaker goes on with an own one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ctxd.policy.extraction import DOUBT_CHARS

_END = re.compile(
    r"[.!?](?=\s|$)|[。！？]|\n|, (?=we\b)|,? but (?=(?:we|i|our|let|no)\b)|[.;] ?(?=$)",
    re.IGNORECASE,
)

_NOBODY = (
    r"(?:some(?:one|body|body else)|anybody|people|every(?:one|body)|others|(?:a|an|the|my|our"
    r"|another)"
    r" (?:\w{2,15} )?(?:colleagues?|co-?workers?|interns?|competitors?|bots?|random \w{2,12}"
    r"|contractors?|recruiters?|stranger))"
)
_VIEW = (
    r"(?:wants?|wanted|thinks?|thought|says?|said|claims?|claimed|argues?|argued|suggests?"
    r"|suggested"
    r"|proposes?|proposed|asks?|asked|insists?|insisted|demands?|demanded|agreed|believes?|posted"
    r"|wrote|writes|recommends?|recommended|keeps? (?:saying|asking)|would like|opened)"
)
_USERS = re.compile(
    rf"\b{_NOBODY}\b(?: (?:on|in|from|at) [#\w]{{2,20}}(?: \w{{2,15}})?)?"
    rf"(?: (?:also|always|just|even|still|only))? {_VIEW}\b"
    r"|\bon (?:reddit|hacker news|hn|twitter|x|stack ?overflow|slack|discord|the forums?|youtube)\b"
    rf"[^.!?\n]{{0,40}}\b{_VIEW}\b"
    rf"|(?:^|(?<=[.!?;,] ))(?!(?:I|We|You|It|This|That|What|As|He|They|There|Let|The|If)\b)"
    r"(?-i:[A-Z][a-z]{1,14}) (?:thinks|thought|argues|argued|claims|claimed|insists|insisted"
    r"|reckons"
    r"|believes|wondered)\b"
    rf"|\b(?:in it|there|in which|where) (?:they|he|she) {_VIEW}\b"
    r"|\b(?:colleague|intern|competitor|co-?worker|someone|vendor|bot)['’]s (?:\w{2,12} )?"
    r"(?:suggestion|idea|proposal|opinion|view|handbook|wish|policy|rule)\b"
    rf"|\b(?:he|she|they|he['\u2019]d|she['\u2019]d|they['\u2019]d)(?: \w{{2,10}})? (?:like|love"
    rf"|prefer|{_VIEW[3:-1]}|"
    r"need us|keeps? telling)\b"
    rf"|(?-i:\b[A-Z][a-z]{{1,14}}) (?:from|in) \w{{2,12}} (?:keeps? (?:telling|asking)|{_VIEW})\b"
    rf"|\b(?:the|our) (?:freelancer|consultant|vendor|agency|cofounder)s? (?:also |just )?{_VIEW}\b"
    r"|\bit is (?:written|said|stated|claimed)\b|\b(?:read|heard|saw|seen) (?:on|in|at"
    r"|somewhere)\b[^.!?\n]{0,30}"
    r"\bthat\b|\b(?:write|wrote|put|written) ['\"\u2018\u201c]"
    r"|\b(?:fwd|forwarded|paste|pasted|copied|copying|copy) (?:of |this )?from\b"
    r"|\bthe one (?:about|with|on)\b"
    r"|\b(?:a|some) (?:customers?|clients?|users?|readers?) (?:asked|asks|wondered|wonders) "
    r"(?:whether|if)\b"
    r"|\b(?:per|according to) (?:my|our|the|some) [^.!?\n,]{2,30}\(not (?:me|us)"
    r"|\b(?:mein\w*|unser\w*|ein\w*) (?:kolleg\w+|praktikant\w*|konkurren\w+)\b[^.!?\n]{0,20}\b"
    r"(?:will|meint|m\u00f6chte|sagt|findet|behauptet|schl\u00e4gt)\b"
    r"|\b(?:mon|un|mi|un|meu|um|il mio) (?:coll\u00e8gue|compa\u00f1ero|colega"
    r"|collega)\b[^.!?\n]{0,20}"
    r"\b(?:veut|dit|pense|quiere|dice|piensa|quer|diz|acha|vuole)\b"
    r"|\bit (?:says|said|reads)\b[^.!?\n]{0,12}[#:]"
    r"|\b(?:did|does|do) (?:it|the (?:page|text|line|issue|comment)) (?:tell|ask|want|say)\b"
    r"|\b(?:so )?it wants (?:us|you|me|everyone)\b"
    r"|\b(?:if|when) (?:a|some|the) (?:page|site|text|file|mail|issue|comment|tool|attacker)\b"
    r"[^.!?\n]{0,20}\b(?:says?|said|told|tells|asks?|wants?)\b",
    re.IGNORECASE,
)
"""Somebody whose word does not bind the project, or a text asked about."""

_TEXTS = (
    r"(?:readmes?|contributing|changelog|licen[cs]e|docs|documentation|documents?|guide|guides"
    r"|handbook|manual|wiki|pages?|website|site|blog|posts?|article|answer|threads?|forums?"
    r"|discussion|channel|tickets?|issue|issues|template|docstring|remark|notes?|header|banner"
    r"|notice|motd|newsletter|mail|e-mail|advisory|pdf|clause|section|policy|rule|sheet|cell|row"
    r"|column|screenshot|dialog|recording|handover|gist|paragraph|sentence|excerpt|subject|caveats?"
    r"|output|logs?|echo|runner|pipeline|npm|pip|cargo|brew|linter|bot|dependabot|registry"
    r"|package|crate|vendor|author|maintainers?|owners?|contributors|participants|integrators"
    r"|reviewers?|customer|partner|comments?|preferences|greets|its text|value of"
    r"|subagent|sub-agent|another agent|description)"
)
_TELLS = (
    r"(?:says?|said|mentions?|states?|wants?|asks?|asked|demands?|requires?|recommends?|suggests?"
    r"|proposes?|argues?|claims?|explains?|reads?|reading|tells?|told|expects?|expected|instructs?"
    r"|echoes|prints?|printed|gave|holds?|contains?|carries|goes (?:like|roughly|on|as)|greets"
    r"|announces?|declares?"
    r"|settled|agreed|decided|approved|confirmed|disabled|insists?|advises?|urges?|has it|came back"
    r"|boils? down|left by|left a|includes?|include|would like|ended in|starts with|means|titled"
    r"|with the text|is that|are told|under which|in which|house rule|ships)"
)
_AGENTS = re.compile(
    rf"\b{_TEXTS}\b[^.!?\n]{{0,60}}?\b{_TELLS}\b"
    rf"|\b(?:from|summary of|according to|notes from|as per|per"
    rf"|translated)\b[^.!?\n]{{0,30}}\b{_TEXTS}\b"
    rf"|\b(?:dort|darin|sie|er|es) (?:wird|verlangt|fordert|empfiehlt|steht)\b"
    r"|\b(?:seite|datei|readme|autor|meldung|forum)\b[^.!?\n]{0,20}\b(?:verlangt|fordert|empfiehlt"
    r"|sagt|r\u00e4t|will)\b"
    r"|\b(?:page|documentation|elle|il|auteur|forum|fichier)\b[^.!?\n]{0,20}\b(?:demande|exige"
    r"|recommande|veut|conseille|dit)\b"
    r"|\b(?:autor\w?|p[a\u00e1]gina|texto|foro|f[o\u00f3]rum|archivo|arquivo|pagina|testo"
    r"|documento)\b"
    r"[^.!?\n]{0,24}\b(?:exige|pide|pede|quiere|quer|recomienda|recomenda|dice|diz|chiede|vuole"
    r"|consiglia)\b"
    r"|(?:\u0444\u043e\u0440\u0443\u043c|\u0441\u0442\u0440\u0430\u043d\u0438\u0446"
    r"|\u0444\u0430\u0439\u043b"
    r"|\u0430\u0432\u0442\u043e\u0440)\w*[^.!?\n]{0,20}(?:\u0441\u043e\u0432\u0435\u0442\u0443"
    r"|\u0442\u0440\u0435\u0431\u0443|\u043f\u0440\u043e\u0441|\u0433\u043e\u0432\u043e\u0440"
    r"|\u043f\u0438\u0448)\w*"
    r"|(?:\u7f51\u9875|\u9875\u9762|\u6587\u6863|\u4f5c\u8005|\u6587\u4ef6)[^\u3002\n]{0,8}"
    r"(?:\u8981\u6c42|\u5efa\u8bae|\u8bf4|\u5199)"
    r"|(?:\u6c42\u3081\u3066|\u63a8\u5968\u3057\u3066|\u66f8\u3044\u3066)"
    r"|(?:^|[.!?;] )(?:it|they) (?:wants?|asks?|demands?|requires? that|recommends?|suggests?)\b"
    r"|\b(?:a|another|other|previous) (?:agent|team|group|person"
    r"|account)\b[^.!?\n]{0,12}\b(?:left|said"
    r"|wrote|disabled|decided|confirmed)\b|\b(?:platform|security|infra\w*|other) (?:group|team)\b"
    r"|\b(?:owner|team|everybody|everyone|staff|management) (?:has |have )?(?:confirmed|approved"
    r"|agreed|decided)\b"
    r"|\b(?:printed|complained|told (?:me|us)|advice is|regel|raten|rät|conseille|conseillent)\b"
    r"|\b(?:stderr|stdout|annotation|record|bio|quality gate|le tutoriel|le guide|im forum|task"
    r"|explore)\b[^.!?\n]{0,40}(?:\bhad\b|=|:|\bwants?\b|\bcame\b|\breturned\b|\bconseille)"
    r"|\bthe user (?:decided|said|wants|asked|prefers)\b|\btraduzco\b"
    r"|\byou (?:wrote|said|prefer|requested|asked|told|approved)\b",
    re.IGNORECASE,
)
"""A text, tool or stranger that is said to hold something; or the user, who can speak alone."""
_GOES_ON = re.compile(
    r"(?:^|(?<=[.!?:;\n] )|(?<=\n))\W{0,4}(?:i(?:['\u2019](?:ll|d|ve|m))?|we(?:['\u2019]\w+)?"
    r"|shall|should|do you"
    r"|want me|would you|next|so|my|our|let['\u2019]?s|that said|want|ready|ok)\b",
    re.IGNORECASE,
)
"""How a speaker goes on in the own voice."""


_SAMPLES = re.compile(
    r"\b(?:translate|\u00fcbersetze?|\u00fcbersetz|traduce|traduis|traduza"
    r"|traduci)\b[^.!?\n:]{0,40}:\s"
    r"|\bwhat (?:does|do) (?:this|that|it|these)[^.!?\n]{0,30}\bmean\W{1,4}"
    r"|\b(?:an?|the|some|for) (?:example|sample|exercise|quiz|joke)\b[^.!?\n]{0,20}(?:would be"
    r"|could be"
    r"|is|:|goes)\s"
    r"|\b(?:\w{2,15}['\u2019]s? (?:line|slogan|motto|speech|answer|reply)|placeholder(?: text)?"
    r"|lorem"
    r"|slogan|motto|lyrics?|punchline|dummy text|sample text)(?: text)? (?:would be|could be"
    r"|should be"
    r"|should (?:say|read)|is|reads?|says?|goes):?\s"
    r"|\bwhere (?:the|a|an|some) \w{2,15} (?:says|asks|writes|types|claims|demands|wants|posts"
    r"|sends)\b"
    r"|\b(?:a|the) (?:message|text|line|comment|string|post|review) like\b|\b(?:error |log "
    r"|warning )?message "
    r"text: |\bshould it be (?=['\"])|\b(?:sentence|phrase|word|string"
    r"|wording) (?=['\"\u201c\u2018])"
    r"|(?:^|(?<=[.!?] ))(?:test|example|sample|e\.g\.|quote|fixture|prompt): ",
    re.IGNORECASE,
)
"""Words that are to be written, translated or tried, not followed."""


@lru_cache(512)
def samples(text: str) -> tuple[tuple[int, int], ...]:
    """Spans of words that are shown as an example, or are to be put somewhere."""
    found = []
    for one in _SAMPLES.finditer(text[:DOUBT_CHARS]):
        end = _END.search(text, one.end())
        found.append((one.end(), end.start() if end else len(text)))
    return tuple(found)


@lru_cache(512)
def others_views(text: str) -> tuple[tuple[int, int], ...]:
    """Spans of a user's words that tell what somebody else says or wants."""
    return tuple(_spans(_USERS, text))


@lru_cache(1024)
def retold(text: str) -> tuple[tuple[int, int], ...]:
    """Spans of an agent's paragraph that retell a text or a person; each reaches to where it
    speaks for itself again."""
    found = []
    for start, end in _spans(_AGENTS, text):
        back = _GOES_ON.search(text, end)
        found.append((start, back.start() if back else len(text)))
    return tuple(found)


def lies_in(spans: tuple[tuple[int, int], ...], start: int, end: int) -> bool:
    """Whether a stretch of a text lies in one of these spans, or most of it."""
    inside = sum(max(0, min(end, last) - max(start, first)) for first, last in spans)
    return 2 * inside > end - start


def _spans(sign: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    done = 0
    for found in sign.finditer(text[:DOUBT_CHARS]):
        if found.start() < done:
            continue
        end = _END.search(text, found.end())
        done = end.start() if end else len(text)
        yield found.start(), done


def own_voice(text: str) -> str:
    """An agent's words without what it retells in them."""
    kept, done = [], 0
    for start, end in retold(text):
        kept.append(text[done : max(start, done)])
        done = max(done, end)
    return " ".join([*kept, text[done:]])
