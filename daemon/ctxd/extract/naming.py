"""Names for "it": what a line means that says no name, put in and marked as put in.

Only where there is exactly one thing it can mean: the file of the refused or last edit, or the one
name in the question that is answered.
"""

from __future__ import annotations

import re

from ctxd.extract.candidates import Reading
from ctxd.extract.scopes import names
from ctxd.policy.extraction import ITEM_CHARS
from ctxd_parsers.events import AssistantMessage, ToolCall

_PRONOUN = re.compile(
    r"(?<![\w'])(?:(?:it|this|that|them|these|those)(?=\s*(?:$|[,.;!?:)]|again|back|out|here"
    r"|for now|instead|entirely|completely|altogether|anymore|any more|as is|alone|away|off))"
    r"|(?:it|them)(?=\s+(?:by|from|in|into|on|at|without|unless|until|before|after|because|since"
    r"|when|while|directly|manually|yourself|ever)\b))",
    re.IGNORECASE,
)
"""A word that stands for a thing, not for what follows it: "this file" and "it is" name nothing."""


def fill(text: str, reading: Reading) -> tuple[str, tuple[str, ...]]:
    """Return a line with the name of what its pronoun means behind it in brackets, and that name;
    the line as it is where it says a name itself or where more than one could be meant."""
    found = _PRONOUN.search(text)
    if found is None or names([text]):
        return text, ()
    name = _meant(reading)
    if not name or len(text) + len(name) + 3 > ITEM_CHARS:
        return text, ()
    return f"{text[: found.end()]} [{name}]{text[found.end() :]}", (name,)


def _meant(reading: Reading) -> str:
    """The one thing that was being talked about; empty where there is none or more than one."""
    if reading.message.origin == "refusal":
        touched = [path for event in _calls(reading)[-1:] for path in event.paths]
        return touched[0] if len(touched) == 1 else ""
    asked = names([reading.question])
    if asked:
        return asked[0] if len(asked) == 1 else ""
    said = [event for event in reading.spoken.proposal if isinstance(event, AssistantMessage)]
    told = names([said[-1].text[-300:]]) if said else ()
    if told:
        return told[0] if len(told) == 1 else ""
    edited = {path for event in _calls(reading) for path in event.paths}
    return edited.pop() if len(edited) == 1 else ""


def _calls(reading: Reading) -> list[ToolCall]:
    return [event for event in reading.spoken.proposal if isinstance(event, ToolCall)]
