"""One worktree with all that is known of it, and the plan that follows: what the daemon, `ctxd
diff`, `ctxd apply` and `ctxd review` go by alike. Reads; writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from ctxd.context_files import memories
from ctxd.context_files.memories import Known
from ctxd.context_files.modes import Allowed, Mode, allowed
from ctxd.context_files.plan import plan
from ctxd.context_files.values import Plan, Rules, View
from ctxd.context_files.view import look
from ctxd.context_files.whereabouts import Folders, Spot, Whereabouts
from ctxd.context_files.wishes import fits_a_line
from ctxd.item_log import ItemState
from ctxd.ledger import KeptItem, Reader

ModeOf = Callable[[Path], Mode]
"""The user's mode for a worktree."""


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """A worktree, and what is to be done there."""

    root: Path
    repository: str
    allowed: Allowed
    known: Known
    """As of the look before this one."""
    view: View
    states: tuple[ItemState, ...]
    plan: Plan
    review: frozenset[str] = frozenset()
    """Items of this worktree that wait for the user's review and could get a line."""

    @property
    def lines(self) -> int:
        """How many lines the plan adds, changes or takes out."""
        return sum(len(edit.changes) for edit in self.plan.edits)


class Desk:
    """Makes surveys."""

    def __init__(self, reader: Reader, mode_of: ModeOf, now: Callable[[], datetime]) -> None:
        self._reader = reader
        self._mode_of = mode_of
        self._now = now
        self._folders = Folders()

    def look_anew(self) -> None:
        """Folders may have come, gone, or become repositories."""
        self._folders = Folders()

    def whereabouts(self) -> Whereabouts:
        """Where all sessions ran."""
        return Whereabouts(self._reader.session_folders(), self._folders)

    def allowed(self, root: Path) -> Allowed:
        """What may be written in a worktree unasked."""
        return allowed(self._mode_of(root), root)

    def targets(self, repository: str) -> set[str]:
        """The worktrees that items of a repository may have to be written in."""
        told = list(self._told(repository))
        roots = set()
        if told:
            where = self.whereabouts()
            spots = (where.of(_session(kept), repository) for kept in told)
            roots = {spot.root for spot in spots if spot}
        known = memories.roots(self._reader)
        return roots | {
            root for root in known if memories.recall(self._reader, root).repository == repository
        }

    def survey(
        self, spot: Spot, chosen: Collection[str] | None = None, *, asked: bool = False
    ) -> Survey:
        """What is to be done in a worktree: with the items that are written unasked, or with those
        that the user has chosen, as if they were agreed to. `asked`: by the user, who may want what
        is never done unasked."""
        root = Path(spot.root)
        known = memories.recall(self._reader, spot.root)
        where = self.whereabouts()
        kept = self._reader.items(spot.repository, statuses=())
        here = set(_here(kept, where, spot))
        states = [one.state for one in kept]
        view = look(root, where.agents(spot.root), known=list(known.memory), last_head=known.head)
        if chosen is None:
            only = frozenset(here)
        else:
            only = frozenset(chosen)
            states = [_agreed(state) if state.item.id in only else state for state in states]
        view = _asked_for(view) if asked else view
        rules = Rules(now=self._now(), only=only)
        return Survey(
            root=root,
            repository=spot.repository,
            allowed=self.allowed(root),
            known=known,
            view=view,
            states=tuple(states),
            plan=plan(view, states, rules, known.memory),
            review=frozenset(_waiting(kept, where, spot)),
        )

    def _told(self, repository: str) -> Iterator[KeptItem]:
        """The items that may get a line unasked."""
        for kept in self._reader.items(repository):
            if not kept.state.waits and fits_a_line(kept.state):
                yield kept


def _here(kept: Iterable[KeptItem], where: Whereabouts, spot: Spot) -> Iterator[str]:
    """The items that are written in a worktree unasked."""
    for one in kept:
        place = where.of(_session(one), spot.repository)
        is_sure = one.state.accepted or (one.item.plain and place is not None and not place.moved)
        if place is not None and place.root == spot.root and is_sure and not one.state.waits:
            yield one.id


def _waiting(kept: Iterable[KeptItem], where: Whereabouts, spot: Spot) -> Iterator[str]:
    for one in kept:
        place = where.of(_session(one), spot.repository)
        if one.state.waits and place is not None and place.root == spot.root:
            yield one.id


def _session(kept: KeptItem) -> tuple[str, str]:
    return kept.item.agent, kept.item.session


def can_hold(state: ItemState) -> bool:
    """Whether an item holds, or does as soon as the user says so: they alone turned it down."""
    return state.status in ("active", "rejected", "retracted")


def _agreed(state: ItemState) -> ItemState:
    if not can_hold(state):
        return state
    return msgspec.structs.replace(state, status="active", accepted=True)


def _asked_for(view: View) -> View:
    """The view with what only keeps ctxd from writing unasked left aside."""
    if view.state in ("detached", "submodule"):
        return msgspec.structs.replace(view, state="ok", writable=True, why="")
    return view
