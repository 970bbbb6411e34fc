"""What the client still sends of a session, told from the lists that it writes now and then.

A `$set` with `messages` replaces the list in memory. The same form tells of a compaction, a prompt
that was cancelled, a refused tool call, a rewind, a start and a resume; what it was shows in which
of the messages known so far stand in it. Messages come back under their id, under a new one (the
tail that a compaction keeps), or run together with their neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ctxd_parsers import gemini_cli_rows as rows
from ctxd_parsers.gemini_cli_rows import Message, Words
from ctxd_parsers.limits import MESSAGES_TAKEN_BACK


class Live(Struct, array_like=True):
    """A message that the client still sends, as far as it is remembered."""

    id: str
    """Its present id."""
    sign: str
    words: bool
    """It holds words of the user's."""
    kept: bool
    """It was said before the last compaction."""
    events: tuple[str, ...] = ()
    """What it gave that a window holds."""


class Window(Struct):
    """The latest messages that the client still sends, oldest first."""

    live: list[Live] = []
    summaries: list[str] = []
    """Ids of the last compactions' summaries, which stand in later lists as well."""

    def add(self, message: Live) -> None:
        """A message that was said now."""
        self.live = [*self.live[1 - MESSAGES_TAKEN_BACK :], message]

    def grow(self, identity: str, sign: str, events: Sequence[str]) -> None:
        """The last message of that id got fuller."""
        for place in range(len(self.live) - 1, -1, -1):
            found = self.live[place]
            if found.id == identity:
                told = (*found.events, *events)
                self.live[place] = Live(identity, sign, found.words, found.kept, told)
                return
        self.add(Live(identity, sign, words=False, kept=False, events=tuple(events)))

    def retold(self, identity: str, found: Words) -> bool:
        """Whether a message of the user's role only repeats known ones run together.

        The client does so when it puts back what it sends after a refused tool call; they go under
        this one's id from then on.
        """
        if not found.has_context and not found.parts:
            return False
        known = {one.sign: place for place, one in enumerate(self.live)}
        if not found.has_context and not known.keys() >= set(found.parts):
            return False
        for place in {known[sign] for sign in found.signs if sign in known}:
            self.live[place].id = identity
        return True

    def place(self, identity: str) -> int | None:
        """Where the message of an id stands."""
        return next((n for n, one in enumerate(self.live) if one.id == identity), None)

    def standing(self, messages: Sequence[Message]) -> list[int]:
        """The places of the known messages that stand in a list, each under its id there."""
        by_id: dict[str, list[int]] = {}
        by_sign: dict[str, list[int]] = {}
        for place, one in enumerate(self.live):
            by_id.setdefault(one.id, []).append(place)
            by_sign.setdefault(one.sign, []).append(place)
        found: set[int] = set()
        for message in reversed(messages):
            places = by_id.get(message.id) or [
                places.pop() for sign in _signs(message) if (places := by_sign.get(sign))
            ]
            for place in places:
                self.live[place].id = message.id or self.live[place].id
            found.update(places)
        return sorted(found)

    def keep(self, places: Sequence[int], *, compacted: bool = False) -> None:
        """Forget all messages but those."""
        self.live = [self.live[place] for place in places]
        for one in self.live:
            one.kept = one.kept or compacted

    def is_new(self, summary: Message) -> bool:
        """Whether a summary was never seen before; remember it."""
        if summary.id in self.summaries or self.place(summary.id) is not None:
            return False
        self.summaries = [*self.summaries[-7:], summary.id]
        return True


def _signs(message: Message) -> tuple[str, ...]:
    if message.type == "user":
        return rows.words(message).signs
    made = rows.sign(message)
    return (made,) if made else ()
