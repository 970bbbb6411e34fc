"""From exchanges that wait to items in the ledger.

An exchange is judged when it is complete, and again when its answer has grown; what it came to
before is replaced. Everything of one step is stored in one transaction, so that a kill leaves an
exchange waiting or judged, never half of each.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from ctxd.echoes import SOURCES, is_echo, texts_before
from ctxd.errors import CtxdError
from ctxd.extract.exchange import Spoken
from ctxd.extract.overturn import overturned
from ctxd.extract.reversals import reversals
from ctxd.item import Item
from ctxd.item_log import ItemEvent, Said, taken_back
from ctxd.knowledge import Change, Knowledge
from ctxd.ledger import Judgement, Ledger, Pending
from ctxd.listening import Key, of_a_person, spoken, time_of, uncovered
from ctxd.local_paths import root_of, without_root
from ctxd.policy.items import JUDGED_AT_ONCE, REPOSITORIES_IN_MEMORY
from ctxd.repositories import repository_key
from ctxd.reviewing import LIVE_SINCE
from ctxd.session_state import Session
from ctxd_parsers.events import UserMessage

if TYPE_CHECKING:
    from ctxd.adaptation import Adaptation

log = logging.getLogger(__name__)

Judge = Callable[[Spoken], list[Item]]
"""Tells the items of an exchange."""


class _Case(msgspec.Struct, frozen=True):
    """An exchange that is being judged."""

    pending: Pending
    session: Session
    repository: str
    said: Spoken | None
    """None when no person said anything in it, or what was said is taken back."""


class Understanding:
    """Judges exchanges in the light of what is known in their repositories."""

    def __init__(
        self,
        ledger: Ledger,
        session_of: Callable[[Key], Session],
        wall: Callable[[], float],
        judge: Judge | None = None,
    ) -> None:
        self._judge = judge
        self._adaptation: Adaptation | None = None
        self._ledger = ledger
        self._session_of = session_of
        self._wall = wall
        self._known: dict[str, Knowledge] = {}
        self._changes = ledger.item_changes
        """Of the ledger's items, when they were last what `_known` says."""
        self.live_since = self._begin()
        beat = ledger.heartbeat()
        self.last_item = beat.last_item if beat else None
        """When an item was last recorded, in Unix seconds."""

    def forget_all(self) -> None:
        """The ledger was begun anew: what was said up to now is history."""
        self._known.clear()
        self._adaptation = None
        self.live_since = self._begin()

    def step(self) -> bool:
        """Judge some of the exchanges that wait longest; whether more may wait."""
        waiting = self._ledger.pending(JUDGED_AT_ONCE)
        self.judge(waiting)
        return len(waiting) == JUDGED_AT_ONCE

    def judge(self, waiting: Sequence[Pending]) -> None:
        """Judge these exchanges and store what they come to: all of it, or nothing."""
        if self._changes != self._ledger.item_changes:
            self._known.clear()
        try:
            judgements = [self._judgement(pending) for pending in waiting]
            self._ledger.settle(judgements)
        except BaseException:
            self._known.clear()
            raise
        if any(judgement.items for judgement in judgements):
            self.last_item = self._wall()
        self._changes = self._ledger.item_changes
        while len(self._known) > REPOSITORIES_IN_MEMORY:
            self._known.pop(next(iter(self._known)))

    def waiting(self, session: Key) -> list[Pending]:
        """The exchanges of a session that wait."""
        return self._ledger.pending(session=session)

    def is_of_now(self, pending: Pending) -> bool:
        """Whether an exchange is of a session that went on since the daemon first ran."""
        last = self._session_of((pending.agent, pending.session)).last_event
        return last is not None and last >= self.live_since

    def is_live(self, said: Spoken, session: Session) -> bool:
        """Whether it was said since the daemon first ran; where the log tells no times, whether its
        session began since."""
        time = time_of(said) or session.started
        return time is not None and time >= self.live_since

    def _begin(self) -> datetime:
        stored = self._ledger.meta(LIVE_SINCE)
        if stored is None:
            stored = repr(self._wall())
            self._ledger.set_meta(LIVE_SINCE, stored)
        return datetime.fromtimestamp(float(stored), UTC)

    def _judgement(self, pending: Pending) -> Judgement:
        """What an exchange comes to; a defect in judging one costs that one."""
        try:
            return self._judged(self._case(pending))
        except CtxdError:
            raise
        except Exception as error:
            log.exception("defect: an exchange cannot be judged: %s", type(error).__name__)
            self._known.clear()
            return Judgement(key=pending.key, repository="")

    def _case(self, pending: Pending) -> _Case:
        key, exchange = (pending.agent, pending.session), pending.exchange
        session = self._session_of(key)
        ids = {*exchange.earlier, *exchange.proposal, *exchange.answer}
        events = {event.id: event for event in self._ledger.some_events(key, ids)}
        for name in self._inherited(session, exchange.answer):
            events.pop(name, None)
        said = spoken(key, exchange, events)
        person = said and of_a_person(said, session.how, session.client)
        repository = repository_key(session.cwd, session.repository)
        return _Case(pending, session, repository, person)

    def _inherited(self, session: Session, answer: Sequence[str]) -> Iterator[str]:
        """Ids of words that stand in the session that this one was forked from: its own are only
        those that came later."""
        if session.parent:
            for event in self._ledger.some_events((session.agent, session.parent), answer):
                yield event.id

    def _judged(self, case: _Case) -> Judgement:
        key, repository = case.pending.key, case.repository
        if repository in self._known:
            self._known[repository].take_out(key)
        if case.said is None:
            return Judgement(key=key, repository=repository)
        changes = list(self._changed(case, case.said))
        return Judgement(
            key=key,
            repository=repository,
            items=[item for change in changes for item in change.items],
            events=[event for change in changes for event in change.events],
            uncovered=uncovered(case.said),
        )

    def _changed(self, case: _Case, said: Spoken) -> Iterator[Change]:
        """What an exchange changes of what is known."""
        found, takes_back = self._found(case, said), _takes_back(said)
        if not found and not takes_back:
            return
        known = self._knowledge(case.repository)
        known.take_out(case.pending.key)
        gone = _taken_back(known, said) if takes_back else Change()
        known.take_back(event.item for event in gone.events)
        yield gone
        live, root = self.is_live(said, case.session), root_of(case.session.cwd)
        texts: list[str] | None = None
        for item in (without_root(one, root) for one in found):
            outcome = known.stands(item)
            if outcome.relation == "new":
                texts = self._texts(case, said) if texts is None else texts
                if is_echo(item.text, texts) and not self._came_to(case, item):
                    continue
            kept = item if live else msgspec.structs.replace(item, plain=False)
            yield known.take(kept, outcome, case.pending.key)

    def _found(self, case: _Case, said: Spoken) -> list[Item]:
        """The items of an exchange without those that the user had ctxd forget."""
        where = case.repository
        found = self._second(case, said, self._items(said, where))
        return [item for item in found if not self._ledger.is_forgotten(where, item.id)]

    def _second(self, case: _Case, said: Spoken, items: list[Item]) -> list[Item]:
        """The items, and what a second reader made of the same words, if one has read them: also
        when none is chosen any more."""
        key = case.pending.key
        if self._ledger.findings(key) is None:
            return items
        from ctxd.reader.agreeing import agreed
        from ctxd.reader.turns import words_digest

        findings = self._ledger.findings(key, words_digest(said))
        if findings is None:
            return items
        at = int(self._ledger.read_at(key))
        return [msgspec.structs.replace(one, read_at=at) for one in agreed(items, findings, said)]

    def _items(self, said: Spoken, repository: str) -> list[Item]:
        """What is understood of an exchange: by the judge that was given, else by the model as the
        user's verdicts have made it, which is loaded when the first exchange is there."""
        if self._judge is not None:
            return self._judge(said)
        if self._adaptation is None:
            from ctxd.adaptation import Adaptation

            self._adaptation = Adaptation(self._ledger, self._wall)
        return self._adaptation.judge(said, repository)

    def _came_to(self, case: _Case, item: Item) -> bool:
        """Whether the exchange was understood so when it was judged before: what repeats its words
        by now, like the line that a context file has of them, does so because of them."""
        key = case.pending.key
        known = self._ledger.items(case.repository, session=key[:2], statuses=())
        return any(kept.id == item.id and kept.exchange == key for kept in known)

    def _texts(self, case: _Case, said: Spoken) -> list[str]:
        """What the session was given before these words."""
        time = time_of(said)
        events = self._ledger.events((case.pending.agent, case.pending.session), SOURCES)
        folders = dict.fromkeys(filter(None, (case.session.cwd, case.repository)))
        return texts_before(events, time, list(folders))

    def _knowledge(self, repository: str) -> Knowledge:
        known = self._known.pop(repository, None) or self._load(repository)
        self._known[repository] = known
        return known

    def _load(self, repository: str) -> Knowledge:
        kept = self._ledger.items(repository, statuses=("active", "rejected", "retracted"))
        turned_down: dict[str, tuple[Item, datetime | None]] = {}
        for one in kept:
            if one.state.status != "active":
                last = _last_verdict(self._ledger.item_events(repository, one.id))
                if last is not None:
                    turned_down[one.id] = one.item, last.time
        return Knowledge([one for one in kept if one.state.status == "active"], turned_down)


def _takes_back(said: Spoken) -> bool:
    return any(reversals(event.text) for event in said.answer if isinstance(event, UserMessage))


def _taken_back(known: Knowledge, said: Spoken) -> Change:
    """What the user's words take back with nothing in its place."""
    events = []
    for event in said.answer:
        if isinstance(event, UserMessage):
            where = Said(said.agent, said.session, event.id)
            gone = overturned(known.active, event.text, said)
            events += [taken_back(name, where, event.time) for name in gone]
    return Change(events=tuple(events))


def _last_verdict(events: Iterable[ItemEvent]) -> ItemEvent | None:
    """The user's last word to an item; none for one that only later words took back."""
    found = [event for event in events if event.by == "user"]
    return found[-1] if found else None
