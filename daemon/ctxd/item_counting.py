"""The items of one transcript from its events alone, in numbers, or as they are where asked for.

Nothing is known but the transcript: what was said twice in the same words is one item, what was
restated in others is two, and what superseded something stands beside it. The daemon tells such
apart, with its ledger.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from ctxd.counting import Counted, Name
from ctxd.extract.exchange import Spoken
from ctxd.extract.judge import judge
from ctxd.ledger.item_keeping import item_as_kept
from ctxd.listening import uncovered
from ctxd.overhearing import HEARD, Overheard, Overhearing
from ctxd.repositories import repository_key
from ctxd_parsers.events import Event, Withdrawn


class ItemCounter:
    """Finds the items of one transcript's sessions."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._hearing = Overhearing()
        self.items: dict[Name, Counted] = {}
        self.uncovered: dict[str, int] = {}
        """Exchanges in languages that ctxd does not know, by language."""

    def take(self, event: Event) -> None:
        """Take the next event of the transcript."""
        if type(event) not in HEARD:
            return
        self._add(self._hearing.take(event))
        if isinstance(event, Withdrawn) and event.sub_agent is None:
            gone = self._hearing.taken_back(event)
            self.items = {n: found for n, found in self.items.items() if not gone(found.event)}

    def finish(self) -> None:
        """The transcript is at its end."""
        self._add(self._hearing.rest())

    def _add(self, whole: Iterable[tuple[Overheard, Spoken]]) -> None:
        for session, said in whole:
            found = judge(said)
            for item in found:
                kept = item_as_kept(item) if self._whole else None
                name = (_repository(session.cwd, session.hosted), item.id)
                self.items[name] = Counted(item.kind, item.event, kept)
            if language := uncovered(said):
                self.uncovered[language] = self.uncovered.get(language, 0) + 1


@functools.lru_cache(1024)
def _repository(cwd: str | None, hosted: str | None) -> str:
    return repository_key(cwd, hosted)
