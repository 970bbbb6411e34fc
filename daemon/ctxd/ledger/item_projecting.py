"""Items as their events make them: the one writer of the table that all readers read.

An item is made anew whenever an event of it, or of one that superseded it, comes or goes. Nothing
else changes it, so that the table can be thrown away and made from the events.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec

from ctxd.item_log import ItemEvent, ItemState, state
from ctxd.ledger import item_words
from ctxd.ledger.decoding import Stored
from ctxd.policy.ledger import LOOKUP_IDS

_events: Stored[ItemEvent] = Stored(ItemEvent)
_encode = msgspec.msgpack.Encoder().encode

_COLUMNS = (
    "agent",
    "session",
    "event",
    "kind",
    "authority",
    "durability",
    "severity",
    "plain",
    "probability",
)
"""Those that are fields of an item."""
_OWN_COLUMNS = ("exchange", "status", "waiting", "made", "text", "body")
_ALL = ("repository", "id", *_COLUMNS, *_OWN_COLUMNS)
_UPSERT = (
    f"INSERT INTO items ({', '.join(_ALL)}) VALUES ({', '.join('?' * len(_ALL))}) "  # noqa: S608 - names of our columns
    "ON CONFLICT (repository, id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _ALL[2:])
    + " RETURNING number"
)


def project(connection: sqlite3.Connection, repository: str, items: Collection[str]) -> None:
    """Make items of a repository anew, and those that they superseded."""
    wanted = set(items)
    followers = "SELECT item FROM item_events WHERE repository = ? AND other IN ({})"
    wanted.update(item for (item,) in _of(connection, followers, repository, items))
    events, exchanges = _history(connection, repository, wanted)
    # Whether an item was rejected decides over what it superseded.
    others = {event.of for event in events if event.of is not None} - wanted
    found = state([*events, *_history(connection, repository, others)[0]])
    changed: dict[int, ItemState | None] = {}
    for item in sorted(wanted):
        known = found.get(item)
        if known is None:
            changed.update(dict.fromkeys(_erase(connection, repository, item)))
        else:
            exchange = exchanges.get((item, known.item.event))
            changed[_write(connection, repository, known, exchange)] = known
    item_words.keep_up(connection, changed)


def _history(
    connection: sqlite3.Connection, repository: str, items: Collection[str]
) -> tuple[list[ItemEvent], dict[tuple[str, str], str]]:
    """The events of items; and by item and binding event, which exchange they were said in."""
    query = (
        "SELECT item, said, judged_exchange, body FROM item_events "
        "WHERE repository = ? AND item IN ({})"
    )
    events, exchanges = [], {}
    for item, said, exchange, body in _of(connection, query, repository, items):
        events.append(_events.decode(body))
        if exchange:
            exchanges[item, said] = exchange
    return events, exchanges


def _of(
    connection: sqlite3.Connection, query: str, repository: str, ids: Collection[str]
) -> Iterator[tuple[Any, ...]]:
    """The rows for any number of ids, whose place in the query is `{}`."""
    ordered = sorted(ids)
    for start in range(0, len(ordered), LOOKUP_IDS):
        part = ordered[start : start + LOOKUP_IDS]
        marks = ", ".join("?" * len(part))
        yield from connection.execute(query.format(marks), (repository, *part)).fetchall()


def _write(
    connection: sqlite3.Connection, repository: str, known: ItemState, exchange: str | None
) -> int:
    item = known.item
    values: Sequence[object] = (
        repository,
        item.id,
        *(getattr(item, name) for name in _COLUMNS),
        exchange or item.event,
        known.status,
        known.waits,
        item.time.timestamp() if item.time else None,
        known.text,
        _encode(known),
    )
    [number] = connection.execute(_UPSERT, values).fetchone()
    return int(number)


def _erase(connection: sqlite3.Connection, repository: str, item: str) -> list[int]:
    query = "DELETE FROM items WHERE repository = ? AND id = ? RETURNING number"
    return [number for (number,) in connection.execute(query, (repository, item))]
