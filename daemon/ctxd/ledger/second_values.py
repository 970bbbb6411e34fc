"""What the ledger keeps around the second reader: which sessions wait for it, and what it cost."""

from __future__ import annotations

from typing import Literal

import msgspec

WhyRead = Literal["ended", "ahead", "compacted", "asked"]
"""Why a session is to be read. `ended`: it is over. `ahead`: a compaction is. `compacted`: one was
recorded just now. `asked`: by the user. The later in this list, the sooner it is read."""

URGENCY: tuple[WhyRead, ...] = ("ended", "ahead", "compacted", "asked")


class WantedReading(msgspec.Struct, frozen=True, kw_only=True):
    """A session that waits to be read."""

    agent: str
    session: str
    why: WhyRead
    since: float
    """When it was first wanted, in Unix seconds."""
    tries: int = 0
    """How often it was begun in vain."""
    at: float = 0.0
    """Not before then, in Unix seconds."""
    message: str = ""
    """Why the last try failed, for the user."""

    @property
    def key(self) -> tuple[str, str]:
        """Agent and session id."""
        return self.agent, self.session


class Account(msgspec.Struct, omit_defaults=True, kw_only=True):
    """What readers were asked on one day, and what that cost."""

    calls: int = 0
    """Calls that were begun, whatever became of them."""
    input_tokens: int = 0
    output_tokens: int = 0
    money: float = 0.0
    """US dollars."""
    refused: int = 0
    """Parts of answers that did not count."""
    failed: int = 0
    """Calls that gave no answer, as far as they are over."""
    troubles: dict[str, int] = {}
    """How often there was each `ctxd.reader.values.Trouble`."""
    last_trouble: str = ""
    """That of the last call; empty when it went well."""
    last_message: str = ""
    """The same for the user."""
    last_at: float | None = None
    """When the last call was over, in Unix seconds."""


class OpenCall(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A call that has begun, with what it was counted as."""

    at: float
    input_tokens: int = 0
    output_tokens: int = 0
    money: float = 0.0


class BackendDay(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One backend's part of a day, as it is stored."""

    account: Account = msgspec.field(default_factory=Account)
    under_way: OpenCall | None = None
    """The call of which only the beginning was told. One that was killed stays counted."""
    paces: list[float] = []
    """Seconds that the last calls took which gave an answer."""
