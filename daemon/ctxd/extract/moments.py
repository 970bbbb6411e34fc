"""What holds for a moment only: "don't change anything yet, just explain".

Such words look like a rule, forbid as a rule does, and are spent when the agent has answered. They
are told by what bounds them: a "yet" behind a prohibition to act, a wait until the user has looked,
an order to only answer.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ctxd.policy.extraction import LINES_REMEMBERED, MOMENT_CHARS

_WORK = (
    r"(?:anything|nothing|change|changing|edit|edits|editing|touch|write|writing|code|coding|commit"
    r"|push|run|start|merge|deploy|implement|make|apply|execute|delete|remove|open|install|do|fix"
    r"|build|create|send|publish|release|move|rename|refactor|proceed|continue)"
)
_YET = re.compile(
    rf"\b(?:don['’]?t|do not|no|not|nothing)\b[^.?!\n]{{0,40}}\b{_WORK}\b[^.?!\n]{{0,60}}"
    r"\b(?:yet|for now|right now|at the moment)\b"
    r"|\b(?:noch (?:nichts?|kein\w*)|todavía no|aún no|ainda não|pas encore|пока (?:не|ничего))\b"
)
_BOUND = re.compile(
    r"\b(?:for a (?:minute|moment|second|sec|bit|while)\b|this time\b"
    r"|in this (?:step|turn|message|answer|reply|round)\b|one (?:sec|second|moment|minute)\b"
    r"|let me (?:first )?(?:look|check|see|think|test|try|read|review|have a look)\b"
    r"|(?:until|before|till) i(?:['’]ve| have| had)? (?:say|said|tell|told|look|looked|check"
    r"|checked|see|seen|read|review|reviewed|decide|decided|am back|confirm|confirmed|test|approve)"
    r"\b|while i\b"
    r"|i(?:['’]ve got| have|['’]m having) (?:it|that|them|one) (?:running|open|up)\b"
    r"|(?:just|only) (?:explain|answer|tell me|describe|summari[sz]e|discuss|talk|think|list"
    r"|propose|suggest|a (?:summary|plan|proposal|list|sketch))\b|hold on\b)"
    r"|先别|先不要|暂时不要|まだ.{0,12}(?:ないで|しない)"
)
_ALWAYS = re.compile(
    r"\b(?:never|always|from now on|in (?:the )?future|every time|each time|in general|ever"
    r"|nie(?:mals)?|immer|nunca|siempre|jamais|toujours|sempre|никогда|всегда)\b"
    r"|永远|绝不|总是|必ず|絶対|常に"
)


@lru_cache(LINES_REMEMBERED)
def momentary(text: str) -> bool:
    """Whether what a text demands is over when the agent has answered."""
    text = text[:MOMENT_CHARS].lower()
    if _ALWAYS.search(text):
        return False
    return _YET.search(text) is not None or _BOUND.search(text) is not None
