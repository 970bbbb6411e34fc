"""What is read of compactions, of what became of items at them, and of notices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from ctxd.item_log import ItemState
from ctxd.ledger.boundary_values import (
    BoundaryNumbers,
    ItemBoundary,
    KeptNotice,
    LastAnswer,
    Owed,
    WaitingBoundary,
)
from ctxd.ledger.decoding import Stored, decoded
from ctxd.ledger.item_values import KeptItem
from ctxd.ledger.values import Key, Rows
from ctxd.redact import redact
from ctxd.retention.values import Answer, Record, most_binding

_waiting: Stored[WaitingBoundary] = Stored(WaitingBoundary)
_records: Stored[Record] = Stored(Record)
_states: Stored[ItemState] = Stored(ItemState)

_CAN_BE_JUDGED = """
    b.record IS NULL AND NOT b.withdrawn
    AND NOT EXISTS (SELECT 1 FROM pending p WHERE p.agent = b.agent AND p.session = b.session)
"""
# Of sessions with a live one, all, so that those of one session are judged in their order.
_LIVE = f"""
    SELECT b.body FROM boundaries b
    WHERE (b.agent, b.session) IN (
        SELECT agent, session FROM boundaries WHERE record IS NULL AND live AND NOT withdrawn
    ) AND {_CAN_BE_JUDGED}
    ORDER BY b.number LIMIT ?
"""  # noqa: S608 - our own words
_WAITING = f"SELECT b.body FROM boundaries b WHERE {_CAN_BE_JUDGED} ORDER BY b.number LIMIT ?"  # noqa: S608 - our own words
_UNTOLD = """
    SELECT record FROM boundaries WHERE record IS NOT NULL AND NOT told AND NOT withdrawn
    ORDER BY number LIMIT ?
"""
# An item is owed as long as the last compaction that judged it left it so.
_OWED = """
    SELECT r.repository, i.body, r.answer, b.event, b.time
    FROM boundaries b JOIN retained r ON r.boundary = b.number
    JOIN items i ON i.repository = r.repository AND i.id = r.item
    WHERE b.agent = ? AND b.session = ? AND NOT b.withdrawn
        AND r.owed AND r.given IS NULL AND i.status = 'active'
        AND NOT EXISTS (
            SELECT 1 FROM retained n JOIN boundaries nb ON nb.number = n.boundary
            WHERE n.repository = r.repository AND n.item = r.item AND n.boundary > r.boundary
                AND nb.agent = b.agent AND nb.session = b.session AND NOT nb.withdrawn
        )
"""
_OF_ITEM = """
    SELECT b.agent, b.session, b.event, (
        SELECT count(*) FROM boundaries o WHERE o.agent = b.agent AND o.session = b.session
            AND o.record IS NOT NULL AND NOT o.withdrawn AND o.number <= b.number
    ), b.time, b.live, r.answer, r.owed, r.given
    FROM retained r JOIN boundaries b ON b.number = r.boundary
    WHERE r.repository = ? AND r.item = ? AND NOT b.withdrawn
    ORDER BY coalesce(b.time, 0), b.number
"""
_LAST_ANSWERS = """
    SELECT r.repository, r.item, r.answer, b.event, r.given
    FROM boundaries b JOIN retained r ON r.boundary = b.number
    WHERE b.agent = ? AND b.session = ? AND NOT b.withdrawn ORDER BY b.number
"""
_SAID = """
    SELECT e.repository, e.item, e.said, i.agent, i.session, i.exchange, i.body
    FROM item_events e JOIN items i ON i.repository = e.repository AND i.id = e.item
    WHERE e.agent = ? AND e.session = ? AND e.type IN ('captured', 'restated', 'refined')
    ORDER BY coalesce(i.made, 0), i.number
"""


def waiting(rows: Rows, limit: int, *, live: bool) -> list[WaitingBoundary]:
    """Compactions that wait to be judged and whose session has no exchange left that does; with
    `live` only those of sessions that were just compacted."""
    found = (decoded(_waiting, body) for (body,) in rows(_LIVE if live else _WAITING, (limit,)))
    return list(filter(None, found))


def waiting_of(rows: Rows, session: Key) -> list[WaitingBoundary]:
    """The compactions of a session that wait to be judged, in their order."""
    query = (
        "SELECT body FROM boundaries WHERE agent = ? AND session = ? "
        "AND record IS NULL AND NOT withdrawn ORDER BY number"
    )
    return list(filter(None, (decoded(_waiting, body) for (body,) in rows(query, session))))


def answers(rows: Rows, session: Key) -> dict[str, dict[Answer, int]]:
    """How often there was each answer at each judged compaction of a session, by its event."""
    query = (
        "SELECT b.event, r.answer, count(r.item) FROM boundaries b "
        "LEFT JOIN retained r ON r.boundary = b.number WHERE b.agent = ? AND b.session = ? "
        "AND b.record IS NOT NULL AND NOT b.withdrawn GROUP BY 1, 2"
    )
    found: dict[str, dict[Answer, int]] = {}
    for event, answer, number in rows(query, session):
        found.setdefault(event, {}).update({answer: number} if answer else {})
    return found


def numbers(rows: Rows) -> BoundaryNumbers:
    """How many compactions there are, and what those of now dropped."""
    query = "SELECT count(record), count(*) - count(record) FROM boundaries WHERE NOT withdrawn"
    dropped = (
        "SELECT count(*), count(r.given) FROM retained r "
        "JOIN boundaries b ON b.number = r.boundary WHERE b.live AND NOT b.withdrawn "
        "AND r.answer IN ('weakened', 'changed', 'lost')"
    )
    return BoundaryNumbers(*rows(query, ())[0], *rows(dropped, ())[0])


def is_any_waiting(rows: Rows, *, live: bool) -> bool:
    """Whether a compaction waits, be it for exchanges to be judged first."""
    query = "SELECT 1 FROM boundaries WHERE record IS NULL AND NOT withdrawn"
    return bool(rows(f"{query}{' AND live' if live else ''} LIMIT 1", ()))


def records(
    rows: Rows, session: Key | None, repository: str | None, limit: int | None
) -> list[Record]:
    """The last records, so many at most, in the order of their compactions."""
    conditions = ["record IS NOT NULL", "NOT withdrawn"]
    values: list[object] = []
    if session is not None:
        conditions.append("agent = ? AND session = ?")
        values += session
    if repository is not None:
        conditions.append("repository = ?")
        values.append(redact(repository))
    query = (
        f"SELECT record FROM boundaries WHERE {' AND '.join(conditions)} "  # noqa: S608 - our own words
        "ORDER BY number DESC LIMIT ?"
    )
    return _decoded(rows(query, (*values, -1 if limit is None else limit)))[::-1]


def untold(rows: Rows, limit: int) -> list[Record]:
    """Records that those who listen have not had yet, in their order."""
    return _decoded(rows(_UNTOLD, (limit,)))


def owed(rows: Rows, session: Key) -> list[Owed]:
    """Items that were dropped and not given back, the most binding first."""
    found = [
        Owed(repository=repository, state=state, answer=answer, boundary=event, time=_time(time))
        for repository, body, answer, event, time in rows(_OWED, session)
        if (state := decoded(_states, body)) is not None
    ]
    return sorted(found, key=lambda one: most_binding(one.state))


def item_boundaries(rows: Rows, repository: str, item: str) -> list[ItemBoundary]:
    """What each compaction did to an item that judged it, the oldest first."""
    return [
        ItemBoundary(
            agent=agent,
            session=session,
            event=event,
            number=number,
            time=_time(time),
            live=bool(live),
            answer=answer,
            owed=bool(owed),
            given=given,
        )
        for agent, session, event, number, time, live, answer, owed, given in rows(
            _OF_ITEM, (redact(repository), item)
        )
    ]


def last_answers(rows: Rows, sessions: Sequence[Key]) -> dict[tuple[str, str], LastAnswer]:
    """What the compactions of some sessions, the oldest first, last said of each item."""
    return {
        (repository, item): LastAnswer(answer, event, given)
        for session in sessions
        for repository, item, answer, event, given in rows(_LAST_ANSWERS, session)
    }


def said_in(rows: Rows, sessions: Sequence[Key]) -> list[tuple[KeptItem, frozenset[str]]]:
    """Items of any status that were said in some sessions, each with the events that bind it."""
    words: dict[tuple[str, str], set[str]] = defaultdict(set)
    found: dict[tuple[str, str], KeptItem] = {}
    for session in sessions:
        for repository, item, said, *exchange, body in rows(_SAID, session):
            name = (repository, item)
            if name not in found:
                state = decoded(_states, body)
                if state is None:
                    continue
                found[name] = KeptItem(repository, tuple(exchange), state)
            words[name].add(said)
    return [(kept, frozenset(words[name])) for name, kept in found.items()]


def notices(rows: Rows, limit: int | None) -> list[KeptNotice]:
    """Notices, the newest first."""
    query = f"SELECT {_NOTICE} FROM notices ORDER BY time DESC, key LIMIT ?"  # noqa: S608 - names of our fields
    return [_notice(row) for row in rows(query, (-1 if limit is None else limit,))]


def notice(rows: Rows, key: str) -> KeptNotice | None:
    """The notice of a key; None when there was none."""
    found = rows(f"SELECT {_NOTICE} FROM notices WHERE key = ?", (key,))  # noqa: S608 - names of our fields
    return _notice(found[0]) if found else None


_NOTICE = ", ".join(KeptNotice.__struct_fields__)


def _notice(row: Sequence[object]) -> KeptNotice:
    return msgspec.convert(dict(zip(KeptNotice.__struct_fields__, row, strict=True)), KeptNotice)


def _decoded(rows: Sequence[tuple[bytes]]) -> list[Record]:
    return list(filter(None, (decoded(_records, body) for (body,) in rows)))


def _time(seconds: float | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds else None
