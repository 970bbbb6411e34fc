"""Items as people read them in a list: a line each, with what there is to know about it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ctxd.cli import words
from ctxd.cli.columns import Column, print_table
from ctxd.terminal import one_line, short_path

if TYPE_CHECKING:
    from ctxd.item_report import ItemRow
    from ctxd.terminal import Span, Terminal

_STYLES = {"critical": "bold red", "review": "yellow"}


def print_items(out: Terminal, shown: Sequence[ItemRow], *, repository: bool = False) -> None:
    """Write a table of items; with the repository of each where they are of several."""
    columns = [
        Column("ID"),
        Column("KIND", drop=2),
        *([Column("REPOSITORY", least=12, keep_end=True)] if repository else []),
        Column("ITEM", least=24),
        Column("NOTE", drop=1),
        Column("SAID", right=True, drop=3),
    ]
    now = datetime.now(UTC)
    print_table(out, columns, [_cells(row, now, repository=repository) for row in shown])


def _cells(row: ItemRow, now: datetime, *, repository: bool) -> list[Span]:
    where = [short_path(row.repository, Path.home()) or words.NONE] if repository else []
    holds = row.status == "active"
    return [
        (row.short_id, "cyan"),
        (row.kind, "dim"),
        *where,
        (one_line(row.text), "" if holds else "dim"),
        _note(row),
        words.ago(row.time, now),
    ]


def _note(row: ItemRow) -> Span:
    notes = marks(row)
    style = next((_STYLES[note] for note in notes if note in _STYLES), "dim")
    return ", ".join(notes), style


def marks(row: ItemRow) -> list[str]:
    """What sets an item apart, the most important first."""
    told = {
        row.status: row.status != "active",
        "critical": row.severity == "critical",
        "review": row.waits_for_review,
        "doubtful": row.status == "active" and row.superseded_by is not None,
        "edited": row.edited,
    }
    return [mark for mark, holds in told.items() if holds]
