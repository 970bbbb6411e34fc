"""What is said on the desktop, and what became of it."""

from __future__ import annotations

from typing import Literal

import msgspec

Urgency = Literal["normal", "critical"]
Level = Literal["constraints", "critical", "off"]
"""What a notice is made for. `constraints`: whatever has to hold, but for matters of taste.
`critical`: what destroys or leaks something if it is not held. `off`: nothing."""
State = Literal["dispatched", "failed", "none"]
"""`dispatched`: the desktop has taken it. `failed`: it has not. `none`: there is no desktop that
could, which is no fault."""


class Notice(msgspec.Struct, frozen=True):
    """One notice. Its texts have passed `ctxd.terminal.visible`, and hold no markup."""

    key: str
    """One notice a key."""
    title: str
    body: str
    """Some lines."""
    urgency: Urgency = "normal"


class Dispatched(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a notice."""

    state: State
    backend: str = ""
    """What it was given to, with the name and version it gives itself."""
    why: str = ""
    """Why it was not dispatched, in lower-case words."""
    hint: str = ""
    """What can be done about that."""
