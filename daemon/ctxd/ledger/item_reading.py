"""What is read of items, and of the exchanges that wait to become some."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ctxd.exchange import Exchange
from ctxd.item import Kind
from ctxd.item_log import ItemEvent, ItemState, Status, by_time
from ctxd.ledger import item_words
from ctxd.ledger.decoding import Stored, decoded
from ctxd.ledger.item_values import (
    ItemCount,
    KeptItem,
    LoggedEvent,
    Pending,
    ReviewedItem,
    UncoveredSession,
)
from ctxd.ledger.values import Key, Rows
from ctxd.policy.ledger import SEARCH_WEIGHTS
from ctxd.redact import redact

_states: Stored[ItemState] = Stored(ItemState)
_events: Stored[ItemEvent] = Stored(ItemEvent)
_exchanges: Stored[Exchange] = Stored(Exchange)

_ITEM = "SELECT i.repository, i.agent, i.session, i.exchange, i.body FROM items i "
_NEWEST_LAST = "ORDER BY coalesce(i.made, 0), i.number"
_MATCHING = (
    f"{_ITEM}JOIN item_words ON item_words.rowid = i.number "
    "WHERE item_words MATCH ? AND i.repository = coalesce(?, i.repository) "
    "ORDER BY i.status <> 'active', bm25(item_words, ?, ?, ?), i.number DESC"
)
_SAID_IN = (
    "EXISTS (SELECT 1 FROM item_events e WHERE e.repository = i.repository AND e.item = i.id "
    "AND e.agent = ? AND e.session = ? AND e.type IN ('captured', 'restated', 'refined'))"
)


def pending(rows: Rows, most: int | None, key: Key | None) -> list[Pending]:
    """Exchanges that wait, those that wait longest first."""
    query = (
        "SELECT agent, session, body, since FROM pending "  # noqa: S608 - our own words
        f"{'WHERE agent = ? AND session = ? ' if key else ''}ORDER BY since, number LIMIT ?"
    )
    found = [
        (agent, session, decoded(_exchanges, body), since)
        for agent, session, body, since in rows(query, (*(key or ()), -1 if most is None else most))
    ]
    return [Pending(agent, session, body, since) for agent, session, body, since in found if body]


def items(
    rows: Rows,
    repository: str | None,
    session: Key | None,
    kinds: Collection[Kind],
    statuses: Collection[Status],
) -> list[KeptItem]:
    """Items, the one said last at the end."""
    conditions: list[tuple[str, Sequence[str]]] = []
    if repository is not None:
        conditions.append(("i.repository = ?", [redact(repository)]))
    if session is not None:
        conditions.append((_SAID_IN, session))
    for column, wanted in (("kind", kinds), ("status", statuses)):
        if wanted:
            marks = ", ".join("?" * len(wanted))
            conditions.append((f"i.{column} IN ({marks})", list(wanted)))
    where = f"WHERE {' AND '.join(condition for condition, _ in conditions)} " if conditions else ""
    values = tuple(value for _, values in conditions for value in values)
    return _kept(rows(_ITEM + where + _NEWEST_LAST, values))


def items_by_id(rows: Rows, prefix: str) -> list[KeptItem]:
    """Items whose id begins so; where one is exactly this id, only those of it."""
    wanted = prefix.lower()
    found = _kept(
        rows(f"{_ITEM}WHERE substr(i.id, 1, ?) = ? {_NEWEST_LAST}", (len(wanted), wanted))
    )
    return [known for known in found if known.id == wanted] or found


def item_ids(rows: Rows) -> list[str]:
    """The ids of all items, each once."""
    return [item for (item,) in rows("SELECT DISTINCT id FROM items ORDER BY id", ())]


def search(
    rows: Rows, connection: sqlite3.Connection, text: str, repository: str | None
) -> list[KeptItem]:
    """Items that hold all the words or their beginnings, by the index, the best first; where there
    is none, those that hold them anywhere, the newest first. Active ones before all others."""
    wanted = item_words.words(text)
    if not wanted:
        return []
    where = None if repository is None else redact(repository)
    try:
        if item_words.is_ready(connection):
            values = (item_words.query(wanted), where, *SEARCH_WEIGHTS)
            return _kept(connection.execute(_MATCHING, values))
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_CORRUPT_VTAB:
            raise
    return _read_through(items(rows, repository, None, (), ()), wanted)


def item_counts(rows: Rows, repository: str | None) -> list[ItemCount]:
    """How many active items there are."""
    query = (
        "SELECT repository, agent, session, kind, authority, count(*), sum(waiting) FROM items "
        "WHERE status = 'active' AND repository = coalesce(?, repository) "
        "GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"
    )
    where = None if repository is None else redact(repository)
    return [ItemCount(*row) for row in rows(query, (where,))]


def item_events(rows: Rows, repository: str, item: str | None) -> list[ItemEvent]:
    """The history of one item or of all, in the order of its time."""
    query = "SELECT body FROM item_events WHERE repository = ? AND item = coalesce(?, item)"
    found = [decoded(_events, body) for (body,) in rows(query, (redact(repository), item))]
    return sorted((event for event in found if event is not None), key=by_time)


def logged(rows: Rows, since: int, repository: str | None, most: int | None) -> list[LoggedEvent]:
    """Events that came behind the one of a number: the last ones by time, the oldest first."""
    query = (
        "SELECT number, repository, body FROM item_events "
        "WHERE number > ? AND repository = coalesce(?, repository) "
        "ORDER BY coalesce(time, 0) DESC, number DESC LIMIT ?"
    )
    where = None if repository is None else redact(repository)
    found = [
        LoggedEvent(number, place, event)
        for number, place, body in rows(query, (since, where, -1 if most is None else most))
        if (event := decoded(_events, body)) is not None
    ]
    return found[::-1]


def reviewed(rows: Rows, most: int) -> list[ReviewedItem]:
    """Items that the user has judged, the one judged last first."""
    query = (
        "SELECT repository, item, count(*), max(time) FROM item_events WHERE made_by = 'user' "
        "GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2 LIMIT ?"
    )
    return [ReviewedItem(*row) for row in rows(query, (most,))]


def uncovered(rows: Rows, repository: str | None) -> dict[str, int]:
    """How many exchanges were not judged because of their language, the most frequent first."""
    query = (
        "SELECT language, count(*) FROM uncovered WHERE repository = coalesce(?, repository) "
        "GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    where = None if repository is None else redact(repository)
    return dict(rows(query, (where,)))


def uncovered_sessions(rows: Rows) -> list[UncoveredSession]:
    """In which sessions that was, the one with most of it first."""
    query = (
        "SELECT agent, session, language, count(*) FROM uncovered "
        "GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3"
    )
    return [UncoveredSession(*row) for row in rows(query, ())]


def waiting(rows: Rows) -> int:
    """How many exchanges wait."""
    [(number,)] = rows("SELECT count(*) FROM pending", ())
    return int(number)


def _kept(rows: Iterable[tuple[Any, ...]]) -> list[KeptItem]:
    found = [
        (repository, (agent, session, exchange), decoded(_states, body))
        for repository, agent, session, exchange, body in rows
    ]
    return [KeptItem(repository, key, state) for repository, key, state in found if state]


def _read_through(known: Iterable[KeptItem], wanted: Iterable[str]) -> list[KeptItem]:
    folded = [word.casefold() for word in wanted]
    found = [
        item
        for item in known
        if all(word in "\n".join(item_words.texts(item.state)).casefold() for word in folded)
    ]
    found.reverse()
    return sorted(found, key=lambda item: item.state.status != "active")
