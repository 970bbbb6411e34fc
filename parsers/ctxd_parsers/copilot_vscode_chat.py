"""What is kept of a VS Code chat, and how it is read whatever its shape.

Promises: `CHAT` names every part that the parser reads, the rest is skipped; of bulk (tool
arguments and results) only what they touch, the verdict and the answers to questions stay.
Functions here take any JSON and give the empty value for what is not as expected.

A request is `{requestId, timestamp, message{text, parts}, variableData{variables}, response[],
result{metadata}, modelState{value}, ...}`; facts are of microsoft/vscode, as named at each.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from ctxd_parsers.copilot_vscode_log import (
    FAILURES,
    SHORT_CHARS,
    Keep,
    Raw,
    fields,
    kept,
    short,
    whole,
)
from ctxd_parsers.values import excerpt, uri_path

NOTICE = re.compile(r"\[Terminal \S+ notification: ")
"""Start of what the client sends when a command that ran in the background ended or wants input.
Chats mark such requests since 2026; older chats and the transcript show only the text."""

_VERDICTS = {
    b'"The user chose to skip the tool call': "refused",
    b'"The user cancelled the tool call': "cancelled",
    b'"ERROR while calling tool': "error",
}
"""How the text of a tool result begins when the tool did not run, or failed."""

_ANSWERS = b'"{\\"answers\\":'
_RESULT_HEAD = 600
"""Bytes of a tool result in which its text begins."""

OPEN_RESPONSE_CHARS = 200_000
"""Text of a running response that is held until the client says how it ended; what is beyond is
cut. A turn says some thousands of characters; code goes into tool calls."""

_PATHS = ("filePath", "path", "dirPath", "uri", "filePaths", "old_path", "new_path")
_NEW_TEXT = ("newString", "content", "newCode", "code", "input")


def text_of(value: Any) -> str:
    """Text that is a string, a Markdown string object (or one within another), or in pieces."""
    while isinstance(value, dict):
        value = value.get("value")
    if isinstance(value, list):
        return "".join(piece for piece in value if isinstance(piece, str))
    return value if isinstance(value, str) else ""


def fields_of(value: Any) -> dict[str, Any]:
    """An object, empty if the value is none."""
    return value if isinstance(value, dict) else {}


def items_of(value: Any) -> list[Any]:
    """An array, empty if the value is none."""
    return value if isinstance(value, list) else []


def number_of(value: Any) -> int | None:
    """A whole number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 <= value < 2**53 else None


def call_name(value: Any) -> str:
    """A tool call's id as the model gave it: the chat adds `__vscode-<number>`, the transcript
    mostly does not."""
    return text_of(value).split("__vscode-", 1)[0]


def location(raw: Raw) -> str | None:
    """The path, URI or name of what an attachment or a reference points to."""
    found = fields(raw)
    if "location" in found and "name" in found:
        return text_of(whole(found["name"])) or None
    if "uri" in found and "path" not in found:
        return location(found["uri"])
    external, path = (text_of(whole(found[k])) if k in found else "" for k in ("external", "path"))
    return uri_path(external) if external else path or None


def reduced_call(name: str, arguments: Any) -> dict[str, Any]:
    """What a tool call touches, and the questions it asks; not its bulk. Arguments are an object,
    or JSON text of one."""
    found = arguments
    if isinstance(arguments, str):
        try:
            found = msgspec.json.decode(arguments)
        except FAILURES:
            found = None
    known = fields_of(found)
    paths = [p for key in _PATHS for p in ([known.get(key), *items_of(known.get(key))])]
    new = next((known[key] for key in _NEW_TEXT if isinstance(known.get(key), str)), None)
    rest = arguments if isinstance(arguments, str) else msgspec.json.encode(known).decode()
    return {
        "name": name,
        "paths": [path for path in paths if isinstance(path, str)],
        "command": text_of(known.get("command")) or None,
        "excerpt": excerpt(new or rest),
        "questions": items_of(known.get("questions")) if "askquestions" in name.lower() else [],
    }


def _call(raw: Raw) -> dict[str, Any]:
    found = fields_of(kept(raw, {"id": whole, "name": whole, "arguments": whole}))
    call = reduced_call(text_of(found.get("name")), found.get("arguments"))
    return {"id": found.get("id"), **call}


def outcome(data: bytes) -> dict[str, Any]:
    """The verdict of a tool result, and the answers of a question dialog; not its output."""
    head = data[:_RESULT_HEAD]
    if _ANSWERS in head:
        content = fields_of(msgspec.json.decode(data)).get("content")
        text = "".join(map(text_of, items_of(content))) or text_of(content)
        return {"status": "ok", "answers": answers_in(text)}
    return {"status": next((word for mark, word in _VERDICTS.items() if mark in head), "ok")}


def answers_in(text: str) -> dict[str, Any]:
    """The answers by header that the ask-questions tool gave to the model."""
    try:
        return fields_of(fields_of(msgspec.json.decode(text)).get("answers"))
    except FAILURES:
        return {}


def _outcomes(raw: Raw) -> dict[str, dict[str, Any]]:
    return {call_name(call): outcome(bytes(result)) for call, result in fields(raw).items()}


_NOT_OWN = ("isSystemInitiated", "hiddenFromTranscript", "requestHiddenFromTranscript", "isHidden")
"""Marks of a request that the client sent by itself."""

_SUMMARY: Keep = dict.fromkeys(
    ("toolCallRoundId", "source", "outcome", "durationMs", "contextLengthBefore"), short
) | {"text": whole}
_RESULT: Keep = {
    "errorDetails": {"message": whole},
    "timings": {"totalElapsed": short},
    "metadata": {
        "toolCallRounds": [
            {
                "id": short,
                "timestamp": short,
                "response": whole,
                "thinking": {"text": whole},
                "summary": whole,
                "toolCalls": [_call],
            }
        ],
        "toolCallResults": _outcomes,
        "summary": _SUMMARY,
        "summaries": [_SUMMARY],
        "promptTokens": short,
        "outputTokens": short,
        "resolvedModel": short,
    },
}
_PART: Keep = {
    **dict.fromkeys(("kind", "name", "resolveId", "state", "toolId", "toolCallId"), short),
    **dict.fromkeys(("isComplete", "subAgentInvocationId"), short),
    **dict.fromkeys(("value", "title", "message", "content"), whole),
    **dict.fromkeys(("questions", "data", "acceptedResult"), whole),
    "isConfirmed": {"type": short},
    "toolSpecificData": {"commandLine": {"original": short}},
    "inlineReference": location,
}
_REQUEST: Keep = {
    **dict.fromkeys(("requestId", "timestamp", "confirmation", "modelId", "isCanceled"), short),
    **dict.fromkeys(_NOT_OWN, short),
    **dict.fromkeys(("promptTokens", "completionTokens"), short),
    "message": {"text": whole, "parts": [{"kind": short, "text": whole}]},
    "variableData": {
        "variables": [
            {"kind": short, "name": short, "automaticallyAdded": short, "value": location}
        ]
    },
    "response": [_PART],
    "result": _RESULT,
    "modelState": {"value": short, "completedAt": short},
    "modeInfo": {"permissionLevel": short},
    "slashCommand": {"name": short},
}
CHAT: Keep = {
    **dict.fromkeys(("version", "creationDate", "customTitle", "computedTitle"), short),
    "sessionId": short,
    "requests": [_REQUEST],
    "repoData": {"remoteUrl": short, "localBranch": short},
}
"""What is kept of a chat (version 3, and 1 and 2 in their flat JSON)."""


_ADDRESS = {"agent", "subcommand"}
"""Parts of a message that say who is asked, which the one who is asked does not get."""


class Prompt(msgspec.Struct):
    """What a request asked, and whether a person did."""

    text: str
    key: str
    """The text as the extension got it, without participant and command."""
    own: bool
    compacts: bool


def prompt_of(request: dict[str, Any]) -> Prompt:
    """The prompt of a request."""
    message = request.get("message")
    fields = fields_of(message)
    parts = [fields_of(part) for part in items_of(fields.get("parts"))]
    whole_text = "".join(text_of(part.get("text")) for part in parts)
    text = message if isinstance(message, str) else text_of(fields.get("text")) or whole_text
    said = [text_of(p.get("text")) for p in parts if text_of(p.get("kind")) not in _ADDRESS]
    own = text.strip() and not NOTICE.match(text) and not any(map(request.get, _NOT_OWN))
    return Prompt(
        text,
        ("".join(said) or text).strip(),
        bool(own),
        text_of(fields_of(request.get("slashCommand")).get("name")) == "compact",
    )


def attachments(request: dict[str, Any]) -> tuple[str, ...]:
    """Paths or names of what the user attached; what the client added by itself is left out."""
    own = []
    for entry in items_of(fields_of(request.get("variableData")).get("variables")):
        found = fields_of(entry)
        kind = text_of(found.get("kind"))
        if found.get("automaticallyAdded") or kind in {"implicit", "promptFile", "promptText"}:
            continue
        if kind not in {"tool", "toolset", "workspace"}:
            own.append(text_of(found.get("value")) or text_of(found.get("name")) or kind)
    return tuple(name for name in own if name)


def context_files(request: dict[str, Any]) -> tuple[str, ...]:
    """Instruction files that the client put before the model with a request."""
    found = map(fields_of, items_of(fields_of(request.get("variableData")).get("variables")))
    return tuple(
        text_of(entry["value"])
        for entry in found
        if entry.get("kind") == "promptFile" and text_of(entry.get("value"))
    )


def response_of(request: dict[str, Any]) -> list[Any]:
    """The parts of a request's response; version 1 had one text."""
    response = request.get("response")
    return [response] if isinstance(response, str) else items_of(response)


_SPEECH = {"", "markdownContent", "markdownVuln"}
_READ = {"toolInvocationSerialized", "questionCarousel", "elicitationSerialized", "planReview"}


def speech_of(part: Any) -> str:
    """The text of a part of a response: Markdown, or the name of what it refers to."""
    kind = text_of(fields_of(part).get("kind"))
    if kind == "inlineReference":
        return text_of(part.get("name")) or text_of(part.get("inlineReference")).rpartition("/")[2]
    if kind not in _SPEECH:
        return ""
    return text_of(part) or text_of(fields_of(part).get("content"))


def lighten(request: dict[str, Any]) -> None:
    """Leave out of an open request what was told of it, what is not read, and what is beyond the
    bound; parts of its response keep their places."""
    request.pop("variableData", None)
    message = fields_of(request.get("message"))
    request["message"] = {"text": text_of(message.get("text"))[:SHORT_CHARS]}
    parts, left = response_of(request), OPEN_RESPONSE_CHARS
    for index, part in enumerate(parts):
        if not part:
            continue
        text = speech_of(part)[:left]
        read = text_of(fields_of(part).get("kind")) in _READ
        size = len(msgspec.json.encode(part)) if read else len(text)
        parts[index] = {"value": text} if text else part if read and size <= left else {}
        left = max(0, left - size)
    request["response"] = parts
