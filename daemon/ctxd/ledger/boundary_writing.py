"""Compactions and what became of items at them, inside a transaction that somebody else began.

A compaction waits from the moment it is recorded with the batch that read it until its record is
kept, and its record until those who listen have had it: a kill between any two steps loses nothing
and repeats nothing. One that the user took back is hidden, and counts again when it comes back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from ctxd.ledger.boundary_values import KeptNotice, WaitingBoundary
from ctxd.ledger.forgetting import is_forgotten
from ctxd.ledger.keeping import without_secrets
from ctxd.policy.boundaries import (
    FILE_CHARS,
    FILES_KEPT,
    GIVEN_AHEAD_SECONDS,
    NOTICES_KEPT,
    RECORD_PASSAGE_CHARS,
    WHY_CHARS,
)
from ctxd.redact import redact
from ctxd.retention.values import ItemVerdict, Record, Verdict, on_each_verdict

_encode = msgspec.msgpack.Encoder().encode
_THIS = "agent = ? AND session = ? AND event = ?"

_WITHDRAWN = """
    UPDATE boundaries SET withdrawn = e.withdrawn
    FROM sessions s JOIN events e ON e.session = s.number
    WHERE s.number = ? AND s.agent = boundaries.agent AND s.id = boundaries.session
        AND e.id = boundaries.event AND e.withdrawn <> boundaries.withdrawn
"""
# Of the compactions of a session that have a record, the one that an item was judged at last.
_LAST_OF_ITEM = """
    SELECT max(b.number) FROM boundaries b JOIN retained r ON r.boundary = b.number
    WHERE b.agent = ? AND b.session = ? AND NOT b.withdrawn AND r.repository = ? AND r.item = ?
"""
_NOT_COUNTED = """
    SELECT repository, item, time FROM given g WHERE agent = ? AND session = ? AND NOT EXISTS (
        SELECT 1 FROM retained r JOIN boundaries b ON b.number = r.boundary
        WHERE r.repository = g.repository AND r.item = g.item AND r.given = g.time
            AND b.agent = g.agent AND b.session = g.session AND b.event <> ?
    )
"""
# What was not owed and was told all the same, stands beside; it counts from when it is.
_JUDGED_ANEW = """
    UPDATE retained SET answer = ?, owed = ?, given = coalesce(given, (
        SELECT g.time FROM given g WHERE g.agent = ? AND g.session = ? AND g.time >= ?
            AND g.repository = retained.repository AND g.item = retained.item
    )) WHERE boundary = ? AND repository = ? AND item = ?
"""
_GIVEN_NOW = (
    "UPDATE retained SET given = ? WHERE boundary = ? AND repository = ? AND item = ? "
    "AND owed AND given IS NULL"
)


def write_waiting(connection: sqlite3.Connection, waiting: Iterable[WaitingBoundary]) -> None:
    """Store compactions that wait to be judged; known ones change nothing."""
    connection.executemany(
        "INSERT INTO boundaries (agent, session, event, repository, time, live, body) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [
            (*one.key, redact(one.repository), _time(one.boundary.time), one.live, _encode(one))
            for one in waiting
        ],
    )


def follow(connection: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Hide compactions that were taken back in these sessions, and show those that came back."""
    connection.executemany(_WITHDRAWN, [(number,) for number in sessions])


def disown(connection: sqlite3.Connection, keys: Iterable[tuple[str, str, str]]) -> None:
    """Take out compactions of forks that prove to be copies of their parent's."""
    for key in keys:
        _delete(connection, _THIS, key)


def keep_record(connection: sqlite3.Connection, record: Record) -> None:
    """Store what became of the items at a compaction; it waits no longer."""
    number = _number(connection, record)
    where = redact(record.items[0].repository) if record.items else ""
    items = [one for one in map(_item_as_kept, record.items) if not _is_gone(connection, one)]
    kept = msgspec.structs.replace(record, items=items)
    connection.execute(
        "UPDATE boundaries SET record = ?, body = NULL, live = ?, told = ?, "
        "time = coalesce(time, ?), repository = iif(repository = '', ?, repository) "
        "WHERE number = ?",
        (
            without_secrets(_encode(_as_kept(kept))),
            record.live,
            not record.live,
            _time(record.time),
            where,
            number,
        ),
    )
    given = _given_around(connection, record)
    connection.execute("DELETE FROM retained WHERE boundary = ?", (number,))
    connection.executemany(
        "INSERT INTO retained VALUES (?, ?, ?, ?, ?, ?)",
        [
            (number, *_name(one), one.verdict.answer, one.owed, given.get(_name(one)))
            for one in items
        ],
    )


def revise(connection: sqlite3.Connection, record: Record, *, told: bool) -> None:
    """Store a record whose items were judged anew; see `Ledger.revise`."""
    key = (record.agent, record.session, record.event)
    query = f"SELECT number FROM boundaries WHERE {_THIS} AND record IS NOT NULL"  # noqa: S608 - our own words
    known = connection.execute(query, key).fetchone()
    if known is None:
        return
    items = [one for one in map(_item_as_kept, record.items) if not _is_gone(connection, one)]
    kept = _as_kept(msgspec.structs.replace(record, items=items))
    connection.execute(
        "UPDATE boundaries SET record = ?, told = told AND ? WHERE number = ?",
        (without_secrets(_encode(kept)), told, known[0]),
    )
    since = (_time(record.time) or 0.0) - GIVEN_AHEAD_SECONDS
    connection.executemany(
        _JUDGED_ANEW,
        [(one.verdict.answer, one.owed, *key[:2], since, known[0], *_name(one)) for one in items],
    )


def tell(connection: sqlite3.Connection, record: Record) -> None:
    """Store that those who listen have had a record."""
    key = (record.agent, record.session, record.event)
    connection.execute(f"UPDATE boundaries SET told = 1 WHERE {_THIS}", key)  # noqa: S608 - our own words


def mark_given(
    connection: sqlite3.Connection,
    session: tuple[str, str],
    items: Iterable[tuple[str, str]],
    time: float,
    *,
    ahead: bool,
) -> None:
    """Store that an agent was told items again; see `Ledger.mark_given`."""
    for repository, item in items:
        name = (redact(repository), item)
        last = connection.execute(_LAST_OF_ITEM, (*session, *name)).fetchone()[0]
        paid = 0 if ahead else connection.execute(_GIVEN_NOW, (time, last, *name)).rowcount
        if not paid:
            values = (*session, *name, time)
            connection.execute("INSERT OR REPLACE INTO given VALUES (?, ?, ?, ?, ?)", values)


def keep_notice(connection: sqlite3.Connection, notice: KeptNotice) -> None:
    """Store what became of a notice; the oldest ones go."""
    clean = msgspec.structs.replace(
        notice, why=redact(notice.why), title=redact(notice.title), body=redact(notice.body)
    )
    values = tuple(getattr(clean, name) for name in KeptNotice.__struct_fields__)
    marks = ", ".join("?" * len(values))
    connection.execute(f"INSERT OR REPLACE INTO notices VALUES ({marks})", values)  # noqa: S608 - only marks
    connection.execute(
        "DELETE FROM notices WHERE key IN "
        "(SELECT key FROM notices ORDER BY time DESC, key LIMIT -1 OFFSET ?)",
        (NOTICES_KEPT,),
    )


def prune(connection: sqlite3.Connection, session: int) -> None:
    """Take out what belongs to a session that loses its events."""
    query = "SELECT agent, id FROM sessions WHERE number = ?"
    key = connection.execute(query, (session,)).fetchone()
    _delete(connection, "agent = ? AND session = ?", key)
    connection.execute("DELETE FROM given WHERE agent = ? AND session = ?", key)


def _delete(connection: sqlite3.Connection, condition: str, values: Sequence[str]) -> None:
    connection.execute(
        f"DELETE FROM retained WHERE boundary IN (SELECT number FROM boundaries WHERE {condition})",  # noqa: S608 - our own words
        values,
    )
    connection.execute(f"DELETE FROM boundaries WHERE {condition}", values)  # noqa: S608 - our own words


def _number(connection: sqlite3.Connection, record: Record) -> int:
    """The number of a compaction; one that did not wait gets one."""
    key = (record.agent, record.session, record.event)
    connection.execute(
        "INSERT INTO boundaries (agent, session, event, repository, live) VALUES (?, ?, ?, '', 0) "
        "ON CONFLICT DO NOTHING",
        key,
    )
    query = f"SELECT number FROM boundaries WHERE {_THIS}"  # noqa: S608 - our own words
    return int(connection.execute(query, key).fetchone()[0])


def _given_around(connection: sqlite3.Connection, record: Record) -> dict[tuple[str, str], float]:
    """Items that the agent was given around a compaction, before it was recorded; what counts as
    given at another one does not count again."""
    rows = connection.execute(_NOT_COUNTED, (record.agent, record.session, record.event)).fetchall()
    at = _time(record.time)
    if at is not None:
        connection.execute(
            "DELETE FROM given WHERE agent = ? AND session = ? AND time < ?",
            (record.agent, record.session, at - GIVEN_AHEAD_SECONDS),
        )
    return {
        (repository, item): time
        for repository, item, time in rows
        if at is None or abs(time - at) <= GIVEN_AHEAD_SECONDS
    }


def _is_gone(connection: sqlite3.Connection, one: ItemVerdict) -> bool:
    return is_forgotten(connection, *_name(one))


def _name(one: ItemVerdict) -> tuple[str, str]:
    return one.repository, one.item


def _item_as_kept(one: ItemVerdict) -> ItemVerdict:
    kept = on_each_verdict(one, _cut)
    return msgspec.structs.replace(kept, repository=redact(one.repository))


def _cut(found: Verdict) -> Verdict:
    return msgspec.structs.replace(
        found, passage=found.passage[:RECORD_PASSAGE_CHARS], why=found.why[:WHY_CHARS]
    )


def _as_kept(record: Record) -> Record:
    files = [path[:FILE_CHARS] for path in record.files_unnamed[-FILES_KEPT:]]
    nested = [path[:FILE_CHARS] for path in record.nested_gone[-FILES_KEPT:]]
    request = record.request_missing[:RECORD_PASSAGE_CHARS]
    return msgspec.structs.replace(
        record, files_unnamed=files, nested_gone=nested, request_missing=request
    )


def _time(time: Any) -> float | None:
    return time.timestamp() if time else None
