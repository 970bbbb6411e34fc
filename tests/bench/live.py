"""What following costs: `python tests/bench/live.py [--seconds N] [--only NAME ...]`.

Everything is measured on a real `ctxd run` in a home of its own, whose logs this program writes:
the time from an appended line to the ledger, CPU and bytes read while a long session gets a line a
second, idle cost and start-up with 10,000 transcripts, and the first import beside `json.loads` of
the same files. Nothing is asserted; figures of one run compare with each other, not with another
machine's.
"""

import argparse
import json
import os
import random
import sqlite3
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from e2e.daemon import Daemon, wait_until

WORDS = ["never", "always", "because", "instead", "rejected", "keep", "the", "cache", "ledger"]
PARTS = ("latency", "long", "idle", "import")
IS_STORED = "SELECT 1 FROM events WHERE id = ?"
TICKS = os.sysconf("SC_CLK_TCK")


class Writer:
    """A client that writes one session's log."""

    def __init__(self, home: Path, project: int = 0, days: float = 0) -> None:
        self.age = timedelta(days=days)
        self.session = str(uuid.uuid4())
        self.path = home / ".claude" / "projects" / f"-work-{project}" / f"{self.session}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.parent: str | None = None
        self.chance = random.Random(project)

    def row(self, kind: str, message: dict[str, object]) -> tuple[str, bytes]:
        identity = str(uuid.uuid4())
        row = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "cwd": "/work",
            "sessionId": self.session,
            "version": "2.1.332",
            "type": kind,
            "message": message,
            "uuid": identity,
            "timestamp": (datetime.now(UTC) - self.age).isoformat(timespec="milliseconds"),
        }
        self.parent = identity
        return identity, json.dumps(row, separators=(",", ":")).encode() + b"\n"

    def said(self) -> tuple[str, bytes]:
        return self.row("user", {"role": "user", "content": self.text(20)})

    def turn(self) -> Iterator[bytes]:
        """A prompt, a reply, and tools with their bulky results."""
        yield self.said()[1]
        reply = [{"type": "text", "text": self.text(60)}]
        yield self.row("assistant", {"role": "assistant", "id": "m", "content": reply})[1]
        for number in range(4):
            call = {"type": "tool_use", "id": f"t{number}", "name": "Read"}
            call |= {"input": {"file_path": f"/work/{number}.py"}}
            yield self.row("assistant", {"role": "assistant", "id": "m", "content": [call]})[1]
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": self.text(700)}
            yield self.row("user", {"role": "user", "content": [result]})[1]

    def text(self, words: int) -> str:
        return " ".join(self.chance.choices(WORDS, k=words))

    def fill(self, size: int) -> None:
        with self.path.open("ab") as file:
            while file.tell() < size:
                file.writelines(self.turn())

    def append(self) -> str:
        identity, line = self.said()
        with self.path.open("ab") as file:
            file.write(line)
        return identity


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def bytes_read(pid: int) -> int:
    return int(Path(f"/proc/{pid}/io").read_text(encoding="ascii").split()[1])


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def caught_up(daemon: Daemon) -> bool:
    return sum(agent.behind_bytes for agent in daemon.status().agents) == 0


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def latency(folder: Path, seconds: float) -> None:
    print(f"{'appended line to ledger':32}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}{'lines':>8}")
    for sessions in (1, 10, 100):
        with closing(Daemon(folder / f"latency-{sessions}")) as daemon:
            writers = [Writer(daemon.home, number) for number in range(sessions)]
            for writer in writers:
                writer.fill(20_000)
            daemon.start()
            wait_until(lambda: caught_up(daemon), 60)
            took = _latencies(daemon, writers, seconds)
        figures = "".join(f"{1000 * percentile(took, share):9.1f}" for share in (0.5, 0.95, 0.99))
        print(f"{f'  {sessions} live sessions':32}{figures}{len(took):8}")


def _latencies(daemon: Daemon, writers: list[Writer], seconds: float) -> list[float]:
    """Each session gets a line a second, spread over it; how long each line took to be stored."""
    connection = sqlite3.connect(f"file:{daemon.ledger}?mode=ro", uri=True, isolation_level=None)
    waiting: dict[str, float] = {}
    took: list[float] = []
    begin = time.monotonic()
    written = 0
    while time.monotonic() < begin + seconds or (
        waiting and time.monotonic() < begin + seconds + 10
    ):
        if written < len(writers) * seconds and time.monotonic() >= begin + written / len(writers):
            waiting[writers[written % len(writers)].append()] = time.monotonic()
            written += 1
        stored = {name for name in waiting if connection.execute(IS_STORED, (name,)).fetchone()}
        took += [time.monotonic() - waiting.pop(name) for name in stored]
        time.sleep(0.002)
    connection.close()
    if waiting:
        print(f"  {len(waiting)} lines were not stored within 10 s")
    return took


def long(folder: Path, seconds: float) -> None:
    print(f"{'a line a second in a session of':32}{'CPU %':>9}{'kB read a line':>16}{'RSS MB':>9}")
    for size in (5, 40, 500):
        with closing(Daemon(folder / f"long-{size}")) as daemon:
            writer = Writer(daemon.home)
            writer.fill(size * 1_000_000)
            daemon.start()
            wait_until(lambda: caught_up(daemon), 300)
            time.sleep(3)
            cpu, read, begin = cpu_seconds(daemon.pid), bytes_read(daemon.pid), time.monotonic()
            for _ in range(int(seconds)):
                writer.append()
                time.sleep(1)
            used = 100 * (cpu_seconds(daemon.pid) - cpu) / (time.monotonic() - begin)
            kilobytes = (bytes_read(daemon.pid) - read) / 1000 / int(seconds)
            print(f"{f'  {size} MB':32}{used:9.2f}{kilobytes:16.1f}{resident_mb(daemon.pid):9.0f}")


def idle(folder: Path, seconds: float) -> None:
    with closing(Daemon(folder / "idle")) as daemon:
        for number in range(10_000):
            Writer(daemon.home, number % 1000, days=number / 200).fill(2_000)
        begin = time.monotonic()
        daemon.start()
        ready = time.monotonic() - begin
        wait_until(lambda: caught_up(daemon), 300)
        read = time.monotonic() - begin
        daemon.stop()
        begin = time.monotonic()
        daemon.start()
        again = time.monotonic() - begin
        time.sleep(10)
        cpu, begin = cpu_seconds(daemon.pid), time.monotonic()
        time.sleep(max(seconds, 60))
        used = 100 * (cpu_seconds(daemon.pid) - cpu) / (time.monotonic() - begin)
        print("10,000 transcripts")
        print(f"  first start to ready, to all read {ready:8.2f} s{read:9.2f} s")
        print(f"  later start to ready              {again:8.2f} s")
        print(f"  idle                              {used:8.2f} % of a core")
        print(f"  resident                          {resident_mb(daemon.pid):8.0f} MB")


def first_import(folder: Path, _seconds: float) -> None:
    with closing(Daemon(folder / "import")) as daemon:
        for number in range(40):
            Writer(daemon.home, number).fill(5_000_000)
        files = sorted((daemon.home / ".claude").rglob("*.jsonl"))
        size = sum(path.stat().st_size for path in files) / 1e6
        begin = time.process_time()
        for path in files:
            with path.open("rb") as file:
                for line in file:
                    json.loads(line)
        loads = time.process_time() - begin
        daemon.start()
        wait_until(lambda: caught_up(daemon), 300)
        cpu = cpu_seconds(daemon.pid)
        stored = daemon.ledger.stat().st_size / 1e6
        print(f"first import of {size:.0f} MB     {'MB/CPU-s':>12}")
        print(f"  json.loads of every line{size / loads:13.0f}")
        print(f"  ctxd run, ledger included{size / cpu:12.0f}   (ledger {stored:.1f} MB)")
        print(f"  resident at the end      {resident_mb(daemon.pid):12.0f} MB")


RUN = {"latency": latency, "long": long, "idle": idle, "import": first_import}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seconds", type=float, default=10.0)
    arguments.add_argument("--only", nargs="*", choices=PARTS, default=PARTS)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            RUN[name](Path(folder), options.seconds)


if __name__ == "__main__":
    main()
