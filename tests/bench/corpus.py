"""Transcripts of the corpus form, as exchanges.

A transcript is JSON Lines, an object a turn: {"i", "role", "text", "ts"}; a turn that holds the
user's own words has them in "words" and how they came in "origin".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ctxd.extract.exchange import AgentEvent, Spoken, UserEvent
from ctxd_parsers.events import (
    AssistantMessage,
    Option,
    QuestionAnswered,
    ToolCall,
    UserMessage,
)

Turn = dict[str, Any]

_PAIR = re.compile(
    r'"((?:[^"]|"(?!=))*)"="(.*?)"(?P<rest> selected preview:| user notes:|, "|\. You can|$|,$)',
    re.DOTALL,
)
_NOTES = re.compile(r' user notes: (.*?)(?=, "|\. You can|$)', re.DOTALL)
_DIALOG = re.compile(r'"label":\s*"((?:[^"\\]|\\.)*)"(?:,\s*"description":\s*"((?:[^"\\]|\\.)*))?')
_QUERY = re.compile(r"<user_query>(.*?)(?:</user_query>|$)", re.DOTALL)
_CUT = re.compile(r"…\[cut \d+ chars\]")
"""What the corpus puts where it has cut a text."""
_EARLIER = 6
_DELIVERY = 60
_LEAST_DELIVERED = 8


class Exchanged(NamedTuple):
    """An exchange, and the number of the turn that answers."""

    turn: int
    spoken: Spoken
    turns: dict[str, int]
    """Event id -> number of its turn."""


def exchanges(path: Path) -> Iterator[Exchanged]:
    """Yield the exchanges of one transcript, in their order."""
    said: list[AgentEvent] = []
    earlier: list[AssistantMessage | UserMessage] = []
    turns: dict[str, int] = {}
    opening = True
    name = path.stem
    lines = path.read_text(encoding="utf-8").strip().split("\n")
    rows: list[Turn] = [json.loads(line) for line in lines]
    for number, turn in enumerate(rows):
        if _delivered(turn, rows[number + 1 : number + 1 + _DELIVERY]):
            continue
        key = f"{name}-{turn['i']}"
        turns[key] = turn["i"]
        if turn["role"] == "user" or "words" in turn:
            answer = answers(name, key, turn, said)
            if answer:
                spoken = Spoken("corpus", name, answer, tuple(said), tuple(earlier), opening)
                yield Exchanged(turn["i"], spoken, turns)
                earlier += [e for e in said if isinstance(e, AssistantMessage)]
                earlier += [e for e in answer if isinstance(e, UserMessage)]
                del earlier[:-_EARLIER]
                said, opening = [], False
        elif turn["role"] == "assistant" and turn.get("kind") is None and turn.get("text"):
            said.append(AssistantMessage(agent="corpus", session=name, id=key, text=turn["text"]))
        elif turn["role"] == "tool" and turn.get("kind") == "tool_use":
            said.append(
                ToolCall(
                    agent="corpus", session=name, id=key, call=key, name="", excerpt=turn["text"]
                )
            )


def _delivered(turn: Turn, later: list[Turn]) -> bool:
    """Whether a queued prompt stands again where the agent got it: that one counts, as it does for
    the parsers."""
    words = (turn.get("words") or "").strip()
    if turn.get("origin") != "queued" or len(words) < _LEAST_DELIVERED:
        return False
    return any((row.get("words") or "").strip()[:80] == words[:80] for row in later)


def answers(name: str, key: str, turn: Turn, said: list[AgentEvent]) -> tuple[UserEvent, ...]:
    """Return what the user said or picked in a turn."""
    words = turn.get("words") or turn["text"]
    origin = turn.get("origin") or "typed"
    if origin == "answer":
        picked = tuple(_picked(name, key, words, said))
        if picked:
            return picked
    if words.lstrip().startswith("The user wants to clarify these questions"):
        return ()
    if "<system_notification>" in words:
        return ()
    query = _QUERY.search(words)
    text = query[1].strip() if query else words
    return (UserMessage(agent="corpus", session=name, id=key, text=text, origin=origin),)


def _picked(name: str, key: str, words: str, said: list[AgentEvent]) -> Iterator[QuestionAnswered]:
    calls = [_CUT.sub("", e.excerpt or "") for e in said if isinstance(e, ToolCall)]
    words = _CUT.sub("", words)
    options = [
        Option(label.replace('\\"', '"'), text.replace('\\"', '"') or None)
        for label, text in _DIALOG.findall(calls[-1] if calls else "")
    ]
    for number, found in enumerate(_PAIR.finditer(words)):
        question, value = found[1].lstrip(', "'), found[2]
        notes = _NOTES.match(words, found.end(2) + 1)
        chosen = tuple(o.label for o in options if o.label in value) or (
            () if notes or len(value) > 90 else (value,)
        )
        typed = notes[1] if notes else (value if not chosen else None)
        own = tuple(o for o in options if o.label in value or len(options) <= 5)
        yield QuestionAnswered(
            agent="corpus",
            session=name,
            id=f"{key}#{number}" if number else key,
            question=question,
            options=own,
            chosen=chosen,
            text=typed,
        )
