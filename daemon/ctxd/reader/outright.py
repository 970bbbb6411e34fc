"""Whether an item that a reader found, or agrees to, may be written unasked.

A reader is as easily misled as anybody, so its word alone is never enough: the user's words must be
plain by the same signs that the offline understanding goes by.
"""

from __future__ import annotations

from ctxd.context_files.guard import needs_review
from ctxd.extract.doubts import doubtful
from ctxd.extract.exchange import Spoken
from ctxd.extract.items import most_telling
from ctxd.extract.message import Message, Utterance, message
from ctxd.extract.moments import momentary
from ctxd.extract.plainness import rules
from ctxd.extract.terms import content
from ctxd.item import Evidence, Item
from ctxd.policy.reader import READER_OWN_SHARE, READER_SURE_ALONE, READER_SURE_PLAIN
from ctxd_parsers.events import QuestionAnswered, UserMessage

_TYPED = frozenset({"typed", "queued", "refusal", "plan_feedback", "answer"})
_BINDING = frozenset({"decision", "rejection", "constraint", "scope", "correction"})
_OPEN = frozenset({"hedge", "musing", "unsure", "question", "confusion", "inquiry", "guess"})
_NO_RULING = frozenset({"report", "defer", "ask"})


def is_clear(item: Item, sure: int, said: Spoken) -> bool:
    """Whether what both understood may be written: a reader that is certain knows a hedged wish for
    what it is."""
    if sure < READER_SURE_PLAIN or not _may_stand(item, said):
        return False
    return sure >= READER_SURE_ALONE or not _wavers(item, said)


def is_outright(item: Item, sure: int, said: Spoken) -> bool:
    """Whether what only a reader found is the user's own explicit word, or was picked: one that
    says outright what always or never holds. Anything less may be somebody else's text that reads
    like the user's, and then the reader is all that speaks for it."""
    if not _may_stand(item, said) or _wavers(item, said):
        return False
    if is_picked(item, said):
        return sure >= READER_SURE_PLAIN
    typed = any(
        event.id == item.event and isinstance(event, UserMessage) and event.origin in _TYPED
        for event in said.answer
    )
    own = content(item.text)
    quoted = content(item.evidence[0].quote)
    carried = len(own & quoted) >= READER_OWN_SHARE * len(own) > 0
    explicit = typed and carried and is_ruled(item, said)
    return explicit and item.authority == "user" and sure >= READER_SURE_ALONE


def is_picked(item: Item, said: Spoken) -> bool:
    """Whether it is what the user picked in a dialog."""
    return any(
        isinstance(event, QuestionAnswered) and event.id == item.event and event.chosen
        for event in said.answer
    )


def is_ruled(item: Item, said: Spoken) -> bool:
    """Whether the user's words say outright that something holds from now on."""
    run = _utterances(item.evidence[0], said) if item.evidence else []
    return len(run) == 1 and rules(run[0])


def deeds(binding: Evidence, said: Spoken) -> tuple[str, str]:
    """The most telling act of the words that bind an item, and their language."""
    found = _message(binding, said)
    does = {act for one in _utterances(binding, said) for act in one.acts}
    return most_telling(does), found.language if found else "en"


def _may_stand(item: Item, said: Spoken) -> bool:
    """Whether it is of a kind that is written, holds for the repository, and is not for a person
    to look at first. Of a quote the sentences that it is cut from are looked at as a whole."""
    if item.kind not in _BINDING or item.durability != "repo" or item.authority == "agent":
        return False
    quotes = [one.quote for one in item.evidence]
    around = [one.text for quote in item.evidence[:1] for one in _utterances(quote, said)]
    return not (
        any(doubtful(one) for one in (item.text, *quotes, *around))
        or needs_review(item.text)
        or any(needs_review(one) for one in quotes)
        or momentary(item.evidence[0].quote if item.evidence else item.text)
    )


def _wavers(item: Item, said: Spoken) -> bool:
    """Whether the user asks, wonders, tells or puts off rather than rules."""
    if not item.evidence or is_picked(item, said):
        return not item.evidence
    run = _utterances(item.evidence[0], said)
    return any(one.cues & _OPEN or one.acts & _NO_RULING for one in run)


def _utterances(binding: Evidence, said: Spoken) -> list[Utterance]:
    found = _message(binding, said)
    end = binding.start + len(binding.quote)
    return [
        one
        for one in (found.utterances if found else ())
        if one.start < end and binding.start < one.end
    ]


def _message(binding: Evidence, said: Spoken) -> Message | None:
    event = next((one for one in said.answer if one.id == binding.event), None)
    return message(event) if isinstance(event, UserMessage) else None
