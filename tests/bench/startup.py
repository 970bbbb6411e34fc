"""What commands cost to start: `python tests/bench/startup.py [--rounds N] [--check]`.

Processor time of each beside `python -c pass` of the same interpreter, in turns in one run, the
least of N: with a ledger that holds a session, its items and a running daemon. With `--check` it
fails when a command is over its budget. Figures of one run compare with each other, not with
another machine's.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from ctxd.hooks.command import client_command
from e2e.conversations import ClaudeCode
from e2e.daemon import Daemon

BARE = "python -c pass"
BUDGETS = {"ctxd --version": 3.0, "ctxd status": 8.0, "hook client": 2.5}
"""Times a bare Python."""


def spent(words: Sequence[str], given: bytes, env: dict[str, str], folder: Path) -> float:
    """Processor time of a process and what it started, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, env=env, input=given, capture_output=True, cwd=folder, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands(daemon: Daemon) -> dict[str, list[str]]:
    """The command lines that are measured, by name."""
    ctxd = [sys.executable, "-m", "ctxd"]
    named = {
        f"ctxd {line}": [*ctxd, *line.split()]
        for line in ("--version", "-h", "status", "status --short", "items", "paths", "doctor")
    }
    hook = list(client_command("claude-code", daemon.places))
    return {BARE: [sys.executable, "-c", "pass"], **named, "hook client": hook}


def measured(rounds: int) -> dict[str, float]:
    """The least time of each."""
    with tempfile.TemporaryDirectory(prefix="ctxd-bench-") as folder:
        daemon = Daemon(Path(folder))
        daemon.start()
        try:
            session = ClaudeCode(daemon.home, "bench")
            session.user("never log request bodies, they hold patient data")
            session.assistant("Understood.")
            daemon.ctxd("flush")
            found = commands(daemon)
            env = {**daemon.variables, "CTXD_HOME": str(daemon.own)}
            del env["PYTHONDONTWRITEBYTECODE"]  # an installed ctxd is compiled
            least = dict.fromkeys(found, float("inf"))
            for _ in range(rounds):
                for name, words in found.items():
                    took = spent(words, b"{}", env, Path(folder))
                    least[name] = min(least[name], took)
        finally:
            daemon.stop()
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    least = measured(options.rounds)
    over = []
    print(f"{'':24}{'ms':>8}{'times':>8}{'budget':>8}")
    for name, seconds in least.items():
        times, budget = seconds / least[BARE], BUDGETS.get(name)
        print(f"{name:24}{1000 * seconds:8.1f}{times:8.2f}{budget or '':>8}")
        if budget is not None and times > budget:
            over.append(name)
    if options.check and over:
        sys.exit(f"over budget: {', '.join(over)}")


if __name__ == "__main__":
    main()
