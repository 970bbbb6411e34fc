"""The two protocols that the clients speak with their model."""

import json
from collections.abc import Iterable, Iterator

from e2e.clients.model_server import Lane, Reply, Request

EVENTS = "text/event-stream"
CHARACTERS_PER_TOKEN = 4


class Messages:
    """The Messages API, as far as Claude Code uses it."""

    path = "/messages"
    _summary = (
        "Your task is to create a detailed summary of",
        "create a detailed summary of the conversation",
        "tasked with summarizing conversations",
    )
    _agent = ("You are an agent for Claude Code", "cc_is_subagent=true")
    _tools = frozenset({"Edit", "Write"})

    def lane(self, headers: dict[str, str], body: dict) -> Lane:
        system = "\n".join(_texts(body.get("system")))
        said = [m for m in body["messages"] if m["role"] == "user"]
        last = "\n".join(_texts(said[-1]["content"])) if said else ""
        if any(mark in last + system for mark in self._summary):
            return "summary"
        if "x-claude-code-agent-id" in headers or any(mark in system for mark in self._agent):
            return "agent"
        named = {tool.get("name") for tool in body.get("tools") or []}
        suggestion = "[SUGGESTION MODE" in last
        return "main" if named & self._tools and not suggestion else "passing"

    def texts(self, body: dict) -> Iterable[str]:
        yield from _texts(body.get("system"))
        for message in body["messages"]:
            yield from _texts(message["content"])

    def answer(self, reply: Reply, request: Request, number: int) -> tuple[str, bytes]:
        text = reply.text
        if request.lane == "summary" and "<summary>" not in text:
            text = f"<summary>\n{text}\n</summary>"
        blocks = [{"type": "text", "text": text}] if text else []
        blocks += [
            {"type": "tool_use", "id": f"toolu_{number:04}{n:02}", "name": t.name, "input": t.input}
            for n, t in enumerate(reply.tools)
        ]
        tokens = reply.tokens or _estimate(request.body)
        message = {
            "id": f"msg_{number:06}",
            "type": "message",
            "role": "assistant",
            "model": request.body.get("model"),
            "content": blocks,
            "stop_reason": reply.end or ("tool_use" if reply.tools else "end_turn"),
            "stop_sequence": None,
            "usage": {
                "input_tokens": 4,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": tokens - 4,
                "output_tokens": 20,
            },
        }
        if not request.body.get("stream"):
            return "application/json", json.dumps(message).encode()
        return EVENTS, b"".join(_named_events(message))

    def other(self) -> bytes:
        return json.dumps({"data": [], "has_more": False, "input_tokens": 1000}).encode()


class Completions:
    """The chat completions API, as far as the Copilot CLI uses it with a provider of one's own."""

    path = "/chat/completions"

    def lane(self, headers: dict[str, str], body: dict) -> Lane:
        kind = headers.get("x-interaction-type", "").lower()
        last = "\n".join(_texts(body["messages"][-1].get("content")))
        if "compaction" in kind or "The history is being compacted" in last:
            return "summary"
        if "subagent" in kind or "sub-agent" in kind:
            return "agent"
        return "main" if body.get("tools") else "passing"

    def texts(self, body: dict) -> Iterable[str]:
        for message in body["messages"]:
            yield from _texts(message.get("content"))

    def answer(self, reply: Reply, request: Request, number: int) -> tuple[str, bytes]:
        calls = [
            {
                "index": n,
                "id": f"call_{number}_{n}",
                "type": "function",
                "function": {"name": tool.name, "arguments": json.dumps(tool.input)},
            }
            for n, tool in enumerate(reply.tools)
        ]
        tokens = reply.tokens or _estimate(request.body)
        message = {"role": "assistant", "content": reply.text} | (
            {"tool_calls": calls} if calls else {}
        )
        whole = {
            "id": f"chatcmpl-{number}",
            "created": number,
            "model": request.body.get("model"),
            "usage": {
                "prompt_tokens": tokens,
                "completion_tokens": 20,
                "total_tokens": tokens + 20,
            },
        }
        end = reply.end or ("tool_calls" if calls else "stop")
        if request.body.get("stream"):
            return EVENTS, b"".join(_chunks(whole, message, end))
        choice = {"index": 0, "message": message, "finish_reason": end}
        done = whole | {"object": "chat.completion", "choices": [choice]}
        return "application/json", json.dumps(done).encode()

    def other(self) -> bytes:
        return b'{"object": "list", "data": []}'


def _texts(content: object) -> Iterator[str]:
    """The texts of a message's content, of tool results too."""
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else []:
        if isinstance(block, str):
            yield block
        elif block.get("type") in {"text", "tool_result"}:
            yield from _texts(block.get("text", block.get("content")))


def _estimate(body: dict) -> int:
    return len(json.dumps(body)) // CHARACTERS_PER_TOKEN


def _named_events(message: dict) -> Iterator[bytes]:
    begun = message | {"content": [], "stop_reason": None}
    yield _event("message_start", message=begun)
    for number, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty = block | {"text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            empty = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", index=number, content_block=empty)
        yield _event("content_block_delta", index=number, delta=delta)
        yield _event("content_block_stop", index=number)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=end, usage=message["usage"])
    yield _event("message_stop")


def _event(name: str, **fields: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name} | fields)}\n\n".encode()


def _chunks(whole: dict, message: dict, end: str) -> Iterator[bytes]:
    whole = whole | {"object": "chat.completion.chunk"}
    usage = whole.pop("usage")
    for delta, reason in ((message, None), ({}, end)):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        yield _data(whole | {"choices": [choice]})
    yield _data(whole | {"choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _data(chunk: dict) -> bytes:
    return f"data: {json.dumps(chunk)}\n\n".encode()
