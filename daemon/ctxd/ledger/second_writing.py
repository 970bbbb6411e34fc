"""What is stored of the second reader's doings; `SecondWriter` is that part of `Ledger`.

What it found was paid for: it is stored in the transaction that has its exchanges judged again, and
stays whatever is chosen later. A call is counted when it begins, so that one that is never heard of
again has cost something, too.
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import msgspec

from ctxd.exchange import Exchange, Talk
from ctxd.ledger import item_writing, second_forgetting
from ctxd.ledger.decoding import decoded
from ctxd.ledger.item_keeping import evidence_as_kept
from ctxd.ledger.item_values import Pending
from ctxd.ledger.keeping import shortened
from ctxd.ledger.second_reading import WANTED_FIELDS, days
from ctxd.ledger.second_values import URGENCY, BackendDay, OpenCall, WantedReading, WhyRead
from ctxd.policy.daemon import MAX_ID_CHARS
from ctxd.policy.reader import READER_DAYS_KEPT, READER_MESSAGE_CHARS, READER_PACES_KEPT
from ctxd.redact import redact
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    Event,
    PlanDecided,
    QuestionAnswered,
    ToolCall,
    UserMessage,
)

if TYPE_CHECKING:
    from ctxd.ledger.values import Key
    from ctxd.reader.values import Called, Finding, Findings

_encode = msgspec.msgpack.Encoder().encode
_THIS = "agent = ? AND session = ?"
_PRUNED = (
    "SELECT 1 FROM sessions s WHERE s.agent = ? AND s.id = ? AND s.body IS NULL "
    "AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session = s.number)"
)
_TALK = (UserMessage, QuestionAnswered, PlanDecided, AssistantMessage, ToolCall, Cleared)


class SecondWriter(ABC):
    """The part of `Ledger` that is about the second reader."""

    _clock: Callable[[], float]

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[sqlite3.Connection]: ...

    @abstractmethod
    def events(self, session: Key, kinds: Any = (), *, withdrawn: bool = False) -> Iterator[Event]:
        """See `Reader.events`."""

    def want_reading(self, key: Key, why: WhyRead, at: float) -> None:
        """Store that a session is to be read, not before `at`.

        One that waits already goes on waiting for the more urgent of both reasons; one whose
        reading failed is not tried sooner, unless the user asks for it.
        """
        with self._transaction() as connection:
            want(connection, key, why, at, self._clock())

    def end_reading(
        self, key: Key, *, again_at: float | None, message: str = "", begun: float | None = None
    ) -> None:
        """Store that a session waits no longer, or that reading it failed and is tried again then.

        With the time at which the reading was begun, it goes on waiting when it was wanted again
        since: there is more to read.
        """
        with self._transaction() as connection:
            end(connection, key, again_at, message, begun)

    def read_anew(self, key: Key) -> None:
        """Store that nothing of a session was read; what was found in it stays until then."""
        with self._transaction() as connection:
            connection.execute(f"DELETE FROM readings WHERE {_THIS}", key)  # noqa: S608 - our own words

    def keep_findings(self, key: Key, digest: str, findings: Sequence[Findings]) -> None:
        """Store that a chunk of a session was read and what was found in it; the exchanges that it
        was about wait to be judged with that. Texts are redacted once more. Of a session that lost
        its events meanwhile nothing is kept: its words are to be gone."""
        wanted = {one.exchange for one in findings}
        exchanges = _exchanges(self.events(key, _TALK), wanted) if wanted else {}
        pending = [Pending(*key, exchange) for exchange in exchanges.values()]
        with self._transaction() as connection:
            if connection.execute(_PRUNED, key).fetchone():
                return
            now = self._clock()
            connection.execute("INSERT OR REPLACE INTO readings VALUES (?, ?, ?)", (*key, digest))
            for one in findings:
                found = second_forgetting.still_known(connection, key[0], one)
                _write(connection, key, found, now)
            item_writing.write_pending(connection, pending, now)

    def count_call(self, day: str, backend: str, called: Called, *, begun: bool = False) -> None:
        """Count a call to a day's account: with `begun` when it begins, with what it will cost at
        least, and without when it is over, with what it did cost.

        A call that is over without having been begun is counted whole.
        """
        with self._transaction() as connection:
            if begun:
                _begin_call(connection, (day, backend), called, self._clock())
            else:
                _end_call(connection, (day, backend), called, self._clock())


def want(connection: sqlite3.Connection, key: Key, why: WhyRead, at: float, now: float) -> None:
    """Store that a session is to be read; see `SecondWriter.want_reading`."""
    query = f"SELECT {WANTED_FIELDS} FROM readings_wanted WHERE {_THIS}"  # noqa: S608 - our own words
    row = connection.execute(query, key).fetchone()
    one = WantedReading(agent=key[0], session=key[1], why=why, since=now, at=at)
    if row:
        known = WantedReading(**dict(zip(WantedReading.__struct_fields__, row, strict=True)))
        one = _both(known, one)
    values = tuple(getattr(one, name) for name in WantedReading.__struct_fields__)
    connection.execute(
        f"INSERT OR REPLACE INTO readings_wanted ({WANTED_FIELDS}, wanted) "  # noqa: S608 - our own words
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (*values, now),
    )


def _both(known: WantedReading, new: WantedReading) -> WantedReading:
    why = max(known.why, new.why, key=URGENCY.index)
    if new.why == "asked":
        return msgspec.structs.replace(new, since=known.since)
    if known.tries:
        return msgspec.structs.replace(known, why=why)
    return msgspec.structs.replace(known, why=why, at=min(known.at, new.at))


def end(
    connection: sqlite3.Connection,
    key: Key,
    again_at: float | None,
    message: str,
    begun: float | None,
) -> None:
    """Store what became of a reading; see `SecondWriter.end_reading`."""
    if again_at is not None:
        connection.execute(
            "UPDATE readings_wanted SET tries = tries + 1, at = ?, message = ? "  # noqa: S608 - our own words
            f"WHERE {_THIS}",
            (again_at, redact(message)[:READER_MESSAGE_CHARS], *key),
        )
        return
    connection.execute(
        f"DELETE FROM readings_wanted WHERE {_THIS} AND (wanted <= ? OR ? IS NULL)",  # noqa: S608 - our own words
        (*key, begun, begun),
    )
    again = f"UPDATE readings_wanted SET tries = 0, message = '' WHERE {_THIS}"  # noqa: S608 - our own words
    connection.execute(again, key)


def prune(connection: sqlite3.Connection, session: int) -> None:
    """Take out what belongs to a session that loses its events."""
    query = "SELECT agent, id FROM sessions WHERE number = ?"
    key = connection.execute(query, (session,)).fetchone()
    for table in ("readings_wanted", "readings", "findings"):
        connection.execute(f"DELETE FROM {table} WHERE {_THIS}", key)  # noqa: S608 - names of our tables


def _exchanges(events: Iterable[Event], wanted: set[str]) -> dict[str, Exchange]:
    """Exchanges of a session as they are now, by the id of their answer's first event."""
    talk, found = Talk(), {}
    for event in events:
        if event.sub_agent is not None:
            continue
        name = event.id[:MAX_ID_CHARS]
        if isinstance(event, Cleared):
            talk.clear()
        elif isinstance(event, AssistantMessage | ToolCall):
            talk.agent(name, message=isinstance(event, AssistantMessage))
        else:
            talk.user(name)
            if talk.answer[0] in wanted:
                found[talk.answer[0]] = talk.exchange()
    return found


def _write(connection: sqlite3.Connection, key: Key, found: Findings, now: float) -> None:
    kept = msgspec.structs.replace(found, found=tuple(map(_as_kept, found.found)))
    connection.execute(
        "INSERT OR REPLACE INTO findings (agent, session, exchange, words, time, body) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (*key, kept.exchange, kept.words, now, _encode(kept)),
    )


def _as_kept(one: Finding) -> Finding:
    return msgspec.structs.replace(
        one,
        statement=shortened(one.statement),
        reason=shortened(one.reason),
        rejected=tuple(map(shortened, one.rejected)),
        scope=tuple(map(shortened, one.scope)),
        evidence=tuple(map(evidence_as_kept, one.evidence)),
    )


def _begin_call(
    connection: sqlite3.Connection, where: tuple[str, str], called: Called, now: float
) -> None:
    day, spent = _day(connection, where), called.spent
    day.account.calls += 1
    day.under_way = OpenCall(
        at=now,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        money=spent.money,
    )
    _spend(day, day.under_way, 1)
    _keep_day(connection, where, day)
    connection.execute(
        "DELETE FROM reader_days WHERE day NOT IN "
        "(SELECT DISTINCT day FROM reader_days ORDER BY day DESC LIMIT ?)",
        (READER_DAYS_KEPT,),
    )


def _end_call(
    connection: sqlite3.Connection, where: tuple[str, str], called: Called, now: float
) -> None:
    where = _begun_on(connection, where)
    day = _day(connection, where)
    begun, day.under_way = day.under_way, None
    if begun is None:
        day.account.calls += 1
    else:
        _spend(day, begun, -1)
        if called.trouble is None and now >= begun.at:
            day.paces = [*day.paces, now - begun.at][-READER_PACES_KEPT:]
    _spend(day, called.spent, 1)
    account = day.account
    account.refused += called.refused
    account.last_at, account.last_trouble = now, called.trouble or ""
    account.last_message = redact(called.message)[:READER_MESSAGE_CHARS]
    if called.trouble is not None:
        account.failed += 1
        account.troubles[called.trouble] = account.troubles.get(called.trouble, 0) + 1
    _keep_day(connection, where, day)


def _begun_on(connection: sqlite3.Connection, where: tuple[str, str]) -> tuple[str, str]:
    """The day on which the call of a backend began that is over now: maybe the one before."""
    query = "SELECT day FROM reader_days WHERE backend = ? AND day <= ? ORDER BY day DESC LIMIT 2"
    for (name,) in connection.execute(query, (where[1], where[0])).fetchall():
        if _day(connection, (name, where[1])).under_way is not None:
            return name, where[1]
    return where


def _spend(day: BackendDay, spent: Any, times: int) -> None:
    for name in ("input_tokens", "output_tokens", "money"):
        total = getattr(day.account, name) + times * getattr(spent, name)
        setattr(day.account, name, max(type(total)(0), total))


def _day(connection: sqlite3.Connection, where: tuple[str, str]) -> BackendDay:
    query = "SELECT body FROM reader_days WHERE day = ? AND backend = ?"
    row = connection.execute(query, where).fetchone()
    return (decoded(days, row[0]) if row else None) or BackendDay()


def _keep_day(connection: sqlite3.Connection, where: tuple[str, str], day: BackendDay) -> None:
    values = (*where, _encode(day))
    connection.execute("INSERT OR REPLACE INTO reader_days VALUES (?, ?, ?)", values)
