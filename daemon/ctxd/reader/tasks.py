"""What a reader is asked of a session: one task a call, each with its question and what comes of
the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, get_args

import msgspec

from ctxd.adaptation import as_learned
from ctxd.extract.exchange import Spoken, UserEvent
from ctxd.extract.judge import judge
from ctxd.item import Item
from ctxd.ledger import Reader
from ctxd.ledger.values import Key
from ctxd.overhearing import HEARD
from ctxd.reader import prompt, turns
from ctxd.reader.compaction_tasks import compaction_tasks
from ctxd.reader.evidence import checked
from ctxd.reader.values import Ask, Chunk, Findings, Read, Refusal, Reply, Told, Work
from ctxd.repositories import repository_key
from ctxd.session_state import Session


class Task(Protocol):
    """One thing to ask."""

    @property
    def digest(self) -> str:
        """What tells it from others, and that it was done already."""

    def ask(self) -> Ask:
        """The question."""

    def take(self, reply: Reply, reader: str) -> Sequence[Refusal]:
        """Keep what passes of an answer, and return what does not; of two answers the better one
        stays. Raise ReaderError when it is no answer."""

    def told(self) -> Told:
        """What came of it; of no answer, that."""


class ChunkTask:
    """A part of a session."""

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self._findings: tuple[Findings, ...] = ()

    @property
    def digest(self) -> str:
        """Of the words shown and of the prompt."""
        return self._chunk.digest

    def ask(self) -> Ask:
        """The question about it."""
        return prompt.ask_of(self._chunk)

    def take(self, reply: Reply, reader: str) -> Sequence[Refusal]:
        """Keep what was found, unless an answer before had more that passed."""
        found, refusals = checked(reply.text, self._chunk, prompt.labels(self._chunk), reader)
        if _weight(found) >= _weight(self._findings):
            self._findings = tuple(found)
        return refusals

    def told(self) -> Told:
        """That it was read, and what was found."""
        return Read(digest=self.digest, findings=self._findings)


def tasks_for(ledger: Reader, work: Work) -> list[Task]:
    """What is to be asked for some work: what compactions left first, since an agent may wait."""
    key = (work.agent, work.session)
    found: list[Task] = []
    if work.compactions:
        found += compaction_tasks(ledger, key)
    return [*found, *tasks_of(ledger, key)] if work.exchanges else found


def tasks_of(ledger: Reader, key: Key) -> list[Task]:
    """All there is to ask of the exchanges of a session."""
    session = ledger.session(*key)
    if session is None:
        return []
    repository = repository_key(session.cwd, session.repository)
    model = as_learned(ledger, repository)

    def candidates(said: Spoken) -> list[Item]:
        found = judge(said, model)
        return [item for item in found if not ledger.is_forgotten(repository, item.id)]

    heard = turns.heard_of(_exchanges(ledger, session), candidates)
    return [ChunkTask(chunk) for chunk in prompt.chunks_of(heard)]


def _exchanges(ledger: Reader, session: Session) -> Iterator[Spoken]:
    """The exchanges of a session; of a fork without the user's words that stand in the session that
    it left. What the agent said there is what the first words of the fork's own answer."""
    key, inherited = (session.agent, session.id), set[str]()
    if session.parent:
        parent = (session.agent, session.parent)
        inherited = {event.id for event in ledger.events(parent, get_args(UserEvent))}
    for said in turns.exchanges(ledger.events(key, tuple(HEARD))):
        own = tuple(event for event in said.answer if event.id not in inherited)
        if own:
            yield msgspec.structs.replace(said, answer=own)


def _weight(findings: Sequence[Findings]) -> int:
    return sum(len(one.found) for one in findings)
