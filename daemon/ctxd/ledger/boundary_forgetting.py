"""An item taken out of the records of compactions and out of notices.

The words of others stay as they are; where the forgotten ones stand among them, they are made
unreadable. A notice's line may hold them cut, so the whole of such a line goes.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterator

import msgspec

from ctxd.ledger.decoding import Stored
from ctxd.policy.ledger import FORGOTTEN_START_CHARS, FORGOTTEN_WORDS_CHARS
from ctxd.retention.values import ItemVerdict, Record, Verdict, on_each_verdict

_encode = msgspec.msgpack.Encoder().encode
_records: Stored[Record] = Stored(Record)
_VISIBLE = re.compile(r"\S")

Place = tuple[str, str, str]
"""Agent and id of an event, and words in it that said the item."""


def forget(
    connection: sqlite3.Connection, repository: str, item: str, words: Collection[str]
) -> list[Place]:
    """Take an item out, and return where summaries said it in words of their own."""
    query = (
        "SELECT number, agent, event, record FROM boundaries WHERE record IS NOT NULL AND "
        "repository IN (?, '') OR number IN "
        "(SELECT boundary FROM retained WHERE repository = ? AND item = ?)"
    )
    places: list[Place] = []
    for number, agent, event, body in connection.execute(
        query, (repository, repository, item)
    ).fetchall():
        record = _records.decode(body) if body else None
        if record is None:
            continue
        own = [one for one in record.items if (one.repository, one.item) == (repository, item)]
        places += [(agent, event, passage) for passage in _passages(own)]
        clean = _without(record, own, words)
        if clean != record:
            connection.execute(
                "UPDATE boundaries SET record = ? WHERE number = ?", (_encode(clean), number)
            )
    for table in ("retained", "given"):
        delete = f"DELETE FROM {table} WHERE repository = ? AND item = ?"  # noqa: S608 - our own words
        connection.execute(delete, (repository, item))
    _forget_notices(connection, [*words, *(passage for _, _, passage in places)])
    return places


def _passages(own: Collection[ItemVerdict]) -> Iterator[str]:
    for one in own:
        for found in one.verdicts:
            if found.where == "summary" and len(found.passage) >= FORGOTTEN_WORDS_CHARS:
                yield found.passage


def _without(record: Record, own: Collection[ItemVerdict], words: Collection[str]) -> Record:
    others = [_crossed_out(one, words) for one in record.items if one not in own]
    request = _line_without(record.request_missing, words)
    return msgspec.structs.replace(record, items=others, request_missing=request)


def _crossed_out(one: ItemVerdict, words: Collection[str]) -> ItemVerdict:
    def clean(found: Verdict) -> Verdict:
        passage, why = (_line_without(text, words) for text in (found.passage, found.why))
        return msgspec.structs.replace(found, passage=passage, why=why)

    return on_each_verdict(one, clean)


def _forget_notices(connection: sqlite3.Connection, words: Collection[str]) -> None:
    for key, *texts in connection.execute("SELECT key, title, body FROM notices").fetchall():
        clean = ["\n".join(_line_without(line, words) for line in t.split("\n")) for t in texts]
        if clean != texts:
            update = "UPDATE notices SET title = ?, body = ? WHERE key = ?"
            connection.execute(update, (*clean, key))


def _line_without(line: str, words: Collection[str]) -> str:
    """The line; unreadable where the words stand in it, or begin to."""
    folded = " ".join(line.split()).casefold()
    starts = (" ".join(text.split())[:FORGOTTEN_START_CHARS].casefold() for text in words)
    return _VISIBLE.sub("\N{FULL BLOCK}", line) if any(s in folded for s in starts) else line
