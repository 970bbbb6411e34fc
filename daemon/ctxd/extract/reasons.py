"""Why something was decided, in the words that were said."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxd.policy.extraction import REASON_CHARS

_AFTER = re.compile(
    r"\b(?:because|since|so that|otherwise|as otherwise|or else|to avoid|in order to|so (?:we|it|i|"
    r"they|people|users?|nobody|that)|the (?:risk|reason|point|idea|problem|issue) (?:is|being)|"
    r"due to|given that|cause|coz|cuz|weil|damit|sonst|porque|para que|parce que|pour que|sinon|"
    r"para que|senão|потому что|чтобы|иначе)\b"
    r"|(?<=[,;:–—-] )(?:nobody|no one)\b(?! (?:may|must|should|can)\b)|"
    r"因为|否则|以免|ため|から(?=[。、]|$)",
    re.IGNORECASE,
)
_MAY_TELL = re.compile(_AFTER.pattern)
"""The same for texts in lower case, which is found at half the cost."""
_WHOLE = re.compile(
    r"\b(?:too (?:big|small|slow|hard|risky|complicated|complex|expensive|noisy|much|many|long|"
    r"fragile|early|late)|(?:that|this|it)(?:'s| is| would be| will be)? (?:would |will |just )?"
    r"(?:break|breaks|confus\w+|overkill|annoying|dangerous|wrong|safer|simpler|cleaner|faster|"
    r"easier|better|clearer)|makes? (?:it|things|sense)|not worth)\b",
    re.IGNORECASE,
)
_SINCE_TIME = re.compile(
    r"\bsince (?:last|yesterday|the|v?\d|then|we (?:started|moved))", re.IGNORECASE
)


def reason_of(sentences: Sequence[str], beside: Sequence[str] = ()) -> str:
    """Return the reason in the sentences of an item or, failing that, beside it; empty if none."""
    for group in (sentences, beside):
        for sentence in group:
            found = _MAY_TELL.search(sentence.lower()) and _AFTER.search(sentence)
            if found and not _SINCE_TIME.match(sentence, found.start()):
                return _clean(sentence[found.start() :])
        for sentence in group:
            if _WHOLE.search(sentence) and not sentence.rstrip().endswith(("?", "？")):
                return _clean(sentence)
    return ""


def stated(sentences: Sequence[str]) -> str:
    """Return what stands behind an option's number as its reason: "2. we run one process".

    A clause with a subject of its own tells why; one without says how ("but keep the old flag").
    """
    found = _STATED.search(" ".join(sentences))
    return _clean(found[1]) if found else ""


_STATED = re.compile(
    r"(?:^|[.,;:!–-]\s*)((?:we|i|it|it'?s|that'?s|this|that|there|they|our|the)\s+\w.*)$",
    re.IGNORECASE | re.DOTALL,
)


_BECAUSE = re.compile(
    r"^(?:because|cause|coz|cuz|weil|porque|parce que|потому что)\s+", re.IGNORECASE
)
"""What every reason could begin with; it is printed behind a word of its own."""


def _clean(text: str) -> str:
    line = _BECAUSE.sub("", " ".join(text.split())).rstrip(" .!;,")
    return line if len(line) <= REASON_CHARS else line[: REASON_CHARS - 1].rsplit(" ", 1)[0] + "…"
