"""Which items are plain enough to be written unasked.

A wrong rule in a context file misleads every later session, so this is stricter than what is kept
for review: what the user picked in a dialog or said outright, not hedged, not asked, not told as
news, not of this moment only, and likely by the model.
"""

from __future__ import annotations

from ctxd.extract.candidates import Candidate, Reading
from ctxd.extract.classify import Judged
from ctxd.extract.doubts import doubtful
from ctxd.extract.moments import momentary
from ctxd.item import Kind
from ctxd.policy import PLAIN_DIALOG, PLAIN_PICK, PLAIN_WORDS

_OPEN = frozenset({"hedge", "musing", "unsure", "question", "confusion", "inquiry", "guess"})
_NO_RULING = frozenset({"ask", "report", "defer"})


def is_plain(reading: Reading, one: Judged, kind: Kind) -> bool:
    """Whether an item may be written unasked."""
    candidate = one.candidate
    if kind in ("question", "intent"):
        return False
    if candidate.answer is not None and candidate.answer.chosen:
        return one.probability >= PLAIN_DIALOG and not doubtful(candidate.text)
    if candidate.source == "proposal":
        picked = candidate.role == "label" and not doubtful(_said(reading, candidate))
        return picked and one.probability >= PLAIN_PICK
    if momentary(candidate.text) or doubtful(_said(reading, candidate)):
        return False
    run = reading.message.utterances[candidate.first : candidate.last]
    if any(said.acts & _NO_RULING or said.cues & _OPEN for said in run):
        return False
    return one.probability >= PLAIN_WORDS


def _said(reading: Reading, candidate: Candidate) -> str:
    """The words as they were typed."""
    return reading.message.text[candidate.user.start : candidate.user.end]
