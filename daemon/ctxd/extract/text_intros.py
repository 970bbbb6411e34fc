"""Words by which people announce that somebody else's text follows: "the reviewer said:"."""

from __future__ import annotations

import re
from typing import Literal

from ctxd.policy.extraction import PASTE_CHARS_MIN, PASTE_INTRO_CHARS

_WHO = (
    r"(?:(?:the|an?|my|our|another|other|original|building|coding|review|first|second|"
    r"some) )*(?:reviewers?|agents?|bots?|colleagues?|teammates?|friend(?: of mine)?|users?|"
    r"customers?|clients?|boss|manager|support|vendor|provider|store|maintainers?|model|linter|ci|"
    r"review|he|she|they|someone|somebody|advisors?|auditors?|lead|team|it|page|website|readme|"
    r"article|compiler|manual|docs?|documentation|issue|ticket)"
)
_SAYS = (
    r"(?:said|says|say|wrote|writes|write|replied|replies|found|reported|reports|suggests?|"
    r"suggested|thinks|responded|answered|commented|complains?|complained|sent|came back with|"
    r"gave me|flagged|raised|noted|(?:is|are) (?:handling|fixing|addressing|working on)|(?:didn't|"
    r"did not|doesn't) (?:fully )?agree|disagrees?|told (?:me|us))"
)
_THING = (
    r"(?:feedback|reviews?|comments?|repl(?:y|ies)|response|answer|mail|e-?mail|message|output|"
    r"logs?|errors?|stack ?trace|trace|console|results?|findings?|report|quote|text|article|post|"
    r"thread|notice|warning|analysis|assessment|summary|(?:docs? |web ?|help |wiki )?page|docs"
    r"|website|documentation|wiki|blog|manual|readme|changelog|description|commit message)"
)
_OTHER = re.compile(
    rf"\b{_WHO} (?:just |also |now )?{_SAYS}\b[^.!?\n]{{0,60}}$"
    rf"|\b{_WHO} (?:\w{{1,12}} ){{0,5}}{_SAYS}(?: \w{{1,12}}){{0,3}}:$"
    rf"|\b(?:got|received|have|had) (?:this|these|the following|some|another|"
    rf"an?)\b[^.!?\n]{{0,20}}"
    rf"\b(?:{_THING}\b[^.!?\n]{{0,30}}|from [^.!?\n]{{0,30}})?:$"
    r"|\b(?:found|saw|copied|pasted|got|took) (?:this|that|it|the following) (?:\w{1,12} )?"
    r"(?:in|on|from|at|under) [^.!?\n]{1,60}:$"
    rf"|\b(?:here(?:'s| is| are)|this is|these are|from|see) (?:the |this |some |an? "
    rf"|what |their |its )?[^.!?\n]{{0,30}}\b{_THING}\b[^.!?\n]{{0,30}}:?$"
    rf"|^(?:the |its |their |his |her |this |raw |full |one more |"
    rf"another )*(?:\w+ )?{_THING}(?: \w+){{0,4}}:$"
    rf"|\b(?:this|these|that|the) (?:\w{{1,20}} )?{_THING}(?: \w{{1,12}}){{0,3}}:$"
    r"|^(?:the |a |an |another )?(?:reviewer|review|agent|bot|colleague|customer|user|boss):$"
    r"|^(?:[\w,]+ ){0,4}(?:on|about|regarding|re) (?:this|that)(?: one)?(?:\.{2,}|:)?$"
    r"|^(?:fwd?|forwarded|forward)\b[^.!?\n]{0,60}:$"
    r"|^(?:says|said|wrote|writes|replied) (?:this|that|about|the following)\b[^.!?\n]{0,60}:$",
    re.IGNORECASE,
)
_OTHER_LANGUAGES = re.compile(
    r"\b(?:schreibt|sagt|meint|meinte|schrieb|gesagt|geschrieben|antwortet|dice|dijo|escribió|"
    r"respondió|"
    r"a dit|écrit|répond|disse|escreveu|respondeu|пишет|написал|сказал|ответил)[^.!?\n]{0,40}[:：]$"
    r"|\b(?:Ausgabe|Fehlermeldung|Rückmeldung|Antwort|salida|respuesta|sortie|réponse|saída|resposta|"
    r"вывод|лог|ошибка|ответ|отзыв)[^.!?\n]{0,20}[:：]$"
    r"|(?:说|回复|反馈|评审|评论|输出|报错|日志|错误信息|出力|エラー|レビュー|返信|コメント|ログ)"
    r"[^。！？\n]{0,12}[:：]$",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:my (?:feedback|review|comments?|answers?|repl(?:y|ies)|thoughts|notes|wishes|"
    r"requirements|list)|"
    r"i (?:want|need|would like|suggest|think|propose)|we (?:want|need)|requirements?|"
    r"should (?:be|have|look)|"
    r"must|steps?|todo|to do|following:|as follows)\b"
    r"|^(?:please |pls |now |then |and |also )*(?:open|write|create|add|make|file|put|use|change|"
    r"replace|rename|set|draft|note|do|build|implement)\b",
    re.IGNORECASE,
)
_OPENING_QUOTES = '"“„«'
_COLON = re.compile(r":[ \t]+(?=\S)")


def announces_own(line: str) -> bool:
    """Return whether this line announces words of the user's own."""
    return _OWN.search(line) is not None


def introduces(line: str) -> Literal["other", "colon", ""]:
    """Return what the end of this line announces: another's text, something, or nothing."""
    line = line[-PASTE_INTRO_CHARS:]
    if announces_own(line):
        return ""
    if _OTHER.search(line) or _OTHER_LANGUAGES.search(line):
        return "other"
    return "colon" if line.endswith((":", "：")) else ""


def introduced_inside(text: str, start: int, end: int) -> int:
    """Return where in this block another's text begins that the same block introduces, or 0."""
    found = _COLON.search(text, start, min(end, start + PASTE_INTRO_CHARS))
    if found is None or found.end() >= end:
        return 0
    first = text[found.end()]
    if first not in _OPENING_QUOTES:
        long_enough = end - found.end() >= PASTE_CHARS_MIN
        if not long_enough or not (first.isupper() or first == "`"):
            return 0
    line = text[start : found.start() + 1]
    return found.end() if "\n" not in line and introduces(line) == "other" else 0
