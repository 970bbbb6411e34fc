"""A small store for tests of what is common to all: a real parser, as simple as one can be.

A record is `{"id": ..., "text": ...}`, or a document `{"notes": [record, ...]}`. Its events number
the notes of the transcript in `turn`, so that a state that was lost or used twice shows.
"""

import itertools
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from ctxd.policy.daemon import TURN_BYTES
from ctxd.tail.checkpoint import Checkpoint
from ctxd.tail.follow import Step, follow
from ctxd_parsers.decoding import Damage, RowDecoder
from ctxd_parsers.events import Unparsed, UserMessage
from ctxd_parsers.parser import Source, Storage, Table
from ctxd_parsers.reading import Transcript
from ctxd_parsers.values import derived_id

TABLE = Table("notes", ("id",), "value", changed="written")


class Note(msgspec.Struct):
    id: str = ""
    text: str = ""
    notes: "list[Note]" = []


class State(msgspec.Struct):
    session: str
    notes: int = 0


class Notes:
    name = "notes"
    agent = "notes"
    state_type = State

    def __init__(self, root=None, patterns=("*/*.jsonl",), storage=Storage.LINES):
        self.root, self.patterns, self.storage = root, patterns, storage
        self.heads_seen = []

    def sources(self, env):
        root = self.root or env.home / ".notes"
        return [Source(root, self.patterns, self.storage, (TABLE,))]

    def claims(self, path, head):
        self.heads_seen.append(path)
        return b'"id"' in head or head.startswith(b"SQLite format 3\0")

    def companions(self, path):
        return []

    def begin(self, path, companions):
        return State(path.stem)

    def parse(self, records, state):
        for record, row in RowDecoder(Note, marks=("id",)).rows(records):
            if isinstance(row, Damage):
                place = derived_id("damage", record.start, row.reason)
                yield Unparsed(
                    agent="notes",
                    session=state.session,
                    id=place,
                    reason=row.reason,
                    span=(record.start, record.end),
                )
                continue
            for note in row.notes or [row]:
                state.notes += 1
                yield UserMessage(
                    agent="notes",
                    session=state.session,
                    id=note.id,
                    text=note.text,
                    turn=str(state.notes),
                    span=(record.start, record.end),
                )


def transcript(path: Path, storage: Storage = Storage.LINES) -> Transcript:
    return Transcript(path, Notes(), storage, (TABLE,))


_numbers = itertools.count()


def note(text: str = "", name: str | None = None) -> bytes:
    """A line that no other line is equal to."""
    number = next(_numbers)
    return (
        json.dumps({"id": name or f"n{number}", "text": text or f"note {number}"}).encode() + b"\n"
    )


def texts(step: Step) -> list[str]:
    return [event.text for event in step.events if isinstance(event, UserMessage)]


class Follower:
    """What a daemon keeps of one transcript, but for the ledger: a checkpoint that survives it."""

    def __init__(self, transcript: Transcript, budget: int = TURN_BYTES, **options):
        self.transcript, self.budget, self.options = transcript, budget, options
        self.checkpoint: Checkpoint | None = None
        self.steps: list[Step] = []

    def step(self) -> Step:
        step = follow(self.transcript, self.checkpoint, self.budget, **self.options)
        stored = msgspec.msgpack.encode(step.checkpoint)
        self.checkpoint = msgspec.msgpack.decode(stored, type=Checkpoint)
        self.steps.append(step)
        return step

    def texts(self) -> list[str]:
        """Of everything new."""
        found = []
        while True:
            step = self.step()
            found += texts(step)
            if not step.more:
                return found


def database(path: Path) -> closing:
    """The connection of the program that owns the store."""
    owner = sqlite3.connect(path)
    owner.execute("CREATE TABLE IF NOT EXISTS secrets (key TEXT, value TEXT)")
    owner.execute(
        "CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, value BLOB, written INTEGER)"
    )
    owner.commit()
    return closing(owner)


def put(owner: sqlite3.Connection, name: str, text: str, written: int) -> None:
    value = json.dumps({"id": name, "text": text})
    owner.execute(
        "INSERT INTO notes VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE "
        "SET value = excluded.value, written = excluded.written",
        (name, value, written),
    )
    owner.commit()
