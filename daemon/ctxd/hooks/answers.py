"""What the daemon answers to the hooks of agents.

Called on the threads of the control socket's clients. An agent waits for each answer: first the
loop has a moment to read and judge what was said up to now, then what is known is told, whether the
loop came to it or not. What the client took counts as given; what it did not take is told again.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from ctxd.errors import CtxdError
from ctxd.hooks.giving import Asked, Gift, Gifts, gifts
from ctxd.hooks.payloads import Happening, happening
from ctxd.hooks.talks.registry import TALKS
from ctxd.hooks.wording import told
from ctxd.ledger import Ledger, Reader
from ctxd.ledger.values import Key
from ctxd.policy.hooks import (
    HOOK_AGAIN_SECONDS,
    HOOK_ANSWER_SECONDS,
    HOOK_READING_SECONDS,
    HOOK_TRIGGERS,
)
from ctxd.service.control import HookCall, HookReply
from ctxd.service.timing import Clock
from ctxd_parsers.events import Trigger

log = logging.getLogger(__name__)


class Service(Protocol):
    """What is needed of the loop."""

    def read_now(self, hint: Path | None, keys: Sequence[Key], seconds: float) -> None:
        """Have sessions read and judged before all else, and wait for it, but no longer."""

    def hurry_files(self, keys: Sequence[Key]) -> None:
        """Have the context files written that the items of sessions go to."""

    def end(self, keys: Sequence[Key]) -> None:
        """Note that sessions are over."""

    def call(self, job: Callable[[], object]) -> None:
        """Have the loop's thread do something."""


class Answers:
    """Answers hooks until it is closed."""

    def __init__(self, ledger: Ledger, service: Service, clock: Clock) -> None:
        self._ledger = ledger
        """Written to on the loop's thread only."""
        self._service = service
        self._clock = clock
        self._lock = threading.Lock()
        self._open: tuple[Reader, int] | None = None
        """A view of the ledger, and the inode of its file."""
        self._lately: dict[tuple[Key, tuple[str, str]], float] = {}
        """What a session was told in the last seconds, by monotonic time."""
        self._foretold: dict[Key, str] = {}
        """Windows of sessions that were told what a compaction is about to drop: it may be put off,
        and then they have it."""
        self._triggers: dict[tuple[Sequence[str], str], Trigger | None] = {}
        """What began the compaction that is being made, by agents and session."""

    def answer(self, call: HookCall) -> HookReply:
        """What the client of a hook is to print."""
        talk = TALKS.get(call.agent)
        what = happening(talk, call.payload, call.event) if talk else None
        if what is None:
            return HookReply()
        keys = [(agent, what.session) for agent in what.talk.agents]
        until = self._clock.monotonic() + HOOK_ANSWER_SECONDS
        self._service.read_now(what.transcript, keys, HOOK_READING_SECONDS)
        if what.moment == "before_compaction":
            self._forget_told(keys)
            self._service.hurry_files(keys)
        if what.moment == "session_ended":
            self._service.end(keys)
        if what.moment not in what.talk.heard:
            return HookReply()
        with self._lock:
            try:
                return self._reply(what, self._asked(what, keys, until), self._view())
            except CtxdError as error:
                self._forget_view()
                log.warning("a hook is not answered: %s", error.message)
                return HookReply()

    def close(self) -> None:
        """Let go of the ledger."""
        with self._lock:
            self._forget_view()

    def _reply(self, what: Happening, asked: Asked, reader: Reader) -> HookReply:
        if reader.paused():
            return HookReply()
        now = self._clock.monotonic()
        found = gifts(reader, asked)
        self._lately = {k: at for k, at in self._lately.items() if at > now - HOOK_AGAIN_SECONDS}
        fresh = [g for g in found.items if (found.key, g.name) not in self._lately]
        if found.window and self._foretold.get(found.key) == found.window:
            fresh = [gift for gift in fresh if not gift.ahead]
        text = told(found.heading, [gift.state for gift in fresh])
        if not text.items:
            return HookReply()
        given = [fresh[place] for place in text.items] if found.marked else []
        self._lately |= {(found.key, gift.name): now for gift in given}
        self._foretell(found)
        return HookReply(
            what.talk.heard[what.moment](what.event, text.text),
            lambda took: self._note(found.key, given, took=took),
        )

    def _foretell(self, found: Gifts) -> None:
        self._foretold.pop(found.key, None)
        if found.window:
            self._foretold[found.key] = found.window
            while len(self._foretold) > HOOK_TRIGGERS:
                self._foretold.pop(next(iter(self._foretold)))

    def _asked(self, what: Happening, keys: Sequence[Key], until: float) -> Asked:
        """What is asked of the ledger; a compaction's end does not tell what began it."""
        name = (what.talk.agents, what.session)
        trigger = self._triggers.pop(name, None) if what.moment == "after_compaction" else None
        if what.moment == "before_compaction":
            self._triggers[name] = what.trigger
            while len(self._triggers) > HOOK_TRIGGERS:
                self._triggers.pop(next(iter(self._triggers)))
        return Asked(
            moment=what.moment,
            keys=keys,
            cwd=what.cwd,
            now=datetime.fromtimestamp(self._clock.wall(), UTC),
            trigger=what.trigger or trigger,
            is_logged=what.talk.logs_first,
            compacts_at=what.talk.compacts_at,
            is_late=lambda: self._clock.monotonic() > until,
        )

    def _forget_told(self, keys: Sequence[Key]) -> None:
        """What a session was told is about to leave its window, however lately that was."""
        with self._lock:
            self._lately = {k: at for k, at in self._lately.items() if k[0] not in keys}

    def _note(self, key: Key, given: Sequence[Gift], *, took: bool) -> None:
        """Note whether a client took what it was given."""
        if not took:
            with self._lock:
                self._foretold.pop(key, None)
                for gift in given:
                    self._lately.pop((key, gift.name), None)
            return
        time = self._clock.wall()
        for ahead in (False, True):
            names = [gift.name for gift in given if gift.ahead == ahead]
            if names:
                self._service.call(
                    lambda names=names, ahead=ahead: self._ledger.mark_given(  # type: ignore[misc]
                        *key, names, time, ahead=ahead
                    )
                )
        if given:
            log.info("told agent=%s items=%d", key[0], len(given))

    def _view(self) -> Reader:
        """A view of the ledger that is there now; raise CtxdError when there is none."""
        path = self._ledger.path
        try:
            inode = os.stat(path).st_ino
        except OSError:
            inode = 0
        if self._open and self._open[1] != inode:
            self._forget_view()
        if self._open is None:
            self._open = (Ledger.reader(path), inode)
        return self._open[0]

    def _forget_view(self) -> None:
        if self._open:
            self._open[0].close()
        self._open = None
