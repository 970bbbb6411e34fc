"""Which exchanges go into one call, and how much is shown of each.

Cut at exchanges only, from the first on, by their own lengths alone: a session that grew has the
same chunks as before, but for its last. The user's words come first; of the agent's those that the
answer may mean. Cost is linear: a call holds at least a fixed number of exchanges, where there are
so many, and at most a fixed number of tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence

import msgspec

from ctxd.extract.wording import cut
from ctxd.item import Item
from ctxd.policy.context_files import TOKEN_BYTES_ESTIMATED
from ctxd.policy.reader import (
    READER_AGENT_TOKENS,
    READER_CALL_TURNS,
    READER_CANDIDATE_CHARS,
    READER_CANDIDATES,
    READER_CANDIDATES_LEAN,
    READER_CARRIED_TOKENS,
    READER_CUT_SHARE,
    READER_CUT_TOKENS,
    READER_MARK_TOKENS,
    READER_NOTE_CHARS,
    READER_NOTES,
    READER_NOTES_LEAN,
    READER_PROPOSAL_TOKENS,
    READER_REST_TURNS,
    READER_USER_TOKENS,
)
from ctxd.reader.turns import Heard
from ctxd.reader.values import Chunk, Part, Turn

_LABEL = "#7f3a9c1e candidate c00 "
"""What stands before such a line in the question, as far as its length goes."""

Count = Callable[[Sequence[str]], list[int]]
"""Tokens that each of some texts takes."""


_Parts = tuple[tuple[Part, int], ...]
"""Pieces of words, with the tokens that each takes."""


class _Sized(msgspec.Struct, frozen=True):
    """An exchange with what its parts take."""

    heard: Heard
    user: _Parts
    agent: _Parts
    notes: tuple[str, ...]
    candidates: tuple[Item, ...]
    fixed: int
    """What marks, notes and candidates take, which are always shown."""

    @property
    def user_tokens(self) -> int:
        return min(READER_USER_TOKENS, sum(tokens for _, tokens in self.user))

    @property
    def agent_tokens(self) -> int:
        most = READER_PROPOSAL_TOKENS if self.heard.is_short else READER_AGENT_TOKENS
        return min(most, sum(tokens for _, tokens in self.agent))

    @property
    def tokens(self) -> int:
        return self.fixed + self.user_tokens + self.agent_tokens


def chunks(heard: Sequence[Heard], capacity: int, count: Count, version: str) -> list[Chunk]:
    """The chunks of a session. `capacity` is what the exchanges of one may take, in tokens;
    `version` that of the prompt."""
    parts = _parts(heard, count)
    full = _sized(heard, parts, count, (READER_CANDIDATES, READER_NOTES))
    lean = _sized(heard, parts, count, (READER_CANDIDATES_LEAN, READER_NOTES_LEAN))
    found: list[Chunk] = []
    at = 0
    while at < len(heard):
        taken = _fitting_at_full_size(full[at:], capacity)
        end = at + max(taken, READER_CALL_TURNS)
        end = len(heard) if end + READER_REST_TURNS >= len(heard) else end
        group = full[at:end] if end == at + taken else lean[at:end]
        turns = _shown(group, capacity)
        carried = _carried(heard[:at])
        found.append(Chunk(turns=turns, carried=carried, digest=digest(turns, version)))
        at = end
    return found


def digest(turns: Iterable[Turn], version: str) -> str:
    """A digest of what is shown of exchanges."""
    told = [
        [turn.exchange, [[part.text for part in side] for side in (turn.agent, turn.user)]]
        for turn in turns
    ]
    return hashlib.sha256(msgspec.json.encode([version, told])).hexdigest()[:24]


def candidate_line(item: Item) -> str:
    """An item as a reader is shown it: one that was understood offline."""
    return f"{item.kind}: {cut(item.text, READER_CANDIDATE_CHARS)}"


def _parts(heard: Sequence[Heard], count: Count) -> list[tuple[_Parts, _Parts]]:
    """The user's and the agent's words of exchanges, with what each piece takes."""
    texts = [f"{part.text}\n[...]\n" for one in heard for part in (*one.user, *one.agent)]
    numbers = iter(count(texts))
    return [
        (
            tuple((part, next(numbers)) for part in one.user),
            tuple((part, next(numbers)) for part in one.agent),
        )
        for one in heard
    ]


def _sized(
    heard: Sequence[Heard],
    parts: Sequence[tuple[_Parts, _Parts]],
    count: Count,
    most: tuple[int, int],
) -> list[_Sized]:
    """Exchanges with at most so many candidates and notes."""
    candidates, notes = most
    likeliest = [_likeliest(one.candidates, candidates) for one in heard]
    noted = [tuple(cut(note, READER_NOTE_CHARS) for note in one.notes[:notes]) for one in heard]
    fixed = [
        "\n".join(f"{_LABEL}{line}" for line in (*notes, *map(candidate_line, items)))
        for notes, items in zip(noted, likeliest, strict=True)
    ]
    return [
        _Sized(one, user, agent, notes, items, tokens + READER_MARK_TOKENS)
        for one, (user, agent), notes, items, tokens in zip(
            heard, parts, noted, likeliest, count(fixed), strict=True
        )
    ]


def _likeliest(items: Sequence[Item], most: int) -> tuple[Item, ...]:
    kept = sorted(items, key=lambda item: (-item.probability, item.id))[:most]
    return tuple(item for item in items if item in kept)


def _fitting_at_full_size(sized: Sequence[_Sized], capacity: int) -> int:
    used = 0
    for number, one in enumerate(sized):
        used += one.tokens
        if used > capacity:
            return number
    return len(sized)


def _shown(group: Sequence[_Sized], capacity: int) -> list[Turn]:
    """The exchanges, of the agent's words and then of the user's only as many as fit."""
    left = capacity - sum(one.fixed for one in group)
    user = _level([one.user_tokens for one in group], left)
    left -= sum(min(user, one.user_tokens) for one in group)
    agent = _level([one.agent_tokens for one in group], left)
    return [_turn(one, user, agent) for one in group]


def _level(sizes: Sequence[int], capacity: int) -> int:
    """The most that each may take so that all together fit."""
    low, high = 0, max(sizes, default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(size, middle) for size in sizes) <= capacity:
            low = middle
        else:
            high = middle - 1
    return low


def _turn(one: _Sized, user: int, agent: int) -> Turn:
    heard = one.heard
    mine, theirs = min(user, one.user_tokens), min(agent, one.agent_tokens)
    return Turn(
        number=heard.number,
        exchange=heard.exchange,
        said=heard.said,
        agent=_kept(one.agent, theirs, _asking_first([part for part, _ in one.agent])),
        user=_kept(one.user, mine, range(len(one.user))),
        notes=one.notes,
        candidates=one.candidates,
    )


def _asking_first(parts: Sequence[Part]) -> Iterable[int]:
    """Of the last message its end and what asks, then the rest of it; earlier messages last, each
    from its end: an answer answers what was said last."""
    last = parts[-1].event if parts else ""
    ranks = [
        (part.event != last, not (at == len(parts) - 1 or "?" in part.text), -at)
        for at, part in enumerate(parts)
    ]
    return sorted(range(len(parts)), key=lambda at: ranks[at])


def _kept(parts: Sequence[tuple[Part, int]], most: int, order: Iterable[int]) -> tuple[Part, ...]:
    """Those of the parts that fit, in their own order; the first that does not fit is cut."""
    kept: dict[int, Part] = {}
    for at in order:
        part, tokens = parts[at]
        if tokens > most:
            if most >= READER_CUT_TOKENS:
                kept[at] = _beginning(part, most / tokens)
            break
        kept[at] = part
        most -= tokens
    return tuple(kept[at] for at in sorted(kept))


def _beginning(part: Part, share: float) -> Part:
    """The beginning of a part, ended between words."""
    chars = int(len(part.text) * share * READER_CUT_SHARE)
    at = part.text.rfind(" ", chars // 2, chars)
    return msgspec.structs.replace(part, text=part.text[: at if at > 0 else chars])


def _carried(before: Sequence[Heard]) -> tuple[Item, ...]:
    """Items of earlier exchanges that may still hold, the likeliest, as they were said."""
    said = [item for one in before for item in one.candidates if item.durability != "moment"]
    items = {item.id: item for item in said}.values()
    room = READER_CARRIED_TOKENS
    kept = set()
    for item in sorted(items, key=lambda item: (-item.probability, item.id)):
        line = f"{_LABEL}{candidate_line(item)}\n"
        room -= -(-len(line.encode()) // TOKEN_BYTES_ESTIMATED)
        if room < 0:
            break
        kept.add(item.id)
    return tuple(item for item in items if item.id in kept)
