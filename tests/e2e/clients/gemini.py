"""The Gemini CLI in a terminal, with a model server of ours behind it."""

import json
import re
import time
from collections.abc import Iterable
from pathlib import Path

from e2e.clients.client import Client
from e2e.clients.dialects import CHARACTERS_PER_TOKEN, EVENTS
from e2e.clients.installed import Installed
from e2e.clients.model_server import Lane, ModelServer, Reply, Request, Scripted
from e2e.clients.terminal import Terminal

SUMMARY = "<state_snapshot>\n<key_knowledge>\n{}\n</key_knowledge>\n</state_snapshot>"
FULL = 700_000
"""Tokens of its window of 1,048,576 beyond the half at which it compacts by itself."""
SETTINGS = {
    "security": {
        "auth": {"selectedType": "gemini-api-key"},
        "folderTrust": {"enabled": False},
    },
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "ui": {"hideBanner": True, "hideTips": True},
    "ide": {"enabled": False},
}


class Contents:
    """The protocol of the Gemini API, as far as the client uses it."""

    path = "GenerateContent"

    def lane(self, headers: dict[str, str], body: dict) -> Lane:
        del headers
        last = "\n".join(_texts(body["contents"][-1:]))
        if "<state_snapshot>" in last and "contents" in body and "tools" not in body:
            return "summary"
        return "main" if body.get("tools") else "passing"

    def texts(self, body: dict) -> Iterable[str]:
        yield from _texts([body.get("systemInstruction") or {}])
        yield from _texts(body["contents"])

    def answer(self, reply: Reply, request: Request, number: int) -> tuple[str, bytes]:
        calls = [
            {"functionCall": {"name": tool.name, "args": tool.input, "id": f"call_{number}_{n}"}}
            for n, tool in enumerate(reply.tools)
        ]
        parts = [*([{"text": reply.text}] if reply.text else []), *calls]
        tokens = reply.tokens or len(json.dumps(request.body)) // CHARACTERS_PER_TOKEN
        end = reply.end or "STOP"
        whole = {
            "candidates": [
                {"content": {"role": "model", "parts": parts}, "finishReason": end, "index": 0}
            ],
            "usageMetadata": {
                "promptTokenCount": tokens,
                "candidatesTokenCount": 20,
                "totalTokenCount": tokens + 20,
            },
        }
        data = json.dumps(whole).encode()
        if request.body["streams"]:
            return EVENTS, b"data: " + data + b"\r\n\r\n"
        return "application/json", data

    def other(self) -> bytes:
        return b'{"totalTokens": 500}'


class GeminiServer(ModelServer):
    """The server, for requests whose path says what they want."""

    def answer(self, path: str, headers: dict[str, str], raw: bytes) -> tuple[str, bytes]:
        if "enerateContent" not in path:
            return "application/json", self.dialect.other()
        body = json.loads(raw)
        body |= {"streams": "stream" in path, "messages": body["contents"]}
        return super().answer("/GenerateContent", headers, json.dumps(body).encode())


class GeminiTerminal(Client):
    """The client in a terminal."""

    agent = "gemini-cli"
    _logs = ".gemini/tmp/*/chats/session-*.jsonl"

    def __init__(self, installed: Installed, folder: Path, **variables: str) -> None:
        super().__init__(installed, folder, GeminiServer(Contents()), variables)
        self.terminal = Terminal(folder)
        settings = self.home / ".gemini" / "settings.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(json.dumps(SETTINGS), encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        return {
            **super().environment,
            "GEMINI_API_KEY": "stub",
            "GOOGLE_GEMINI_BASE_URL": self.model.url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "GEMINI_TELEMETRY_ENABLED": "false",
            "NO_BROWSER": "true",
            **self.variables,
        }

    @property
    def session(self) -> str:
        first = self.logs[-1].read_text(encoding="utf-8").split("\n", 1)[0]
        return str(json.loads(first)["sessionId"])

    def start(self, *arguments: str) -> None:
        command = [*self.installed.command, "-m", "gemini-2.5-pro", "--approval-mode", "yolo"]
        self.terminal.start([*command, *arguments], self.repo, self.environment)
        self.terminal.wait_for("Type your message", 60)
        time.sleep(1.0)

    def resume(self) -> None:
        self.start("--resume", "latest")

    def say(self, words: str, *replies: Scripted) -> None:
        self.model.replies.extend(replies)
        before = self.model.turns
        self.terminal.enter(words)
        self.wait_turn(before)

    def fill(self, words: str) -> None:
        self.say(words, Reply("Done, as agreed.", tokens=FULL))

    def expect(self, summary: str) -> None:
        """It asks for a summary, and then whether that is complete."""
        self.model.summaries.extend([SUMMARY.format(summary)] * 2)

    def compact(self, summary: str) -> None:
        self.expect(summary)
        done = self.compactions()
        self.terminal.enter("/compress")
        self.wait_compacted(done)
        self.wait_quiet()

    def compactions(self) -> int:
        told = re.compile(rb'"type":"info","content":"(?:Context compressed [^"]*)?"')
        return sum(len(told.findall(path.read_bytes())) for path in self.logs)

    def stop(self) -> None:
        if self.terminal.running:
            self.terminal.enter("/quit")
            self.terminal.wait(lambda: not self.terminal.running, 20, "the client ends")

    def close(self) -> None:
        self.terminal.close()
        super().close()


def _texts(contents: list[dict]) -> Iterable[str]:
    for content in contents:
        for part in content.get("parts") or []:
            yield part.get("text") or ""
