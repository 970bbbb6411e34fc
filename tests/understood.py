"""A ledger, sessions that are talked in, and the understanding of them as it ships."""

import itertools
import time
from datetime import UTC, datetime, timedelta

from batches import batch
from ctxd.exchange import Exchange
from ctxd.ledger import Ledger, Pending
from ctxd.session import Session
from ctxd.understanding import LIVE_SINCE, Understanding
from ctxd_parsers.events import AssistantMessage, UserMessage

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


class House:
    """One repository in which several sessions go on. Each thing said is a minute later."""

    def __init__(self, folder):
        self.folder = folder
        self.ledger = Ledger.open(folder / "ledger.sqlite3")
        self.ledger.set_meta(LIVE_SINCE, repr((NOW - timedelta(hours=1)).timestamp()))
        self.sessions = {}
        self.before = {}
        """The last thing that each agent said."""
        self.counted = itertools.count(1)
        self.begin()

    def begin(self):
        """Start anew, as after a kill."""
        self.understanding = Understanding(self.ledger, self.session, time.time)

    def session(self, key):
        return self.sessions.setdefault(
            key, Session(*key, cwd=str(self.folder), started=NOW, last_event=NOW)
        )

    def tell(self, *events, pending=()):
        """Record events as read from a log."""
        self.ledger.record(batch(*events, offset=100 * next(self.counted), pending=pending))

    def fact(self, session):
        """What every event of a session carries that is said next."""
        number = next(self.counted)
        return {
            "agent": "a",
            "session": session,
            "id": f"{session}{number}",
            "time": NOW + timedelta(minutes=number),
        }

    def agent(self, text, session="s"):
        """The agent says something."""
        message = AssistantMessage(**self.fact(session), text=text)
        self.tell(message)
        self.before[session] = message.id

    def user(self, text, session="s", **more):
        """The user says something to what the agent said last; return the event's id."""
        words = UserMessage(**self.fact(session) | more, text=text)
        said = [self.before[session]] if session in self.before else []
        self.last = Exchange(proposal=tuple(said), answer=(words.id,))
        self.tell(words, pending=[Pending("a", session, self.last)])
        return words.id

    def settle(self):
        while self.understanding.step():
            pass
        assert self.ledger.pending() == []

    def hear(self, text, session="s", **more):
        """The user says something, and it is judged."""
        name = self.user(text, session, **more)
        self.settle()
        return name

    def items(self, **more):
        return self.ledger.items(**more)

    def texts(self, **more):
        return [kept.state.text for kept in self.ledger.items(**more)]

    def holding(self, words, **more):
        """The items that hold and speak of something."""
        return [kept for kept in self.items(**more) if words in kept.state.text.casefold()]
