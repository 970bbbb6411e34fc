"""The exchanges of a transcript from its events alone, each once and whole, without a ledger.

Memory does not grow with the transcript: of a session only the exchange it is in is kept, and of
sessions in one store only those last heard of.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from ctxd.exchange import Talk
from ctxd.extract.exchange import Spoken
from ctxd.listening import Key, of_a_person, spoken
from ctxd.policy.items import IDS_REMEMBERED, SESSIONS_OVERHEARD
from ctxd.policy.ledger import EXCHANGE_EVENTS, TEXT_CHARS
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    Event,
    PlanDecided,
    QuestionAnswered,
    SessionStarted,
    ToolCall,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)


class Overheard(msgspec.Struct):
    """A session, as far as it is needed to make sense of its exchanges."""

    key: Key
    how: str | None = None
    client: str | None = None
    cwd: str | None = None
    hosted: str | None = None
    talk: Talk = msgspec.field(default_factory=Talk)
    texts: dict[str, Event] = {}
    """The events of the exchange it is in, and of those before it that the answer may mean."""
    answered: bool = False
    """The user has spoken, and the agent not yet since: more may follow."""


class Overhearing:
    """Follows the sessions of one transcript."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[Key, Overheard] = OrderedDict()
        self._order: dict[str, int] = {}
        """Ids of what was said and done, in their order: what a withdrawal reaches back over."""

    def take(self, event: Event) -> Iterable[tuple[Overheard, Spoken]]:
        """Take the next event, and return the exchanges that it shows to be whole."""
        hear = HEARD.get(type(event))
        if hear is None or event.sub_agent is not None or event.id in self._order:
            return ()
        if len(self._order) < IDS_REMEMBERED:
            self._order[event.id] = len(self._order)
        found: list[tuple[Overheard, Spoken]] = []
        session = self._sessions.get((event.agent, event.session))
        if session is None:
            found += self._make_room()
            session = Overheard((event.agent, event.session))
            self._sessions[session.key] = session
        if isinstance(event, Withdrawn):
            gone = self.taken_back(event)
            session.talk.withdraw({name for name in session.texts if gone(name)})
        said = hear(session, event)
        if said is not None:
            found.append((session, said))
        return found

    def rest(self) -> Iterator[tuple[Overheard, Spoken]]:
        """The exchanges after which nothing came."""
        while self._sessions:
            yield from self._forget_first()

    def _make_room(self) -> Iterator[tuple[Overheard, Spoken]]:
        if len(self._sessions) >= SESSIONS_OVERHEARD:
            yield from self._forget_first()

    def _forget_first(self) -> Iterator[tuple[Overheard, Spoken]]:
        _, session = self._sessions.popitem(last=False)
        said = _whole(session)
        if said is not None:
            yield session, said

    def taken_back(self, event: Withdrawn) -> Callable[[str], bool]:
        """Tells whether an event is among those that a withdrawal took back."""
        end = self._order.get(event.id, len(self._order))
        first = self._order.get(event.since or "", end)
        until = self._order.get(event.until or "", end)
        return lambda name: first <= self._order.get(name, -1) < until


def _began(session: Overheard, event: SessionStarted) -> None:
    session.how = session.how or event.how
    session.client = event.client or session.client
    _moved(session, event)


def _moved(session: Overheard, event: SessionStarted | WorkspaceChanged) -> None:
    session.cwd = event.cwd or session.cwd
    session.hosted = event.repository or session.hosted


def _user(session: Overheard, event: Event) -> None:
    session.talk.user(event.id)
    _keep(session, event)
    session.answered = True


def _agent(session: Overheard, event: Event) -> Spoken | None:
    said = _whole(session)
    session.talk.agent(event.id, message=isinstance(event, AssistantMessage))
    _keep(session, event)
    return said


def _cleared(session: Overheard, _event: Cleared) -> Spoken | None:
    said = _whole(session)
    session.talk.clear()
    return said


def _withdrawn(session: Overheard, _event: Withdrawn) -> None:
    session.answered = session.answered and bool(session.talk.answer)


def _whole(session: Overheard) -> Spoken | None:
    """The exchange the session is in, when the user has answered and it was not yet given."""
    if not session.answered:
        return None
    session.answered = False
    said = spoken(session.key, session.talk.exchange(), session.texts)
    return said and of_a_person(said, session.how, session.client)


def _keep(session: Overheard, event: Event) -> None:
    """Remember an event's text, and forget those that nothing can refer to any more."""
    if len(session.texts) >= 4 * EXCHANGE_EVENTS:
        kept = session.talk.ids()
        session.texts = {name: text for name, text in session.texts.items() if name in kept}
    text = getattr(event, "text", None)
    if text is not None and len(text) > TEXT_CHARS:
        event = msgspec.structs.replace(event, text=text[:TEXT_CHARS])
    session.texts[event.id] = event


HEARD: dict[type[Event], Callable[[Overheard, Any], Spoken | None]] = {
    SessionStarted: _began,
    WorkspaceChanged: _moved,
    UserMessage: _user,
    QuestionAnswered: _user,
    PlanDecided: _user,
    AssistantMessage: _agent,
    ToolCall: _agent,
    Cleared: _cleared,
    Withdrawn: _withdrawn,
}
"""What is done with each kind of event; the others tell nothing of who said what."""
