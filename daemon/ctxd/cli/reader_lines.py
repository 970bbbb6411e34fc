"""The second reader as lines: how the chosen one stands, and what could be chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from textwrap import wrap

from ctxd.cli import words
from ctxd.cli.reader_words import STAYS, goes_to, spent
from ctxd.policy.shown import READINGS_SHOWN
from ctxd.reader_report import BackendRow, ReaderReport, WaitingRow
from ctxd.terminal import Span, Terminal, one_line

_LABEL_WIDTH = 12
_LEAST_WIDTH = 20
_WHY = {
    "ended": "it ended",
    "ahead": "a compaction was ahead",
    "compacted": "a compaction was recorded",
    "asked": "you asked for it",
}
SENT = (
    "What is sent of an exchange: your own words and what the agent said before them, with secrets "
    "cut out; no pastes, no code, no output of tools. `ctxd read --show SESSION` prints it."
)


def print_report(out: Terminal, found: ReaderReport, now: datetime) -> None:
    """Write how the chosen reader stands."""
    if found.chosen is None:
        _labelled(out, "reader", "off: no session text leaves ctxd")
        print_hint(out, "`ctxd reader setup` lists what could read, and where text would go")
        return
    for label, value in _facts(found, found.chosen):
        _labelled(out, label, value)
    for one in found.waiting[:READINGS_SHOWN]:
        _labelled(out, "", _waiting(one, now))
    for what, message, hint in _needs(found, found.chosen, now):
        out.print()
        print_wrapped(out, f"{what}{one_line(message)}", ("! ", "bold yellow"))
        print_hint(out, hint, "  ")


def _facts(found: ReaderReport, chosen: BackendRow) -> Iterator[tuple[str, str]]:
    yield "reader", f"{found.backend}, {chosen.title}"
    yield "text", f"goes {goes_to(chosen.sends_to)}" if chosen.sends_to else STAYS
    yield "ready", f"yes: {chosen.what}" if chosen.is_ready else "no"
    for label in ("model", "base_url", "region", "program"):
        if value := getattr(found, label):
            yield label.replace("_", " "), value
    always = "sessions at their end and around compactions, and what `ctxd read` asks for"
    yield "reads", always if found.unasked else "only what `ctxd read` asks for"
    if found.today is not None:
        yield "today", spent(found.today)
    more = len(found.waiting) - READINGS_SHOWN
    rest = f", these {READINGS_SHOWN} first" if more > 0 else ""
    yield "waiting", words.count(len(found.waiting), "session") + rest if found.waiting else "none"


def _waiting(one: WaitingRow, now: datetime) -> str:
    said = f"{one.session[:8]}, since {_WHY[one.why]} {words.ago(one.since, now)}"
    if not one.tries:
        return said
    again = f", again at {words.minute(one.not_before)[-5:]}" if one.not_before else ""
    return f"{said}; {words.count(one.tries, 'try', 'tries')} in vain{again}"


def _needs(
    found: ReaderReport, chosen: BackendRow, now: datetime
) -> Iterator[tuple[str, str, str]]:
    if not chosen.is_ready:
        yield "it cannot be used: ", chosen.why_not, chosen.hint
    elif found.trouble is not None:
        when = f", {words.ago(found.trouble.time, now)}" if found.trouble.time else ""
        yield "it did not read: ", f"{found.trouble.message}{when}", found.trouble.hint


def print_backends(out: Terminal, found: Sequence[BackendRow], *, numbered: bool) -> None:
    """Write what could be chosen: what it is, how it stands here, and who would get the text, of
    which nothing is cut."""
    width = max(len(one.backend) for one in found) + 2
    for number, one in enumerate(found, 1):
        place = f"{number}  " if numbered else ""
        state = f"ready, {one.what}" if one.is_ready else one.why_not or "not ready"
        style = "bold green" if one.is_ready else "bold"
        lead: Span = (f"{place}{one.backend:<{width}}", style)
        print_wrapped(out, f"{one.title}: {state}", lead)
        where = f"text goes {goes_to(one.sends_to)}" if one.sends_to else f"text {STAYS}"
        print_wrapped(out, where, " " * len(lead[0]))


def print_wrapped(out: Terminal, text: str, lead: Span = "") -> None:
    """Write a paragraph, as wide as the terminal where there is one."""
    indent = len(lead if isinstance(lead, str) else lead[0])
    for line in lines_of(out, text, indent):
        out.print(lead, line)
        lead = " " * indent


def lines_of(out: Terminal, text: str, indent: int) -> list[str]:
    """A text in lines that fit behind an indentation."""
    text = out.show(one_line(text))
    if out.width is None:
        return [text]
    width = max(out.width - indent, _LEAST_WIDTH)
    return wrap(text, width, break_on_hyphens=False) or [""]


def print_hint(out: Terminal, hint: str, indent: str = "") -> None:
    """Write one next step."""
    if hint:
        first, *rest = lines_of(out, f"hint: {hint}", len(indent))
        out.print(indent, ("hint:", "cyan"), first.removeprefix("hint:"))
        for line in rest:
            out.print(indent, line)


def _labelled(out: Terminal, label: str, value: str) -> None:
    for line in lines_of(out, value, _LABEL_WIDTH):
        out.print((f"{label:<{_LABEL_WIDTH}}", "dim"), line)
        label = ""
