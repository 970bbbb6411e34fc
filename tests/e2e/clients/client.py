"""What all real clients have in common: a home, a repository, a model, and the log they write."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from e2e.clients.installed import Installed
from e2e.clients.model_server import ModelServer, Scripted
from e2e.daemon import wait_until

QUIET_SECONDS = 0.35
"""Without request, answer or written line for so long, a turn is over."""


class Client:
    """One client, and the session that it holds; `folder` has its home and its repository."""

    agent = ""
    planning: tuple[str, ...] = ()
    """How it is started such that it shows plans."""
    _logs = ""
    _compacted = b""
    """What stands in its log once for each compaction."""

    def __init__(
        self, installed: Installed, folder: Path, model: ModelServer, variables: dict[str, str]
    ) -> None:
        self.installed = installed
        self.folder = folder
        self.home = folder / "home"
        self.repo = folder / "repo"
        self.model = model
        self.variables = variables
        """Of its environment, besides those that it needs."""
        self.home.mkdir(parents=True, exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        """Its variables; nothing of the machine that it runs on."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
        }

    @property
    def logs(self) -> list[Path]:
        """Logs of its sessions, the oldest first."""
        return sorted(self.home.glob(self._logs), key=lambda path: path.stat().st_mtime)

    @property
    def session(self) -> str:
        """Id of the session that was last written to."""
        raise NotImplementedError

    def start(self, *arguments: str) -> None:
        raise NotImplementedError

    def say(self, words: str, *replies: Scripted) -> None:
        """Say something and wait until the turn is over."""
        raise NotImplementedError

    def compact(self, summary: str) -> None:
        """Compact by command, and have the model answer with this summary."""
        raise NotImplementedError

    def expect(self, summary: str) -> None:
        """Have the model answer the next compaction with this summary."""
        self.model.summaries.append(summary)

    def fill(self, words: str) -> None:
        """Have a turn after which the client compacts by itself, before the next request."""
        raise NotImplementedError

    def compacts_by_itself(self, summary: str) -> None:
        """Fill the window, and have the client compact with the next thing that is said."""
        self.fill("Run the tests.")
        self.expect(summary)

    def stop(self) -> None:
        """Leave the session in order."""
        raise NotImplementedError

    def resume(self) -> None:
        """Start again where the session was left."""
        raise NotImplementedError

    def close(self) -> None:
        """Leave nothing behind."""
        self.model.close()

    def wait_turn(self, before: int, seconds: float = 60.0) -> None:
        """Until more turns than `before` have ended, and everything is quiet."""
        self._wait(lambda: self.model.turns > before, seconds, "the end of the turn")
        self.wait_quiet()

    def wait_quiet(self) -> None:
        """Until nothing is asked, answered or written any more."""
        size, since = self._written(), time.monotonic()

        def quiet() -> bool:
            nonlocal size, since
            if (now := self._written()) != size:
                size, since = now, time.monotonic()
            return min(self.model.idle_seconds(), time.monotonic() - since) > QUIET_SECONDS

        self._wait(quiet, 30, "quiet")

    def _wait(self, check: Callable[[], object], seconds: float, what: str) -> None:
        wait_until(check, seconds, what)

    def compactions(self) -> int:
        """How many were written so far."""
        return sum(path.read_bytes().count(self._compacted) for path in self.logs)

    def wait_compacted(self, done: int) -> None:
        """Until there are more compactions than that."""
        self._wait(lambda: self.compactions() > done, 60, "the compaction is written")

    def _written(self) -> int:
        return sum(path.stat().st_size for path in self.logs)
