"""The daemon's part of retention: compactions that wait are judged, recorded, and told of.

A compaction waits in the ledger from the transaction that read it on. It is judged when no exchange
of its session waits any more, so that every item said before it is known; those that are happening
now come first, history when there is nothing else to do. Those who listen are told of live ones
once the record is stored, and again after a kill until they have had it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from ctxd.errors import CtxdError
from ctxd.ledger import Ledger, WaitingBoundary
from ctxd.policy.boundaries import (
    BOUNDARIES_AT_ONCE,
    LISTENERS_TOLD_AT_ONCE,
    VERDICTS_AT_ONCE,
)
from ctxd.repositories import repository_key
from ctxd.retention.holding import holding
from ctxd.retention.record import record
from ctxd.retention.surroundings import SessionView
from ctxd.retention.values import Dropped, DroppedItem, ItemVerdict, Record, most_binding

log = logging.getLogger(__name__)

Listener = Callable[[Dropped], None]
"""Is told of a live compaction; see `Dropped`."""


class Retaining:
    """Runs on the loop's thread, some compactions a step."""

    def __init__(self, ledger: Ledger, listeners: Sequence[Listener] = ()) -> None:
        self._ledger = ledger
        self._listeners = tuple(listeners)
        self._may_wait = True
        """Whether the ledger may have some to judge or to tell of: an earlier run may have left
        them."""
        self._urgent = False

    @property
    def presses(self) -> bool:
        """Whether one of now comes before more of history is read."""
        return self._urgent and self._may_wait

    @property
    def waits(self) -> bool:
        """Whether there may be something to do."""
        return self._may_wait

    def look(self, *, urgent: bool = False) -> None:
        """A compaction was recorded, or exchanges that it waited for were judged."""
        self._may_wait = True
        self._urgent = self._urgent or urgent

    def give_up(self) -> None:
        """What failed would only fail again: leave it until there is news."""
        self._may_wait = self._urgent = False

    def step(self) -> bool:
        """Judge and tell of some; whether there was anything to do."""
        if not self._may_wait:
            return False
        if self._tell() | self._judge():
            return True
        if self._urgent:
            # What is of now may wait for exchanges: it is looked for again when they are judged.
            self._urgent = self._ledger.is_boundary_waiting(live=True)
            self._may_wait = not self._urgent
        else:
            self._may_wait = False
        return False

    def _judge(self) -> bool:
        waiting = self._ledger.boundaries_waiting(BOUNDARIES_AT_ONCE, live=True)
        if not waiting and not self._urgent:
            waiting = self._ledger.boundaries_waiting(BOUNDARIES_AT_ONCE)
        views: dict[tuple[str, str], SessionView] = {}
        verdicts = 0
        for one in waiting:
            key = (one.agent, one.session)
            view = views.get(key)
            if view is None:
                view = views[key] = SessionView(self._ledger, key)
            made = _recorded(one, view)
            self._ledger.keep_record(made)
            view.learn(made)
            verdicts += len(made.items)
            if verdicts >= VERDICTS_AT_ONCE:
                break
        return bool(waiting)

    def _tell(self) -> bool:
        """Pass on what was recorded; a listener that fails does not keep it from the others."""
        records = self._ledger.untold(LISTENERS_TOLD_AT_ONCE)
        for kept in records:
            dropped = self._dropped(kept)
            for listener in self._listeners:
                _call(listener, dropped)
            self._ledger.tell(kept)
        return bool(records)

    def _dropped(self, kept: Record) -> Dropped:
        session = self._ledger.session(kept.agent, kept.session)
        items = [item for one in kept.dropped if (item := self._item(one)) is not None]
        items.sort(key=lambda item: most_binding(item.state))
        if session is None:
            return Dropped(record=kept, items=items)
        return Dropped(
            record=kept,
            items=items,
            cwd=session.cwd,
            repository=repository_key(session.cwd, session.repository),
            title=session.title,
            client_version=session.client_version,
        )

    def _item(self, one: ItemVerdict) -> DroppedItem | None:
        state = holding(self._ledger, one)
        return DroppedItem(one, state) if state else None


def _recorded(waiting: WaitingBoundary, view: SessionView) -> Record:
    """The record of a compaction; a defect in judging it costs that one."""
    try:
        return record(*view.at(waiting))
    except CtxdError:
        raise
    except Exception as error:
        log.exception("defect: a compaction cannot be judged: %s", type(error).__name__)
        boundary = waiting.boundary
        return Record(
            agent=waiting.agent,
            session=waiting.session,
            event=boundary.event,
            time=boundary.time,
            live=waiting.live,
            readable=False,
        )


def _call(listener: Listener, dropped: Dropped) -> None:
    try:
        listener(dropped)
    except CtxdError:
        raise
    except Exception as error:
        log.exception("defect: telling of a compaction: %s", type(error).__name__)
