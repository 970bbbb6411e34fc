"""Which tool calls keep the start of their arguments: those that the user refused or answered.

That shows only when the call has ended, often in a later batch. Until then an excerpt is kept, so
that no kill can lose one that matters.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable

import msgspec

from ctxd.ledger.keeping import is_kept
from ctxd.policy.ledger import PENDING_CALLS_REMEMBERED
from ctxd_parsers.events import (
    Event,
    PlanDecided,
    QuestionAnswered,
    ToolCall,
    ToolResult,
    UserMessage,
)

Calls = dict[tuple[int, str], int]
"""Numbers of the events of tool calls that have not ended, by session number and call."""


class Excerpts:
    """Decides over the excerpts of one batch, and of earlier calls that end in it."""

    def __init__(
        self, connection: sqlite3.Connection, open_calls: Calls, session_of: Callable[[Event], int]
    ) -> None:
        self._connection = connection
        self._open = open_calls
        self._session_of = session_of
        self._needless: set[tuple[int, str]] = set()

    def settle(self, events: Iterable[Event]) -> None:
        """Look through a batch for calls that end, and take needless excerpts out of the ledger."""
        ended: set[tuple[int, str]] = set()
        needed: set[tuple[int, str]] = set()
        for event in events:
            if isinstance(event, ToolResult):
                (needed if is_kept(event) else ended).add((self._session_of(event), event.call))
            elif isinstance(event, (QuestionAnswered, PlanDecided, UserMessage)) and event.call:
                needed.add((self._session_of(event), event.call))
        self._needless = ended - needed
        for key in ended | needed:
            number = self._open.pop(key, None)
            if number is not None and key in self._needless:
                self._strip(number)

    def needed(self, call: ToolCall, session: int, number: int) -> ToolCall:
        """The call as it is stored under that number: without an excerpt that nobody needs."""
        key = (session, call.call)
        if key in self._needless:
            return msgspec.structs.replace(call, excerpt=None)
        self._open[key] = number
        if len(self._open) > PENDING_CALLS_REMEMBERED:
            del self._open[next(iter(self._open))]
        return call

    def _strip(self, number: int) -> None:
        query = "SELECT body FROM events WHERE number = ?"
        row = self._connection.execute(query, (number,)).fetchone()
        if row and row[0]:
            call = msgspec.msgpack.decode(row[0], type=ToolCall)
            body = msgspec.msgpack.encode(msgspec.structs.replace(call, excerpt=None))
            self._connection.execute("UPDATE events SET body = ? WHERE number = ?", (body, number))
