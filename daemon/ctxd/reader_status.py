"""The part of `ctxd status` that is about the second reader: which one it is, who gets the text,
what of today's budget is spent, and what keeps it from reading."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from ctxd.ledger import Reader
from ctxd.ledger.second_values import Account

if TYPE_CHECKING:
    from ctxd.settings_reader import ReaderSettings

Count = Annotated[int, Meta(ge=0)]
Money = Annotated[float, Meta(ge=0)]

HINTS = {
    "missing": "`ctxd reader` tells what is missing, and how to get it",
    "key": "`ctxd reader setup` takes one and keeps it in the system's keyring",
    "account": "set that right with whoever runs it, or by `ctxd reader setup`; then "
    "`ctxd reader test`",
    "rate": "nothing to do: it is asked again later",
    "slow": "nothing to do: it is asked again later; `ctxd reader test` tells how long it takes",
    "broken": "nothing to do: it is asked again later; `ctxd reader test` tries it now",
    "refused": "nothing to do: that part is left out",
    "long": "`ctxd config set reader.model NAME` chooses a model that takes more",
    "malformed": "`ctxd reader test` tries it; a more capable model answers in the form asked for",
    "budget": "it goes on tomorrow; `ctxd reader` tells what is spent, "
    "`ctxd config set reader.calls_a_day N` (or `tokens_a_day`, `money_a_day`) allows for more",
}
"""What to do about each trouble of a reader."""


class ReaderDay(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked of readers today, and how much may be."""

    calls: Count
    calls_most: Count
    tokens: Count
    """In and out."""
    tokens_most: Count
    money_dollars: Money
    """As far as the backend or the settings tell a price."""
    money_most_dollars: Money
    failed: Count
    """Calls that gave no answer."""
    refused: Count
    """Parts of answers that did not count."""


class ReaderTrouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why a reader did not read."""

    trouble: str
    """`missing`, `key`, `account`, `rate`, `slow`, `broken`, `refused`, `long`, `malformed` or
    `budget`."""
    message: str
    hint: str
    time: datetime | None
    until: datetime | None
    """Nothing is asked before then; None where it goes on with the next question."""


class ReaderStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The reader that the user chose."""

    backend: str
    model: str
    """Empty for the backend's own."""
    sends_to: str
    """Who gets the text; empty where it stays on this machine."""
    unasked: bool
    """Whether it reads sessions without being asked to."""
    today: ReaderDay
    waiting: Count
    """Sessions that wait to be read."""
    trouble: ReaderTrouble | None
    """What keeps it from reading, or else that of the last call; None when all is well."""


def reader_status(reader: Reader | None, chosen: ReaderSettings, now: datetime) -> ReaderStatus:
    """How the reader stands that was chosen; without a ledger it was never asked anything."""
    from ctxd.reader.backends.registry import backend
    from ctxd.reader.budget import day_of

    account = reader.reader_account(day_of(now.timestamp())) if reader else Account()
    return ReaderStatus(
        backend=chosen.backend,
        model=chosen.model,
        sends_to=backend(chosen.backend).sends_to(chosen.choice),
        unasked=chosen.unasked,
        today=_day(account, chosen),
        waiting=len(reader.wanted_readings()) if reader else 0,
        trouble=_trouble(reader, chosen, now) if reader else None,
    )


def _day(account: Account, chosen: ReaderSettings) -> ReaderDay:
    return ReaderDay(
        calls=account.calls,
        calls_most=chosen.calls_a_day,
        tokens=account.input_tokens + account.output_tokens,
        tokens_most=chosen.tokens_a_day,
        money_dollars=account.money,
        money_most_dollars=chosen.money_a_day,
        failed=account.failed,
        refused=account.refused,
    )


def _trouble(reader: Reader, chosen: ReaderSettings, now: datetime) -> ReaderTrouble | None:
    from ctxd.reader.budget import can_call, day_of, next_day
    from ctxd.reader.resting import digest_of, rest_of

    wall = now.timestamp()
    rest, account = rest_of(reader), reader.reader_account(day_of(wall))
    limits = (chosen.calls_a_day, chosen.tokens_a_day, chosen.money_a_day)
    if rest and rest.holds(digest_of(chosen.choice, *limits), wall):
        return _told(rest.trouble, rest.message, rest.since, rest.until)
    if not can_call(account, chosen):
        return _told("budget", "today's budget is spent", account.last_at, next_day(wall))
    own = reader.reader_account(day_of(wall), chosen.backend)
    if own.last_trouble:
        return _told(own.last_trouble, own.last_message, own.last_at)
    return None


def _told(
    trouble: str, message: str, time: float | None, until: float | None = None
) -> ReaderTrouble:
    return ReaderTrouble(
        trouble=trouble,
        message=message,
        hint=HINTS.get(trouble, ""),
        time=_time(time),
        until=_time(until),
    )


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
