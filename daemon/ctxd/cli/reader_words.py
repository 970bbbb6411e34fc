"""The second reader in words: which one, who gets the text, and what of a day's budget is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxd.cli import words

if TYPE_CHECKING:
    from ctxd.reader_status import ReaderDay, ReaderStatus
    from ctxd.terminal import Span

STAYS = "stays on this machine"


def status_line(found: ReaderStatus, width: int | None) -> list[Span]:
    """One line of `ctxd status`: where there is little room, without how the text gets there, and
    with less of what was spent."""
    waiting = f", {words.count(found.waiting, 'session')} waiting" if found.waiting else ""
    whole = f"reader {found.backend}: {goes_to(found.sends_to)}"
    short = whole.partition(",")[0]
    calls, tokens, money = _spent_briefly(found.today)
    forms = [
        (whole, f"  {calls}, {tokens}, {money} today{waiting}"),
        (short, f"  {calls}, {tokens}, {money} today{waiting}"),
        (short, f"  {calls}, {tokens}, {money}{waiting}"),
        (short, f"  {calls}, {money}{waiting}"),
    ]
    fitting = [form for form in forms if width is None or len("".join(form)) <= width]
    said, more = (fitting or forms[-1:])[0]
    return [said, (more, "dim")]


def goes_to(sends_to: str) -> str:
    """Where the text goes."""
    return f"to {sends_to}" if sends_to else STAYS


def _spent_briefly(day: ReaderDay) -> tuple[str, str, str]:
    """Calls, tokens and money of today, in few characters."""
    failed = f", {day.failed} failed" if day.failed else ""
    return (
        f"{day.calls}/{day.calls_most} calls{failed}",
        f"{words.about(day.tokens)}/{words.about(day.tokens_most)} tokens",
        f"{words.dollars(day.money_dollars)}/{words.dollars(day.money_most_dollars)}",
    )


def spent(day: ReaderDay) -> str:
    """What was spent today, and of what budget."""
    said = [
        f"{words.number(day.calls)} of {words.count(day.calls_most, 'call')}",
        f"{words.number(day.tokens)} of {words.count(day.tokens_most, 'token')}",
        f"{words.dollars(day.money_dollars)} of {words.dollars(day.money_most_dollars)}",
    ]
    told = ", ".join(said)
    if day.failed:
        told += f"; {words.count(day.failed, 'call')} without an answer"
    if day.refused:
        told += f"; {words.count(day.refused, 'part')} of answers did not count"
    return told
