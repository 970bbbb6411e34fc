"""Words of the user's that nobody should write into a file unasked, however likely they are a rule.

What is hidden in them, what would act where it is written, what fetches code and runs it, what
speaks to a model, what somebody else is said to have said, what is to be written somewhere, and
what is taken back. A person looks at these before they stand anywhere.
"""

from __future__ import annotations

import re

from ctxd.extract.passed_on import others_views, samples
from ctxd.extract.steering import steers
from ctxd.extract.wording import HIDDEN
from ctxd.policy.extraction import DOUBT_CHARS

_ACTS = re.compile(
    r"<!--|-->|<(?:script|iframe|img|svg|object|embed|style|link|meta)\b"
    r"|\b(?:curl|wget|iwr|irm|invoke-webrequest|fetch)\b[^\n|;&]{0,200}"
    r"(?:\|\s*(?:sudo )?(?:ba|z|da)?sh\b|\|\s*(?:iex|python\d?|node|perl|ruby)\b|&&\s*(?:ba)?sh\b)"
    r"|\b(?:base64 (?:-d|--decode)|eval\s*\(|rm -rf [/~])",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?:^|[.!?,;:]\s+|\b(?:but|and|that|because) )(?:the |a |an |my |our |their |some )?"
    r"(?!(?:i|we|you|it|this|that|what|as)\b)[\w-]{2,30}(?: [\w-]{2,20})? "
    r"(?:says|said|writes|wrote|reads|suggests|suggested|recommends|recommended|claims|claimed|"
    r"complains|complained|told (?:me|us))\b",
    re.IGNORECASE,
)

_QUOTED = re.compile(
    r"\b(?:write|add|put|insert|print|translate|say|says|saying|said|wrote|told|posted|docstring"
    r"|comment|message|text|label|title|string|caption|headline)\b[^.!?\n]{0,50}"
    r"(?::\s|\s['\"“‘«])",
    re.IGNORECASE,
)
"""Words that are to be written somewhere, or that somebody else used."""
_TAKEN_BACK = re.compile(
    r"\b(?:scratch that|never ?mind|forget (?:it|that|what)|ignore that|strike that"
    r"|while (?:doing|you(?:['’]re| are)|working on|at it)"
    r"|for this (?:task|change|pr|commit|one))\b",
    re.IGNORECASE,
)
"""Taken back in the same breath, or bound to one piece of work."""


def doubtful(text: str) -> bool:
    """Whether a person should see these words before they are written anywhere."""
    text = text[:DOUBT_CHARS]
    signs = (_REPORTED, _QUOTED, _TAKEN_BACK)
    if acting(text) or steers(text) or others_views(text) or samples(text):
        return True
    return any(sign.search(text) for sign in signs)


def acting(text: str) -> bool:
    """Whether something is hidden in words, or they would act where they are written or run."""
    text = text[:DOUBT_CHARS]
    hides = not text.isascii() and HIDDEN.search(text) is not None
    return hides or _ACTS.search(text) is not None
