"""Who proposed what, and what the user said to it: the unit that meaning is drawn from.

The binding word is often short ("yup, A") and its content stands in what the agent said before, so
the two are kept together. Ids only: the texts are in the ledger. Bounded: of a very long turn the
last events count, since an answer answers what was said last.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain

import msgspec

from ctxd.policy.ledger import EARLIER_MESSAGES, EXCHANGE_EVENTS


class Exchange(msgspec.Struct, frozen=True, gc=False):
    """Ids of the events of one exchange, in their order."""

    proposal: tuple[str, ...] = ()
    """What the agent said, asked and called since the user's words before; () for an opening."""
    answer: tuple[str, ...] = ()
    """The user's words, answers and decisions to it."""
    reply: tuple[str, ...] = ()
    """What the agent has said and called since: the next exchange's proposal."""
    earlier: tuple[str, ...] = ()
    """The last messages before the proposal, of either side: an answer may reach back."""


class Talk(msgspec.Struct):
    """The exchange a session is in."""

    proposal: list[str] = []
    answer: list[str] = []
    reply: list[str] = []
    earlier: list[str] = []
    said: list[str] = []
    """Messages since what is `earlier`: those that the user's next words make earlier, too, but for
    those in the reply."""

    def exchange(self) -> Exchange:
        """Return the exchange as it stands."""
        parts = (self.proposal, self.answer, self.reply, self.earlier)
        return Exchange(*map(tuple, parts))

    def agent(self, event_id: str, *, message: bool = True) -> None:
        """Note that the agent said something, or called a tool."""
        _append(self.reply, event_id)
        if message:
            _append(self.said, event_id)

    def user(self, event_id: str) -> None:
        """Note that the user said something; several in a row answer the same proposal."""
        if self.reply:
            reply = frozenset(self.reply)
            before = [event_id for event_id in self.said if event_id not in reply]
            self.earlier = [*self.earlier, *before][-EARLIER_MESSAGES:]
            self.said = [event_id for event_id in self.said if event_id in reply]
            self.proposal, self.answer, self.reply = self.reply, [], []
        _append(self.answer, event_id)
        _append(self.said, event_id)

    def clear(self) -> None:
        """Forget it: what was said no longer stands before anybody."""
        for part in self._parts():
            part.clear()

    def withdraw(self, ids: Collection[str]) -> None:
        """Leave out events that were taken back."""
        for part in self._parts():
            part[:] = [event_id for event_id in part if event_id not in ids]

    def ids(self) -> frozenset[str]:
        """Return the ids of all events in it."""
        return frozenset(chain(*self._parts()))

    def _parts(self) -> tuple[list[str], ...]:
        return self.proposal, self.answer, self.reply, self.earlier, self.said


def _append(events: list[str], event_id: str) -> None:
    events.append(event_id)
    del events[:-EXCHANGE_EVENTS]
