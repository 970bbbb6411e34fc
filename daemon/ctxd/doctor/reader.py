"""The second reader: what leaves this machine, whether it can be used, and what it was asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ctxd.cli.words import count
from ctxd.doctor.values import Check, ok, warn
from ctxd.terminal import one_line

if TYPE_CHECKING:
    from ctxd.ledger import Reader
    from ctxd.reader_report import BackendRow
    from ctxd.settings_reader import ReaderSettings


def second_reader(
    chosen: ReaderSettings | None, ledger: Reader | None, now: float
) -> Iterator[Check]:
    """All there is to say of it; without one, that nothing leaves."""
    if chosen is None:
        yield ok("privacy", "no reader: nothing leaves this machine")
        return
    from ctxd.reader_report import row

    found = row(chosen.backend, chosen.choice)
    yield _privacy(found)
    if found.is_ready:
        yield ok("reader", f"{found.backend} is ready: {one_line(found.what)}")
    else:
        message = f"{found.backend} cannot be used: {one_line(found.why_not)}"
        yield warn("reader", message, found.hint or "`ctxd reader setup` chooses another")
    if ledger is not None:
        yield from _account(chosen, ledger, datetime.fromtimestamp(now, UTC))


def _privacy(found: BackendRow) -> Check:
    if not found.sends_to:
        return ok("privacy", f"the reader {found.backend} runs here: nothing leaves this machine")
    told = "what you and your agents say, without secrets, pastes, code and tool output"
    return ok("privacy", f"the reader {found.backend} sends {told}, to {one_line(found.sends_to)}")


def _account(chosen: ReaderSettings, ledger: Reader, now: datetime) -> Iterator[Check]:
    from ctxd.cli.reader_words import spent
    from ctxd.reader_status import reader_status

    status = reader_status(ledger, chosen, now)
    waits = f"; {count(status.waiting, 'session')} waiting" if status.waiting else ""
    said = f"today {spent(status.today)}{waits}"
    # What has it wait is a warning of `ctxd status`, which is told with the others.
    if status.trouble is not None and status.trouble.until is None:
        said += f"; the last call gave no answer: {one_line(status.trouble.message)}"
    yield ok("reader", said)
