"""The second reader in words: which one, who gets the text, and what of a day's budget is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxd.cli import words

if TYPE_CHECKING:
    from ctxd.reader_status import ReaderDay, ReaderStatus
    from ctxd.terminal import Span

STAYS = "stays on this machine"


def status_line(found: ReaderStatus, width: int | None) -> list[Span]:
    """One line of `ctxd status`: where there is little room, without how the text gets there."""
    more = f"  {spent_briefly(found.today)}"
    if found.waiting:
        more += f", {words.count(found.waiting, 'session')} waiting"
    whole = f"reader {found.backend}: {goes_to(found.sends_to)}"
    if width is not None and len(whole) + len(more) > width:
        whole = whole.partition(",")[0]
    return [whole, (more, "dim")]


def goes_to(sends_to: str) -> str:
    """Where the text goes."""
    return f"to {sends_to}" if sends_to else STAYS


def spent_briefly(day: ReaderDay) -> str:
    """What was spent today, in few characters."""
    return (
        f"{day.calls}/{day.calls_most} calls, "
        f"{words.about(day.tokens)}/{words.about(day.tokens_most)} tokens, "
        f"{words.dollars(day.money_dollars)}/{words.dollars(day.money_most_dollars)} today"
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
