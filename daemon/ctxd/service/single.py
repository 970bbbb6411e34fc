"""One daemon at a time: a lock held for life, and a card that says who holds it.

The lock is the system's advisory lock on a file and dies with the process, so a killed daemon
blocks nobody and a reused process id means nothing. The card beside it is for people.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from ctxd import __version__
from ctxd.errors import CtxdError, reason
from ctxd.service.asking import PROTOCOL


class Card(msgspec.Struct, frozen=True):
    """What the running daemon says of itself."""

    pid: int
    version: str
    protocol: int
    started: float
    """Unix time in seconds."""


class AlreadyRunningError(CtxdError):
    """Another daemon of this user holds the lock."""


class Instance:
    """The right to be the daemon of a state folder, from `claim` until `release`."""

    def __init__(self, state: Path) -> None:
        self._lock = FileLock(state / "daemon.lock", mode=0o600)
        self._card = state / "daemon.json"

    def claim(self, now: float) -> None:
        """Become the one daemon; raise AlreadyRunningError if there is another."""
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            card = read_card(self._card)
            who = f"pid {card.pid}, version {card.version}" if card else "just starting"
            raise AlreadyRunningError(
                f"ctxd is already running ({who})", "`ctxd status` shows what it does"
            ) from None
        try:
            self._write(Card(os.getpid(), __version__, PROTOCOL, now))
        except OSError as error:
            self._lock.release()
            raise CtxdError(
                f"cannot use `{self._card}`: {reason(error)}",
                "free some space, or make the folder writable",
            ) from error

    def _write(self, card: Card) -> None:
        fresh = self._card.with_suffix(".new")
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(descriptor, "wb") as file:
                file.write(msgspec.json.encode(card))
            os.replace(fresh, self._card)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(fresh)
            raise

    def release(self) -> None:
        """Give the right up; the card goes first, so that it is never somebody else's."""
        with contextlib.suppress(OSError):
            os.unlink(self._card)
        self._lock.release()


def read_card(path: Path) -> Card | None:
    """The card of the daemon that runs or was killed; None when there is none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Card)
    except (OSError, msgspec.MsgspecError):
        return None
