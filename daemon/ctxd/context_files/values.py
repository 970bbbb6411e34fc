"""The values of this package: what stands in a folder, and what is to be changed there.

Paths are relative to the root of the worktree, with `/` between their parts, on every system.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

from ctxd.item_log import ItemEvent
from ctxd.policy.context_files import CONTEXT_BUDGET_TOKENS

FileKind = Literal["file", "link", "pointer", "import", "dangling", "missing", "barred", "unusable"]
"""`file`: a regular file with text of its own. `link`: a symbolic link to another one in the
worktree. `pointer`: a text file whose only content is another one's name, as git leaves links on
systems without them. `import`: one whose only content is the import of another one. `dangling`: a
link to nothing. `missing`: not there. `barred`: not there, and not to be made. `unusable`: there,
and not read or not to be written. Of the last two `why` says why."""

State = Literal[
    "ok",
    "merging",
    "rebasing",
    "cherry-picking",
    "reverting",
    "bisecting",
    "locked",
    "detached",
    "submodule",
    "unusable",
]
"""What git is doing in the worktree; nothing is written unless it is `ok`. `detached`: no branch is
checked out, so that what is written is soon out of sight. `submodule`: a change would show up in
the repository around it. Of these two the user may ask for it all the same."""

Action = Literal["add", "change", "remove", "heal", "bridge"]
"""`add`: a new line. `change`: a line in its place. `remove`: a line that no longer holds, or that
gave up its room. `heal`: the second copy of a line. `bridge`: a line that leads an agent to the
home of the items."""


class File(msgspec.Struct, frozen=True, kw_only=True):
    """One context file, as it stands."""

    data: bytes = b""
    """All its bytes; of a link those of its target. Empty where it cannot be read."""
    kind: FileKind = "file"
    link_to: str | None = None
    """The file that is edited instead of this one: of `link`, `pointer` and `import`."""
    base: bytes | None = None
    """The version that git laid here since the last look, by a checkout, reset, stash or merge:
    HEAD's, when HEAD has moved since or the file is the same as it or as the index's; the last seen
    commit's, when HEAD has moved and follows it. A line that is not in it was not deleted by
    anybody here. Empty where git laid none; None when git laid nothing."""
    why: str = ""
    """Why it is `barred` or `unusable`."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """One worktree, as it stands."""

    root: Path
    files: Mapping[str, File] = {}
    """The context files that are there, by path; those once written and now gone are `missing`."""
    agents: frozenset[str] = frozenset()
    """Agents that were seen here."""
    state: State = "ok"
    head: str = ""
    """The commit that is checked out; empty without git, and before the first one."""
    writable: bool = True
    why: str = ""
    """Why it is not writable."""


class Memory(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What ctxd remembers of one file of one worktree. To have an item written again whose line
    was there once, leave it out of both."""

    written: Mapping[str, str] = {}
    """The line last wanted for an item, by its id; empty for one that is to have none. Never
    forgotten: a line is added and changed only when its item changes, not when the file does."""
    seen: Mapping[str, str] = {}
    """The lines that stood in the block at the last look, by id: what differs was done since."""
    left_out: tuple[str, ...] = ()
    """Items that gave up their room, or found none."""
    block: bool = False
    """Whether a block was there at the last look."""
    stopped: bool = False
    """Whether somebody removed it, until they put it back or say `ctxd enable`."""
    bridge: bool = False
    """Whether a bridge was put there once; removed by hand it does not come back."""


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What the user has settled about writing, and the time it is."""

    now: datetime
    """The time of the events that follow from what was done to the files."""
    budget_tokens: int = CONTEXT_BUDGET_TOKENS
    only: frozenset[str] | None = None
    """Ids of the items that may get a line now; None: all that are fit for one. Lines that are
    there follow their items in any case."""


class Change(msgspec.Struct, frozen=True):
    """One line of an edit."""

    item: str | None
    """Id of the item; None for a bridge and for what belongs to no single item."""
    action: Action
    line: str
    """The line as it will stand; of `remove` and `heal`, as it stood."""


class Edit(msgspec.Struct, frozen=True):
    """One planned change of one file: printable, applied whole or not at all, reversible."""

    path: str
    before: bytes | None
    """What must stand there for the edit to be right; None: there is no file."""
    after: bytes
    changes: tuple[Change, ...] = ()

    def diff(self) -> str:
        """The edit as a unified diff."""
        old = "/dev/null" if self.before is None else f"a/{self.path}"
        import difflib

        lines = difflib.unified_diff(
            _lines(self.before or b""), _lines(self.after), old, f"b/{self.path}"
        )
        return "".join(map(_ended, lines))


class Notice(msgspec.Struct, frozen=True):
    """Something the user should know, in one sentence."""

    code: str
    """Stable, for programs: `block.broken`, `block.stopped`, `file.unusable`, ..."""
    path: str
    text: str
    items: tuple[str, ...] = ()
    """Ids of the items it is about."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done, and what was found out."""

    edits: tuple[Edit, ...] = ()
    events: tuple[ItemEvent, ...] = ()
    """What humans did to lines, for the ledger; it holds whether or not the edits are applied."""
    notices: tuple[Notice, ...] = ()
    memory: Mapping[str, Memory] = {}
    """What to remember, by path, once all edits are applied."""
    looked: Mapping[str, Memory] = {}
    """What to remember at once, by path, whether or not the edits are applied."""


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "backslashreplace").splitlines(keepends=True)


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
