"""The form of an answer about a compaction.

There is no room for words of the reader's own: what it says are a label, one of four answers, a
passage that has to stand in the texts, and one of some reasons.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from ctxd.reader.answer import strict

Reason = Literal[
    "same words",
    "other words",
    "number",
    "name",
    "opposite",
    "exception",
    "scope",
    "modality",
    "taken back",
    "cut off",
    "not stated",
]


class JudgedItem(BaseModel):
    """What became of one item."""

    model_config = ConfigDict(extra="ignore")

    item: str
    """Its label: `i3`."""
    answer: Literal["kept", "weakened", "changed", "lost"]
    passage: str
    """That decides, verbatim; empty for one that is lost."""
    why: Reason


class CompactionAnswer(BaseModel):
    """What a reader makes of all the items it was asked about."""

    model_config = ConfigDict(extra="ignore")

    items: list[JudgedItem]


def schema() -> dict[str, Any]:
    """JSON Schema of such an answer, without references and in the strict form."""
    return strict(CompactionAnswer)
