"""Compactions as people read them: when, what was dropped and why ctxd thinks so, what was done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from ctxd.cli import words
from ctxd.compaction_report import CompactionRow, RetainedRow
from ctxd.ledger import KeptItem, SessionRow
from ctxd.policy.shown import (
    COMPACTION_FILES_SHOWN,
    COMPACTION_ITEMS_SHOWN,
    COMPACTION_REQUEST_CHARS,
)
from ctxd.retention.values import ANSWERS, DROPPED
from ctxd.terminal import Span, Terminal, one_line

_LEAST_WIDTH = 20
_INDENT = 4
_STYLES = {"lost": "bold red", "changed": "bold red", "weakened": "yellow", "kept": "green"}
_SAYS = {"summary": "the summary says", "kept": "a kept message says", "file": "a file says"}


class CompactionPages:
    """Writes the compactions of sessions to one stream."""

    def __init__(self, out: Terminal, item: KeptItem | None = None) -> None:
        self._out = out
        self._item = item
        """The item that is asked for, where one is."""

    def print(self, found: Iterable[tuple[SessionRow | None, Sequence[CompactionRow]]]) -> None:
        """Write all of them."""
        if self._item is not None:
            self._block("", one_line(self._item.state.text), "bold")
            self._out.print()
        for at, (session, rows) in enumerate(found):
            if at:
                self._out.print()
            self._session(session, rows)

    def _session(self, session: SessionRow | None, rows: Sequence[CompactionRow]) -> None:
        first = rows[0]
        title = one_line(session.title or "") if session else ""
        self._out.print((f"{first.agent} {first.session}", "bold"))
        if title:
            self._block("", title, "dim")
        for row in rows:
            self._out.print()
            self._compaction(row)

    def _compaction(self, row: CompactionRow) -> None:
        when = words.minute(row.time) if row.time else words.NONE
        about = [row.trigger or "made", _tokens(row), "one of several at once" * row.repeated]
        self._out.print((f"{row.number}", "bold"), f"  {when}  {', '.join(filter(None, about))}")
        for line in filter(None, (_counts(row) if self._item is None else "", _doubt(row))):
            self._block(" " * _INDENT, line, "dim")
        shown = [one for one in row.items if self._item or _is_told(one)]
        for one in shown[:COMPACTION_ITEMS_SHOWN]:
            self._one(one, row)
        more = len(shown) - COMPACTION_ITEMS_SHOWN
        if more > 0:
            self._block(" " * _INDENT, f"and {words.number(more)} more; `--json` has all", "dim")
        if self._item is None:
            self._more(row)
        if row.summary is not None:
            self._summary(row.summary)

    def _one(self, one: RetainedRow, row: CompactionRow) -> None:
        lead = [(f"    {one.answer:<9}", _STYLES.get(one.answer, "dim"))]
        if self._item is None:
            lead.append((f"{one.short_id}  ", "cyan"))
        lines = [] if self._item else [(one_line(one.text), "")]
        lines += [(line, "dim") for line in (*_why(one), *_whose(one), *_done(one, row))]
        self._leading(lead, lines or [("", "")])

    def _more(self, row: CompactionRow) -> None:
        lead = " " * _INDENT
        if row.request_missing:
            request = one_line(row.request_missing)[:COMPACTION_REQUEST_CHARS]
            self._block(lead, f'your last request is not in it: "{request}"')
        if row.nested_files_gone:
            gone = _names(row.nested_files_gone)
            self._block(lead, f"gone until a file there is touched again: {gone}")
        if row.files_not_named:
            self._block(lead, f"files not named: {_names(row.files_not_named)}")

    def _summary(self, summary: str) -> None:
        self._out.print()
        for line in summary.replace("\r\n", "\n").expandtabs().split("\n"):
            self._block("    | ", line)

    def _leading(self, lead: Sequence[Span], lines: Sequence[tuple[str, str]]) -> None:
        width = sum(len(span if isinstance(span, str) else span[0]) for span in lead)
        first: Sequence[Span] = lead
        for text, style in lines:
            for line in self._lines(text, width):
                self._out.print(*first, (line, style))
                first = [" " * width]

    def _block(self, lead: str, text: str, style: str = "") -> None:
        for line in self._lines(text, len(lead)):
            self._out.print(lead, (line, style))
            lead = lead if lead.strip() else " " * len(lead)

    def _lines(self, text: str, indent: int) -> list[str]:
        if self._out.width is None:
            return [text]
        width = max(self._out.width - indent, _LEAST_WIDTH)
        return wrap(self._out.show(text), width, break_on_hyphens=False) or [""]


def _names(paths: Sequence[str]) -> str:
    names = [one_line(path) for path in reversed(paths)]
    more = len(names) - COMPACTION_FILES_SHOWN
    text = ", ".join(names[:COMPACTION_FILES_SHOWN])
    return f"{text} and {more} more" if more > 0 else text


def _tokens(row: CompactionRow) -> str:
    if row.tokens_before is None:
        return ""
    after = words.NONE if row.tokens_after is None else words.number(row.tokens_after)
    return f"{words.number(row.tokens_before)} -> {after} tokens"


def _counts(row: CompactionRow) -> str:
    if not row.judged:
        return "not judged yet"
    numbers = [(answer, getattr(row.counts, answer)) for answer in ANSWERS]
    said = [f"{words.number(number)} {answer}" for answer, number in numbers if number]
    return ", ".join(said) or "no items were in the window"


def _doubt(row: CompactionRow) -> str:
    return "" if row.summary_readable else "the summary cannot be read"


def _is_told(one: RetainedRow) -> bool:
    """Whether something was dropped, or looked so."""
    return one.answer in DROPPED or one.offline_answer in DROPPED


def _whose(one: RetainedRow) -> Iterator[str]:
    """Which verdict is whose, where a reader was asked."""
    if one.reader is None:
        return
    reader = one_line(one.reader) or "the reader"
    if one.reader_answer is None:
        yield f"{reader} was asked, and showed nothing that stands there: the comparison counts"
    elif one.reader_answer == one.offline_answer:
        yield f"so say the comparison and {reader}"
    else:
        yield f"{reader}: {one.reader_answer}; the comparison alone: {one.offline_answer}"


def _why(one: RetainedRow) -> Iterator[str]:
    says = _SAYS.get(one.passage_from or "", "")
    if one.answer != "lost" and one.passage and says:
        yield f'{says}: "{one_line(one.passage)}"'
    if one.why and one.answer in DROPPED:
        yield one_line(one.why)


def _done(one: RetainedRow, row: CompactionRow) -> Iterator[str]:
    """What was done about it; of history nothing is done."""
    if one.answer not in DROPPED:
        return
    parts = []
    if one.on_disk_before:
        parts.append("stood in a context file of yours, so nobody was alarmed")
    if one.given:
        parts.append(f"given back to the agent {words.minute(one.given)}")
    if one.files:
        parts.append(f"in {', '.join(one.files)}")
    if one.owed:
        parts.append("not given back to the agent")
    if parts or row.live:
        yield "; ".join(parts) or "not put back"
