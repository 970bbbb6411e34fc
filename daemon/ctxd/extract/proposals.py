"""What an answer refers to: the option it names, the question asked last, what was recommended.

The agent's messages are cut into points; a short answer is laid over them. Of a long message the
end is read, where agents put what they want an answer to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from ctxd.extract.acts import cues, labels
from ctxd.extract.message import Message
from ctxd.extract.terms import content
from ctxd.extract.text import SPOKEN, Block, blocks, sentences
from ctxd.policy.extraction import (
    BARE_WORDS,
    LEAST_CONTENT,
    LISTED_POINTS,
    LONGEST_LINE,
    NAMED_POINTS,
    PICK_CHARS,
    POINT_CHARS,
    POINTS_REMEMBERED,
    PROPOSAL_CHARS,
    PROPOSAL_MESSAGES,
    PROPOSAL_POINTS,
    REASONED_WORDS,
    SETTLING_WORDS,
)
from ctxd_parsers.events import AssistantMessage

Role = Literal["label", "named", "question", "recommended", "last", "list"]
"""Why an answer may refer to a point: its label or its words are in the answer, it is the question
asked last, what was recommended, what was said last, or one of a list that is answered as one."""


class Point(msgspec.Struct, frozen=True, gc=False):
    """One thing an agent said: a sentence, a list item, a heading or a table row."""

    event: str
    start: int
    """Offset in the message's text."""
    end: int
    text: str
    kind: str
    label: str
    lead: str
    heading: str
    paragraph: int
    back: int
    """Points between it and the end of its message."""
    message: int
    """Messages between its own and the one answered."""
    question: bool
    recommended: bool
    content: frozenset[str]


class Referent(msgspec.Struct, frozen=True, gc=False):
    """A point that an answer may refer to."""

    point: Point
    role: Role


_RECOMMENDED = re.compile(
    r"\b(?:recommend\w*|suggest\w*|i(?:'d| would) (?:go|lean|say|pick|keep|do|use|avoid|start)|"
    r"my (?:pick|vote|take|preference|lean|default)|lean(?:ing)? (?:to|toward)|"
    r"best (?:option|choice)|"
    r"preferred|simplest|cleanest|propos\w+|empfehl\w*|recomiendo|recommande\w*|рекоменд\w*)\b|推荐|建议|おすすめ",
    re.IGNORECASE,
)
_RECOMMENDING = re.compile(_RECOMMENDED.pattern)
"""The same for texts in lower case, which is found at half the cost."""
_ENUMERATED = re.compile(r"(?:^|\s)[(*]{0,3}(?:Option |option )?(?:2|B|b)(?:[.):]|\*\*)")
_QUESTION_END = re.compile(r"[?？][\s*_)\"'`\]]*$")


def points(
    message: AssistantMessage, distance: int = 0, chars: int = PROPOSAL_CHARS
) -> list[Point]:
    """Return what a message of the agent says, point by point, from the last `chars` of it."""
    found = _points(message.id, message.text, chars)
    if not distance:
        return list(found)
    return [msgspec.structs.replace(point, message=distance) for point in found]


@lru_cache(POINTS_REMEMBERED)
def _points(event: str, whole: str, chars: int) -> tuple[Point, ...]:
    """The points of a text, remembered: it is looked at again with the messages after it."""
    begin = _line_start(whole, max(0, len(whole) - chars))
    text = whole[begin:]
    parts = blocks(text, typed=False)
    spans = _spans(text, parts)[-PROPOSAL_POINTS:]
    found = []
    for back, (start, end, block) in enumerate(reversed(spans)):
        words = text[start:end][:POINT_CHARS]
        about = content(words)
        if not about:
            continue
        above = parts[block.heading] if block.heading is not None else None
        heading = text[above.start : above.end] if above else ""
        found.append(
            Point(
                event,
                begin + start,
                begin + start + len(words),
                words,
                block.kind,
                block.label,
                block.lead,
                heading,
                block.paragraph,
                back,
                0,
                bool(_QUESTION_END.search(words)),
                _recommends(words) or _recommends(heading),
                about,
            )
        )
    return tuple(found[::-1])


def _recommends(words: str) -> bool:
    return bool(words) and _RECOMMENDING.search(words.lower()) is not None


def pool(messages: Sequence[AssistantMessage], answered: Message | None = None) -> list[Point]:
    """Return the points of the last messages of the agent; short ones before the last are talk
    between tool calls and hold none, unless they number what they say. Of those before the last
    only what this answer can reach, when it is given."""
    found: list[Point] = []
    for distance, message in enumerate(reversed(messages[-PROPOSAL_MESSAGES:])):
        long = len(message.text) > PROPOSAL_CHARS // 8
        if distance and answered and not _reaches(answered, message.text):
            continue
        if distance == 0 or long or _ENUMERATED.search(message.text):
            found = points(message, distance) + found
    return found


def _reaches(answered: Message, text: str) -> bool:
    """Whether an answer may name a point of this text: it picks a label, or shares two words."""
    if _picked(answered):
        return True
    own = frozenset().union(*(one.content for one in answered.utterances))
    text = text.lower().replace("’", "'")
    return len(own) > 1 and sum(word in text for word in own) > 1


def last_question(message: AssistantMessage) -> str:
    """The question that a message ends with, or near its end; empty when it asks none."""
    tail = message.text[_line_start(message.text, max(0, len(message.text) - 500)) :]
    if "?" not in tail and "？" not in tail:
        return ""
    parts = blocks(tail, typed=False)
    for sentence in reversed(sentences(tail, parts)[-4:]):
        words = tail[sentence.start : sentence.end]
        if _QUESTION_END.search(words):
            return words
    return ""


def _picked(message: Message) -> tuple[str, ...]:
    """The options that the user's own words pick: also "2. it is one file less", which reads like
    a list of one."""
    if message.shown:
        return labels(" ".join(one.text for one in message.utterances)[:PICK_CHARS])
    text = message.text[:PICK_CHARS]
    letter = _LETTER.match(text)
    picked = labels(text) or ((letter[1],) if letter else ())
    listed = {one.label for one in message.utterances}
    return picked or (tuple(listed) if len(listed) == 1 and "" not in listed else ())


_LETTER = re.compile(
    r"\W*(?:(?i:yes|yup|yep|yeah|ok|okay|sure|ja|sí|si|oui|sim|да)\W+)([A-H])\b(?!['’])"
)
"""A capital behind a yes is no article, whatever follows it: "yup, A and update the docs"."""


def is_operational(question: str) -> bool:
    """Whether a question is about what to do next, not about how something should be."""
    shown = cues(question)
    return ("operation" in shown or "navigation" in shown) and "design" not in shown


def is_short(message: Message) -> bool:
    """Whether a message is so short that its content stands in what it answers."""
    if message.size <= BARE_WORDS:
        return True
    if message.size > max(REASONED_WORDS, SETTLING_WORDS):
        return False
    first = message.utterances[0].acts if message.utterances else frozenset()
    if message.utterances and message.utterances[0].label and _picked(message):
        return message.size <= REASONED_WORDS
    settles = bool(first & {"approve", "choose"}) or bool(_picked(message))
    return settles and message.size <= SETTLING_WORDS


def referents(message: Message, said: Sequence[Point]) -> list[Referent]:
    """Return what a short answer may refer to, each point once."""
    picked = _picked(message)
    last = [point for point in said if point.message == 0]
    asked = [point for point in last if point.question]
    body = [point for point in last if not point.question]
    found: dict[int, Referent] = {}

    def add(role: Role, chosen: Iterable[Point]) -> None:
        for point in chosen:
            if len(point.content) >= LEAST_CONTENT or role == "label":
                found.setdefault(id(point), Referent(point, role))

    add("label", _labelled(said, picked) or _led(last, message))
    if found:
        return list(found.values())
    add("question", asked[-1:])
    add("named", _named(said, message))
    add("recommended", _recommended(body))
    add("last", body[-1:])
    if not picked and _approves(message):
        listed = [p for p in last if p.kind == "item" and p.back < LISTED_POINTS + 4]
        if len(listed) <= LISTED_POINTS:
            add("list", listed)
    return list(found.values())


def untaken(picked: Point, said: Sequence[Point]) -> list[Point]:
    """Return the other options of the enumeration that a picked one is from."""
    if not picked.label:
        return []
    style = picked.label[:1].isdigit()
    return [
        point
        for point in said
        if point.event == picked.event
        and point.label
        and point.label != picked.label
        and point.label[:1].isdigit() == style
        and point.kind == picked.kind
        and point.heading == picked.heading
    ]


def _labelled(said: Sequence[Point], picked: Sequence[str]) -> list[Point]:
    if "*both*" in picked or "*all*" in picked:
        options = [point for point in said if point.label and point.message == 0]
        return options if len(options) <= LISTED_POINTS else []
    found = []
    for label in picked:
        same = [point for point in said if point.label.upper() == label.upper()]
        found += same[-1:]
    return found


def _led(said: Sequence[Point], message: Message) -> list[Point]:
    """The one option whose bold lead-in says just what a message of few words says."""
    if message.size > SETTLING_WORDS or not message.utterances:
        return []
    own = message.utterances[0].content
    found = [p for p in said if p.lead and content(p.lead) and content(p.lead) <= own]
    return found if len(found) == 1 and "refuse" not in message.utterances[0].acts else []


def _recommended(said: Sequence[Point]) -> list[Point]:
    """The point that was recommended last; of "I recommend 2" the one with that label."""
    found = [point for point in said if point.recommended][-1:]
    for point in found:
        verb = _RECOMMENDED.search(point.text)
        named = labels(point.text[verb.end() :].lstrip(" *:")) if verb and not point.label else ()
        return _labelled(said, named) or found if len(named) == 1 else found
    return found


def _named(said: Sequence[Point], message: Message) -> list[Point]:
    if not message.utterances:
        return []
    own = frozenset().union(*(one.content for one in message.utterances))
    options = [p for p in said if p.kind != "prose" and len(p.content & own) >= LEAST_CONTENT]
    return options[-NAMED_POINTS:]


def _approves(message: Message) -> bool:
    return bool(message.utterances) and "approve" in message.utterances[0].acts


def _spans(text: str, parts: Sequence[Block]) -> list[tuple[int, int, Block]]:
    """Return the spans of points: list items, headings and rows whole, prose by sentence."""
    found = []
    seen = set()
    for sentence in sentences(text, parts):
        block = parts[sentence.block]
        if block.kind == "prose":
            found.append((sentence.start, sentence.end, block))
        elif block.kind in SPOKEN and sentence.block not in seen:
            seen.add(sentence.block)
            found.append((block.start, block.end, block))
    return found


def _line_start(text: str, at: int) -> int:
    """The start of the first whole line from an offset on; the offset where there is none."""
    if at == 0:
        return 0
    found = text.find("\n", at - 1)
    return found + 1 if 0 <= found < len(text) - 1 and found - at < LONGEST_LINE else at
