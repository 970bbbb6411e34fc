"""What is remembered of one session's messages in the command line's database: the latest of them,
how they hang together, which trees are the user's own conversation, and what was told.

A tree is the user's when it is the first one in which anything is said, when it goes on from one of
theirs (by copies, by the numbers it replaces, by a summary), or when the conversation ends in it.
What is said in another one is held back until then, as far as it is not too much. Whatever cannot
be followed back to its beginning is taken to stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from ctxd_parsers.events import AnyEvent, AssistantMessage, UserMessage
from ctxd_parsers.limits import CONVERSATIONS_REMEMBERED, HELD_EVENTS, KEPT_EVENTS
from ctxd_parsers.values import derived_id
from ctxd_parsers.windsurf_devin_rows import NONE, Node

_K = TypeVar("_K")
_V = TypeVar("_V")
_SESSIONS = CONVERSATIONS_REMEMBERED // 10
_LINKS = 2 * KEPT_EVENTS
_TREES = KEPT_EVENTS // 4
_HELD_CHARS = 16_000
"""Of words that are held back for one session; the latest message is, however long it is."""
_MARK_CHARS = 10
"""Of a digest that tells the messages of one session apart."""


class Link(msgspec.Struct, array_like=True):
    """Where a message hangs in the forest."""

    mark: str
    tree: int
    parent: int = NONE
    source: int = NONE
    """The last message that it is a summary of."""


class Held(msgspec.Struct, array_like=True):
    """A message in a tree that may not be the user's."""

    tree: int
    mark: str
    events: list[AnyEvent] = []


class Forest(msgspec.Struct):
    """The latest messages of a session. They are known by marks made of their ids."""

    links: dict[int, Link] = {}
    told: dict[str, str] = {}
    """The event of each message in the user's conversation; empty for one that says nothing."""
    main: list[int] = []
    """The trees of the user's conversation, by their first messages."""
    held: list[Held] = []
    begun: bool = False
    """Whether anything was said in the user's conversation."""

    def add(self, node: Node) -> bool | None:
        """Hang a message in, and tell whether it is in the user's conversation; None when it hung
        there before."""
        mark, known = _mark(node), self.links.get(node.number)
        if known is not None and known.mark == mark:
            return None
        if node.parent == NONE and node.number <= max(self.links, default=NONE):
            # All rows of the session are written anew, from the first one on.
            self.links, self.told, self.main, self.held, self.begun = {}, {}, [], [], False
        tree = self._tree(node)
        is_main = tree in self.main or self._goes_on(node, mark)
        if is_main:
            self._own(tree)
        self.links[node.number] = Link(mark, tree, node.parent, node.source)
        _shorten(self.links, _LINKS)
        return is_main

    def is_told(self, node: Node) -> bool:
        """Whether a message was told, under whatever number."""
        return _mark(node) in self.told

    def tell(self, node: Node, events: Sequence[AnyEvent]) -> Iterator[AnyEvent]:
        """Note that a message is told, and give its events."""
        return self._tell(_mark(node), events)

    def hold(self, node: Node, events: list[AnyEvent]) -> None:
        """Keep the events of a message in a tree that may not be the user's."""
        self.held.append(Held(self.links[node.number].tree, _mark(node), events))
        while len(self.held) > 1 and _is_too_much(self.held):
            del self.held[0]

    def let_go(self) -> Iterator[AnyEvent]:
        """What was held back of trees that prove to be the user's."""
        ours = [one for one in self.held if one.tree in self.main]
        self.held = [one for one in self.held if one.tree not in self.main]
        for one in ours:
            if one.mark not in self.told:
                yield from self._tell(one.mark, one.events)

    def claim(self, tip: int) -> None:
        """Take the tree that the conversation ends in for the user's."""
        if tip in self.links:
            self._own(self.links[tip].tree)

    def kept(self, summary: Node) -> tuple[str, ...] | None:
        """The events that stay word for word beside a summary: what it hangs on, and what was said
        while it was made; None when that is not known."""
        source = self.links.get(summary.source)
        if source is None or source.mark not in self.told:
            return None
        marks = list(self.told)
        after = marks.index(source.mark) + 1
        before, _ = self._back([summary.parent], through_summaries=False)
        kept = [mark for mark in marks[:after] if mark in before] + marks[after:]
        return tuple(self.told[mark] for mark in kept if self.told[mark])

    def taken_back(self, tip: int) -> list[tuple[str, str | None]]:
        """The runs of events that are not in the conversation any more which ends in `tip`: the
        first of each, and the first behind it that is. What was written behind the tip is not
        judged yet: the session's row follows."""
        if tip not in self.links:
            return []
        standing, cut = self._back([tip], through_summaries=True)
        marks = list(self.told)
        places = [place for place, mark in enumerate(marks) if mark in standing]
        if not places:
            return []
        first = max(places[0], *(marks.index(mark) for mark in cut if mark in self.told), 0)
        standing |= {link.mark for number, link in self.links.items() if number > tip}
        gone = {m for m in marks[first + 1 :] if m not in standing and self.told[m]}
        runs = self._runs(marks[first + 1 :], gone)
        for mark in gone:
            del self.told[mark]
        return runs

    def _runs(self, marks: list[str], gone: set[str]) -> list[tuple[str, str | None]]:
        runs: list[tuple[str, str | None]] = []
        is_open = False
        for mark in marks:
            event = self.told[mark]
            if mark in gone and not is_open:
                runs.append((event, None))
            elif mark not in gone and event and is_open:
                runs[-1] = (runs[-1][0], event)
            is_open = mark in gone or (is_open and not event)
        return runs

    def _tree(self, node: Node) -> int:
        """The first message of a message's tree; one whose parent is not known any more goes on in
        the user's conversation."""
        if node.parent == NONE:
            return node.number
        if node.parent in self.links:
            return self.links[node.parent].tree
        return self.main[-1] if self.main else node.number

    def _goes_on(self, node: Node, mark: str) -> bool:
        """Whether a message shows that its tree goes on with the user's conversation. Prompts of
        the system do not: other talks have the same."""
        if not self.begun or any(map(self._is_ours, node.prior)):
            return True
        if node.role == "system":
            return node.is_summary and self._is_ours(node.source)
        return mark in self.told

    def _is_ours(self, number: int) -> bool:
        return number in self.links and self.links[number].tree in self.main

    def _own(self, tree: int) -> None:
        if tree not in self.main:
            self.main = [*self.main, tree][-_TREES:]

    def _tell(self, mark: str, events: Sequence[AnyEvent]) -> Iterator[AnyEvent]:
        self.told[mark] = events[0].id if events else ""
        _shorten(self.told, KEPT_EVENTS)
        self.begun = self.begun or any(
            isinstance(event, (UserMessage, AssistantMessage)) for event in events
        )
        yield from events

    def _back(self, tips: list[int], *, through_summaries: bool) -> tuple[set[str], list[str]]:
        """The marks of all messages that lead to some, and of those where what leads to them is not
        known any more."""
        marks: set[str] = set()
        cut: list[str] = []
        seen, waiting = {NONE}, [tip for tip in tips if tip in self.links]
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            link = self.links[number]
            marks.add(link.mark)
            links = [link.parent, link.source] if through_summaries else [link.parent]
            for other in links:
                if other in self.links:
                    waiting.append(other)
                elif other != NONE:
                    cut.append(link.mark)
        return marks, cut


def forest_of(forests: dict[str, Forest], session: str) -> Forest:
    """What is remembered of a session, which becomes the latest one."""
    forest = forests.pop(session, None) or Forest()
    forests[session] = forest
    _shorten(forests, _SESSIONS)
    return forest


def _shorten(known: dict[_K, _V], most: int) -> None:
    while len(known) > most:
        del known[next(iter(known))]


def _mark(node: Node) -> str:
    return derived_id(node.mark)[:_MARK_CHARS]


def _is_too_much(held: list[Held]) -> bool:
    texts = [getattr(event, "text", "") for one in held for event in one.events]
    return len(held) > HELD_EVENTS or sum(map(len, texts)) > _HELD_CHARS
