"""Sessions that a test talks in: what either side says is a line of a client's log, as it writes
them, with everything that a client puts between the words."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any


class Conversation:
    """One session's log in a home, written a line at a time."""

    agent = ""

    def __init__(self, home: Path, name: str, cwd: str = "/home/dev/shop") -> None:
        self.session = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.agent}/{name}"))
        self.cwd = cwd
        self.path = self._place(home)
        self.lines: list[bytes] = []
        self.ago = timedelta(0)
        """How long ago everything is said that is written now."""
        self.time = datetime.min.replace(tzinfo=UTC)
        """When the last line was said."""

    def user(self, text: str) -> str:
        """Words that the user typed; return the id of their event."""
        raise NotImplementedError

    def assistant(self, text: str) -> str:
        """What the agent said."""
        raise NotImplementedError

    def tool(self, output: str, name: str = "Read") -> str:
        """A tool that ran, and what came out of it."""
        raise NotImplementedError

    def _place(self, home: Path) -> Path:
        raise NotImplementedError

    def _id(self, number: int | None = None) -> str:
        base = uuid.UUID(self.session)
        return str(uuid.uuid5(base, str(len(self.lines) if number is None else number)))

    def _now(self) -> str:
        self.time = max(self.time + timedelta(milliseconds=1), datetime.now(UTC) - self.ago)
        return self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _append(self, row: dict[str, Any]) -> None:
        line = json.dumps(row).encode() + b"\n"
        self.lines.append(line)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(line)

    def rewrite(self) -> None:
        """Write the whole log anew under a new inode, as some clients do."""
        fresh = self.path.with_suffix(".new")
        fresh.write_bytes(b"".join(self.lines))
        fresh.replace(self.path)


class ClaudeCode(Conversation):
    """A session of Claude Code 2.1.x."""

    agent = "claude-code"

    def _place(self, home: Path) -> Path:
        folder = self.cwd.replace("/", "-")
        return home / ".claude" / "projects" / folder / f"{self.session}.jsonl"

    def user(self, text: str) -> str:
        return self._message("user", text)

    def assistant(self, text: str) -> str:
        return self._message("assistant", [{"type": "text", "text": text}])

    def tool(self, output: str, name: str = "Read") -> str:
        call = f"toolu_{len(self.lines)}"
        self._message("assistant", [{"type": "tool_use", "id": call, "name": name, "input": {}}])
        result = {"tool_use_id": call, "type": "tool_result", "content": output}
        return self._message("user", [result], toolUseResult={"stdout": output})

    def reminder(self, text: str) -> str:
        """What the client puts before the model under the user's role."""
        inside = f"<system-reminder>\n{text}\n</system-reminder>"
        return self._message("user", inside, isMeta=True)

    def attachment(self, **given: Any) -> str:
        """A hook's output, a context file, and the like."""
        return self._row("attachment", attachment=given)

    def rewound(self, text: str, to: str | None) -> str:
        """Words typed after the user went back to before an earlier prompt: the log branches."""
        return self._message("user", text, parentUuid=to)

    def compacted(self, summary: str) -> str:
        """The window is replaced by a summary."""
        self._row("system", subtype="compact_boundary", content="Conversation compacted")
        return self._message("user", summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def _message(self, kind: str, content: Any, **more: Any) -> str:
        message = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"id": f"m{len(self.lines)}", "model": "m", "stop_reason": "end_turn"}
        return self._row(kind, message=message, **more)

    def _row(self, kind: str, **fields: Any) -> str:
        name = self._id()
        row = {
            "parentUuid": self._id(len(self.lines) - 1) if self.lines else None,
            "isSidechain": False,
            "userType": "external",
            "entrypoint": "cli",
            "type": kind,
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": "2.1.109",
            "gitBranch": "main",
            "uuid": name,
            "timestamp": self._now(),
        }
        self._append(row | fields)
        return name


class CopilotCli(Conversation):
    """A session of Copilot CLI 1.0.102."""

    agent = "copilot-cli"

    def _place(self, home: Path) -> Path:
        return home / ".copilot" / "session-state" / self.session / "events.jsonl"

    def user(self, text: str) -> str:
        if not self.lines:
            self._begin()
        shown = f"<current_datetime>{self._now()}</current_datetime>\n\n{text}"
        return self._row("user.message", content=text, transformedContent=shown, delivery="idle")

    def assistant(self, text: str) -> str:
        return self._row("assistant.message", messageId=self._id(-1), content=text, model="m")

    def tool(self, output: str, name: str = "view") -> str:
        call = f"call_{len(self.lines)}"
        self._row("tool.execution_start", toolCallId=call, toolName=name, arguments={})
        result = {"content": output}
        return self._row("tool.execution_complete", toolCallId=call, success=True, result=result)

    def compacted(self, summary: str) -> str:
        """The window is replaced by a summary, and the prompts that this client keeps."""
        attempt = {"compactionAttemptId": self._id(-2), "trigger": "threshold"}
        self._row("session.compaction_start", **attempt)
        done = {"success": True, "summaryContent": summary, "messagesRemoved": 4}
        return self._row("session.compaction_complete", **attempt, **done)

    def _begin(self) -> None:
        self._row(
            "session.start",
            sessionId=self.session,
            version=1,
            producer="copilot-agent",
            copilotVersion="1.0.102",
            startTime=self._now(),
            context={"cwd": self.cwd, "branch": "main"},
        )

    def _row(self, kind: str, **data: Any) -> str:
        name = self._id()
        parent = self._id(len(self.lines) - 1) if self.lines else None
        self._append(
            {"type": kind, "data": data, "id": name, "timestamp": self._now(), "parentId": parent}
        )
        return name


class KiroCli(Conversation):
    """A session of Kiro CLI 2.x."""

    agent = "kiro-cli"

    def _place(self, home: Path) -> Path:
        folder = home / ".kiro" / "sessions" / "cli"
        folder.mkdir(parents=True, exist_ok=True)
        about = {"session_id": self.session, "cwd": self.cwd, "title": "a session"}
        (folder / f"{self.session}.json").write_text(json.dumps(about), encoding="utf-8")
        return folder / f"{self.session}.jsonl"

    def user(self, text: str) -> str:
        seconds = int(datetime.fromisoformat(self._now()).timestamp())
        return self._row("Prompt", text, meta={"timestamp": seconds})

    def assistant(self, text: str) -> str:
        return self._row("AssistantMessage", text)

    def tool(self, output: str, name: str = "fs_read") -> str:
        content = [{"kind": "toolResult", "data": {"content": [{"kind": "text", "data": output}]}}]
        name = self._id()
        data = {"message_id": name, "content": content}
        self._append({"version": "v1", "kind": "ToolResults", "data": data})
        return name

    def _row(self, kind: str, text: str, **more: Any) -> str:
        name = self._id()
        data = {"message_id": name, "content": [{"kind": "text", "data": text}], **more}
        self._append({"version": "v1", "kind": kind, "data": data})
        return name
