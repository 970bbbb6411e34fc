"""How soon a dropped constraint is told: `python tests/bench/alert.py [--rounds N] [--history N]`.

A real `ctxd run` follows a session in which a constraint was stated. The time is taken from the
moment the summary that drops it is on disk until the notification daemon of a session bus of this
program's own has the notice. A round is a daemon and a home of its own, since one daemon speaks
seldom; with `--history` it has so many old
sessions to read at the same time. Beside it stands what
sending alone costs, in a process of its own and within one.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).parent.parent))

from ctxd.ledger import Ledger
from ctxd.notify.errand import dispatch
from ctxd.notify.values import Notice
from e2e.conversations import ClaudeCode
from e2e.daemon import Daemon, wait_until
from private_bus import Bus, private_bus

RULE = "Never log request bodies, not even at debug level."
SUMMARY = "The user asked to look at the code. The code was looked at, and the tests pass."
WITHIN = """
import time
from pathlib import Path

def kilobytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("VmRSS"))

before, began = int(kilobytes()), time.perf_counter()
from ctxd.notify.bus import show
from ctxd.notify.values import Notice
assert show(Notice("k", "title", "body")).state == "dispatched"
first, began = time.perf_counter() - began, time.perf_counter()
assert show(Notice("k", "title", "body")).state == "dispatched"
print(first, time.perf_counter() - began, int(kilobytes()) - before)
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--history", type=int, default=0, help="old sessions to read meanwhile")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="ctxd-bench-") as name, private_bus(Path(name)) as bus:
        bus.serve()
        os.environ |= bus.variables
        told = [told_after(bus, chosen.history) for _ in range(chosen.rounds)]
        figures = {"rounds": chosen.rounds, "history_sessions": chosen.history}
        print(json.dumps(figures | spread("told_after_ms", told)))
        print(json.dumps(sending(bus)))


def told_after(bus: Bus, history: int) -> float:
    """Seconds from the summary on disk to the notice at the notification daemon."""
    with tempfile.TemporaryDirectory() as name:
        daemon = Daemon(Path(name), **bus.variables)
        write_history(daemon, history)
        daemon.start()
        try:
            talk = ClaudeCode(daemon.home, "live")
            talk.user("Look at the code first.")
            talk.assistant("It is a shop.")
            talk.user(RULE)
            talk.assistant("Understood.")
            talk.user("Now run the tests.")
            talk.assistant("They pass.")
            wait_until(lambda: knows(daemon, talk), 60, "the constraint")
            before = len(bus.said())
            talk.compacted(SUMMARY)
            began = time.perf_counter()
            wait_until(lambda: len(bus.said()) > before, 60, "the notice")
            return time.perf_counter() - began
        finally:
            daemon.close()


def knows(daemon: Daemon, talk: ClaudeCode) -> bool:
    """Whether the constraint is in the ledger."""
    with Ledger.reader(daemon.ledger) as reader:
        return any(
            kept.state.text == RULE for kept in reader.items(session=(talk.agent, talk.session))
        )


def write_history(daemon: Daemon, sessions: int) -> None:
    for number in range(sessions):
        old = ClaudeCode(daemon.home, f"old {number}", cwd=f"/home/dev/old{number % 9}")
        old.ago = timedelta(days=3)
        for turn in range(30):
            old.user(f"Never let step {turn} of job {number} run twice.")
            old.assistant("Understood. " * 40)


def sending(bus: Bus) -> dict[str, float]:
    """What sending costs: in a process of its own, as the daemon does it, and within one."""
    notice = Notice("k", "title", "body")
    apart = [timed(lambda: dispatch(notice)) for _ in range(10)]
    command = [sys.executable, "-c", WITHIN]
    environment = bus.variables | {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    first, again, grown = map(float, done.stdout.split())
    bare = [
        timed(lambda: subprocess.run([sys.executable, "-c", ""], check=True)) for _ in range(10)
    ]
    return {
        "own_process_ms": round(median(apart) * 1000, 1),
        "bare_python_ms": round(median(bare) * 1000, 1),
        "within_first_ms": round(first * 1000, 1),
        "within_again_ms": round(again * 1000, 1),
        "within_grown_kb": grown,
    }


def timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def spread(name: str, seconds: list[float]) -> dict[str, object]:
    parts = quantiles(seconds, n=20) if len(seconds) > 1 else seconds * 19
    values = {"median": median(seconds), "p95": parts[-1], "most": max(seconds)}
    return {name: {key: round(value * 1000) for key, value in values.items()}}


if __name__ == "__main__":
    main()
