"""An item: one durable piece of knowledge, and where it comes from.

A value that travels from extraction to the ledger, the context files and the command line. Texts in
it come from redacted events. Its id is derived from the words that bind it, so that the same words
read again, in another clone or by a later version, are the same item.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

from ctxd.policy.context_files import ITEM_ID_BYTES

Kind = Literal["decision", "rejection", "constraint", "scope", "question", "intent", "correction"]
"""`decision`: a choice was made. `rejection`: an option was turned down and nothing else chosen.
`constraint`: must hold from now on. `scope`: what is not to be done, or not now. `question`: left
open for later. `intent`: what the work is for. `correction`: how the agent worked or what it
believed was put right."""

Authority = Literal["user", "confirmed", "agent"]
"""Whose word it is. `user`: said it. `confirmed`: the agent proposed, the user approved. `agent`:
the agent alone."""

Durability = Literal["repo", "task", "moment"]
"""How long it matters: to any later session of the repository, until this task is done, or only in
this exchange."""

Severity = Literal["critical", "normal"]
"""`critical`: breaking it destroys or leaks something, or the user said never or must."""

Speaker = Literal["user", "agent"]


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A verbatim quote, and where it stands."""

    event: str
    """Id of the event."""
    speaker: Speaker
    quote: str
    """Part of the event's text as the ledger keeps it: redacted, and cut where it is very long."""
    start: int = 0
    """Offset of the quote's first character in that text."""
    time: datetime | None = None


class Item(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One durable piece of knowledge, as it was understood from one exchange."""

    id: str
    """See `item_id`."""
    agent: str
    session: str
    """Id of the session it was said in."""
    event: str
    """Id of the event that makes it binding."""
    time: datetime | None = None
    kind: Kind
    text: str
    """The one line that stands for it: the words that were said, lightly trimmed."""
    filled: tuple[str, ...] = ()
    """Parts of `text` that were put in for a word like "it", from the proposal or a file's name."""
    reason: str = ""
    """Why, in the words that were said; empty when nobody said."""
    rejected: tuple[str, ...] = ()
    """Options turned down together with it, each with its stated drawback where there was one."""
    scope: tuple[str, ...] = ()
    """Paths and symbols it is about; () for the whole repository."""
    authority: Authority
    durability: Durability = "repo"
    severity: Severity = "normal"
    probability: float
    """Calibrated probability that a careful reader would keep it; 0 to 1."""
    plain: bool = False
    """Whether it is plain enough to be written unasked; the others wait for review."""
    act: str = ""
    """What the user's words did: an act of `ctxd.extract.acts`."""
    language: str = "en"
    evidence: tuple[Evidence, ...] = ()
    """What binds it first, then what it leans on."""
    overturns: tuple[str, ...] = ()
    """Ids of items that its words take out of force, as a second reader says."""
    read_at: int = 0
    """When a second reader last read the words, in Unix seconds; 0 where none has. What they were
    understood as before counts no more."""


def item_id(quotes: Sequence[str]) -> str:
    """Return the id of the item that these quotes bind: 8 characters of `a-z2-7`.

    Case, punctuation and spacing do not count, so that a re-rendered log gives the same id.
    """
    import base64  # those who only read need neither
    import hashlib

    plain = "\n".join(" ".join(_WORD.findall(_folded(quote))) for quote in quotes)
    digest = hashlib.sha256(plain.encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest[:ITEM_ID_BYTES]).decode("ascii").lower()


_WORD = re.compile(r"[^\W_]+")


def _folded(text: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFKC", text).casefold()
