"""The ledger's tables, and how an older ledger becomes today's.

A version is a tuple of statements that turns the one before it into it, applied in one transaction
with the version's number: a kill leaves the old version or the new one, never something between.
Versions are only ever added. `tests/daemon/ledgers/` holds a ledger of each for the tests.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

APPLICATION_ID = 0x63747864
"""`ctxd` in ASCII, in the file's header: tells a ledger from any other database."""

Migration = tuple[str, ...]

_VERSION_1: Migration = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # Paths are bytes, as the file system has them: not every name is text.
    """CREATE TABLE transcripts (
        number INTEGER PRIMARY KEY,
        path BLOB NOT NULL UNIQUE,
        parser TEXT NOT NULL,
        agent TEXT NOT NULL,
        generation INTEGER NOT NULL DEFAULT 0,
        size INTEGER NOT NULL DEFAULT 0,
        behind INTEGER NOT NULL DEFAULT 0,
        records INTEGER NOT NULL DEFAULT 0,
        unknown INTEGER NOT NULL DEFAULT 0,
        damaged INTEGER NOT NULL DEFAULT 0,
        last_event REAL,
        read_at REAL,
        understood_at REAL,
        unread_since REAL,
        gone_at REAL,
        checkpoint BLOB
    )""",
    """CREATE TABLE oddities (
        transcript INTEGER NOT NULL,
        damage INTEGER NOT NULL,
        kind TEXT NOT NULL,
        client_version TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (transcript, damage, kind, client_version)
    ) WITHOUT ROWID""",
    """CREATE TABLE failures (
        path BLOB PRIMARY KEY,
        reason TEXT NOT NULL,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        since REAL NOT NULL,
        at REAL NOT NULL,
        times INTEGER NOT NULL
    ) WITHOUT ROWID""",
    # The body comes last: a row is read for `status` without the pages that hold it.
    """CREATE TABLE sessions (
        number INTEGER PRIMARY KEY,
        agent TEXT NOT NULL,
        id TEXT NOT NULL,
        cwd TEXT,
        repository TEXT,
        branch TEXT,
        title TEXT,
        client TEXT,
        client_version TEXT,
        model TEXT,
        parent TEXT,
        started REAL,
        last_event REAL,
        turns INTEGER NOT NULL DEFAULT 0,
        compactions INTEGER NOT NULL DEFAULT 0,
        sub_agents INTEGER NOT NULL DEFAULT 0,
        context_tokens INTEGER,
        window_tokens INTEGER,
        context_percent REAL,
        spoken INTEGER NOT NULL DEFAULT 0,
        state TEXT,
        state_reason TEXT,
        transcript INTEGER,
        body BLOB,
        UNIQUE (agent, id)
    )""",
    "CREATE INDEX session_parents ON sessions (agent, parent) WHERE parent IS NOT NULL",
    # One row for each session an event stands in; `number` is their order. A session that was
    # forked shares its events with the fork: the body of a copy is that of the event `original`.
    """CREATE TABLE events (
        number INTEGER PRIMARY KEY,
        session INTEGER NOT NULL,
        id TEXT NOT NULL,
        kind TEXT NOT NULL,
        transcript INTEGER NOT NULL,
        withdrawn INTEGER NOT NULL DEFAULT 0,
        original INTEGER,
        body BLOB
    )""",
    "CREATE UNIQUE INDEX event_ids ON events (id, session)",
    "CREATE INDEX session_events ON events (session, kind)",
    "CREATE INDEX event_copies ON events (original) WHERE original IS NOT NULL",
    # When a transcript is read anew, which events still stand in it.
    """CREATE TABLE seen_again (
        event INTEGER PRIMARY KEY,
        generation INTEGER NOT NULL
    )""",
)

_VERSION_2: Migration = (
    # What happened to items: where the words stand that it rests on, and which exchange it was
    # understood from when that was judged; the rest is in the body. Never changed, but taken out
    # when the exchange is judged anew.
    """CREATE TABLE item_events (
        number INTEGER PRIMARY KEY,
        repository TEXT NOT NULL,
        id TEXT NOT NULL,
        item TEXT NOT NULL,
        type TEXT NOT NULL,
        made_by TEXT NOT NULL,
        time REAL,
        other TEXT,
        agent TEXT,
        session TEXT,
        said TEXT,
        judged_agent TEXT,
        judged_session TEXT,
        judged_exchange TEXT,
        body BLOB NOT NULL,
        UNIQUE (repository, id)
    )""",
    "CREATE INDEX item_histories ON item_events (repository, item)",
    "CREATE INDEX item_others ON item_events (repository, other) WHERE other IS NOT NULL",
    "CREATE INDEX item_evidence ON item_events (agent, session, said)",
    "CREATE INDEX item_judgements ON item_events (judged_agent, judged_session, judged_exchange)",
    # What the events of each item come to: made from them, and only ever read.
    """CREATE TABLE items (
        number INTEGER PRIMARY KEY,
        repository TEXT NOT NULL,
        id TEXT NOT NULL,
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        event TEXT NOT NULL,
        exchange TEXT NOT NULL,
        kind TEXT NOT NULL,
        status TEXT NOT NULL,
        authority TEXT NOT NULL,
        durability TEXT NOT NULL,
        severity TEXT NOT NULL,
        plain INTEGER NOT NULL,
        waiting INTEGER NOT NULL,
        probability REAL NOT NULL,
        made REAL,
        text TEXT NOT NULL,
        body BLOB NOT NULL,
        UNIQUE (repository, id)
    )""",
    "CREATE INDEX item_ids ON items (id)",
    # Exchanges that wait to be judged.
    """CREATE TABLE pending (
        number INTEGER PRIMARY KEY,
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        exchange TEXT NOT NULL,
        since REAL NOT NULL,
        body BLOB NOT NULL,
        UNIQUE (agent, session, exchange)
    )""",
    # Exchanges that could not be judged.
    """CREATE TABLE uncovered (
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        exchange TEXT NOT NULL,
        repository TEXT NOT NULL,
        language TEXT NOT NULL,
        PRIMARY KEY (agent, session, exchange)
    ) WITHOUT ROWID""",
)

_VERSION_3: Migration = (
    # Items that the user wants nothing to be kept of, nor ever again: ids tell no words.
    """CREATE TABLE forgotten (
        repository TEXT NOT NULL,
        item TEXT NOT NULL,
        time REAL NOT NULL,
        PRIMARY KEY (repository, item)
    ) WITHOUT ROWID""",
)

_VERSION_4: Migration = (
    # Compactions of users' windows. `body` is what judging one needs and goes when it is judged;
    # `told` says that those who wait for its record have had it.
    """CREATE TABLE boundaries (
        number INTEGER PRIMARY KEY,
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        event TEXT NOT NULL,
        repository TEXT NOT NULL,
        time REAL,
        live INTEGER NOT NULL,
        withdrawn INTEGER NOT NULL DEFAULT 0,
        told INTEGER NOT NULL DEFAULT 0,
        body BLOB,
        record BLOB,
        UNIQUE (agent, session, event)
    )""",
    "CREATE INDEX boundaries_waiting ON boundaries (number) WHERE record IS NULL",
    "CREATE INDEX boundaries_live ON boundaries (agent, session) WHERE record IS NULL AND live",
    "CREATE INDEX boundaries_untold ON boundaries (number) WHERE record IS NOT NULL AND NOT told",
    # What became of each item that was in the window.
    """CREATE TABLE retained (
        boundary INTEGER NOT NULL,
        repository TEXT NOT NULL,
        item TEXT NOT NULL,
        answer TEXT NOT NULL,
        owed INTEGER NOT NULL,
        given REAL,
        PRIMARY KEY (boundary, repository, item)
    ) WITHOUT ROWID""",
    "CREATE INDEX retained_items ON retained (repository, item)",
    # Items that an agent was given around a compaction that is not recorded yet.
    """CREATE TABLE given (
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        repository TEXT NOT NULL,
        item TEXT NOT NULL,
        time REAL NOT NULL,
        PRIMARY KEY (agent, session, repository, item)
    ) WITHOUT ROWID""",
    """CREATE TABLE notices (
        key TEXT PRIMARY KEY,
        time REAL NOT NULL,
        state TEXT NOT NULL,
        why TEXT NOT NULL,
        title TEXT NOT NULL,
        body TEXT NOT NULL,
        agent TEXT NOT NULL,
        session TEXT NOT NULL
    )""",
)

_VERSION_5: Migration = (
    # Sessions that the second reader is to read; `wanted` is when that was last asked for.
    """CREATE TABLE readings_wanted (
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        why TEXT NOT NULL,
        since REAL NOT NULL,
        tries INTEGER NOT NULL,
        at REAL NOT NULL,
        message TEXT NOT NULL,
        wanted REAL NOT NULL,
        PRIMARY KEY (agent, session)
    ) WITHOUT ROWID""",
    # What of them was read.
    """CREATE TABLE readings (
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        digest TEXT NOT NULL,
        PRIMARY KEY (agent, session, digest)
    ) WITHOUT ROWID""",
    # What was found in an exchange. Its words may change and change back: findings are of words.
    """CREATE TABLE findings (
        number INTEGER PRIMARY KEY,
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        exchange TEXT NOT NULL,
        words TEXT NOT NULL,
        time REAL NOT NULL,
        body BLOB NOT NULL,
        UNIQUE (agent, session, exchange, words)
    )""",
    # What each backend was asked on each day, and what that cost.
    """CREATE TABLE reader_days (
        day TEXT NOT NULL,
        backend TEXT NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (day, backend)
    ) WITHOUT ROWID""",
)

MIGRATIONS: tuple[Migration, ...] = (
    _VERSION_1,
    _VERSION_2,
    _VERSION_3,
    _VERSION_4,
    _VERSION_5,
)


def version_of(connection: sqlite3.Connection) -> int:
    """The schema version of an open ledger; 0 for an empty one."""
    row = connection.execute("PRAGMA user_version").fetchone()
    return int(row[0])


def is_ledger(connection: sqlite3.Connection) -> bool:
    """Whether an open database is a ledger, or is empty and may become one."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return bool(application == APPLICATION_ID or (application == 0 and tables == 0))


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring a ledger to the last version, one transaction a version."""
    for version in range(version_of(connection) + 1, len(migrations) + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in migrations[version - 1]:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {version}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
