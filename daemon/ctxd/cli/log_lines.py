"""Rows of `ctxd log` as people read them: a line each, under the day and the repository."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ctxd.cli import words
from ctxd.terminal import one_line, short_path

if TYPE_CHECKING:
    from ctxd.log_report import LogRow
    from ctxd.terminal import Terminal

_TYPE_WIDTH = 13
_ID_WIDTH = 8
_LEAST_WIDTH = 20
_STYLES = {"captured": "green", "wrote": "bold", "undid": "bold", "rejected": "red"}


class LogLines:
    """Writes rows to one stream, as they come."""

    def __init__(self, out: Terminal, *, repository: bool) -> None:
        """`repository`: whether the rows are of several."""
        self._out = out
        self._repository = repository
        self._heading = ""

    def print(self, row: LogRow) -> None:
        """Write one row, under a heading where it is of another day or place than the last."""
        when = words.minute(row.time) if row.time else f"{words.NONE:<16}"
        day, _, minute = when.partition(" ")
        where = short_path(row.repository, Path.home()) if self._repository else ""
        heading = f"{day}  {where}".rstrip()
        if heading != self._heading:
            self._heading = heading
            self._out.print((heading, "bold"))
        kind = f"you {row.type}" if row.by == "user" else row.type
        lead = f"{minute.strip():<5}  "
        shown = f"{kind:<{_TYPE_WIDTH}}"
        item = f"  {row.item or '':<{_ID_WIDTH}}  "
        text = _said(row)
        if self._out.width is not None:
            room = self._out.width - len(lead + shown + item)
            text = self._out.cut(text, max(room, _LEAST_WIDTH))
        self._out.print((lead, "dim"), (shown, _STYLES.get(row.type, "")), (item, "cyan"), text)


def _said(row: LogRow) -> str:
    """What a row is about, in one line."""
    if row.path is not None:
        lines = words.count(row.lines or 0, "line")
        return f"{lines} in {short_path(row.path, Path.home())}"
    text = one_line(row.text or "")
    by = row.other_item if row.type in ("superseded", "contradicted") else None
    return f"{text} (by {by})" if by else text
