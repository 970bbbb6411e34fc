"""Codex in a terminal, with a model server of ours behind it."""

import json
import time
from collections.abc import Iterable
from pathlib import Path

from e2e.clients.client import Client
from e2e.clients.dialects import CHARACTERS_PER_TOKEN, EVENTS
from e2e.clients.installed import Installed
from e2e.clients.model_server import Lane, ModelServer, Reply, Request, Scripted, Tool
from e2e.clients.terminal import Terminal

LIMIT = 150_000
"""Tokens beyond which it compacts by itself, as its settings here say."""
PROMPT = "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"
SETTINGS = """
model = "stub-model"
model_provider = "stub"
model_context_window = 200000
model_auto_compact_token_limit = {limit}
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.stub]
name = "stub"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "STUB_KEY"
request_max_retries = 1
stream_max_retries = 1
supports_websockets = false

[analytics]
enabled = false

[feedback]
enabled = false

[features]
apps = false
plugins = false
remote_plugin = false
enable_request_compression = false
daemon_auto_start = false

[projects."{repo}"]
trust_level = "trusted"
"""


class Responses:
    """The Responses API, as far as the client uses it."""

    path = "/responses"

    def lane(self, headers: dict[str, str], body: dict) -> Lane:
        del headers
        last = json.dumps(body["input"][-1:])
        if "CONTEXT CHECKPOINT COMPACTION" in last:
            return "summary"
        return "passing" if "single-line task title" in last else "main"

    def texts(self, body: dict) -> Iterable[str]:
        yield body.get("instructions") or ""
        for item in body["input"]:
            content = item.get("content")
            for piece in content if isinstance(content, list) else []:
                yield piece.get("text") or ""

    def answer(self, reply: Reply, request: Request, number: int) -> tuple[str, bytes]:
        name = f"resp_{number:06}"
        said = {
            "type": "message",
            "id": f"msg_{name}",
            "role": "assistant",
            "content": [{"type": "output_text", "text": reply.text}],
        }
        calls = [_call(tool, f"{number}_{n}") for n, tool in enumerate(reply.tools)]
        items = [*([said] if reply.text else []), *calls]
        tokens = reply.tokens or len(json.dumps(request.body)) // CHARACTERS_PER_TOKEN
        usage = {
            "input_tokens": tokens - 20,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": tokens,
        }
        events = [
            {"type": "response.created", "response": {"id": name}},
            *(
                {"type": "response.output_item.done", "output_index": n, "item": item}
                for n, item in enumerate(items)
            ),
            _end(reply.end, {"id": name, "usage": usage}),
        ]
        lines = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
        return EVENTS, "".join(lines).encode()

    def other(self) -> bytes:
        return b'{"object": "list", "data": [], "models": []}'


def _call(tool: Tool, name: str) -> dict:
    """A call; of a tool that takes a text where it is given one."""
    space, _, own = tool.name.rpartition(".")
    call = {"id": f"fc_{name}", "call_id": f"call_{name}", "name": own}
    if isinstance(tool.input, str):
        call |= {"type": "custom_tool_call", "input": tool.input}
    else:
        call |= {"type": "function_call", "arguments": json.dumps(tool.input)}
    return call | ({"namespace": space} if space else {})


def _end(reason: str, response: dict) -> dict:
    if not reason:
        return {"type": "response.completed", "response": response}
    why = {"status": "incomplete", "incomplete_details": {"reason": reason}}
    return {"type": "response.incomplete", "response": response | why}


class CodexServer(ModelServer):
    """The server, for requests that hold their messages under another name."""

    def answer(self, path: str, headers: dict[str, str], raw: bytes) -> tuple[str, bytes]:
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {}
        if "input" in body:
            body["messages"] = body["input"]
        return super().answer(path, headers, json.dumps(body).encode())


class CodexTerminal(Client):
    """The client in a terminal. Hooks of ours run without having been reviewed by hand."""

    agent = "codex"
    _logs = ".codex/sessions/*/*/*/rollout-*.jsonl"
    _compacted = b'"type":"compacted"'

    def __init__(self, installed: Installed, folder: Path, **variables: str) -> None:
        super().__init__(installed, folder, CodexServer(Responses()), variables)
        self.terminal = Terminal(folder)
        settings = self.home / ".codex" / "config.toml"
        settings.parent.mkdir(parents=True, exist_ok=True)
        text = SETTINGS.format(limit=LIMIT, url=self.model.url, repo=self.repo)
        settings.write_text(text, encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        plain = {"STUB_KEY": "stub", "NO_PROXY": "127.0.0.1"}
        return {**super().environment, **plain, **self.variables}

    @property
    def session(self) -> str:
        first = self.logs[-1].read_text(encoding="utf-8").split("\n", 1)[0]
        return str(json.loads(first)["payload"]["id"])

    def start(self, *arguments: str) -> None:
        command = [*self.installed.command, "--dangerously-bypass-hook-trust", "--no-daemon"]
        self.terminal.start([*command, *arguments], self.repo, self.environment)
        self.terminal.wait_for(f"for shortcuts|context left|{PROMPT}", 60)
        time.sleep(1.5)

    def resume(self) -> None:
        self.start("resume", "--last")

    def say(self, words: str, *replies: Scripted) -> None:
        self.model.replies.extend(replies)
        before = self.model.turns
        self._enter(words)
        self.wait_turn(before)

    def _enter(self, words: str) -> None:
        """What comes too fast is taken for a paste, and so is the key behind it."""
        self.terminal.type(words)
        time.sleep(0.6)
        self.terminal.accept()

    def fill(self, words: str) -> None:
        self.say(words, Reply("Done, as agreed.", tokens=LIMIT + 10_000))

    def compact(self, summary: str) -> None:
        self.expect(summary)
        done = self.compactions()
        self._enter("/compact")
        self.wait_compacted(done)
        self.wait_quiet()

    def back(self, words: str, *replies: Scripted) -> None:
        """Take the last prompt back, and say something else in its place."""
        for key in ("Escape", "Escape", "Enter"):
            self.terminal.keys(key)
            time.sleep(1.5)
        self.terminal.keys("C-u")
        self.say(words, *replies)

    def stop(self) -> None:
        if self.terminal.running:
            self._enter("/quit")
            self.terminal.wait(lambda: not self.terminal.running, 20, "the client ends")

    def close(self) -> None:
        self.terminal.close()
        super().close()
