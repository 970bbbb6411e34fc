"""Sessions that are talked in and compacted, from a log on disk to the records in a ledger.

The log holds events as they are published, one a line; a simple judge stands in for the one that
ships, so that what is tested does not move with its model: each sentence of the user's that begins
with `rule:` is an item, one with `instead:` one that overturns the last.
"""

import itertools
import os
import re
from datetime import UTC, datetime, timedelta

import msgspec

from ctxd.item import Evidence, Item, item_id
from ctxd.ledger import Ledger
from ctxd.pipeline import Pipeline
from ctxd.retention.retaining import Retaining
from ctxd.understanding import LIVE_SINCE, Understanding
from ctxd_parsers.events import (
    AnyEvent,
    AssistantMessage,
    Compaction,
    ContextFileLoaded,
    SessionStarted,
    ToolCall,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.parser import NoSigns, Storage
from ctxd_parsers.reading import Transcript

AGENT = "claude-code"
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
_RULE = re.compile(r"(?:rule|maybe|moment): ([^;]+)")


class NoState(msgspec.Struct):
    """Nothing is remembered between lines."""


class EventLog(NoSigns):
    """A store whose lines are events."""

    name = "event-log"
    agent = AGENT
    state_type = NoState

    def sources(self, _env):
        return []

    def claims(self, _path, head):
        return b'"event"' in head

    def companions(self, _path):
        return []

    def begin(self, _path, _companions):
        return NoState()

    def parse(self, records, _state):
        for record in records:
            event = msgspec.json.decode(record.data, type=AnyEvent)
            yield msgspec.structs.replace(event, span=(record.start, record.end))


def judge(said):
    """One item for each part of the user's words that begins with `rule:`."""
    return [
        Item(
            id=item_id([words]),
            agent=said.agent,
            session=said.session,
            event=event.id,
            time=event.time,
            kind="constraint",
            text=words,
            authority="user",
            durability="moment" if "moment: " in event.text else "repo",
            severity="critical" if "never" in words else "normal",
            plain="maybe: " not in event.text,
            probability=0.9,
            evidence=(Evidence(event.id, "user", words, time=event.time),),
        )
        for event in said.answer
        if isinstance(event, UserMessage)
        for words in _RULE.findall(event.text)
    ]


class World:
    """One repository, the sessions in it, and the part of the daemon that follows them."""

    def __init__(self, folder, agent=AGENT):
        self.folder, self.agent = folder, agent
        self.repo = folder / "repo"
        self.repo.mkdir(exist_ok=True)
        self.wall = (NOW + timedelta(hours=1)).timestamp()
        self.minutes = itertools.count()
        self.told = []
        self.ledger = None
        self.begin()

    def begin(self, since=NOW - timedelta(days=1)):
        """Start anew, as after a kill."""
        if self.ledger is not None:
            self.ledger.close()
        self.ledger = Ledger.open(self.folder / "ledger.sqlite3", lambda: self.wall)
        if self.ledger.meta(LIVE_SINCE) is None:
            self.ledger.set_meta(LIVE_SINCE, repr(since.timestamp()))
        self.pipeline = Pipeline(self.ledger, lambda: self.wall)
        self.understanding = Understanding(
            self.ledger, self.pipeline._session, lambda: self.wall, judge
        )
        self.retaining = Retaining(self.ledger, [self.told.append])

    def passes(self, minutes):
        """Time goes by in which nothing is said."""
        for _ in range(minutes):
            next(self.minutes)

    def log(self, session="s"):
        return self.folder / f"{session}.jsonl"

    def write(self, *events, session="s"):
        """Append to a session's log."""
        with self.log(session).open("ab") as file:
            file.writelines(msgspec.json.encode(event) + b"\n" for event in events)

    def read(self, session="s"):
        """Read on in a session's log, and return what was signalled."""
        transcript = Transcript(self.log(session), EventLog(), Storage.LINES, ())
        signals = []
        while True:
            progress = self.pipeline.advance(transcript)
            signals += progress.signals
            if not progress.more:
                return signals

    def understand(self):
        while self.understanding.step():
            pass

    def retain(self):
        """Judge and tell of what waits; return the records."""
        self.retaining.look()
        while self.retaining.step():
            pass
        return self.ledger.records()

    def go(self, session="s"):
        """Read, understand and judge what is new; return the session's records."""
        self.read(session)
        self.understand()
        self.retain()
        return self.ledger.records((self.agent, session))

    def fact(self, name=None, session="s"):
        """What every event carries; each is a minute later than the one before."""
        number = next(self.minutes)
        time = NOW + timedelta(minutes=number)
        return {"agent": self.agent, "session": session, "id": name or f"e{number}", "time": time}

    def start(self, version="2.1.332", session="s", **more):
        facts = {"cwd": str(self.repo), "client_version": version} | more
        self.write(SessionStarted(**self.fact(session=session), **facts), session=session)

    def user(self, text, name=None, session="s", **more):
        """The user says something; its event."""
        event = UserMessage(**self.fact(name, session), text=text, **more)
        self.write(event, session=session)
        return event

    def says(self, text, name=None, session="s"):
        """The agent says something; its event."""
        event = AssistantMessage(**self.fact(name, session), text=text)
        self.write(event, session=session)
        return event

    def touches(self, *paths, session="s"):
        """The agent edits files."""
        fact = self.fact(session=session)
        self.write(ToolCall(**fact, call=fact["id"], name="Edit", paths=paths), session=session)

    def compacts(self, summary, name=None, session="s", *, now=False, **more):
        """A compaction; as it happens with `now`, else one of an hour ago."""
        facts = {"trigger": "manual", "kept": ()} | more
        fact = self.fact(name, session)
        if now:
            self.wall = fact["time"].timestamp() + 1
        event = Compaction(**fact, summary=summary, **facts)
        self.write(event, session=session)
        return event

    def loads(self, path, text, session="s", **more):
        self.write(
            ContextFileLoaded(**self.fact(session=session), path=path, text=text, **more),
            session=session,
        )

    def takes_back(self, since, session="s"):
        """The user goes back to before an event."""
        self.write(Withdrawn(**self.fact(session=session), since=since.id), session=session)

    def has_file(self, path, text, age=3600 * 24):
        """A context file of the repository that was last changed so long ago."""
        file = self.repo / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        changed = NOW.timestamp() - age
        os.utime(file, (changed, changed))
        return file


def answers(record):
    """What became of each item, by its text."""
    return {one.item: one.verdict.answer for one in record.items}


def of(words):
    """The id of the item that these words are."""
    return item_id([words])
