"""Long sessions made up for pictures, in the form of one client's log, and real ledgers of them."""

import json
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from unittest.mock import patch

from ctxd.ledger import KeptItem, Ledger, WaitingBoundary
from ctxd.pipeline import Pipeline
from ctxd.retention.retaining import Retaining
from ctxd_parsers.discovery import transcripts_under

AGENT = "claude-code"
NOW = datetime(2026, 3, 15, 9, 0, tzinfo=UTC).timestamp()
BEGAN = datetime(2026, 3, 14, 8, 4, tzinfo=UTC)
WINDOW = 168_000
"""Tokens at which the client compacts."""
LEFT = 21_000
"""Tokens that are in the window after it."""


class LongSession:
    """One session, written a row at a time."""

    def __init__(self, cwd: str, title: str, name: str = "long", began: datetime = BEGAN) -> None:
        self.session = str(uuid.uuid5(uuid.NAMESPACE_OID, name))
        self.cwd = cwd
        self.rows: list[dict] = [{"type": "ai-title", "aiTitle": title, "sessionId": self.session}]
        self.time = began
        self.tokens = 14_000
        self._last: str | None = None

    def user(self, text: str) -> None:
        self._row("user", message={"role": "user", "content": text}, seconds=90)

    def agent(self, text: str, tokens: int = 2_000) -> None:
        """A response, after which the window holds so much more."""
        self.tokens += tokens
        usage = {"input_tokens": 4, "cache_creation_input_tokens": 0, "output_tokens": 200}
        usage["cache_read_input_tokens"] = self.tokens - 204
        message = {"id": f"msg_{len(self.rows)}", "model": "claude-opus-5-5", "role": "assistant"}
        message |= {"content": [{"type": "text", "text": text}], "usage": usage}
        self._row("assistant", message=message | {"stop_reason": "end_turn"}, seconds=20)

    def work(self, responses: int, until: int = WINDOW - 3_000) -> None:
        """Responses that nothing is agreed in, until the window is so full."""
        each = max((until - self.tokens) // responses, 100)
        for number in range(responses):
            wobble = (number * 37 % 11 - 5) * each // 12
            self.agent(f"Step {number + 1} is done; the tests pass.", each + wobble)

    def compact(self, summary: str, trigger: str = "auto") -> None:
        before, self.tokens = self.tokens, LEFT
        metadata = {"trigger": trigger, "preTokens": before, "postTokens": LEFT}
        self._row("system", subtype="compact_boundary", compactMetadata=metadata, seconds=30)
        text = "This session is being continued from a previous conversation.\n\n" + summary
        message = {"role": "user", "content": text}
        self._row("user", message=message, isCompactSummary=True, seconds=1)

    def pause(self, hours: float) -> None:
        self.time += timedelta(hours=hours)

    def write(self, home: Path) -> Path:
        """The log, where the client keeps it."""
        folder = home / ".claude" / "projects" / self.cwd.replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.session}.jsonl"
        data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows)
        path.write_text(data, encoding="utf-8", errors="surrogatepass")
        return path

    def _row(self, kind: str, *, seconds: float, **more) -> None:
        self.time += timedelta(seconds=seconds)
        name = str(uuid.UUID(int=uuid.UUID(self.session).int ^ len(self.rows)))
        self.rows.append(
            {
                "parentUuid": self._last,
                "isSidechain": False,
                "type": kind,
                "cwd": self.cwd,
                "sessionId": self.session,
                "version": "2.1.332",
                "gitBranch": "main",
                "uuid": name,
                "timestamp": self.time.isoformat().replace("+00:00", "Z"),
                "userType": "external",
                **more,
            }
        )
        self._last = name


WANTED = "We need an importer for the invoices of the old system."
DATABASE = "Never write to the old database, it is production."
AMOUNTS = "Amounts are always kept in integer cents, never in floats."
DUMP = "Read them from the nightly CSV dump; the API is too slow and gives us 429 all the time."
RETRIES = "Retries stay at three, with exponential backoff."
ZONE = "Always use UTC for timestamps."
PANDAS = "Don't add pandas for this, the csv module is enough."
TOLD = MappingProxyType({"UTC": 1, "Retries": 2})
"""Words of items that `importer` has dropped by a summary and told again, and at which one."""


def importer(cwd: str) -> LongSession:
    """A day on an importer of invoices. Its summaries have what was said word for word, or not at
    all: nobody has to judge how near they come."""
    made = LongSession(cwd, "Import invoices from the old billing system")
    made.user(f"{WANTED} What do you need to know?")
    made.agent("How to read them, and what I may not touch.")
    made.user(DATABASE)
    made.agent("Understood.")
    made.user(AMOUNTS)
    made.agent(
        "Two ways to read them:\n\nA) through its REST API\nB) from the nightly CSV dump\n\n"
        "I recommend B: it puts no load on the old system. Which one?",
        3_000,
    )
    made.user("B, the API is too slow and gives us 429 all the time")
    made.work(14, 58_000)
    made.user(ZONE)
    made.work(8, 76_000)
    made.user(RETRIES)
    made.work(26)
    made.compact(f"{WANTED}\n\n- {DATABASE}\n- {AMOUNTS}\n- {DUMP}\n- {RETRIES}")
    made.work(12, 60_000)
    made.user(PANDAS)
    made.pause(2)
    made.work(30)
    made.compact(f"{WANTED}\n\n- {DATABASE}\n- {DUMP}\n- {PANDAS}")
    made.work(11, 70_000)
    made.user(f"{AMOUNTS} I said that already!")
    made.work(23)
    made.compact(f"{WANTED}\n\n- {AMOUNTS}\n- {PANDAS}", "manual")
    made.work(9, 64_000)
    return made


def ledger_of(folder: Path, *logs: Path, told: Mapping[str, int] = MappingProxyType({})) -> Path:
    """A ledger that the daemon's own steps made of these logs, compactions judged. `told` are words
    of items that a hook told the agent again, each at the compaction of that number."""
    path = folder / "ledger.sqlite3"
    path.parent.mkdir(parents=True, exist_ok=True)
    with Ledger.open(path, lambda: NOW) as ledger:
        pipeline = Pipeline(ledger, lambda: NOW)
        for log in logs:
            for transcript in transcripts_under(log):
                while pipeline.advance(transcript).more:
                    pass
        while pipeline.understanding.step():
            pass
        retaining = Retaining(ledger)
        for number, boundary in enumerate(ledger.boundaries_waiting(99), 1):
            for known in ledger.items():
                if told.get(next((w for w in told if w in known.state.text), "")) == number:
                    _tell(ledger, boundary, known)
        with patch("ctxd.retention.retaining.BOUNDARIES_AT_ONCE", 1):  # as they happen
            while retaining.step():
                pass
    return path


def _tell(ledger: Ledger, boundary: WaitingBoundary, known: KeptItem) -> None:
    assert boundary.boundary.time is not None
    when = boundary.boundary.time.timestamp() + 2
    name = (known.repository, known.id)
    ledger.mark_given(boundary.agent, boundary.session, [name], when, ahead=True)
