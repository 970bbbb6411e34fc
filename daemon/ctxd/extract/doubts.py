"""Words of the user's that nobody should write into a file unasked, however likely they are a rule.

What is hidden in them, what would act where it is written, what fetches code and runs it, and what
somebody else is said to have said. A person looks at these before they stand anywhere.
"""

from __future__ import annotations

import re

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


def doubtful(text: str) -> bool:
    """Whether a person should see these words before they are written anywhere."""
    text = text[:DOUBT_CHARS]
    hides = not text.isascii() and HIDDEN.search(text) is not None
    return hides or _ACTS.search(text) is not None or _REPORTED.search(text) is not None
