"""What the daemon does about a compaction that was recorded: the context files first, then a word
to the user that says what was done. And a word about files that are left to the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ctxd.context_files.keeper import Keeper
from ctxd.hooks.records import Records
from ctxd.ledger import Ledger
from ctxd.notify.losses import Loss
from ctxd.notify.notifier import Notifier
from ctxd.notify.words import conflict_of
from ctxd.policy.notices import SECONDS_A_DAY
from ctxd.redact import redact
from ctxd.retention.remedies import remedies, said
from ctxd.retention.retaining import Listener
from ctxd.retention.values import Dropped
from ctxd.service.timing import Clock


def put_back(keeper: Keeper) -> Listener:
    """Has the context files hold what was dropped, without waiting for more to come."""

    def listen(dropped: Dropped) -> None:
        if dropped.items:
            keeper.hurry(redact(dropped.repository))

    return listen


def left_to_user(notifier: Notifier, clock: Clock) -> Callable[[str, str], None]:
    """Tells the user of a worktree that they and ctxd would only fight over."""

    def tell(root: str, why: str) -> None:
        notifier.tell(conflict_of(root, why, int(clock.wall() // SECONDS_A_DAY)))

    return tell


class Doings:
    """Tells what was done about losses, for their notice."""

    def __init__(self, ledger: Ledger, state: Path) -> None:
        self._ledger = ledger
        self._hooks = Records(state / "hooks")

    def done(self, dropped: Dropped, losses: Sequence[Loss]) -> str:
        """What was done, in words; empty when nothing was."""
        record = dropped.record
        names = [(loss.repository, loss.item) for loss in losses]
        found = remedies(self._ledger, record, names)
        hooked = any(record.agent in one.agents for one in self._hooks.all())
        return said(list(found.values()), record, dropped.client_version, hooked=hooked)
