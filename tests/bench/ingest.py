"""How fast logs become events: `python tests/bench/ingest.py CORPUS_DIR [--runs N]`.

Prints one table, measured in one run on the same files: a plain read, `json.loads` of every line,
this library in one process, and `ctxd scan` as a user runs it, with MB/s by wall clock and by CPU
seconds, records a second, and peak memory. Every candidate is a process of its own; candidates take
turns, and the fastest of the runs counts, since other work on the machine only ever slows one down.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

READ = """
import sys
for path in sys.stdin.read().split("\\n"):
    with open(path, "rb") as file:
        for line in file:
            pass
"""
LOADS = """
import json, sys
for path in sys.stdin.read().split("\\n"):
    with open(path, "rb") as file:
        for line in file:
            json.loads(line)
"""
LIBRARY = """
import gc, sys
from pathlib import Path
from ctxd_parsers.discovery import transcripts_under
from ctxd_parsers.reading import read_events
gc.disable()
for path in sys.stdin.read().split("\\n"):
    for transcript in transcripts_under(Path(path)):
        for event in read_events(transcript):
            pass
"""


def measure(command: list[str], stdin: str) -> tuple[float, float, float]:
    """Wall and CPU seconds, and the largest resident set in MB, of a process and its children."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    process.stdin.write(stdin.encode())
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    if status:
        sys.exit(f"error: `{command[0]} {command[1]}` failed with status {status}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("corpus", type=Path)
    arguments.add_argument("--runs", type=int, default=5)
    options = arguments.parse_args()
    files = sorted(str(path) for path in options.corpus.rglob("*.jsonl") if path.is_file())
    size = sum(os.path.getsize(path) for path in files)
    records = sum(Path(path).read_bytes().count(b"\n") for path in files)
    listed = "\n".join(files)
    candidates = {
        "plain read": [sys.executable, "-c", READ],
        "json.loads": [sys.executable, "-c", LOADS],
        "ctxd_parsers, one process": [sys.executable, "-c", LIBRARY],
        "ctxd scan, all cores": [
            sys.executable,
            "-m",
            "ctxd",
            "scan",
            "--json",
            str(options.corpus),
        ],
    }
    runs: dict[str, list[tuple[float, float, float]]] = {name: [] for name in candidates}
    for _ in range(options.runs):
        for name, command in candidates.items():
            runs[name].append(measure(command, listed))
    print(f"{size / 1e6:.1f} MB in {len(files)} files, {records} records, {os.cpu_count()} cores")
    print(f"{'':28}{'MB/s wall':>10}{'MB/CPU-s':>10}{'records/s':>11}{'peak MB':>9}{'x json':>8}")
    json_wall = min(wall for wall, _, _ in runs["json.loads"])
    for name, measured in runs.items():
        wall, cpu = min(m[0] for m in measured), min(m[1] for m in measured)
        peak = max(m[2] for m in measured)
        print(
            f"{name:28}{size / 1e6 / wall:10.0f}{size / 1e6 / cpu:10.0f}{records / wall:11.0f}"
            f"{peak:9.0f}{json_wall / wall:8.2f}"
        )


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
