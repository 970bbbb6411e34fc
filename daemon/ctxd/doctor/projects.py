"""The repositories that ctxd writes to: git's state, files, markers, and their own settings."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ctxd.cli.words import count
from ctxd.context_files.block import Absent, Broken, find
from ctxd.context_files.memories import Known, recall, roots
from ctxd.context_files.modes import NAME, allowed
from ctxd.context_files.repo_state import repo_state
from ctxd.context_files.text_file import decode
from ctxd.doctor.values import Check, bounded, ok, warn
from ctxd.ledger import Reader
from ctxd.policy.context_files import EDITED_FILE_BYTES
from ctxd.policy.doctor import DOCTOR_LOCK_SECONDS, DOCTOR_WORKTREES
from ctxd.repositories import repository_of
from ctxd.terminal import one_line, short_path
from ctxd_parsers.reading import open_regular

Trouble = tuple[str, str]
"""A message and a hint."""


def projects(reader: Reader) -> Iterator[Check]:
    """What keeps ctxd from writing to the worktrees it knows."""
    known = {root: recall(reader, root) for root in islice(roots(reader), DOCTOR_WORKTREES)}
    there = {root: one for root, one in known.items() if os.path.isdir(root)}
    found = [
        warn("repositories", f"`{short_path(root, Path.home())}`: {message}", hint)
        for root, one in there.items()
        for message, hint in _troubles(Path(root), one)
    ]
    yield from bounded(found)
    if not found:
        waiting = sum(one.standing == "waiting" for one in there.values())
        more = f", {waiting} of them wait for git or an editor" if waiting else ""
        yield ok("repositories", f"{count(len(there), 'worktree')} in order{more}")


def _troubles(root: Path, known: Known) -> Iterator[Trouble]:
    trouble = allowed("auto", root).trouble
    if trouble:
        yield trouble, f"only `write` may stand in `{NAME}`: `auto`, `review` or `off`"
    if known.mode == "off":
        return
    if known.standing == "stopped":
        yield (
            f"it is not written to: {one_line(known.why)}",
            "mend that, or say `ctxd enable` where its markers were removed",
        )
        return
    yield from _git(root)
    for path, memory in known.memory.items():
        yield from _file(root / path, path, was_there=memory.block)


def _git(root: Path) -> Iterator[Trouble]:
    repository = repository_of(str(root))
    if repository is None:
        return
    state = repo_state(repository)
    if state.state == "unusable":
        yield f"it cannot be written to: {state.why}", "`git status` there tells more"
    elif state.state == "locked" and state.folder is not None:
        lock = state.folder / "index.lock"
        if _age(lock) > DOCTOR_LOCK_SECONDS:
            where = short_path(lock, Path.home())
            yield "git's lock was left behind", f"if no git runs there, remove `{where}`"


def _file(file: Path, path: str, *, was_there: bool) -> Iterator[Trouble]:
    """What is wrong with one context file; nothing where there is none."""
    name = f"`{one_line(path)}`"
    real = Path(os.path.realpath(file))
    if not real.exists():
        return
    if not os.access(real, os.W_OK):
        yield f"{name} cannot be written to", "make it writable for your user"
    try:
        with open_regular(real) as opened:
            text = decode(opened.read(EDITED_FILE_BYTES) or b"")
    except OSError:
        yield f"{name} cannot be read", "make it readable for your user"
        return
    found = find(text.lines) if text else None
    if was_there and isinstance(found, Absent):
        yield f"the markers in {name} were removed", "`ctxd enable` has it be written to again"
    elif isinstance(found, Broken) and found.marked:
        yield f"{name} is left alone: {found.reason}", "put its markers back in order"


def _age(file: Path) -> float:
    try:
        return time.time() - file.stat().st_mtime
    except OSError:
        return 0.0
