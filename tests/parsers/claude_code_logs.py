"""Transcripts of Claude Code for tests: rows as the client writes them, and the recorded cases."""

import json
from pathlib import Path, PurePosixPath

from ctxd_parsers.claude_code import ClaudeCode
from ctxd_parsers.events import Event, UserMessage
from ctxd_parsers.reading import Transcript, distinct, read_events
from golden import CASES, transcripts

PARSER = ClaudeCode()
SESSION = "0a1b2c3d-0000-4000-8000-000000000001"
PATH = PurePosixPath(f"/home/dev/.claude/projects/-home-dev-demo/{SESSION}.jsonl")


def row(kind: str, uuid: str, parent: str | None, **more) -> dict:
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "type": kind,
        "cwd": "/home/dev/demo",
        "sessionId": SESSION,
        "version": "2.1.206",
        "gitBranch": "main",
        "uuid": uuid,
        "timestamp": "2026-09-01T10:00:00.000Z",
        **more,
    }


def user(uuid: str, content, parent: str | None = "before", **more) -> dict:
    return row("user", uuid, parent, message={"role": "user", "content": content}, **more)


def assistant(uuid: str, content, parent: str | None = "before", **more) -> dict:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    message = {"id": f"msg_{uuid}", "model": "claude-opus-4-8", "role": "assistant"}
    message |= {"content": blocks, "stop_reason": None, **more.pop("message", {})}
    return row("assistant", uuid, parent, message=message, **more)


def call(uuid: str, identity: str, name: str, **arguments) -> dict:
    block = {"type": "tool_use", "id": identity, "name": name, "input": arguments}
    return assistant(uuid, [block])


def result(uuid: str, identity: str, content="done", *, is_error=None, **more) -> dict:
    block = {"type": "tool_result", "tool_use_id": identity, "content": content}
    if is_error is not None:
        block["is_error"] = is_error
    return user(uuid, [block], **more)


def attachment(uuid: str, parent: str | None = "before", *, outer=None, **fields) -> dict:
    return row("attachment", uuid, parent, attachment=fields, **(outer or {}))


def boundary(uuid: str, **metadata) -> dict:
    return row("system", uuid, None, subtype="compact_boundary", compactMetadata=metadata)


def summary(uuid: str, text: str, parent: str | None = "boundary", **more) -> dict:
    return user(uuid, text, parent, isCompactSummary=True, **more)


def encoded(*rows) -> bytes:
    lines = [
        r if isinstance(r, bytes) else json.dumps(r, ensure_ascii=False).encode() for r in rows
    ]
    return b"".join(line + b"\n" for line in lines)


def read(folder: Path, *rows, name: str = f"{SESSION}.jsonl") -> list[Event]:
    path = folder / "projects" / "-home-dev-demo" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded(*rows))
    return list(read_events(Transcript(path, PARSER)))


def recorded(version: str, scenario: str) -> dict[str, list[Event]]:
    """Events of a recorded case by transcript name, repeats left out."""
    found = transcripts(CASES / "claude-code" / version / scenario)
    return {t.path.stem: list(distinct(read_events(t))) for t in found}


def only(version: str, scenario: str, part: str = "") -> list[Event]:
    """Events of the one transcript of a case whose name contains `part`, sub-agents' left out."""
    sessions = recorded(version, scenario)
    (name,) = [n for n in sessions if part in n and (part or not n.startswith("agent-"))]
    return sessions[name]


def of(events: list[Event], *kinds: type) -> list:
    return [event for event in events if isinstance(event, kinds)]


def words(events: list[Event]) -> list[str]:
    return [event.text for event in of(events, UserMessage)]
