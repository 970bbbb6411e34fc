"""What understanding costs: `python tests/bench/items.py [--seconds N] [--only NAME ...]`.

On a real `ctxd run` in a home of its own: the time from a typed prohibition to its item in the
ledger, with nothing else to do, in a repository that has many items already, and while history is
read; and a pass over all logs with and without items. Nothing is asserted; figures of one run
compare with each other, not with another machine's.
"""

import argparse
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.live import percentile, resident_mb
from e2e.conversations import ClaudeCode
from e2e.daemon import Daemon, wait_until

IS_UNDERSTOOD = "SELECT 1 FROM item_events WHERE agent = ? AND session = ? AND said = ?"
DEEDS = ("call", "import", "mock", "restart", "patch", "wrap", "rename", "cache")
THINGS = (
    "payment", "search", "session", "invoice", "avatar", "webhook", "report", "mail", "queue",
    "billing", "token", "upload", "export", "calendar", "address", "currency", "inventory", "tax",
)  # fmt: skip
PLACES = (
    "migration", "test", "request handler", "template", "signal handler", "release", "benchmark",
    "notebook", "seed script", "middleware", "fixture", "plugin", "shell script", "hotfix",
)  # fmt: skip
REPLY = (
    "I looked at how it is called now. There are two ways:\n\n"
    "1. **In the handler** - simple, but every request waits for it.\n"
    "2. **In a job** - one more process, and the answer comes later.\n\n"
    "I recommend 2, since the handler must not wait for the network.\n\n"
) + "Each part of it moves one call out of the way and keeps its tests as they are now. " * 14


def prohibition(chance: random.Random) -> str:
    deed, thing, place = map(chance.choice, (DEEDS, THINGS, PLACES))
    return f"Never {deed} the {thing} service in a {place}."


def filled(home: Path, sessions: int, turns: int, days: float = 0.0) -> None:
    """Sessions of the past, each of so many turns with tools between the words."""
    for number in range(sessions):
        chance = random.Random(number)
        talk = ClaudeCode(home, f"past {number}", f"/home/dev/past{number % 10}")
        talk.ago = timedelta(days=days)
        for turn in range(turns):
            talk.user(prohibition(chance) if turn % 5 == 0 else f"Go on with step {turn}, please.")
            talk.tool("x" * 4000)
            talk.assistant(REPLY)


def latency(folder: Path, seconds: float) -> None:
    print(
        f"{'a typed prohibition to its item':36}{'p50 ms':>9}{'p95 ms':>9}{'most':>9}{'lines':>8}"
    )
    for name, known, history in (
        ("an empty ledger", 0, 0),
        ("1,000 items in the repository", 1000, 0),
        ("while 300 sessions are read", 0, 300),
    ):
        with closing(Daemon(folder / f"latency {known} {history}")) as daemon:
            filled(daemon.home, history, 40, days=30)
            talk, chance = ClaudeCode(daemon.home, "live"), random.Random(1)
            talk.user("Look at the services first.")
            daemon.start()
            for _ in range(known):
                talk.user(prohibition(chance))
                talk.assistant("Understood.")
            if known:
                daemon.flush(120)
                wait_until(lambda daemon=daemon: nothing_waits(daemon), 120)
            took = _latencies(daemon, talk, chance, seconds)
            shares = [1000 * percentile(took, share) for share in (0.5, 0.95, 1.0)]
            print(f"{'  ' + name:36}{''.join(f'{value:9.1f}' for value in shares)}{len(took):9}")


def nothing_waits(daemon: Daemon) -> bool:
    return daemon.status().items.exchanges_to_judge == 0


def _latencies(
    daemon: Daemon, talk: ClaudeCode, chance: random.Random, seconds: float
) -> list[float]:
    """Five lines a second; how long each took to be understood."""
    uri = f"file:{daemon.ledger}?mode=ro"
    took, lost = [], 0
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            talk.assistant(REPLY)
            time.sleep(chance.uniform(0.05, 0.15))
            key = (talk.agent, talk.session, talk.user(prohibition(chance)))
            begin = time.monotonic()
            while not connection.execute(IS_UNDERSTOOD, key).fetchone():
                if time.monotonic() > begin + 5:
                    lost += 1
                    break
                time.sleep(0.001)
            else:
                took.append(time.monotonic() - begin)
    if lost:
        print(f"  {lost} lines gave no item within 5 s")
    return took


def first_import(folder: Path, _seconds: float) -> None:
    with closing(Daemon(folder / "import")) as daemon:
        filled(daemon.home, 200, 100, days=30)
        begin = time.monotonic()
        daemon.start()
        wait_until(lambda: all(a.behind_bytes == 0 for a in daemon.status().agents), 600)
        read = time.monotonic() - begin
        wait_until(lambda: nothing_waits(daemon), 600)
        judged = time.monotonic() - begin
        items = daemon.status().items.active
        print("first import of 20,000 exchanges")
        print(f"  to all read, to all judged {read:8.2f} s{judged:9.2f} s   ({items} items)")
        print(f"  resident at the end        {resident_mb(daemon.pid):8.0f} MB")


def scan(folder: Path, _seconds: float) -> None:
    home = folder / "scan"
    filled(home, 100, 100, days=30)
    environment = os.environ | {"HOME": str(home)}
    print(f"{'ctxd scan of 10,000 exchanges':36}{'seconds':>9}")
    for option in ("--no-items", "--items", "--no-items", "--items"):
        command = [sys.executable, "-m", "ctxd", "scan", "--json", option]
        begin = time.monotonic()
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        print(f"{'  ' + option:36}{time.monotonic() - begin:9.2f}")


RUN = {"latency": latency, "import": first_import, "scan": scan}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seconds", type=float, default=10.0)
    arguments.add_argument("--only", nargs="*", choices=RUN, default=list(RUN))
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            RUN[name](Path(folder), options.seconds)


if __name__ == "__main__":
    main()
