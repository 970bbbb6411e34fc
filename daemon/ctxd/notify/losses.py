"""Which of the items that a compaction dropped are worth a notice, and how each reads in it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ctxd.extract.slots import slots
from ctxd.item import Kind, Severity
from ctxd.ledger import Reader
from ctxd.notify.taste import is_taste
from ctxd.notify.values import Level
from ctxd.retention.holding import holding
from ctxd.retention.values import Answer, ItemVerdict, Record

_HOLDS: tuple[Kind, ...] = ("constraint", "scope", "rejection", "correction")
_RULES = frozenset({"forbid", "require"})
_WORST: tuple[Answer, ...] = ("lost", "changed", "weakened")


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """One dropped item."""

    repository: str
    item: str
    """Its id."""
    text: str
    kind: Kind
    severity: Severity = "normal"
    answer: Answer
    passage: str = ""
    """What is said instead, where something is."""


def losses(record: Record, reader: Reader, level: Level) -> list[Loss]:
    """What of a compaction is told on the desktop, the worst first.

    Not what stood in a human's own context file: it was never in danger.
    """
    if level == "off":
        return []
    wanted = [one for one in record.dropped if not one.on_disk_before]
    found = [loss for one in wanted if (loss := _loss(one, reader))]
    return sorted([one for one in found if _is_worth(one, level)], key=_worst_first)


def of_severity(found: Sequence[Loss]) -> Severity:
    """The worst of their severities."""
    return "critical" if any(one.severity == "critical" for one in found) else "normal"


def _is_worth(one: Loss, level: Level) -> bool:
    """Whether a person is called for it. A choice that is worded as a rule is one, too."""
    if one.severity == "critical":
        return True
    binds = one.kind in _HOLDS or slots(one.text).modality in _RULES
    return level == "constraints" and binds and not is_taste(one.text)


def _loss(one: ItemVerdict, reader: Reader) -> Loss | None:
    """None for an item that was forgotten or does not hold any more."""
    state = holding(reader, one)
    if state is None:
        return None
    return Loss(
        repository=one.repository,
        item=one.item,
        text=state.text,
        kind=one.kind,
        severity=one.severity,
        answer=one.verdict.answer,
        passage="" if one.verdict.answer == "lost" else one.verdict.passage,
    )


def _worst_first(one: Loss) -> tuple[bool, int, int]:
    return one.severity != "critical", _WORST.index(one.answer), _HOLDS_FIRST.index(one.kind)


_HOLDS_FIRST: tuple[Kind, ...] = (*_HOLDS, "decision", "intent", "question")
