"""Which items are plain enough to be written unasked.

A wrong rule in a context file misleads every later session, so this is stricter than what is kept
for review: what the user picked in a dialog or said outright, not hedged, not asked, not told as
news, not of this moment only, and likely by the model.
"""

from __future__ import annotations

import re

from ctxd.extract.candidates import Candidate, Reading
from ctxd.extract.classify import Judged
from ctxd.extract.doubts import doubtful
from ctxd.extract.message import Utterance
from ctxd.extract.moments import momentary
from ctxd.item import Kind
from ctxd.policy.extraction import PLAIN_DIALOG, PLAIN_PICK, PLAIN_RULE, PLAIN_WORDS

_LEADING = re.compile(
    r"\W{0,3}(?:(?:and|also|ok(?:ay)?|so|please|but|no|well|btw|by the way|important|note|remember"
    r"|rule|going forward|in general|in (?:the )?future|(?:one|another) (?:more )?(?:thing|rule)"
    r"[^:.\n]{0,40})[\s,:;–-]{1,3}){0,4}(?:(?:we|you|i|agents?) )?(?:(?:should|must|will|do) )?"
    r"(?:(?:never|always|must|don['’]?t ever|do not ever|from now on|every time|nie(?:mals)?|immer"
    r"|nunca|siempre|jamais|toujours|sempre|никогда|всегда)\b|永远|绝不|总是|必ず|絶対)",
    re.IGNORECASE,
)
"""A rule stands at the start of its sentence: further on it may be quoted, or part of a task."""
_OPEN = frozenset({"hedge", "musing", "unsure", "question", "confusion", "inquiry", "guess"})
_NO_RULING = frozenset({"report", "defer"})


def is_plain(reading: Reading, one: Judged, kind: Kind) -> bool:
    """Whether an item may be written unasked."""
    candidate = one.candidate
    if kind in ("question", "intent"):
        return False
    if candidate.answer is not None and candidate.answer.chosen:
        return one.probability >= PLAIN_DIALOG and not doubtful(candidate.text)
    # What is doubtful is asked last: it costs most, and few get as far.
    if candidate.source == "proposal":
        is_picked = candidate.role == "label" and one.probability >= PLAIN_PICK
        return is_picked and not any(map(doubtful, (_said(reading, candidate), candidate.text)))
    is_ruled = not momentary(candidate.text) and _ruled(reading, one)
    return is_ruled and not doubtful(_said(reading, candidate))


def _ruled(reading: Reading, one: Judged) -> bool:
    """Whether the user's own words rule, and are likely meant to."""
    run = reading.message.utterances[one.candidate.first : one.candidate.last]
    if any(said.cues & _OPEN or "ask" in said.acts for said in run):
        return False
    if len(run) == 1 and rules(run[0]):
        return one.probability >= PLAIN_RULE
    return one.probability >= PLAIN_WORDS and not any(said.acts & _NO_RULING for said in run)


def rules(said: Utterance) -> bool:
    """Whether a sentence says outright that something holds from now on: never, always."""
    holds = "constrain" in said.acts and "permanence" in said.cues
    return holds and _LEADING.match(said.text) is not None


def _said(reading: Reading, candidate: Candidate) -> str:
    """The words as they were typed."""
    return reading.message.text[candidate.user.start : candidate.user.end]
