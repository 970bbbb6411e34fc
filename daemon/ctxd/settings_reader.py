"""The part of the settings that is about the second reader: which one the user chose, and how much
it may be asked a day.

Keys are none of it: they come from the environment or the system's keyring. Apart from
`ctxd.reader`, of which nothing is loaded while the reader is off.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ctxd.policy.reader import READER_CALLS_A_DAY, READER_MONEY_A_DAY, READER_TOKENS_A_DAY

if TYPE_CHECKING:
    from ctxd.reader.values import Choice

OFF = "off"
KEYS_ELSEWHERE = "keys come from the environment or the system's keyring: `ctxd reader setup`"
_KEY = re.compile(r"(^|_)(key|token|secret|password)$")
_WORD = re.compile(r"(?!-)[!-~]*", re.ASCII)


class HintedError(ValueError):
    """A value that is wrong, and what would be right."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class ReaderSettings(BaseModel):
    """A language model as second reader of sessions."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    backend: str = OFF
    """Who reads sessions a second time: `off` (nobody: no session text leaves ctxd), or one of
    those that `ctxd reader setup` lists, with where each sends what it reads."""
    model: str = ""
    """The model it is asked for; empty for the backend's own."""
    base_url: str = ""
    """Address of a server, for backends that speak to one: `http://localhost:11434/v1`."""
    unencrypted: bool = False
    """Let text go to another machine over plain `http://`, which whoever is between can read."""
    region: str = ""
    """Region of a cloud, for backends that have regions."""
    program: str = ""
    """Path of an agent's program, where it is not on the search path."""
    unasked: bool = True
    """Read sessions at their end and around compactions; else only by `ctxd read`."""
    calls_a_day: int = Field(default=READER_CALLS_A_DAY, ge=1)
    """Most calls a day."""
    tokens_a_day: int = Field(default=READER_TOKENS_A_DAY, ge=1)
    """Most tokens a day, in and out."""
    money_a_day: float = Field(default=READER_MONEY_A_DAY, gt=0, allow_inf_nan=False)
    """Most US dollars a day, as far as the backend or the prices below tell them."""
    money_in: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    """US dollars for a million tokens of questions, where the backend does not tell."""
    money_out: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    """US dollars for a million tokens of answers, where the backend does not tell."""

    @field_validator("backend")
    @classmethod
    def _known(cls, name: str) -> str:
        if name != OFF:
            from ctxd.reader.backends.registry import NAMES

            if name not in NAMES:
                message = f"there is no backend `{name}`"
                raise HintedError(message, f"known are: {', '.join((OFF, *NAMES))}")
        return name

    @field_validator("base_url")
    @classmethod
    def _plain(cls, address: str) -> str:
        if not address:
            return ""
        if any(mark in address for mark in "@?#") or _holds_key(address):
            message = "an address holds no user, password, key or query"
            raise HintedError(message, KEYS_ELSEWHERE)
        if not _is_address(address):
            message = "it is no address of a server"
            raise HintedError(message, 'write it as `base_url = "http://localhost:11434/v1"`')
        return address.rstrip("/")

    @field_validator("model", "region")
    @classmethod
    def _one_word(cls, name: str) -> str:
        if not _WORD.fullmatch(name):
            message = "it is no name"
            raise HintedError(message, "write it as the backend names it, without spaces")
        return name

    @property
    def is_on(self) -> bool:
        """Whether the user has chosen a reader."""
        return self.backend != OFF

    @property
    def choice(self) -> Choice:
        """What a backend is told of these settings."""
        from ctxd.reader.values import Choice

        return Choice(
            backend=self.backend,
            model=self.model,
            base_url=self.base_url,
            unencrypted=self.unencrypted,
            region=self.region,
            program=os.path.expanduser(self.program),
        )


def _holds_key(address: str) -> bool:
    """Whether a part of its path has the form of some vendor's key."""
    from ctxd.redact import redact

    return redact(address) != address


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0


def is_key(name: str) -> bool:
    """Whether somebody who wrote such a setting wanted to keep a key in it."""
    return bool(_KEY.search(name))
