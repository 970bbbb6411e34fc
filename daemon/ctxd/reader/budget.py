"""How much a reader may still be asked today.

A day is one of the local clock; what was spent in it stands in the ledger under its date, so that
neither a restart nor a clock that is set back gives anything back.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

import msgspec

SPENT = "today's budget is spent"


class Limits(msgspec.Struct, frozen=True):
    """What a day may cost, or what is left of it."""

    calls: int
    tokens: int
    money: float
    """US dollars."""

    @property
    def is_spent(self) -> bool:
        """Whether nothing more may be asked."""
        return self.calls <= 0 or self.tokens <= 0 or self.money <= 0


class Wishes(Protocol):
    """The settings of it; see `ctxd.settings_reader.ReaderSettings`."""

    @property
    def calls_a_day(self) -> int:
        """Most calls."""

    @property
    def tokens_a_day(self) -> int:
        """Most tokens, in and out."""

    @property
    def money_a_day(self) -> float:
        """Most US dollars."""


class Account(Protocol):
    """What was spent in a day; see `ctxd.ledger.Reader.reader_account`."""

    @property
    def calls(self) -> int:
        """Calls made."""

    @property
    def input_tokens(self) -> int:
        """Tokens sent."""

    @property
    def output_tokens(self) -> int:
        """Tokens answered."""

    @property
    def money(self) -> float:
        """US dollars."""


def day_of(wall: float) -> str:
    """The local day of a time, as the account names it."""
    return datetime.fromtimestamp(wall).date().isoformat()  # noqa: DTZ006 - a day of the user's


def next_day(wall: float) -> float:
    """When the next local day begins."""
    today = datetime.fromtimestamp(wall).replace(hour=0, minute=0, second=0, microsecond=0)  # noqa: DTZ006
    return (today + timedelta(days=1)).timestamp()


def left(account: Account, wishes: Wishes) -> Limits:
    """What is left of a day."""
    return Limits(
        calls=max(0, wishes.calls_a_day - account.calls),
        tokens=max(0, wishes.tokens_a_day - account.input_tokens - account.output_tokens),
        money=max(0.0, wishes.money_a_day - account.money),
    )


def can_call(account: Account, wishes: Wishes) -> bool:
    """Whether one more call may be made: one that costs what the others of the day did."""
    rest, calls = left(account, wishes), max(1, account.calls)
    tokens = (account.input_tokens + account.output_tokens) / calls
    return not rest.is_spent and rest.tokens >= tokens and rest.money >= account.money / calls
