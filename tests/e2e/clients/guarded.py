"""ctxd beside a real client: its daemon, its hooks, and a desktop that takes what it says."""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from e2e.clients import installed
from e2e.clients.client import Client
from e2e.daemon import Daemon, wait_until
from git_repos import new_repository
from private_bus import PROGRAM, Bus, private_bus

C = TypeVar("C", bound=Client)
PROGRAMS = {
    "claude-code": "claude",
    "codex": "codex",
    "copilot-cli": "copilot",
    "gemini-cli": "gemini",
}


class Guard:
    """ctxd in the client's home. Without a D-Bus there is no desktop, and it says so."""

    def __init__(self, client: Client, bus: Bus | None) -> None:
        self.client = client
        self.bus = bus
        programs = client.folder / "bin"
        programs.mkdir()
        program = programs / PROGRAMS[client.agent]
        program.write_text(f'#!/bin/sh\nexec {" ".join(client.installed.command)} "$@"\n')
        program.chmod(0o755)
        variables = dict(bus.variables) if bus else {}
        # Without the daemon, a hook looks where its ledger is by default.
        client.variables["CTXD_HOME"] = str(client.folder / "ctxd")
        self.daemon = Daemon(
            client.folder, **variables | {"PATH": f"{programs}:{os.environ['PATH']}"}
        )

    def install(self) -> None:
        """Have the client call ctxd, as a user does."""
        done = self.daemon.ctxd("hook", "install", self.client.agent, "--yes")
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        self.daemon.start()

    @property
    def rules(self) -> str:
        """What stands in the repository's own file."""
        path = self.client.repo / "AGENTS.md"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def compactions(self, count: int = 1) -> list[dict]:
        """What ctxd tells of the session's compactions, once it has judged so many."""

        def judged() -> list[dict] | None:
            found = self.all_compactions()
            return found if len(found) >= count and all(one["judged"] for one in found) else None

        return wait_until(judged, 20, f"{count} compactions are judged")

    def all_compactions(self) -> list[dict]:
        """The same as it stands now."""
        done = self.daemon.ctxd("compactions", self.client.session, "--json")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def told(self) -> list[str]:
        """What the desktop was told, or what the status says it was not told."""
        if self.bus is not None:
            return [f"{one['title']}\n{one['body']}" for one in self.bus.said()]
        warnings = self.daemon.status_json()["warnings"]
        return [one["message"] for one in warnings if one["code"] == "notice.not_shown"]

    def settled(self) -> None:
        """Wait until everything that was written is read and judged."""
        self.daemon.flush()
        wait_until(
            lambda: not self.daemon.status_json()["items"]["exchanges_to_judge"], 20, "judged"
        )

    def close(self) -> None:
        self.daemon.close()
        assert "defect" not in (self.daemon.log if self.daemon.places.log.exists() else "")


def dropped(compaction: dict) -> set[str]:
    """Items that a compaction dropped, by what they say."""
    lost = {"lost", "changed", "weakened", "reloaded"}
    return {item["text"] for item in compaction["items"] if item["answer"] in lost}


def names(texts: Sequence[str], words: str) -> bool:
    """Whether one of the texts has these words."""
    return any(words in text for text in texts)


@contextlib.contextmanager
def running(client: type[C], version: str) -> Iterator[C]:
    """A real client in a repository of its own; in a folder with a short path, since there are
    sockets in it."""
    with tempfile.TemporaryDirectory(prefix="ctxd-e2e-", ignore_cleanup_errors=True) as folder:
        new_repository(Path(folder) / "repo")
        found = installed.find(client.agent, version)
        if found is None:
            pytest.skip(f"{client.agent} {version} is not installed: make clients")
        it = client(found, Path(folder))
        try:
            yield it
        finally:
            it.close()


@contextlib.contextmanager
def guarded(client: Client) -> Iterator[Guard]:
    """A client with ctxd beside it, installed and running."""
    with contextlib.ExitStack() as stack:
        bus = None
        if PROGRAM is not None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="ctxd-bus-"))
            bus = stack.enter_context(private_bus(Path(folder)))
            bus.serve()
        guard = Guard(client, bus)
        stack.callback(guard.close)
        guard.install()
        guard.start()
        yield guard
