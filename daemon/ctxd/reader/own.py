"""Which sessions are ctxd's own: those that an agent keeps of having been asked as the reader.

They stand among the user's sessions, in the agent's own store, and are none of them. Two signs tell
one, of which either is enough, since not every agent's log has both: the folder that it was run
from, and the first line of what it was asked. Both are fixed, so that they tell it on any machine,
in any home of ctxd, and in logs of any version. Imports nothing: every session is asked about.
"""

from __future__ import annotations

import re

FOLDER = "ctxd-reader-calls"
"""Name of the folder below ctxd's state that readers are run from; no project is called so."""

MARK = "[ctxd reader 1]"
"""First line of all that a reader is asked, with the version of this form."""

_MARKED = re.compile(r"\s*\[ctxd reader \d{1,4}\]\s*(?:\n|\Z)")
_SEPARATORS = re.compile(r"[/\\]+")


def is_own(cwd: str | None, first_words: str | None) -> bool:
    """Whether a session is ctxd's own, by its working directory and by the first that was said to
    the agent in it, as far as either is known."""
    return is_own_folder(cwd) or (first_words is not None and is_own_words(first_words))


def is_own_folder(cwd: str | None) -> bool:
    """Whether a working directory is one that readers are run from."""
    return bool(cwd) and FOLDER in _SEPARATORS.split(cwd or "")


def is_own_words(first_words: str) -> bool:
    """Whether the first words of a session are those of ctxd to a reader."""
    return _MARKED.match(first_words) is not None
