"""What all questions to a reader have in common: their instructions, the mark that tells lines of
nobody's words from the rest, and what of the room in a call they take.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from ctxd.context_files.tokens import long_counts
from ctxd.policy.reader import READER_CALL_TOKENS
from ctxd.reader.own import MARK


def key_of(digest: str) -> str:
    """How the lines begin that are nobody's words. It comes from the words shown, so that they
    cannot hold it."""
    return f"#{digest[:8]}"


def instructions(name: str, key: str) -> str:
    """The instructions of a file beside this module, for a question with this mark."""
    return f"{MARK}\n{_words(name).replace('{key}', key)}"


def room_for(name: str, schema: Mapping[str, Any]) -> int:
    """Tokens that a call has left beside the instructions of a file and the form of the answer."""
    return READER_CALL_TOKENS - sum(long_counts([MARK, _words(name), json.dumps(schema)]))


def on_one_line(text: str) -> str:
    """What stands behind a mark must not go on without one."""
    return " ".join(text.split())


@functools.cache
def _words(name: str) -> str:
    return files("ctxd.reader").joinpath(name).read_text(encoding="utf-8").strip()
