"""What the user asks of items and context files: done by the daemon, which alone writes to the
ledger, or where none runs by the command itself.

One function an order; what it says is printed, what it raises is shown as any other failure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import msgspec

from ctxd.context_files import memories, writing
from ctxd.context_files.apply import undo
from ctxd.context_files.desk import Desk, ModeOf, Survey, can_hold
from ctxd.context_files.receipts import Receipts
from ctxd.context_files.refusals import EditError
from ctxd.context_files.values import Memory
from ctxd.context_files.whereabouts import Spot, spot_of
from ctxd.context_files.writing import Done
from ctxd.errors import UserError
from ctxd.forgetting import Forgetting
from ctxd.item_log import Verdict
from ctxd.knowledge import overturned_by
from ctxd.ledger import KeptItem, Ledger
from ctxd.service.asking import Answer, Request
from ctxd.terminal import path_text


class Orders:
    """Carries them out."""

    def __init__(
        self, ledger: Ledger, receipts: Receipts, mode_of: ModeOf, wall: Callable[[], float]
    ) -> None:
        self._ledger = ledger
        self._receipts = receipts
        self._wall = wall
        self._desk = Desk(ledger, mode_of, self._now)
        self._orders: Mapping[str, Callable[[Request], str]] = {
            "anew": self._anew,
            "apply": self._apply,
            "count": self._count,
            "decide": self._decide,
            "enable": self._enable,
            "forget": self._forget,
            "undo": self._undo,
        }

    def knows(self, request: Request) -> bool:
        """Whether a request is an order."""
        return request.command in self._orders

    def answer(self, request: Request) -> Answer:
        """Carry an order out and say what came of it; raise only what is wrong with the ledger."""
        try:
            return Answer(ok=True, message=self._orders[request.command](request))
        except (UserError, EditError) as error:
            return Answer(
                ok=False, message=error.message, hint=error.hint, exit_code=error.exit_code
            )

    def _apply(self, request: Request) -> str:
        """Write what is planned for a worktree, or only the items that are named: to name one that
        waits for review, or that was turned down, is to accept it."""
        spot = _spot(request)
        named = frozenset(request.arguments)
        writing.take_in(self._ledger, spot.repository, Path(spot.root))
        for kept in self._ledger.items(spot.repository, statuses=()) if named else ():
            if kept.id in named and can_hold(kept.state):
                self._accept(kept)
        self._desk.look_anew()
        survey = self._desk.survey(spot, named or None, asked=True)
        writing.note_humans(self._ledger, survey)
        if named and self._want_anew(survey, named):
            survey = self._desk.survey(spot, named, asked=True)
        done = writing.carry_out(survey, self._receipts, quiet_seconds=0.0)
        known = writing.remember(self._ledger, survey, done, self._now())
        trouble = writing.extend_record(self._ledger, survey, known)
        if done.failed and not done.applied:
            raise done.failed[0]
        if trouble:
            raise UserError(trouble, "make `.ctxd` writable, then run `ctxd apply --all`")
        return written(survey, done)

    def _want_anew(self, survey: Survey, named: Collection[str]) -> bool:
        """Have lines of these items written again that git took away; whether there are any."""
        known = writing.remember(self._ledger, survey, Done(), self._now())
        memory = {path: _without_gone(one, named) for path, one in known.memory.items()}
        if memory == known.memory:
            return False
        anew = msgspec.structs.replace(known, memory=memory)
        memories.remember(self._ledger, str(survey.root), anew)
        return True

    def _anew(self, request: Request) -> str:
        """Have what was read of sessions be read again: agent and id of each, in turn."""
        words = request.arguments
        for key in zip(words[::2], words[1::2], strict=True):
            self._ledger.read_anew(key)
        return ""

    def _count(self, request: Request) -> str:
        """Count a call to the second reader that a command makes: `begun`, or what came of it."""
        from ctxd.reader.budget import day_of
        from ctxd.reader.values import Called

        backend, told, begun = request.arguments
        called = msgspec.json.decode(told, type=Called)
        self._ledger.count_call(day_of(self._wall()), backend, called, begun=begun == "begun")
        return ""

    def _decide(self, request: Request) -> str:
        """The user's verdict on an item: its kind, the item's id, and the wording of `edited`."""
        kind, item, *text = request.arguments
        kinds: dict[str, Verdict] = {name: name for name in get_args(Verdict)}
        repository = request.repository or ""
        self._ledger.decide(repository, item, kinds[kind], *text)
        if kind in ("accepted", "edited"):
            self._overturn(repository, item)
        return f"{item} is {kind}"

    def _accept(self, kept: KeptItem) -> None:
        """Have an item hold from now on, whatever was said of it before."""
        if kept.state.status != "active":
            self._ledger.decide(kept.repository, kept.id, "restored")
        if kept.state.waits or kept.state.status != "active":
            self._ledger.decide(kept.repository, kept.id, "accepted")
            self._overturn(kept.repository, kept.id)

    def _overturn(self, repository: str, accepted: str) -> None:
        """Take out of force what an item says the opposite of: while it waited, it could not."""
        events = overturned_by(accepted, self._ledger.items(repository))
        if events:
            self._ledger.add_item_events(repository, events)

    def _enable(self, request: Request) -> str:
        """Write again where the markers were removed."""
        spot = _spot(request)
        known = memories.recall(self._ledger, spot.root)
        stopped = [path for path, memory in known.memory.items() if memory.stopped]
        mode = self._desk.allowed(Path(spot.root)).mode
        if not stopped:
            return f"nothing was stopped in `{path_text(spot.root)}`; its mode is `{mode}`"
        memory = {
            path: one if path not in stopped else Memory(bridge=one.bridge)
            for path, one in known.memory.items()
        }
        fresh = msgspec.structs.replace(known, memory=memory, standing="ok", why="")
        memories.remember(self._ledger, spot.root, fresh)
        self._ledger.changed_repositories.add(spot.repository)
        return f"writes to {_listed(stopped)} again; its mode is `{mode}`"

    def _undo(self, request: Request) -> str:
        """Take an edit back; the items whose lines go with it are retracted."""
        receipt = self._receipts.find(request.arguments[0])
        undo(receipt, self._receipts)
        known = memories.recall(self._ledger, receipt.root)
        gone = {change.item for change in receipt.changes if change.action == "add" and change.item}
        for kept in self._ledger.items(known.repository):
            if kept.id in gone:
                self._ledger.decide(known.repository, kept.id, "retracted")
        if receipt.path in known.memory:
            undone = _without(known.memory[receipt.path], gone)
            memory = {**known.memory, receipt.path: undone}
            memories.remember(
                self._ledger, receipt.root, msgspec.structs.replace(known, memory=memory)
            )
        told = f"took the edit of `{path_text(receipt.path)}` back"
        if not gone:
            return told
        items = "1 item is" if len(gone) == 1 else f"{len(gone)} items are"
        return f"{told}; {items} retracted, `ctxd apply ID` brings one back"

    def _forget(self, request: Request) -> str:
        """Take items of a repository out of all that ctxd keeps; what was done, a line each."""
        self._desk.look_anew()
        parts = (self._ledger, self._receipts, self._desk, self._now)
        forgetting = Forgetting(request.repository or "", *parts)
        return "\n".join(
            line for item in request.arguments for line in forgetting.forget(item).told
        )

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._wall(), UTC)


def _without(memory: Memory, items: Collection[str]) -> Memory:
    """The memory of a file whose lines for these items went, perhaps with all of the block: at the
    user's word, so that it means no more than that."""
    seen = {item: line for item, line in memory.seen.items() if item not in items}
    return msgspec.structs.replace(memory, seen=seen, block=bool(seen))


def _without_gone(memory: Memory, items: Collection[str]) -> Memory:
    """The memory of a file without what was written for these items and stands there no more."""
    kept = {
        item: line
        for item, line in memory.written.items()
        if item not in items or item in memory.seen or item in memory.left_out
    }
    return msgspec.structs.replace(memory, written=kept)


def written(survey: Survey, done: Done) -> str:
    """What was written, in words; of nothing, why."""
    if done.applied:
        lines = sum(len(edit.changes) for edit in done.applied)
        paths = [edit.path for edit in done.applied]
        return f"wrote {lines} {'line' if lines == 1 else 'lines'} to {_listed(paths)}"
    told = [f"`{notice.path}`: {notice.text}" for notice in survey.plan.notices]
    return "; ".join(["nothing to write", *told[:1]])


def _listed(paths: list[str]) -> str:
    return ", ".join(f"`{path_text(path)}`" for path in paths)


def _spot(request: Request) -> Spot:
    spot = spot_of(request.repository or "")
    if spot is None:
        raise UserError(f"`{request.repository}` is no folder here", "name another one")
    return spot
