"""Planned edits of context files: those of a folder's worktree, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ctxd.cli.item_choice import item_named
from ctxd.cli.settings import current
from ctxd.errors import UserError
from ctxd.terminal import path_text

if TYPE_CHECKING:
    from ctxd.context_files.desk import Survey
    from ctxd.context_files.values import Edit, Plan
    from ctxd.context_files.whereabouts import Spot
    from ctxd.ledger import Reader
    from ctxd.terminal import Terminal

_STYLES = {"+++": "bold", "---": "bold", "@@": "cyan", "+": "green", "-": "red"}
"""By how a line of a diff begins; the longer beginnings come first."""


def worktree_of(path: Path | None) -> Spot:
    """The worktree of a folder, of the current one if none is named."""
    from ctxd.context_files.whereabouts import spot_of

    spot = spot_of(str((path or Path()).absolute()))
    if spot is None:
        raise UserError(
            f"`{path_text(path or Path())}` is no folder to write in", "name one with `--repo`"
        )
    return spot


def named(reader: Reader, spot: Spot, prefixes: Iterable[str]) -> list[str]:
    """The ids of the items that are named, those among them that the user once turned down;
    raise UserError for one that has no business there."""
    from ctxd.context_files.desk import can_hold

    found = [item_named(reader, prefix, spot.repository) for prefix in prefixes]
    for kept in found:
        if kept.repository != spot.repository:
            raise UserError(
                f"`{kept.id}` is of `{path_text(kept.repository)}`", "name that with `--repo`"
            )
        if not can_hold(kept.state):
            raise UserError(
                f"`{kept.id}` does not hold: it is {kept.state.status}",
                f"`ctxd show {kept.id}` tells why",
            )
    return [kept.id for kept in found]


def survey(reader: Reader, spot: Spot, items: Iterable[str] = ()) -> Survey:
    """What is to be done in a worktree: all that is planned, or for these items only."""
    from ctxd.context_files.desk import Desk
    from ctxd.settings import load_settings

    mode_of = load_settings(current.places.config).mode_of
    desk = Desk(reader, mode_of, lambda: datetime.now(UTC))
    return desk.survey(spot, frozenset(items) or None, asked=True)


def print_edits(out: Terminal, edits: Iterable[Edit]) -> None:
    """Write edits as one unified diff."""
    for edit in edits:
        print_diff(out, edit.diff())


def print_diff(out: Terminal, diff: str) -> None:
    """Write the lines of a unified diff."""
    for line in diff.splitlines():
        start = next((start for start in _STYLES if line.startswith(start)), "")
        out.print((line, _STYLES.get(start, "")))


def print_notices(plan: Plan) -> None:
    """Write, to the messages, what a plan has to say besides its edits."""
    for notice in plan.notices:
        current.messages.print(("!", "bold yellow"), f" {notice.path}: {notice.text}")
