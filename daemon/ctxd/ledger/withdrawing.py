"""What a file takes back of others, where a rewind begins a new file of the same session.

Such a file begins with the withdrawal. It may be read before the files that it takes something back
of, and those may be read again; so order does not tell what is meant, but time does: all that
happened in the session's other files from the event named to the withdrawal.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import datetime

import msgspec

from ctxd.ledger.decoding import Stored, decoded

_BEGINNINGS = """
    SELECT w.number, w.transcript, coalesce(w.body, o.body) FROM events w
    LEFT JOIN events o ON o.number = w.original
    WHERE w.session = ? AND w.kind = 'Withdrawn' AND NOT EXISTS (
        SELECT 1 FROM events e
        WHERE e.session = w.session AND e.transcript = w.transcript AND e.number < w.number
    )
"""
_OTHERS = """
    SELECT e.number, e.transcript, coalesce(e.body, o.body) FROM events e
    LEFT JOIN events o ON o.number = e.original
    WHERE e.session = ? AND e.transcript <> ? AND NOT e.withdrawn
"""


class _Told(msgspec.Struct):
    time: datetime | None = None
    since: str | None = None


_TOLD: Stored[_Told] = Stored(_Told)


def begins_a_file(connection: sqlite3.Connection, session: int, number: int) -> bool:
    """Whether a withdrawal of a session is the first that its file tells of it."""
    return any(row[0] == number for row in connection.execute(_BEGINNINGS, (session,)))


def follow(connection: sqlite3.Connection, session: int) -> bool:
    """Mark what files of a session take back of others; whether anything was marked now."""
    marked = [
        (number,)
        for beginning in connection.execute(_BEGINNINGS, (session,)).fetchall()
        for number in _taken_back(connection, session, *beginning)
    ]
    connection.executemany("UPDATE events SET withdrawn = 1 WHERE number = ?", marked)
    return bool(marked)


def _taken_back(
    connection: sqlite3.Connection, session: int, _number: int, transcript: int, body: bytes | None
) -> Iterator[int]:
    told = decoded(_TOLD, body)
    if told is None or told.since is None or told.time is None:
        return
    query = (
        "SELECT e.number, e.transcript, coalesce(e.body, o.body) FROM events e "
        "LEFT JOIN events o ON o.number = e.original "
        "WHERE e.id = ? AND e.session = ? AND e.transcript <> ?"
    )
    first = connection.execute(query, (told.since, session, transcript)).fetchone()
    since = decoded(_TOLD, first[2]) if first else None
    if since is None or since.time is None:
        return
    for number, where, packed in connection.execute(_OTHERS, (session, transcript)).fetchall():
        other = decoded(_TOLD, packed)
        if other is None or other.time is None or other.time >= told.time:
            continue
        if number >= first[0] if where == first[1] else other.time >= since.time:
            yield number
