"""Stored values back from their bytes. A decoder is made when something of its kind is first read:
to make all of them costs a tenth of `ctxd status`, which needs two."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")


class Stored(Generic[T]):
    """What is stored as one type, in msgpack."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    @functools.cached_property
    def decode(self) -> Callable[[bytes], T]:
        """The value in some bytes; raise msgspec's errors for what is none."""
        return msgspec.msgpack.Decoder(self._kind).decode


def decoded(stored: Stored[T], packed: bytes | None) -> T | None:
    """A stored value; None where there is none, it is damaged in place, or of a form given up."""
    try:
        return stored.decode(packed) if packed else None
    except (msgspec.MsgspecError, UnicodeError):
        return None
