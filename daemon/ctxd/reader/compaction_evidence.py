"""What of an answer about a compaction counts.

Nothing that is not shown: an answer that says something of a text needs words of it, verbatim, that
have to do with the item. `kept` is refused where the passage has another number or name, or says
the opposite; `lost` where the comparison found the item's own words. What a text says to whoever
reads it is no word of an item, and so proves none. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import ValidationError

from ctxd.extract.cues.language import UNTOLD, language
from ctxd.extract.steering import steers
from ctxd.policy.reader import READER_PASSAGE_AROUND_CHARS, READER_PASSAGE_CHARS
from ctxd.reader.answer import first_fault
from ctxd.reader.answer_text import raw_answer
from ctxd.reader.compaction_answer import JudgedItem
from ctxd.reader.compaction_values import CompactionChunk, Looked, Shown
from ctxd.reader.quotes import Quoted, find
from ctxd.reader.values import Refusal
from ctxd.retention.after import After, Unit
from ctxd.retention.features import CLASHES, features
from ctxd.retention.judge import judge
from ctxd.retention.languages import put_into_english
from ctxd.retention.matching import Match, match
from ctxd.retention.opposed import opposed
from ctxd.retention.reasons import in_words
from ctxd.retention.record import MESSAGE_STAYS
from ctxd.retention.sought import Sought, sought
from ctxd.retention.values import Reread, Stated, Text, Verdict

OWN_WORDS = frozenset({"word for word", MESSAGE_STAYS})
"""Reasons of the comparison that rest on an item's own words standing there."""

_AGAINST = (*CLASHES, "number gone", "has weak near", "then weak", "cut")
"""Signs that a passage does not keep an item, each with a reason below or that of its name."""
_REASONS: Mapping[str, str] = {
    "number gone": "the item's number is not in it",
    "has weak near": "it does not bind there",
    "then weak": "it does not bind there",
    "cut": "it is cut off",
    "then lifted": "it is taken back there",
    "has lifted": "it is taken back there",
}
_NUMBERS = frozenset({"conflict number", "number other", "counts other", "refused", "unit other"})
_NAMES = frozenset({"shaped", "rival", "spelled other", "conflict name", "label other"})


def checked(text: str, chunk: CompactionChunk) -> tuple[list[Reread], list[Refusal]]:
    """Return what an answer makes of items, as far as it counts, and what does not and why. Raise
    ReaderError when it is no answer."""
    raw = raw_answer(text)
    labels = chunk.labels
    found: dict[str, Reread] = {}
    refusals = list(raw.refusals)
    for number, value in enumerate(raw.items):
        where = f"items[{number}]"
        try:
            told = JudgedItem.model_validate(value)
        except ValidationError as error:
            field, why = first_fault(error)
            refusals.append(Refusal(where, f"{field or 'item'}: {why}"))
            continue
        asked = labels.get(told.item)
        if asked is None or told.item in found:
            why = "there is no such label" if asked is None else "it is answered already"
            refusals.append(Refusal(f"{where}.item", why))
            continue
        verdict = _verdict(told, asked, chunk.shown)
        if isinstance(verdict, str):
            refusals.append(Refusal(f"{where}.passage", f"{told.item}: {verdict}"))
        else:
            found[told.item] = Reread(asked.repository, asked.item, verdict)
    told_of = {label for label in labels if any(_names(value, label) for value in raw.items)}
    refusals += [Refusal("items", f"{label} is not answered") for label in labels.keys() - told_of]
    return list(found.values()), refusals


def _names(value: object, label: str) -> bool:
    return isinstance(value, dict) and value.get("item") == label


def _verdict(told: JudgedItem, asked: Looked, shown: Sequence[Shown]) -> Verdict | str:
    """What counts of an answer, or why it does not."""
    if told.answer == "lost":
        is_there = asked.offline.answer == "kept" and asked.offline.why in OWN_WORDS
        return "its own words stand in the texts" if is_there else Verdict("lost", why="not stated")
    quoted = find(told.passage, [one.part for one in shown])
    why = _fault(told, asked.stated, quoted)
    if why or quoted is None:
        return why
    kind = next(one.kind for one in shown if one.part is quoted.part)
    return Verdict(told.answer, quoted.text, kind, quoted.part.event, _why(told))


def _fault(told: JudgedItem, stated: Stated, quoted: Quoted | None) -> str:
    """Why a passage does not count; empty when it does."""
    if not told.passage.strip():
        return f"`{told.answer}` needs the passage that decides"
    if quoted is None:
        return "it does not stand in the texts word for word"
    if len(quoted.text) > READER_PASSAGE_CHARS:
        return "it is too long: give the shortest one that decides"
    if steers(quoted.text):
        return "it speaks to whoever reads it, and states nothing"
    return against(told.answer, stated, quoted)


def _why(told: JudgedItem) -> str:
    """The reason in a word of ours: see `ctxd.retention.reasons`."""
    if told.answer == "kept":
        return "in other words"
    return "words" if told.why in _KEEPS else told.why


_KEEPS = frozenset({"same words", "other words", "not stated"})


def against(answer: str, stated: Stated, quoted: Quoted) -> str:
    """Why a passage does not show what it is to show; empty when it may."""
    wordings = [sought(text) for text in (stated.text, *stated.quotes)]
    if not any(_is_about(item, quoted) for item in wordings):
        return "it has nothing to do with the item"
    if answer == "kept":
        return _contradicted(stated, wordings, quoted.text)
    if all(_is_whole(item, quoted.text) for item in wordings):
        return "it states the item in its own words"
    return ""


def _is_about(item: Sought, quoted: Quoted) -> bool:
    """Whether a passage, or what stands around it, has anything in common with an item. Of a
    language whose words are not known it need not."""
    if language(item.text) not in {"en", UNTOLD, *put_into_english()}:
        return True
    return any(one.share > 0 for _, one in _matches(item, _around(quoted)))


def _around(quoted: Quoted) -> str:
    """A passage with its paragraph and the line above it, which may say what it is about."""
    text = quoted.part.text
    before = text[max(0, quoted.start - READER_PASSAGE_AROUND_CHARS) : quoted.start]
    behind = text[quoted.end : quoted.end + READER_PASSAGE_AROUND_CHARS]
    lines = before.split("\n")
    return "\n".join([*lines[-2:]]) + quoted.text + behind.split("\n")[0]


def _contradicted(stated: Stated, wordings: Sequence[Sought], passage: str) -> str:
    """Why a passage does not keep an item in any of its wordings; empty when it does in one."""
    reasons = [_sign(item, passage) for item in wordings]
    if not all(reasons):
        return ""
    found = judge(stated, _after(passage))
    return reasons[0] if found.answer != "kept" else ""


def _sign(item: Sought, passage: str) -> str:
    after = _after(passage)
    matches = list(_matches(item, passage, after))
    if not matches:
        return "it says nothing"
    unit, found = max(matches, key=lambda one: one[1].share)
    why = opposed(item, unit.said, found)
    if why:
        return in_words(Verdict("changed", why=why))
    signs = features(item, unit, found, after)
    name = next((name for name in _AGAINST if signs[name]), "")
    return _reason(name) if name else ""


def _reason(name: str) -> str:
    if name in _NUMBERS:
        return "another number or unit stands there"
    if name in _NAMES:
        return "another name stands there"
    return _REASONS.get(name, "it says something else of it")


def _is_whole(item: Sought, passage: str) -> bool:
    """Whether a passage says an item in its own words, with nothing that undoes them."""
    after = _after(passage)
    return any(
        (signs := features(item, unit, found, after))["wholly"] and signs["verbatim"]
        for unit, found in _matches(item, passage, after)
    )


def _after(passage: str) -> After:
    """A passage by itself. As the item of a list it is never taken for a title."""
    return After.of((Text("summary", f"- {passage}"),))


def _matches(
    item: Sought, passage: str, after: After | None = None
) -> Iterator[tuple[Unit, Match]]:
    after = after or _after(passage)
    for unit in after.units:
        yield unit, match(item, unit, after)
