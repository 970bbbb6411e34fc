"""How the ledger is kept within its size: the oldest sessions lose their events.

The session itself, its numbers and the position in its log stay, so that nothing is read again;
what its compactions left and what a second reader found goes with the events it was told from.
The last sessions of each repository lose nothing, nor does one that goes on.
"""

from __future__ import annotations

import sqlite3

from ctxd.ledger import boundary_writing, second_writing
from ctxd.policy.ledger import EVENT_DAYS, SESSIONS_NEVER_PRUNED

_DAY_SECONDS = 86_400

_CANDIDATES = """
    SELECT number FROM (
        SELECT number, state, coalesce(last_event, started, 0) AS last, row_number() OVER (
            PARTITION BY coalesce(repository, cwd, '')
            ORDER BY coalesce(last_event, started, 0) DESC, number DESC
        ) AS place FROM sessions
    )
    WHERE place > :spared AND (state IN ('ended', 'crashed') OR last < :old)
        AND EXISTS (SELECT 1 FROM events WHERE session = number)
    ORDER BY last, number
"""


def candidates(connection: sqlite3.Connection, now: float) -> list[int]:
    """Numbers of the sessions that may lose their events, the oldest first.

    A session counts as ended, too, when nothing happened in it for `policy.EVENT_DAYS`.
    """
    values = {"spared": SESSIONS_NEVER_PRUNED, "old": now - EVENT_DAYS * _DAY_SECONDS}
    return [number for (number,) in connection.execute(_CANDIDATES, values)]


def prune_session(connection: sqlite3.Connection, session: int) -> int:
    """Take out the events of a session, and return how many there were.

    Copies of them in other sessions get the body that they shared.
    """
    connection.execute(
        "UPDATE events SET original = NULL, "
        "body = (SELECT o.body FROM events o WHERE o.number = events.original) "
        "WHERE original IN (SELECT number FROM events WHERE session = :session) "
        "AND session <> :session",
        {"session": session},
    )
    connection.execute(
        "DELETE FROM seen_again WHERE event IN (SELECT number FROM events WHERE session = ?)",
        (session,),
    )
    deleted = connection.execute("DELETE FROM events WHERE session = ?", (session,)).rowcount
    boundary_writing.prune(connection, session)
    second_writing.prune(connection, session)
    connection.execute("UPDATE sessions SET body = NULL WHERE number = ?", (session,))
    return deleted
