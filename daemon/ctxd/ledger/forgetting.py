"""An item taken out of the ledger whole, and kept out for good.

What stays is its id, which is a hash of its words and tells none of them: whatever is understood,
read from a log or brought by a teammate's record under that id later is not stored. In the messages
it rests on, and in the summaries that state it, its words are made unreadable where they stand, so
that the messages keep their places.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator

import msgspec

from ctxd.item import Item
from ctxd.item_log import ItemEvent
from ctxd.ledger import boundary_forgetting, item_words, second_forgetting
from ctxd.ledger.decoding import Stored
from ctxd.ledger.item_projecting import project
from ctxd.ledger.keeping import without_words
from ctxd.policy.ledger import FORGOTTEN_WORDS_CHARS
from ctxd.redact import redact
from ctxd_parsers.events import AnyEvent, Event

_item_events: Stored[ItemEvent] = Stored(ItemEvent)
_events: Stored[Event] = Stored(AnyEvent)
_encode = msgspec.msgpack.Encoder().encode

# An event that several sessions share has its body in one place only.
_SAID = (
    "SELECT DISTINCT coalesce(e.original, e.number) FROM events e "
    "JOIN sessions s ON s.number = e.session WHERE e.id = ? AND s.agent = ?"
)


@contextlib.contextmanager
def leaving_nothing(connection: sqlite3.Connection) -> Iterator[None]:
    """Have what is deleted meanwhile overwritten in the file, and its log emptied behind it."""
    connection.execute("PRAGMA secure_delete = ON")
    try:
        yield
    finally:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("PRAGMA secure_delete = OFF")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def forget(connection: sqlite3.Connection, repository: str, item: str, now: float) -> None:
    """Take out an item and its history inside a transaction that somebody else began, and store
    that it is to stay out, in the other words that it was said in as well."""
    where = redact(repository)
    query = "SELECT body FROM item_events WHERE repository = ? AND item = ?"
    history = [
        _item_events.decode(body) for (body,) in connection.execute(query, (where, item)).fetchall()
    ]
    contents = [event.content for event in history if event.content]
    for content in contents:
        _make_unreadable(connection, content)
    words = {text for content in contents for text in _words(content)}
    for agent, name, passage in boundary_forgetting.forget(connection, where, item, words):
        _make_unreadable_in(connection, agent, name, {passage, *words})
    second_forgetting.forget(connection, where, item, contents)
    connection.executemany(
        "INSERT OR REPLACE INTO forgotten (repository, item, time) VALUES (?, ?, ?)",
        [(where, name, now) for name in (item, *_other_names(connection, where, history))],
    )
    delete = "DELETE FROM item_events WHERE repository = ? AND item = ?"
    connection.execute(delete, (where, item))
    project(connection, where, {item})
    item_words.make_anew(connection)


def is_forgotten(connection: sqlite3.Connection, repository: str, item: str) -> bool:
    """Whether an item is to stay out of the ledger. `repository` is as the ledger keeps it."""
    query = "SELECT 1 FROM forgotten WHERE repository = ? AND item = ?"
    return connection.execute(query, (repository, item)).fetchone() is not None


def _other_names(
    connection: sqlite3.Connection, repository: str, history: Iterable[ItemEvent]
) -> Iterator[str]:
    """The ids that words would have for themselves which said the same; read anew, they would
    come back as an item of their own."""
    query = "SELECT 1 FROM items WHERE repository = ? AND id = ?"
    names = (event.of for event in history if event.type in ("restated", "refined"))
    for name in filter(None, names):
        if connection.execute(query, (repository, name)).fetchone() is None:
            yield name


def _make_unreadable(connection: sqlite3.Connection, content: Item) -> None:
    """Cross an item's words out in the messages that it rests on."""
    words = _words(content)
    for name in {content.event, *(evidence.event for evidence in content.evidence)}:
        _make_unreadable_in(connection, content.agent, name, words)


def _make_unreadable_in(
    connection: sqlite3.Connection, agent: str, event: str, words: Iterable[str]
) -> None:
    for (number,) in connection.execute(_SAID, (event, agent)).fetchall():
        _cross_out(connection, number, sorted(words, key=len, reverse=True))


def _words(content: Item) -> set[str]:
    """The words that tell an item."""
    texts = [content.text, content.reason, *content.rejected]
    texts += [evidence.quote for evidence in content.evidence]
    return {text for text in texts if len(text) >= FORGOTTEN_WORDS_CHARS}


def _cross_out(connection: sqlite3.Connection, number: int, words: Iterable[str]) -> None:
    query = "SELECT body FROM events WHERE number = ? AND body IS NOT NULL"
    for (body,) in connection.execute(query, (number,)).fetchall():
        event = _events.decode(body)
        for text in words:
            event = without_words(event, text)
        connection.execute("UPDATE events SET body = ? WHERE number = ?", (_encode(event), number))
