"""Session logs of any length, made up: as many lines as a test needs, in the form of one client."""

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

AGENT = "claude-code"
FOLDER = ".claude/projects"


class Talk:
    """One session; its words are numbered, and the numbers are the ids."""

    def __init__(self, home: Path, name: str = "talk", project: str = "-home-dev-demo") -> None:
        self.session = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{project!a}/{name}"))
        self.path = home / FOLDER / project / f"{self.session}.jsonl"
        self.told = 0
        self.time: datetime | None = None
        """When everything is said; None for the moment it is written."""

    @property
    def ids(self) -> list[str]:
        """Ids of all lines so far, which are one event each."""
        return [self._id(number) for number in range(self.told)]

    def line(self, text: str = "", *, bulk: int = 0) -> bytes:
        """The next line, the user's and the agent's in turn; with so many bytes in it besides that
        are nothing to anybody."""
        number = self.told
        self.told += 1
        kind = "assistant" if number % 2 else "user"
        words = text or f"word number {number}: keep the retries at three, never at four"
        message = {"role": kind, "content": words}
        if kind == "assistant":
            message |= {"id": f"m{number}", "model": "claude-opus-4-8", "stop_reason": "end_turn"}
            message["content"] = [{"type": "text", "text": words}]
        row = {
            "parentUuid": self._id(number - 1) if number else None,
            "isSidechain": False,
            "type": kind,
            "cwd": "/home/dev/demo",
            "sessionId": self.session,
            "version": "2.1.206",
            "gitBranch": "main",
            "uuid": self._id(number),
            "timestamp": (self.time or datetime.now(UTC)).isoformat().replace("+00:00", "Z"),
            "message": message,
        }
        if bulk:
            row["normalizedMessages"] = "x" * bulk
        return json.dumps(row).encode() + b"\n"

    def lines(self, count: int) -> Iterator[bytes]:
        """The next ones."""
        return (self.line() for _ in range(count))

    def write(self, count: int = 1, text: str = "") -> None:
        """Append the next ones to the log."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        data = b"".join(self.line(text) for _ in range(count))
        with self.path.open("ab") as file:
            file.write(data)

    def _id(self, number: int) -> str:
        return str(uuid.UUID(int=uuid.UUID(self.session).int ^ number))
