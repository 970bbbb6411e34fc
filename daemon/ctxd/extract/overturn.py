"""What a reversal that names nothing, or little, overturns.

"nah, let's roll that back" means the decision that was made last and that the agent's last work was
about; "undo the rename" the last one of this session that speaks of a rename. A command on code
("revert the commit") means a decision only when one stands near. Where two could be meant, none is
taken back: a rule that holds too long is seen, one that is lost is not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from ctxd.extract.exchange import Spoken
from ctxd.extract.reconcile import item_slots
from ctxd.extract.reversals import Reversal, reversals
from ctxd.extract.slots import content
from ctxd.extract.turned_down import weight
from ctxd.item import Item
from ctxd.policy.comparing import NAMED_SHARE, PROPOSAL_WORDS, REVERSAL_PROPOSAL_CHARS
from ctxd_parsers.events import AssistantMessage, ToolCall

_STANDS = frozenset({"decision", "rejection", "constraint", "scope", "correction"})


def overturned(known: Sequence[Item], text: str, exchange: Spoken) -> list[str]:
    """Return the ids of the known items that a user's words take back.

    `known` are the active items of the repository, `text` the user's own words, `exchange` the one
    they stand in.
    """
    taken: dict[str, None] = {}
    near = None
    for reversal in reversals(text):
        standing = [item for item in known if item.kind in _STANDS and item.id not in taken]
        if reversal.named:
            found = _named(standing, reversal, exchange.session)
        else:
            near = near or _Near(exchange)
            found = near.meant(standing)
        taken |= dict.fromkeys(item.id for item in found)
    return list(taken)


def _named(items: Sequence[Item], reversal: Reversal, session: str) -> list[Item]:
    """The latest item of this session that speaks of what is named; of words taken back, failing
    that, of any session."""
    wanted = frozenset(reversal.named)
    telling = [(share, item) for item in items if (share := _share(wanted, item)) >= NAMED_SHARE]
    here = [(share, item) for share, item in telling if item.session == session]
    if not here and reversal.spoken:
        here = telling
    if not here:
        return []
    best = max(share for share, _ in here)
    return _latest([item for share, item in here if share == best])


def _share(wanted: frozenset[str], item: Item) -> float:
    total = weight(wanted)
    return weight(wanted & _words_of(item)) / total if total else 0.0


def _words_of(item: Item) -> frozenset[str]:
    files = (os.path.splitext(os.path.basename(path))[0].casefold() for path in item.scope)
    return item_slots(item).words.union(files, (path.casefold() for path in item.scope))


def _latest(items: Sequence[Item]) -> list[Item]:
    """The one that was said last; none when that cannot be told."""
    times = [(_time(item), item.id, item) for item in items]
    if len(items) > 1 and any(time is None for time, _, _ in times):
        return []
    times.sort(key=lambda one: one[0] or _EPOCH)
    return [times[-1][2]] if times else []


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _time(item: Item) -> datetime | None:
    if item.time is None or item.time.tzinfo:
        return item.time
    return item.time.replace(tzinfo=UTC)


class _Near:
    """What was said and done just before, as far as it tells which item is meant."""

    def __init__(self, exchange: Spoken) -> None:
        self._session = exchange.session
        self._order = {event.id: at for at, event in enumerate(exchange.earlier)}
        self._proposal = {event.id for event in exchange.proposal}
        self._paths = {
            path.casefold()
            for event in exchange.proposal
            if isinstance(event, ToolCall)
            for path in event.paths
        }
        texts = [e.text for e in exchange.proposal if isinstance(e, AssistantMessage)]
        said = "\n".join(texts)[-REVERSAL_PROPOSAL_CHARS:]
        self._words = frozenset(content(said))

    def meant(self, items: Iterable[Item]) -> list[Item]:
        """The items of the last answer that settled something, if the agent's last work does not
        tell which of them; else the one that this work was about."""
        own = [item for item in items if item.session == self._session]
        last = max((self._place(item) for item in own), default=-1)
        group = [item for item in own if self._place(item) == last] if last >= 0 else own
        if last >= 0 and _one_word(group):
            return group
        about = [item for item in group if self._is_about(item)]
        return _latest(about) if last < 0 else about if len(about) == 1 else []

    def _place(self, item: Item) -> int:
        """Where the words stand that bind an item: -1 for words that are not near."""
        if item.event in self._order:
            return self._order[item.event]
        leans = any(e.event in self._proposal for e in item.evidence)
        return len(self._order) if leans or item.event in self._proposal else -1

    def _is_about(self, item: Item) -> bool:
        if any(path.casefold() in self._paths for path in item.scope):
            return True
        words = item_slots(item).words
        return weight(words & self._words) >= min(PROPOSAL_WORDS, weight(words))


def _one_word(items: Sequence[Item]) -> bool:
    """Whether items were settled by the same words, so that taking these back takes all of them."""
    quotes = {item.evidence[0].quote if item.evidence else item.id for item in items}
    return len(quotes) == 1
