"""The one writer of the ledger: positions, and everything learned from the bytes before them.

Promises: a batch is recorded whole or not at all, whatever kills the process or fails the disk, and
recording it again changes nothing; nothing is stored with a secret in it; an event that was learned
stays when its log is deleted. Each method is one short transaction. One thread at a time.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ctxd.item_log import ItemEvent, Verdict
from ctxd.ledger import (
    boundary_writing,
    forgetting,
    item_writing,
    opening,
    pruning,
    repeats,
    transcript_writing,
)
from ctxd.ledger.boundary_values import KeptNotice
from ctxd.ledger.errors import LedgerRebuiltError, is_damage, unavailable, unreachable
from ctxd.ledger.item_values import Judgement
from ctxd.ledger.reader import HEARTBEAT, PAUSED, Reader
from ctxd.ledger.recording import Memory, Recording, write_session
from ctxd.ledger.schema import MIGRATIONS, Migration
from ctxd.ledger.second_writing import SecondWriter
from ctxd.ledger.soundness import is_truly_damaged
from ctxd.ledger.values import Batch, Found, Heartbeat, Key, Pruned, Rebuilt, SessionRow
from ctxd.policy.ledger import LEDGER_BYTES, LEDGER_KEPT_SHARE, SUSPICIONS
from ctxd.redact import redact
from ctxd.retention.values import Record
from ctxd_parsers.events import Event

if TYPE_CHECKING:
    from filelock import FileLock

Clock = Callable[[], float]


class Ledger(Reader, SecondWriter):
    """The ledger, open for writing. Made by `open`; holds a lock until `close`."""

    def __init__(
        self, path: Path, lock: FileLock, clock: Clock, migrations: Sequence[Migration]
    ) -> None:
        self._lock = lock
        self._clock = clock
        self._migrations = migrations
        self._memory = Memory()
        self._lost = ""
        """Why the connection is of no use any more; empty while it is."""
        self._doubtful = False
        """Whether the connection has to be made again before it is used."""
        self._suspicions = 0
        """How often in a row the ledger looked damaged and then did not."""
        self.item_changes = 0
        """Grows whenever items may have changed: what is remembered of them is outdated then."""
        self.changed_repositories: set[str] = set()
        """Those whose items may have changed since somebody took the names out of here."""
        super().__init__(path, opening.open_ledger(path, clock(), migrations))
        self._file = _file_at(path)

    @classmethod
    def open(
        cls, path: Path, clock: Clock = time.time, migrations: Sequence[Migration] = MIGRATIONS
    ) -> Ledger:
        """Open the ledger, making it if there is none, bringing it up to date if it is old.

        A damaged one is put aside, and `rebuilt` says so. Raise LedgerInUseError when another
        process writes to it, LedgerVersionError when a newer ctxd did, LedgerUnavailableError when
        it cannot be used now.
        """
        path = path.absolute()
        lock = opening.take_lock(path)
        try:
            return cls(path, lock, clock, migrations)
        except BaseException:
            lock.release()
            raise

    @staticmethod
    def reader(path: Path) -> Reader:
        """The ledger, open for reading only, whether its writer lives or not."""
        return opening.open_reader(path)

    def close(self) -> None:
        """Write everything into the one file and let go of the lock."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()
        with contextlib.suppress(OSError):
            self._lock.release()

    def unseen(self, events: Sequence[Event]) -> list[tuple[Event, bool]]:
        """The events that are new to their session, each once, in order; with each, whether it is a
        copy: another session has it already, which is not a fork of this one. A fork begins with
        its parent's records, and may be read before its parent.

        Of kinds that are not kept, repeats cannot be told; they are passed through.
        """
        with self._asking() as connection:
            found, places = repeats.unseen(connection, events)
        self._memory.places = (events, places)
        return found

    def told_by_forks(self, events: Sequence[Event]) -> list[tuple[Event, Key]]:
        """Those of some events that a fork of their session told first, each with the fork."""
        with self._asking() as connection:
            return repeats.told_by_forks(connection, events)

    def record(self, batch: Batch) -> int:
        """Store a step of a transcript and return how many events were new.

        With it, the exchanges and compactions that now wait to be judged: `Batch.pending`,
        `Batch.boundaries`. Items whose words the
        step takes back become `withdrawn`, and hold again when the words come back.
        """
        again = batch.again or self.checkpoint(batch.path) is None
        with self._transaction() as connection:
            recording = Recording(connection, batch, self._memory, self._clock())
            new = recording.run(again=again)
            item_writing.write_pending(connection, batch.pending, self._clock())
            boundary_writing.write_waiting(connection, batch.boundaries)
            boundary_writing.disown(connection, batch.disowned)
            boundary_writing.follow(connection, recording.moved)
            moved = item_writing.follow(connection, recording.moved, self._clock())
            transcript_writing.forgive(connection, batch.path)
        self.item_changes += bool(recording.moved)
        self.changed_repositories |= moved
        return new

    def settle(self, judgements: Sequence[Judgement]) -> None:
        """Store what exchanges came to, all of it or nothing; they wait no longer.

        What was understood from the same exchange before is replaced, except for items that the
        user has judged. Doing it again changes nothing. Texts are redacted once more.
        """
        with self._transaction() as connection:
            touched = item_writing.settle(connection, judgements, self._clock())
        self.item_changes += any(judgement.items or judgement.events for judgement in judgements)
        self.changed_repositories |= touched

    def decide(self, repository: str, item: str, kind: Verdict, text: str | None = None) -> None:
        """Store the user's own word to an item, as of now; `text` is the wording of `edited`.

        It beats the user's earlier words even where the clock has been set back.
        """
        with self._transaction() as connection:
            item_writing.decide(connection, (repository, item), kind, text, self._clock())
        self._items_changed(repository)

    def add_item_events(self, repository: str, events: Iterable[ItemEvent]) -> None:
        """Store events that were made elsewhere, as of a full record; known ones change nothing."""
        with self._transaction() as connection:
            is_any = item_writing.add(connection, repository, events)
        if is_any:
            self._items_changed(repository)

    def forget(self, repository: str, item: str) -> None:
        """Take out an item with all that was stored of it, and store nothing of it ever again."""
        with forgetting.leaving_nothing(self._live()), self._transaction() as connection:
            forgetting.forget(connection, repository, item, self._clock())
        self._items_changed(repository)

    def found(self, transcripts: Iterable[Found]) -> None:
        """Note transcripts that are on disk: what of them was not read counts as behind."""
        with self._transaction() as connection:
            transcript_writing.found(connection, transcripts)

    def gone(self, paths: Iterable[Path]) -> None:
        """Note transcripts that were deleted. What was learned from them stays."""
        with self._transaction() as connection:
            transcript_writing.gone(connection, paths, self._clock())

    def keep_record(self, record: Record) -> None:
        """Store what became of the items at a compaction, all of it or nothing; it waits no longer.

        Items that the agent was given around it count as given. Texts are redacted once more.
        """
        with self._transaction() as connection:
            boundary_writing.keep_record(connection, record)

    def revise(self, record: Record, *, tell: bool) -> None:
        """Store a record whose items were judged anew, with what is owed now, all of it or nothing;
        those who listen are told once more if so wanted."""
        with self._transaction() as connection:
            boundary_writing.revise(connection, record, told=not tell)

    def tell(self, record: Record) -> None:
        """Store that those who listen have had a record."""
        with self._transaction() as connection:
            boundary_writing.tell(connection, record)

    def mark_given(
        self,
        agent: str,
        session: str,
        items: Iterable[tuple[str, str]],
        time: float,
        *,
        ahead: bool = False,
    ) -> None:
        """Store that an agent was told items again, each named by its repository and id.

        With `ahead` it is for a compaction that is not recorded yet: when its record comes, they
        count as given at it. So does whatever no compaction up to now has left owed.
        """
        with self._transaction() as connection:
            boundary_writing.mark_given(connection, (agent, session), items, time, ahead=ahead)

    def keep_notice(self, notice: KeptNotice) -> None:
        """Store what became of a notice; a later one of its key takes its place."""
        with self._transaction() as connection:
            boundary_writing.keep_notice(connection, notice)

    def save_sessions(self, rows: Iterable[SessionRow]) -> None:
        """Store what became of sessions apart from any batch."""
        with self._transaction() as connection:
            for row in rows:
                write_session(connection, row, self._memory, None)

    def set_states(self, states: Iterable[tuple[Key, str, str | None]]) -> None:
        """Store the state of sessions, and how it is known, as it was found to be now."""
        with self._transaction() as connection:
            connection.executemany(
                "UPDATE sessions SET state = ?, state_reason = ? WHERE agent = ? AND id = ?",
                [(state, reason, *key) for key, state, reason in states],
            )

    def set_aside(
        self, path: Path, reason: str, size: int | None = None, mtime_ns: int | None = None
    ) -> None:
        """Note a file that failed; reading something of it successfully takes the note away.

        Size and time tell when it has changed; without them, it is looked at now.
        """
        now = self._clock()
        if size is None or mtime_ns is None:
            size, mtime_ns = _size_and_time(path)
        with self._transaction() as connection:
            transcript_writing.set_aside(connection, path, redact(reason), (size, mtime_ns), now)

    def forgive(self, path: Path) -> None:
        """Take away the note that a file failed."""
        with self._transaction() as connection:
            transcript_writing.forgive(connection, path)

    def pause(self, *, paused: bool) -> None:
        """Store that transcripts are not to be read on, or are again."""
        self.set_meta(PAUSED, "yes" if paused else "")

    def beat(self, heartbeat: Heartbeat) -> None:
        """Store what the daemon says of itself."""
        self.set_meta(HEARTBEAT, msgspec.json.encode(heartbeat).decode())

    def set_meta(self, key: str, value: str) -> None:
        """Store a small fact by name."""
        with self._transaction() as connection:
            _set_meta(connection, key, value)

    def prune(self, now: float) -> Pruned:
        """When the ledger is over its size, take out the events of the oldest ended sessions.

        Stops when a part of the size is free again, so that it is not called for every day.
        """
        before, sessions, events = self.size, 0, 0
        if before <= LEDGER_BYTES:
            return Pruned()
        self._memory = Memory()
        with self._asking() as connection:
            candidates = pruning.candidates(connection, now)
        for number in candidates:
            if self.size <= LEDGER_BYTES * LEDGER_KEPT_SHARE:
                break
            with self._transaction() as connection:
                events += pruning.prune_session(connection, number)
            sessions += 1
        with contextlib.suppress(sqlite3.Error):
            # As a script: `execute` would stop after the first page.
            self._connection.executescript("PRAGMA incremental_vacuum")
        return Pruned(sessions, events, before - self.size)

    def _items_changed(self, repository: str) -> None:
        self.item_changes += 1
        self.changed_repositories.add(redact(repository))

    @contextlib.contextmanager
    def _asking(self) -> Iterator[sqlite3.Connection]:
        connection = self._live()
        try:
            yield connection
        except sqlite3.Error as error:
            raise self._judged(error) from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._live()
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except BaseException as error:
            self._memory = Memory()
            with contextlib.suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise self._judged(error) from error
            raise
        self._suspicions = 0

    def _live(self) -> sqlite3.Connection:
        if self._lost or _file_at(self.path) != self._file:
            raise self._begun_anew(self._lost or "it was deleted or replaced while in use")
        if self._doubtful:
            self._reconnect()
        return self._connection

    def _judged(self, error: sqlite3.Error) -> Exception:
        """What a failed statement means: a ledger that is truly damaged is begun anew, any other is
        opened again at the next use, since a failing disk can leave a connection of no use."""
        self._doubtful = True
        if not is_damage(error):
            return unavailable(self.path, error)
        self._suspicions += 1
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()
        try:
            damaged = is_truly_damaged(self.path, len(self._migrations))
        except sqlite3.Error as other:
            return unavailable(self.path, other)
        except OSError as other:
            return unreachable(self.path, other)
        if damaged or self._suspicions >= SUSPICIONS:
            return self._begun_anew(str(error), damaged=True)
        return unavailable(self.path, error)

    def _reconnect(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()
        try:
            self._connection = opening.connect_to_write(self.path, self._migrations)
        except sqlite3.Error as error:
            raise self._judged(error) from error
        self._doubtful = False

    def _begun_anew(self, why: str, *, damaged: bool = False) -> LedgerRebuiltError:
        """Give up the open file and open what is at our path now, or a new ledger.

        Raise LedgerUnavailableError when that cannot be done; it is tried at the next use then.
        """
        self._memory = Memory()
        self._lost = why
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()
        now = self._clock()
        aside = opening.put_aside(self.path, now) if damaged else None
        rebuilt = Rebuilt(now, why, str(aside) if aside else None)
        self._connection = opening.open_ledger(self.path, now, self._migrations, rebuilt)
        self._file = _file_at(self.path)
        self._lost, self._doubtful, self._suspicions = "", False, 0
        return LedgerRebuiltError(
            f"the ledger `{self.path}` was begun anew: {why}",
            f"the damaged file is `{aside}`" if aside else "logs are read again by themselves",
        )


def _set_meta(connection: sqlite3.Connection, key: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _size_and_time(path: Path) -> tuple[int, int]:
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def _file_at(path: Path) -> tuple[int, int] | None:
    """Which file stands at a path; None for none."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise unreachable(path, error) from error
    return status.st_dev, status.st_ino
