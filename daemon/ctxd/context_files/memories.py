"""What ctxd remembers of each worktree from one look to the next, kept in the ledger.

It says what was written and what stood there, so that what differs is known to be a human's doing,
and how things are, for `ctxd status`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from ctxd.context_files.modes import Mode
from ctxd.context_files.values import Memory
from ctxd.ledger import Reader

if TYPE_CHECKING:
    from ctxd.ledger import Ledger

Standing = Literal["ok", "proposed", "waiting", "stopped", "off"]
"""`ok`: there is nothing to do. `proposed`: edits wait for the user. `waiting`: they are made as
soon as they can be. `stopped`: they are not made until somebody does something. `off`: the user
wants none."""

T = TypeVar("T")

_ROOTS = "worktrees"
_ONE = "worktree:"


class Written(msgspec.Struct, frozen=True):
    """The last edit of a worktree's files."""

    path: str
    time: datetime
    lines: int
    """How many lines it added, changed or took out."""


class Known(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One worktree, as of the last look."""

    repository: str = ""
    memory: Mapping[str, Memory] = {}
    """By the path of each file."""
    head: str = ""
    """The commit that was checked out."""
    mode: Mode = "auto"
    standing: Standing = "ok"
    why: str = ""
    """Why it is `waiting` or `stopped`, or what is wrong besides."""
    proposed: int = 0
    """Lines that wait to be written."""
    written: Written | None = None


def roots(reader: Reader) -> list[str]:
    """The worktrees that are known, in the order in which they became so."""
    return _decoded(reader.meta(_ROOTS), list[str]) or []


def recall(reader: Reader, root: str) -> Known:
    """What is known of a worktree; nothing, of a new one."""
    return _decoded(reader.meta(_ONE + root), Known) or Known()


def remember(ledger: Ledger, root: str, known: Known) -> None:
    """Keep what is known of a worktree."""
    if known == recall(ledger, root):
        return
    ledger.set_meta(_ONE + root, msgspec.json.encode(known).decode())
    listed = roots(ledger)
    if root not in listed:
        ledger.set_meta(_ROOTS, msgspec.json.encode([*listed, root]).decode())


def _decoded(text: str | None, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(text, type=kind) if text else None
    except msgspec.MsgspecError:
        return None
