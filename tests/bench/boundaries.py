"""How long the compactions of a long session take to judge:
`python tests/bench/boundaries.py [--megabytes N] [--compactions N] [--rules N]`.

A session of one agent is made in which constraints are stated all along, and each summary keeps
some, bends some and drops the others. Printed is the processor time of each step: reading,
understanding, and judging all compactions; of half of the session first, so that what grows faster
than the session shows.
"""

import argparse
import json
import os
import random
import tempfile
import time
import uuid
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from ctxd.ledger import Ledger
from ctxd.pipeline import Pipeline
from ctxd.retention.retaining import Retaining
from ctxd_parsers.discovery import transcripts_under

THINGS = (
    "the uploads folder",
    "the billing table",
    "the staging database",
    "the public API",
    "the login page",
    "the export job",
    "the audit log",
    "the retry queue",
    "the session cache",
    "the mail templates",
)
RULES = (
    "never delete {thing} by hand",
    "{thing} must answer within {number} ms",
    "don't touch {thing} before version {number}",
    "always run the tests of {thing} with {number} workers",
    "{thing} keeps {number} entries at most",
    "use httpx for {thing}, not requests",
)
FILLER = "the handler reads the next record and writes it to a free worker"


class Session:
    """Writes one session of Claude Code, as its log has it."""

    def __init__(self, file, megabytes: float, compactions: int, rules: int) -> None:
        self.file = file
        self.chance = random.Random(7)
        self.id = str(uuid.UUID(int=7, version=4))
        self.time = datetime(2026, 3, 1, tzinfo=UTC)
        self.last: str | None = None
        self.stated: list[str] = []
        turns = max(1, rules // compactions)
        size = int(megabytes * 1e6 / compactions / turns)
        for number in range(compactions):
            for _ in range(turns):
                self._turn(size)
            self._compact(number)

    def _write(self, kind: str, **more: object) -> None:
        self.time += timedelta(seconds=20)
        name = str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
        row = {
            "parentUuid": self.last,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/shop",
            "sessionId": self.id,
            "version": "2.1.332",
            "type": kind,
            "uuid": name,
            "timestamp": self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        self.file.write(json.dumps(row | more) + "\n")
        self.last = name

    def _turn(self, size: int) -> None:
        rule = self.chance.choice(RULES).format(
            thing=f"{self.chance.choice(THINGS)} of shop {len(self.stated) + 1}",
            number=self.chance.randrange(2, 400),
        )
        self.stated.append(rule)
        text = f"{rule[0].upper()}{rule[1:]}.\n\nNow have a look at the next file."
        self._write("user", message={"role": "user", "content": text})
        call = f"toolu_{self.chance.getrandbits(64):x}"
        path = f"/home/dev/shop/src/part{self.chance.randrange(400)}.py"
        said = {"type": "text", "text": self._words(60)}
        asked = {"type": "tool_use", "id": call, "name": "Edit", "input": {"file_path": path}}
        for block in (said, asked):
            self._write("assistant", message={"role": "assistant", "content": [block]})
        output = {"tool_use_id": call, "type": "tool_result", "content": "x = 1\n" * (size // 7)}
        self._write("user", message={"role": "user", "content": [output]})

    def _compact(self, number: int) -> None:
        facts = {"trigger": "auto", "preTokens": 167_000, "postTokens": 12_000}
        self._write("system", subtype="compact_boundary", compactMetadata=facts, parentUuid=None)
        kept = [rule for rule in self.stated if self.chance.random() < 0.6]
        lines = [f"{at}. {self._words(40)}" for at in range(30)]
        lines += [f"- {rule}" for rule in kept[-150:]]
        summary = "This session is being continued.\nSummary:\n" + "\n".join(lines)
        self._write("user", isCompactSummary=True, message={"role": "user", "content": summary})

    def _words(self, count: int) -> str:
        return " ".join(self.chance.choices(FILLER.split(), k=count)) + "."


def judged(megabytes: float, compactions: int, rules: int) -> dict[str, float]:
    """Seconds of each step, and how much there was."""
    with tempfile.TemporaryDirectory(prefix="ctxd-bench-") as name:
        folder = Path(name) / "projects" / "-home-dev-shop"
        folder.mkdir(parents=True)
        with (folder / f"{uuid.UUID(int=7, version=4)}.jsonl").open("w", encoding="utf-8") as file:
            Session(file, megabytes, compactions, rules)
        [transcript] = transcripts_under(Path(name) / "projects")
        with Ledger.open(Path(name) / "ledger.sqlite3") as ledger:
            pipeline = Pipeline(ledger, time.time)
            steps = [time.process_time()]
            while pipeline.advance(transcript).more:
                pass
            steps.append(time.process_time())
            while pipeline.understanding.step():
                pass
            steps.append(time.process_time())
            retaining = Retaining(ledger)
            while retaining.step():
                pass
            steps.append(time.process_time())
            records = ledger.records()
        read, understood, kept = (b - a for a, b in pairwise(steps))
        return {
            "megabytes": os.path.getsize(transcript.path) / 1e6,
            "compactions": len(records),
            "verdicts": sum(len(record.items) for record in records),
            "read": read,
            "understood": understood,
            "judged": kept,
        }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--megabytes", type=float, default=40.0)
    arguments.add_argument("--compactions", type=int, default=27)
    arguments.add_argument(
        "--rules", type=int, default=135, help="constraints in the whole session"
    )
    chosen = arguments.parse_args()
    judged(1, 2, 10)  # what is loaded once for all
    for share in (2, 1):
        found = judged(chosen.megabytes / share, chosen.compactions // share, chosen.rules // share)
        print(
            f"{found['megabytes']:5.1f} MB  {found['compactions']:3.0f} compactions  "
            f"{found['verdicts']:6.0f} verdicts  read {found['read']:5.2f} s  "
            f"understood {found['understood']:5.2f} s  judged {found['judged']:5.2f} s"
        )


if __name__ == "__main__":
    main()
