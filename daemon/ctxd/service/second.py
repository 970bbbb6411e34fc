"""The second reader as the loop has it: none, until the user chooses one.

While there is none, nothing of `ctxd.reader` is loaded, no process is started and no thread runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ctxd.ledger import Ledger
from ctxd.ledger.values import Key
from ctxd.policy.daemon import ENDED_SECONDS, SILENT_LIVENESS_SECONDS
from ctxd.retention.values import Dropped
from ctxd.service.asking import Answer, Request
from ctxd.service.timing import Clock
from ctxd.session import Signal

if TYPE_CHECKING:
    from ctxd.reader.running import Running
    from ctxd.settings_reader import ReaderSettings

NEVER = float("inf")


class Told(msgspec.Struct, frozen=True):
    """Who is told of what."""

    wake: Callable[[], object] = lambda: None
    """On another thread, that there is something to do."""
    judge: Callable[[Key], object] = lambda _key: None
    """That exchanges of a session wait to be judged anew."""
    revised: Callable[[], object] = lambda: None
    """That those who listen to compactions are to be told of one once more."""


class Second:
    """Runs on the loop's thread."""

    def __init__(
        self, ledger: Ledger, state: Path, clock: Clock, live_since: Callable[[], datetime]
    ) -> None:
        self._ledger = ledger
        self._state = state
        self._clock = clock
        self._live_since = live_since
        self._settings: ReaderSettings | None = None
        self._running: Running | None = None
        self.told = Told()

    @property
    def next(self) -> float:
        """When there may be something to do, in monotonic time."""
        return self._running.next if self._running else NEVER

    def choose(self, settings: ReaderSettings) -> None:
        """Go on with these settings."""
        before, self._settings = self._settings, settings
        if settings.is_on and self._running is None:
            self._running = self._made()
            if before is None:
                self._take_up(self._running)
        elif self._running is not None and settings != before:
            self._running.look_now()
            if not settings.is_on:
                self._running = None

    def hear(self, signals: Iterable[Signal]) -> None:
        """Sessions may be over."""
        if self._running:
            self._running.hear(signals)

    def ahead(self, keys: Sequence[Key]) -> None:
        """Sessions are about to be compacted."""
        if self._running:
            self._running.ahead(keys)

    def compacted(self, dropped: Dropped) -> None:
        """A compaction of now was recorded."""
        if self._running:
            self._running.compacted(dropped)

    def step(self) -> bool:
        """Do a part of what is due; whether there was any."""
        return self._running is not None and self._running.step()

    def look_now(self) -> None:
        """What is known of sessions may be all new."""
        if self._running:
            self._running.look_now()

    def forgot(self) -> None:
        """Something is to be known no more: what is under way knows it, and is begun anew."""
        if self._running:
            self._running.forgot()

    def pause(self) -> None:
        """End what is under way; it is begun again when the loop comes by next."""
        if self._running:
            self._running.pause()

    def answer(self, request: Request) -> Answer:
        """Have sessions read that are named, or those of a repository."""
        if self._running is None:
            return Answer(
                ok=False, message="no reader is chosen", hint="`ctxd reader setup` chooses one"
            )
        from ctxd.reader.orders import ask_for

        return ask_for(self._ledger, self._running, request)

    def close(self) -> None:
        """End what is under way, and wait until it is gone."""
        if self._running:
            self._running.close()

    def _made(self) -> Running:
        from ctxd.reader.job import Means
        from ctxd.reader.own import FOLDER
        from ctxd.reader.running import Running

        means = Means(
            wishes=self._wishes,
            folder=self._state / FOLDER,
            monotonic=self._clock.monotonic,
            wall=self._clock.wall,
            wake=self.told.wake,
            judge=self.told.judge,
            revised=self.told.revised,
            live_since=self._live_since,
        )
        return Running(self._ledger, means)

    def _take_up(self, running: Running) -> None:
        """Go on where an earlier run was killed: it may have found a session to be over, and come
        no further."""
        beat = self._ledger.heartbeat()
        if beat is not None:
            since = beat.tick - ENDED_SECONDS - SILENT_LIVENESS_SECONDS
            running.take_up(datetime.fromtimestamp(since, UTC))

    def _wishes(self) -> ReaderSettings:
        assert self._settings is not None  # noqa: S101 - chosen before anything runs
        return self._settings
