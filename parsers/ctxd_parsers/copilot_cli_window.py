"""Which prompts a compaction of Copilot CLI keeps word for word.

After a compaction the model has one message that lists earlier prompts and holds the summary, and
then what happened since the compaction started. The list was measured with client 1.0.102 (and on
samples with 1.0.61) by resuming built sessions, compacting them and reading the next request:

- with at most 20 prompts of 30,000 UTF-16 units together, all of them stand there whole;
- else the first ones, at most 3 of together 5,999 units, and the last ones, at most 16 of together
  24,001; a message saying how many were left out stands between;
- a first or last prompt too long for its share is cut to it, and is not word for word any more.

The units are those of `content`; empty prompts do not count. A second compaction lists the original
prompts again, so the list reaches back to the session's start or the last clearing of the context.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

PROMPTS = 20
UNITS = 30_000
FIRST_PROMPTS, FIRST_UNITS = 3, 5_999
LAST_PROMPTS, LAST_UNITS = 16, 24_001


class Listed(Struct, array_like=True):
    """A prompt that the list may hold."""

    id: str
    """Id of the event of the user's words in it; empty for a prompt that is not the user's."""
    units: int


class Prompts(Struct):
    """All prompts so far, as far as they can still be listed."""

    count: int = 0
    units: int = 0
    first: list[Listed] = []
    last: list[Listed] = []

    def add(self, identity: str, content: str) -> None:
        """One more prompt, whose user words are the event `identity`, if they are the user's."""
        prompt = Listed(identity, len(content.encode("utf-16-le", "replace")) // 2)
        self.count += 1
        self.units += prompt.units
        if len(self.first) < FIRST_PROMPTS:
            self.first.append(prompt)
        self.last = [*self.last[1 - PROMPTS :], prompt]

    def kept(self) -> tuple[str, ...]:
        """Ids of the user's words that a compaction now leaves as they are."""
        if self.count <= PROMPTS and self.units <= UNITS:
            chosen = self.last
        else:
            head = _fitting(self.first, FIRST_UNITS)
            used = max(len(head), 1)
            room = min(LAST_PROMPTS, self.count - used)
            tail = _fitting(reversed(self.last[-room:]), LAST_UNITS) if room else []
            chosen = [*head, *reversed(tail)]
        return tuple(prompt.id for prompt in chosen if prompt.id)


def _fitting(prompts: Iterable[Listed], units: int) -> list[Listed]:
    """The prompts, in the order given, until the units are used up."""
    found: list[Listed] = []
    for prompt in prompts:
        units -= prompt.units
        if units < 0:
            break
        found.append(prompt)
    return found
