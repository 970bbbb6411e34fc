"""The index that items are searched by: SQLite's FTS5, where this build of it has that.

It holds nothing that is not in the items, and is made anew when it was not kept up: by a build
without FTS5, or before it existed. Whoever cannot use it reads the items instead.

It keeps its own copy of the texts (some kB an item): an index over a table of ours would call the
ledger damaged as soon as the two differ.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping

import msgspec

from ctxd.item_log import ItemState

_MAKE = (
    "CREATE VIRTUAL TABLE item_words "
    "USING fts5(text, quotes, reason, tokenize = 'porter unicode61 remove_diacritics 2')"
)
_LEFT_BEHIND = "item_words_left_behind"
"""Name of the fact that items were written without the index."""

# Scripts that are written without spaces: each character is a word of its own.
_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
_WORD = re.compile(r"\w")


def is_ready(connection: sqlite3.Connection) -> bool:
    """Whether the index can be searched."""
    try:
        connection.execute("SELECT rowid FROM item_words LIMIT 0")
        left_behind = "SELECT 1 FROM meta WHERE key = ?"
        return connection.execute(left_behind, (_LEFT_BEHIND,)).fetchone() is None
    except sqlite3.OperationalError:  # it does not exist, or this build has no FTS5
        return False


def prepare(connection: sqlite3.Connection) -> bool:
    """Have the index ready for writing, inside a transaction; False where there can be none."""
    if is_ready(connection):
        return True
    try:
        connection.execute("DROP TABLE IF EXISTS item_words")
        connection.execute(_MAKE)
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error):
            raise
        _leave_behind(connection)
        return False
    for number, body in connection.execute("SELECT number, body FROM items").fetchall():
        _add(connection, number, msgspec.msgpack.decode(body, type=ItemState))
    connection.execute("DELETE FROM meta WHERE key = ?", (_LEFT_BEHIND,))
    return True


def keep_up(connection: sqlite3.Connection, changed: Mapping[int, ItemState | None]) -> None:
    """Have the index hold the words of items as they are now; None for one that is no more.

    An index that turns out to be damaged is given up, and made anew at the next use.
    """
    if not prepare(connection):
        return
    connection.execute("SAVEPOINT words")
    try:
        for number, state in changed.items():
            connection.execute("DELETE FROM item_words WHERE rowid = ?", (number,))
            if state is not None:
                _add(connection, number, state)
        # Writes it out, which would fail with the whole transaction otherwise.
        connection.execute("SELECT rowid FROM item_words WHERE item_words MATCH 'a' LIMIT 1")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_CORRUPT_VTAB:
            raise
        connection.execute("ROLLBACK TO words")
        _leave_behind(connection)
    connection.execute("RELEASE words")


def make_anew(connection: sqlite3.Connection) -> None:
    """Make the index from the items: one that is kept up may hold words of rows that are gone."""
    _leave_behind(connection)
    prepare(connection)


def texts(state: ItemState) -> tuple[str, str, str]:
    """What an item is found by: its line, what was said, and why."""
    item = state.item
    line = "\n".join(dict.fromkeys([state.text, item.text, *item.scope]))
    quotes = "\n".join(evidence.quote for evidence in item.evidence)
    return line, quotes, "\n".join([item.reason, *item.rejected])


def words(text: str) -> list[str]:
    """The words that are searched for."""
    return [word for word in text.replace("\0", " ").split() if _WORD.search(word)]


def query(wanted: Iterable[str]) -> str:
    """The words as FTS5 is asked for them: each as it is, or as a beginning, in any order."""
    return " ".join(map(_phrase, wanted))


def _add(connection: sqlite3.Connection, number: int, state: ItemState) -> None:
    connection.execute(
        "INSERT INTO item_words (rowid, text, quotes, reason) VALUES (?, ?, ?, ?)",
        (number, *map(_spread, texts(state))),
    )


def _leave_behind(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, '')", (_LEFT_BEHIND,))


def _phrase(word: str) -> str:
    quoted = _spread(word).replace('"', '""')
    return f'"{quoted}"*'


def _spread(text: str) -> str:
    return re.sub(_UNSPACED, r" \g<0> ", text)
