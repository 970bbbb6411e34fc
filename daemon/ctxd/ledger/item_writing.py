"""What exchanges came to, and what became of items, inside a transaction that somebody else began.

Events of items are only added, with one exception: when an exchange is judged anew, what was
understood from it before goes, unless the user has judged the item since.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import msgspec

from ctxd.item_log import ItemEvent, Said, Verdict, captured, verdict, withdrawal
from ctxd.ledger.forgetting import is_forgotten
from ctxd.ledger.item_keeping import event_as_kept
from ctxd.ledger.item_projecting import project
from ctxd.ledger.item_values import ExchangeKey, Judgement, Pending
from ctxd.policy.ledger import ITEM_EVENT_GRAIN_SECONDS
from ctxd.redact import redact

_encode = msgspec.msgpack.Encoder().encode
_CONTENT = ("captured", "refined", "restated")
_NOWHERE = (None, None, None)

_ADD = """
    INSERT INTO item_events (repository, id, item, type, made_by, time, other,
        agent, session, said, judged_agent, judged_session, judged_exchange, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (repository, id) DO UPDATE SET
        judged_agent = coalesce(excluded.judged_agent, judged_agent),
        judged_session = coalesce(excluded.judged_session, judged_session),
        judged_exchange = coalesce(excluded.judged_exchange, judged_exchange)
"""
# Which words that items rest on stand in their session, as far as the ledger holds them.
_STANDING = """
    SELECT e.repository, e.item, e.agent, e.session, e.said, max(v.withdrawn)
    FROM item_events e JOIN sessions s ON s.agent = e.agent AND s.id = e.session
    JOIN events v ON v.session = s.number AND v.id = e.said
    WHERE e.made_by = 'ctxd' AND {}
    GROUP BY 1, 2, 3, 4, 5
"""
_SAID_IN = "e.agent = ? AND e.session = ?"
_JUDGED_IN = "e.judged_agent = ? AND e.judged_session = ? AND e.judged_exchange = ?"
# What was understood from an exchange, and of each item, whether the user has judged it.
_BEFORE = f"""
    SELECT e.number, e.repository, e.id, e.item, e.type, EXISTS (
        SELECT 1 FROM item_events u
        WHERE u.repository = e.repository AND u.item = e.item AND u.made_by = 'user'
    )
    FROM item_events e WHERE e.made_by = 'ctxd' AND {_JUDGED_IN}
"""  # noqa: S608 - our own words
_LAST_MOVE = """
    SELECT type, time FROM item_events
    WHERE repository = ? AND item = ? AND made_by = 'withdrawal'
        AND agent = ? AND session = ? AND said = ?
    ORDER BY time DESC, number DESC LIMIT 1
"""

Touched = dict[str, set[str]]
"""Items to be made anew, by repository."""


def write_pending(connection: sqlite3.Connection, waiting: Iterable[Pending], now: float) -> None:
    """Store exchanges that wait to be judged; one that has grown since goes on waiting."""
    connection.executemany(
        "INSERT INTO pending (agent, session, exchange, since, body) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (agent, session, exchange) DO UPDATE SET body = excluded.body",
        [(*pending.key, now, _encode(pending.exchange)) for pending in waiting],
    )


def settle(
    connection: sqlite3.Connection, judgements: Iterable[Judgement], now: float
) -> frozenset[str]:
    """Store what exchanges came to, and have them wait no longer; return the repositories whose
    items were touched."""
    touched: Touched = {}
    for judgement in judgements:
        _replace(connection, judgement, touched)
        _follow(connection, (_JUDGED_IN, judgement.key), now, touched)
    _project(connection, touched)
    return frozenset(touched)


def add(connection: sqlite3.Connection, repository: str, events: Iterable[ItemEvent]) -> bool:
    """Store events that were made elsewhere; return whether there were any to be stored."""
    repository, touched = redact(repository), set()
    for event in map(event_as_kept, events):
        if _add(connection, repository, event):
            touched.add(event.item)
    project(connection, repository, touched)
    return bool(touched)


def decide(
    connection: sqlite3.Connection,
    where: tuple[str, str],
    kind: Verdict,
    text: str | None,
    now: float,
) -> None:
    """Store the user's verdict on an item, which is named by its repository and id."""
    query = (
        "SELECT max(time) FROM item_events WHERE repository = ? AND item = ? AND made_by = 'user'"
    )
    repository, item = redact(where[0]), where[1]
    [last] = connection.execute(query, (repository, item)).fetchone()
    add(connection, repository, [verdict(item, kind, _after(last, now), text)])


def follow(connection: sqlite3.Connection, sessions: Iterable[int], now: float) -> frozenset[str]:
    """Have items follow their words, where some of these sessions were taken back or came back;
    return the repositories of those that did."""
    touched: Touched = {}
    for number in sessions:
        query = "SELECT agent, id FROM sessions WHERE number = ?"
        session = connection.execute(query, (number,)).fetchone()
        _follow(connection, (_SAID_IN, session), now, touched)
    _project(connection, touched)
    return frozenset(touched)


def _project(connection: sqlite3.Connection, touched: Touched) -> None:
    for repository, items in touched.items():
        project(connection, repository, items)


def _replace(connection: sqlite3.Connection, judgement: Judgement, touched: Touched) -> None:
    """Put what an exchange is understood to be now in place of what it was before."""
    key, repository = judgement.key, redact(judgement.repository)
    made = [*map(captured, judgement.items), *judgement.events]
    events = {event.id: event for event in map(event_as_kept, made)}
    before = connection.execute(_BEFORE, key).fetchall()
    for number, where, event_id, item, kind, is_judged in before:
        is_same = where == repository and event_id in events
        if not is_same and not (is_judged and kind in _CONTENT):
            connection.execute("DELETE FROM item_events WHERE number = ?", (number,))
            touched.setdefault(where, set()).add(item)
    for event in events.values():
        if _add(connection, repository, event, key):
            touched.setdefault(repository, set()).add(event.item)
    where = "WHERE agent = ? AND session = ? AND exchange = ?"
    for table in ("pending", "uncovered"):
        connection.execute(f"DELETE FROM {table} {where}", key)  # noqa: S608 - names of our tables
    if judgement.uncovered:
        values = (*key, repository, judgement.uncovered)
        connection.execute("INSERT INTO uncovered VALUES (?, ?, ?, ?, ?)", values)


def _add(
    connection: sqlite3.Connection,
    repository: str,
    event: ItemEvent,
    key: ExchangeKey | None = None,
) -> bool:
    """Store an event, unless its item was forgotten; return whether it was not."""
    if is_forgotten(connection, repository, event.item):
        return False
    said = event.said
    values = (
        repository,
        event.id,
        event.item,
        event.type,
        event.by,
        event.time.timestamp() if event.time else None,
        event.of,
        *((said.agent, said.session, said.event) if said else _NOWHERE),
        *(key or _NOWHERE),
        _encode(event),
    )
    connection.execute(_ADD, values)
    return True


def _follow(
    connection: sqlite3.Connection,
    where: tuple[str, Sequence[str]],
    now: float,
    touched: Touched,
) -> None:
    """The same for the words that a condition on events of items names."""
    condition, values = where
    found = connection.execute(_STANDING.format(condition), values).fetchall()
    for repository, item, *words, is_gone in found:
        move = connection.execute(_LAST_MOVE, (repository, item, *words)).fetchone()
        kind, time = move or ("restored", None)
        if bool(is_gone) != (kind == "withdrawn"):
            event = withdrawal(item, Said(*words), _after(time, now), back=not is_gone)
            _add(connection, repository, event)
            touched.setdefault(repository, set()).add(item)


def _after(last: float | None, now: float) -> datetime:
    """Now; but later than an event that came before, even where the clock was set back."""
    return datetime.fromtimestamp(
        now if last is None else max(now, last + ITEM_EVENT_GRAIN_SECONDS), UTC
    )
