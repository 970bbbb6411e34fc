"""What a second reader makes of an item: the part of `ctxd show` that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from ctxd.item import Item
from ctxd.ledger import Reader

if TYPE_CHECKING:
    from ctxd.reader.values import Findings

Verdict = Literal["worded", "agrees", "refutes", "unnamed"]


class SecondOpinion(msgspec.Struct, frozen=True, kw_only=True):
    """What a language model made of an item. The evidence is the session's words all the same."""

    reader: str
    """Backend and model."""
    verdict: Verdict
    """`worded`: the item's line is its own. `agrees`: it says the same. `refutes`: it takes it for
    none. `unnamed`: it read the words and names it nowhere, which makes it less likely."""
    statement: str
    """As it put it; empty where it did not."""


def second_opinion(item: Item, reader: Reader) -> SecondOpinion | None:
    """What a reader that has read an item's session makes of it; None where none has."""
    found: SecondOpinion | None = None
    unnamed: SecondOpinion | None = None
    for findings in reader.findings_in((item.agent, item.session)):
        found = _opinion(item, findings) or found
        if findings.exchange == item.event:
            unnamed = SecondOpinion(reader=findings.reader, verdict="unnamed", statement="")
    return found or unnamed


def _opinion(item: Item, findings: Findings) -> SecondOpinion | None:
    from ctxd.reader.agreeing import likeness

    one = max(findings.found, key=lambda one: likeness(item, one), default=None)
    if one is not None and likeness(item, one):
        verdict: Verdict = "worded" if _is_worded(item.text, one.statement) else "agrees"
        return SecondOpinion(reader=findings.reader, verdict=verdict, statement=one.statement)
    if item.id in findings.refuted:
        return SecondOpinion(reader=findings.reader, verdict="refutes", statement="")
    return None


def _is_worded(text: str, statement: str) -> bool:
    """Whether a line is the reader's, which is cut where it is long and set in plain words."""
    from ctxd.extract.wording import cut, plain

    return text == cut(plain(statement))
