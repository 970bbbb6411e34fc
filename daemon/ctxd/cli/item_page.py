"""One item as a page: facts first, then what happened to it, then the words it rests on."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from textwrap import wrap

from ctxd.cli import words
from ctxd.cli.item_lines import marks
from ctxd.item_report import EvidenceRow, HistoryRow, ShownItem, SpokenRow
from ctxd.policy.shown import REVIEW_TEXT_CHARS, SHOWN_TEXT_CHARS
from ctxd.terminal import Span, Terminal, one_line, short_path

_LABEL_WIDTH = 12
_SPEAKER_WIDTH = 7
_LEAST_WIDTH = 20
_WHOSE = {
    "user": "yours: you said it",
    "confirmed": "the agent's proposal, which you approved",
    "agent": "the agent's alone: you said nothing to it",
}
_OF_THE_RECORD = "somebody's, says the repository's record: its session is not on this machine"
_SECOND = {
    "worded": "put it so; the words it rests on are those below",
    "agrees": "understood the same",
    "refutes": "takes it for nothing that was decided",
    "unnamed": "read the words and does not name it, which makes it less certain",
}
_LASTS = {
    "repo": "for the repository",
    "task": "until its task is done",
    "moment": "only in that exchange",
}
_SPEAKERS = {"user": ("user", "bold green"), "agent": ("agent", "cyan")}
_CUT = "[...]"
_NOT_BRIEFLY = frozenset({"lasts", "certainty", "said again", "compactions", "repository", "log"})
"""Facts that are of no use to who judges an item."""
_DROPPED = frozenset({"weakened", "changed", "lost"})


class ItemPage:
    """Writes one item to one stream."""

    def __init__(self, out: Terminal, shown: ShownItem, *, full: bool) -> None:
        self._out = out
        self._shown = shown
        self._most = None if full else SHOWN_TEXT_CHARS
        """Characters of a text around it that are shown; None: all."""
        self._is_brief = False

    def print(self) -> None:
        """Write all of it."""
        self._head_lines()
        self._section("History", map(self._history, self._shown.history))
        self._quotes("Evidence", self._shown.evidence)
        self._talk()

    def print_briefly(self, place: str) -> None:
        """Write what is needed to judge it, on a screen where that goes; `place` says which one of
        several it is."""
        self._most, self._is_brief = REVIEW_TEXT_CHARS, True
        self._head_lines(place, without=_NOT_BRIEFLY)
        self._quotes("Evidence", self._shown.evidence)
        self._talk()

    def _head_lines(self, place: str = "", without: Container[str] = ()) -> None:
        item = self._shown.item
        known = {item.status, "review" if place else ""}
        sort: list[str] = [item.kind] if place else [item.kind, item.status]
        sort += [mark for mark in marks(item) if mark not in known]
        self._out.print((item.id, "bold cyan"), f"  {', '.join(sort)}", (f"  {place}", "dim"))
        self._block("  ", one_line(item.text), "bold")
        self._out.print()
        for label, value in self._facts():
            if value and label not in without:
                self._labelled(label, value)

    def _facts(self) -> Iterator[tuple[str, str]]:
        shown, item = self._shown, self._shown.item
        yield "understood as", shown.understood_text if item.edited else ""
        yield "filled in", ", ".join(shown.filled)
        yield "whose word", _WHOSE[item.authority] if shown.transcript else _OF_THE_RECORD
        yield "reader", self._second()
        yield "why", item.reason
        for option in item.rejected:
            yield "turned down", option
        yield "about", ", ".join(item.scope)
        yield "lasts", _LASTS[item.durability]
        yield "certainty", f"{item.probability:.0%}{self._certain()}"
        yield "waits because", shown.waits_because
        yield "said again", words.count(item.restated, "time") if item.restated else ""
        title = f' "{one_line(shown.session_title)}"' if shown.session_title else ""
        when = f"{words.minute(item.time)} " if item.time else ""
        yield "compactions", self._compactions()
        yield "said", f"{when}in {item.agent} session {item.session}{title}"
        yield "repository", short_path(item.repository, Path.home())
        yield "log", self._log()

    def _second(self) -> str:
        """What the second reader made of it: whose words the line is, and that the evidence is not
        its."""
        found = self._shown.second_reader
        return f"{found.reader} {_SECOND[found.verdict]}" if found else ""

    def _certain(self) -> str:
        item = self._shown.item
        if item.accepted:
            return ", and you agreed to it" if self._shown.transcript else ", and accepted there"
        return ", waits for your review" if item.waits_for_review else ""

    def _compactions(self) -> str:
        found = self._shown.compactions
        dropped = [one for one in found if one.answer in _DROPPED]
        if not found:
            return ""
        number = words.count(len(found), "compaction")
        if not dropped:
            return f"kept at {number}" if len(found) > 1 else "kept at the only one it went through"
        given = sum(one.given is not None for one in dropped)
        again = f", given back after {words.number(given)}" if given else ""
        return f"lost at {words.number(len(dropped))} of {number}{again}"

    def _log(self) -> str:
        if self._shown.transcript is None:
            return ""
        span = self._shown.transcript_span_bytes
        where = f", from byte {words.number(span[0])}" if span else ""
        return short_path(self._shown.transcript, Path.home()) + where

    def _history(self, row: HistoryRow) -> str:
        when = words.minute(row.time) if row.time else words.NONE
        item = self._shown.item
        parts = [
            "by you" if row.by == "user" else "",
            f'by {row.other_item} "{one_line(row.other_text)}"' if row.other_text else "",
            f"in session {row.session}" if row.session and row.session != item.session else "",
            f'"{one_line(row.text)}"' if row.text and row.text != item.text else "",
        ]
        return f"{when:<16}  {row.type:<12}  {' '.join(filter(None, parts))}".rstrip()

    def _quotes(self, title: str, quotes: Iterable[EvidenceRow]) -> None:
        found = _whole(list(quotes))
        if found:
            self._head(title)
        for quote in found:
            self._said(quote.speaker, self._cut(quote.quote, keep_end=False))

    def _talk(self) -> None:
        """What was said around it: of the agent's texts the end before the user's words, since that
        is what they answer, and the start after them."""
        self._head("Exchange")
        talk = self._nearest() if self._is_brief else self._shown.exchange
        if not talk:
            self._out.print(
                "  ", ("no longer stored; the evidence above is what it rests on", "dim")
            )
        answered = False
        for spoken in talk:
            answered |= spoken.speaker == "user"
            self._said(spoken.speaker, self._cut(spoken.text.strip(), keep_end=not answered))

    def _nearest(self) -> list[SpokenRow]:
        """What was said last before the user's words, these, and what was said first after them."""
        talk = self._shown.exchange
        said = [number for number, spoken in enumerate(talk) if spoken.speaker == "user"]
        first, last = (said[0], said[-1]) if said else (0, len(talk))
        return [*talk[max(first - 1, 0) : last + 2]]

    def _cut(self, text: str, *, keep_end: bool) -> str:
        most = self._most
        if most is None or len(text) <= most:
            return text
        if keep_end:
            return f"{_CUT} {text[-most:].lstrip()}"
        return f"{text[:most].rstrip()} {_CUT}"

    def _section(self, title: str, lines: Iterable[str]) -> None:
        self._head(title)
        for line in lines:
            self._block("  ", line)

    def _head(self, title: str) -> None:
        self._out.print()
        self._out.print((title, "bold"))

    def _labelled(self, label: str, value: str) -> None:
        self._block(("  " + label).ljust(_LABEL_WIDTH + 4), one_line(value), label=True)

    def _said(self, speaker: str, text: str) -> None:
        name, style = _SPEAKERS[speaker]
        lead: Span = (f"  {name:<{_SPEAKER_WIDTH}}", style)
        for line in self._lines(text, 2 + _SPEAKER_WIDTH):
            self._out.print(lead, line)
            lead = " " * (2 + _SPEAKER_WIDTH)

    def _block(self, lead: str, text: str, style: str = "", *, label: bool = False) -> None:
        first: Span = (lead, "dim") if label else lead
        for line in self._lines(text, len(lead)):
            self._out.print(first, (line, style))
            first = " " * len(lead)

    def _lines(self, text: str, indent: int) -> Iterator[str]:
        """The lines of a text, as wide as the terminal where there is one."""
        for line in text.replace("\r\n", "\n").expandtabs().split("\n"):
            if self._out.width is None:
                yield line
                continue
            width = max(self._out.width - indent, _LEAST_WIDTH)
            yield from wrap(self._out.show(line), width, break_on_hyphens=False) or [""]


def _whole(quotes: Sequence[EvidenceRow]) -> list[EvidenceRow]:
    """Quotes without those that stand in a longer one of the same words, or were there before."""
    return [
        one
        for number, one in enumerate(quotes)
        if not any(
            other.event == one.event
            and other.speaker == one.speaker
            and one.quote in other.quote
            and (len(other.quote) > len(one.quote) or at < number)
            for at, other in enumerate(quotes)
        )
    ]
