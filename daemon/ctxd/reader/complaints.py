"""What an agent's program complains of, told by its words: there is nothing else to tell it by.

Its words are looked at and never passed on. They may hold what it was asked, or a piece of a key.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ctxd.policy.reader import READER_COMPLAINT_CHARS, READER_WAIT_TOLD_SECONDS
from ctxd.reader.values import Finished, ReaderError, Trouble

_WAIT = re.compile(
    r"\b(?:try again|retry|wait|reset\w*)\b[^.\n]{0,24}?\b(\d{1,7}(?:\.\d+)?) ?([a-z]+)"
)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


class Sign(NamedTuple):
    """Words that tell of a trouble."""

    words: re.Pattern[str]
    trouble: Trouble
    message: str
    """What the user is told, after the name of the program."""


def sign(words: str, trouble: Trouble, message: str) -> Sign:
    """The sign of a trouble, by a pattern of words in small letters."""
    return Sign(re.compile(words), trouble, message)


COMMON = (
    sign(
        r"context[_ ](?:length|window)|maximum context|too many tokens|token count .{0,40}exceeds"
        r"|prompt is too long|input is too long|request_too_large",
        "long",
        "was asked more than its model takes",
    ),
    sign(
        r"\b401\b|unauthori[sz]ed|unauthenticated|invalid.{0,12}(?:api.?key|credential|token)"
        r"|api.?key.{0,12}(?:invalid|not valid|incorrect)|incorrect api key|not logged in"
        r"|log in again|sign in again|please (?:log|sign) ?in|login required|authentication",
        "key",
        "is not logged in, or its key is not taken",
    ),
    sign(
        r"billing|insufficient.{0,10}(?:quota|credit|balance)|out of credits|no credits|\b402\b"
        r"|payment|subscription",
        "account",
        "has no credit left",
    ),
    sign(
        r"model.{0,60}(?:does not exist|not found|not supported|no access|not available|invalid)"
        r"|unknown model|invalid model|model_not_found",
        "account",
        "does not have the model it was asked for",
    ),
    sign(
        r"\b403\b|permission.?denied|forbidden",
        "account",
        "may not use the model with this login",
    ),
    sign(
        r"\b429\b|rate.?limit|too many requests|usage limit|quota|throttl|resource.?exhausted"
        r"|at capacity|overloaded|high demand|\b529\b",
        "rate",
        "is asked too often, or its server is busy",
    ),
    sign(
        r"content.?filter|safety|content policy|usage polic|flagged|blocked|prohibited",
        "refused",
        "does not want to answer this",
    ),
)
"""Signs that many servers and programs have in common, the most telling first."""


def told(complaint: str, title: str, signs: Sequence[Sign] = COMMON) -> ReaderError | None:
    """The trouble that a complaint tells of, by the first sign that is found in it."""
    words = complaint[:READER_COMPLAINT_CHARS].casefold()
    for one in signs:
        if one.words.search(words):
            wait = _wait(words) if one.trouble == "rate" else None
            return ReaderError(one.trouble, f"{title} {one.message}", wait)
    return None


def ended(finished: Finished, title: str) -> ReaderError:
    """The trouble of a program that has ended for a reason that nothing tells of."""
    how = f"by signal {-finished.code}" if finished.code < 0 else f"with exit code {finished.code}"
    return ReaderError("broken", f"{title} ended {how} and without an answer")


def _wait(words: str) -> float | None:
    """Seconds after which it may be asked again, where that is said."""
    found = _WAIT.search(words)
    if found is None:
        return None
    unit = "ms" if found[2].startswith(("ms", "milli")) else found[2][0]
    seconds = float(found[1]) * _UNITS.get(unit, 0.0)
    return min(seconds, READER_WAIT_TOLD_SECONDS) or None
