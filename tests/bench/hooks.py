"""What hooks cost an agent: `python tests/bench/hooks.py [--rounds N] [--calls N]`.

On a real `ctxd run` that knows a session with an item: the hook client as a process, beside `python
-c pass` of the same interpreter, in turns; the answers alone, to so many callers at once; and as
many real clients at once. Nothing is asserted; figures of one run compare with each other, not with
another machine's.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Client
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from ctxd.hooks.command import client_command
from ctxd.service.asking import control_address
from e2e.conversations import ClaudeCode
from e2e.daemon import Daemon

EVENTS = ("PostToolUse", "UserPromptSubmit", "PreCompact")


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def told(name: str, seconds: Sequence[float], base: float | None = None) -> None:
    figures = "".join(f"{1000 * percentile(seconds, share):9.1f}" for share in (0.5, 0.95, 0.99))
    times = f"{percentile(seconds, 0.5) / base:9.2f}" if base else ""
    print(f"{name:44}{figures}{times}")


def took(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def run(words: Sequence[str], payload: bytes = b"") -> None:
    subprocess.run(words, input=payload, stdout=subprocess.DEVNULL, check=True)


def in_turns(rounds: int, works: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            found[name].append(took(work))
    return found


def at_once(count: int, work: Callable[[], object]) -> list[float]:
    """How long each of so many that begin together took."""
    gate = threading.Barrier(count)
    seconds: list[float] = []

    def one() -> None:
        gate.wait()
        seconds.append(took(work))

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seconds


class Hooked:
    """A daemon with a session, and what its agent's hooks say."""

    def __init__(self, folder: Path) -> None:
        self.daemon = Daemon(folder)
        self.daemon.start()
        self.talk = ClaudeCode(self.daemon.home, "bench", str(self.daemon.home))
        self.talk.user("Never store raw card numbers, not even in logs")
        self.talk.assistant("Understood.")
        self.daemon.flush()
        self.words = client_command(self.talk.agent, self.daemon.places)

    def payload(self, event: str) -> bytes:
        told = {"session_id": self.talk.session, "transcript_path": str(self.talk.path)}
        return json.dumps(told | {"cwd": self.talk.cwd, "hook_event_name": event}).encode()

    def client(self, event: str) -> None:
        run(self.words, self.payload(event))

    def call(self, event: str) -> None:
        """What the client does, without a process."""
        with Client(control_address(self.daemon.places.runtime), "AF_UNIX") as connection:
            connection.send_bytes(
                b"hook 1 " + self.talk.agent.encode() + b"\n" + self.payload(event)
            )
            connection.recv_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--calls", type=int, default=100)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        hooked = Hooked(Path(folder))
        try:
            measure(hooked, given.rounds, given.calls)
        finally:
            hooked.daemon.close()


def measure(hooked: Hooked, rounds: int, calls: int) -> None:
    print(f"{'':44}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}{'times':>9}")
    works = {"python -c pass": lambda: run([sys.executable, "-c", "pass"])}
    for event in EVENTS:
        works[f"hook client, {event}"] = lambda event=event: hooked.client(event)
    found = in_turns(rounds, works)
    base = percentile(found["python -c pass"], 0.5)
    for name, seconds in found.items():
        told(name, seconds, base)
    for event in EVENTS:
        told(f"one call, {event}", [took(lambda e=event: hooked.call(e)) for _ in range(rounds)])
        told(f"{calls} calls at once, {event}", at_once(calls, lambda e=event: hooked.call(e)))
    told(f"{calls} processes at once", at_once(calls, lambda: hooked.client(EVENTS[0])))
    nothing = [sys.executable, "-c", "pass"]
    told(f"{calls} times python -c pass at once", at_once(calls, lambda: run(nothing)))


if __name__ == "__main__":
    main()
