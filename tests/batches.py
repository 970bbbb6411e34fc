"""What the tests of the ledger share: hand-made batches, and what can be said of any ledger."""

import sqlite3
from contextlib import closing
from pathlib import Path

from ctxd.ledger import Batch, Ledger
from ctxd.tail.checkpoint import Checkpoint
from ctxd.tail.identity import Identity
from ctxd_parsers.events import UserMessage

LOG = Path("/logs/one.jsonl")


def checkpoint(offset=0, state=b"", marks=None):
    identity = Identity(1, 2)
    return Checkpoint(identity, offset, b"before", offset, 10**18, state=state, marks=marks or {})


def batch(*events, path=LOG, offset=100, **more):
    facts = {"records": len(events), "parser": "notes", "agent": "a"} | more
    point = facts.pop("checkpoint", None) or checkpoint(offset)
    return Batch(path=path, checkpoint=point, events=list(events), **facts)


def said(name, text="words", session="s", agent="a", **more):
    return UserMessage(agent=agent, session=session, id=str(name), text=text, **more)


def ids(ledger: Ledger, session="s", agent="a", **more):
    return [event.id for event in ledger.events((agent, session), **more)]


def texts(ledger: Ledger, session="s", agent="a"):
    return [event.text for event in ledger.events((agent, session), (UserMessage,))]


def integrity(path: Path) -> str:
    """What SQLite itself says of the file."""
    with closing(sqlite3.connect(path)) as connection:
        return "\n".join(row[0] for row in connection.execute("PRAGMA integrity_check"))


def all_bytes(folder: Path) -> bytes:
    """Everything that the ledger wrote into its folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
